// The issues of the view as a list of cards, which replaces the table on phones. It has the same rows, and renders only the visible ones (useSeenRows). A card
// is a link: a tap opens its issue, and nothing is edited here.
import {useEffect, useMemo, useRef, useSyncExternalStore} from 'react'
import {Card} from './Card'
import {useGrid} from '../context/context'
import {useSignal} from '../context/signals'
import {messages} from '../messages'
import {GridState} from '../table/GridState'
import {useSeenRows} from '../table/useSeenRows'
import './phone.css'

/** The measures in pixels; the same as in phone.css. */
const measures = {row: 116, header: 0}
/** The columns that each card has, and how many others. */
const inHead = ['num', 'name', 'state']
const most = 3

export function Cards() {
  const {rows, shown, view, project, signals} = useGrid()
  const state = useSyncExternalStore(rows.subscribe, rows.snapshot)
  const list = useRef<HTMLDivElement>(null)
  const columns = useMemo(() => shown.filter(c => !inHead.includes(c.id)).slice(0, most), [shown])
  const {items, totalHeight} = useSeenRows(list, nothing, nothing, measures.row, measures.header)
  useSignal(signals, 'jumped', index => {
    if (list.current) list.current.scrollTop = index * measures.row
  })
  useSignal(signals, 'row', index => {
    const box = list.current
    if (!box) return
    const top = index * measures.row
    if (top < box.scrollTop) box.scrollTop = top
    else if (top + measures.row > box.scrollTop + box.clientHeight) box.scrollTop = top + measures.row - box.clientHeight
  })
  // The focus returns to the card of the issue that was open.
  const open = useRef(view.issue)
  useEffect(() => {
    const was = open.current
    open.current = view.issue
    if (was === null || view.issue !== null || document.activeElement !== document.body) return
    list.current?.querySelector<HTMLElement>(`[data-num='${was}']`)?.focus({preventScroll: true})
  }, [view.issue])
  return (
    <div className="cards-frame">
      <div ref={list} className="card-list" data-testid="cards" role="group" aria-label={messages.table.issuesOf(project.name)} aria-busy={!state.loaded}>
        <div role="list" style={{height: totalHeight}}>
          {items.map(item => {
            const entry = rows.entry(item.index)
            return (
              <div
                key={entry?.cursor ?? `place-${item.index}`}
                role="listitem"
                aria-posinset={item.index + 1}
                aria-setsize={state.exact ? state.height : -1}
                data-index={item.index}
                className="card-place"
                style={{transform: `translateY(${item.start}px)`}}
              >
                {entry ? <Card id={entry.id} columns={columns} /> : <span className="bone" />}
              </div>
            )
          })}
        </div>
      </div>
      <GridState />
    </div>
  )
}

const nothing = () => undefined
