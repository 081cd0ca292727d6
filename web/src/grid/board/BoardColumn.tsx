// A column of a board: the header of a group, and its cards, of which only those in view are rendered.
import {defaultRangeExtractor, useVirtualizer} from '@tanstack/react-virtual'
import {useEffect, useLayoutEffect, useRef, useState, type ReactNode, type RefObject} from 'react'
import {useGrid} from '../context/context'
import type {Conflict} from '../data/edits'
import type {Count, RowStore} from '../data/rows'
import {messages} from '../messages'
import type {Column} from '../model/columns'
import {groupName, isFolded, type Group} from '../model/groups'
import {chosenOf, shownFigure, type Figure} from '../model/summaries'
import {GroupName} from '../table/GroupRow'
import {partName} from '../table/SummaryMenu'
import {Icon} from '../ui/ui'
import {BoardCard} from './BoardCard'
import {header, shownCard} from './places'

export interface CardActions {
  /** A card was pressed, which may be the begin of a drag. */
  press: (down: PointerEvent, id: string, key: string) => void
  menu: (id: string, at: DOMRect) => void
  fold: (key: string) => void
}

interface Props {
  group: Group
  index: number
  /** The number of columns; null if there are more than are known. */
  of: number | null
  left: number
  width: number
  rows: RowStore | null
  count: Count | null
  columns: readonly Column[]
  cardHeight: number
  /** The IDs of cards that were moved to other columns, and of those that were moved here and have no position yet. */
  hidden: ReadonlySet<string>
  arriving: readonly string[]
  figures: ReadonlyMap<string, Figure> | null
  conflicts: readonly Conflict[]
  opened: number | null
  /** Whether cards can be moved. */
  movable: boolean
  /** Why they cannot. */
  hint: string | undefined
  /** Whether the dragged cards would be moved here. */
  isTarget: boolean
  /** The card to which keys refer; -1 for the header, null if it is in another column. */
  active: number | null
  /** Set while the focus is on its way to the active card. */
  focusing: RefObject<boolean>
  actions: CardActions
}

export function BoardColumn(props: Props) {
  const {group, index, of, left, width, rows, count, columns, cardHeight, hidden, arriving, active, focusing, actions} = props
  const {groups, view, shown, selected} = useGrid()
  const list = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const isOpen = !isFolded(view.fold, group.key)
  const name = groups ? groupName(groups.key, group) : ''
  const state = rows?.snapshot()
  const height = !isOpen ? 0 : state?.loaded ? state.height : (group.total ?? 1)
  // Each column keeps one card for Tab, also while the keys are in another one.
  const [last, setLast] = useState(0)
  if (active !== null && active !== last) setLast(active)
  const current = shownCard(Math.min(last, height - 1), height, i => hidden.has(rows?.entry(i)?.id ?? ''))

  const virtualizer = useVirtualizer({
    count: height,
    getScrollElement: () => list.current,
    estimateSize: i => (hidden.has(rows?.entry(i)?.id ?? '') ? 0 : cardHeight),
    overscan: 3,
    enabled: isOpen,
    // The card with the focus stays.
    rangeExtractor: range => (current < 0 ? defaultRangeExtractor(range) : [...new Set([...defaultRangeExtractor(range), current])].sort((a, b) => a - b)),
  })
  const hiddenKey = [...hidden].join()
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, hiddenKey, cardHeight, state?.entries])
  const offset = virtualizer.scrollOffset ?? 0
  const seen = Math.max(1, Math.ceil((virtualizer.scrollRect?.height ?? 0) / cardHeight))
  const first = Math.floor(offset / cardHeight)
  const board = groups?.board
  useEffect(() => {
    if (isOpen) board?.showCards(group.key, first, Math.min(first + seen, Math.max(0, height - 1)))
  }, [board, group.key, first, seen, height, isOpen])
  // When the indexes of the cards shift, those in view stay.
  useEffect(
    () =>
      rows?.onShift(by => {
        if (list.current) list.current.scrollTop += by * cardHeight
      }),
    [rows, cardHeight],
  )

  useLayoutEffect(() => {
    if (active !== null && active >= 0 && focusing.current) virtualizer.scrollToIndex(active)
  }, [virtualizer, active, focusing])
  useLayoutEffect(() => {
    const place = list.current?.querySelector<HTMLElement>(`[data-card="${active}"]`)
    if (active !== null && focusing.current) {
      const to = active === header ? button.current : (place?.querySelector('a') ?? place)
      to?.focus({preventScroll: true})
      if (to) focusing.current = false
    }
    // A place has the focus until its card is loaded.
    if (place && place === document.activeElement) place.querySelector('a')?.focus({preventScroll: true})
  })

  const counted = count ? messages.table.groups.count(count.total, count.exact) : ''
  const classes = ['board-column']
  if (!isOpen) classes.push('folded')
  if (props.isTarget) classes.push('target')
  const card = (id: string, tabIndex: number): ReactNode => (
    <BoardCard
      id={id}
      columns={columns}
      tabIndex={tabIndex}
      isChosen={selected.has(id)}
      opened={props.opened}
      conflict={props.conflicts.find(c => c.id === id) ?? null}
      movable={props.movable}
      onPress={down => actions.press(down, id, group.key)}
      onMenu={at => actions.menu(id, at)}
    />
  )
  return (
    <div
      role="group"
      aria-label={messages.board.column(name, counted, index + 1, of)}
      className={classes.join(' ')}
      style={{transform: `translateX(${left}px)`, width}}
      data-group={group.key}
      data-index={index}
    >
      <div className="board-head" title={props.hint}>
        <button
          ref={button}
          type="button"
          className="board-fold"
          aria-expanded={isOpen}
          aria-label={isOpen ? messages.board.fold(name) : messages.board.unfold(name)}
          tabIndex={current < 0 || active === header ? 0 : -1}
          onClick={() => actions.fold(group.key)}
        >
          <Icon name={isOpen ? 'down' : 'right'} />
        </button>
        <GroupName group={group} />
        <span className="group-count" title={counted}>
          {count && (count.exact ? '' : '≥ ') + count.total.toLocaleString()}
        </span>
        {isOpen && props.figures && (
          <span className="board-figures">
            {chosenOf(view.summaries, shown).map(([c, part]) => {
              const figure = props.figures?.get(c.id)
              const text = figure ? shownFigure(c, part, figure) : null
              return (
                <span key={c.id} title={text?.reason ?? undefined}>
                  {partName(c, part)} <b>{text?.text ?? '…'}</b>
                </span>
              )
            })}
          </span>
        )}
      </div>
      {isOpen && arriving.length > 0 && (
        <div role="list" aria-label={name} className="board-arriving">
          {arriving.map(id => (
            <div key={id} role="listitem" className="board-place" data-arriving={id} style={{height: cardHeight}}>
              {card(id, -1)}
            </div>
          ))}
        </div>
      )}
      {isOpen && (
        <div ref={list} className="board-cards">
          {height === 0 && arriving.length === 0 && <p className="hint">{messages.board.empty}</p>}
          <div role={height > 0 ? 'list' : undefined} aria-label={height > 0 ? name : undefined} style={{height: virtualizer.getTotalSize()}}>
            {virtualizer.getVirtualItems().map(item => {
              const entry = rows?.entry(item.index)
              if (entry && hidden.has(entry.id)) return null
              return (
                <div
                  key={item.index}
                  role="listitem"
                  aria-posinset={item.index + 1}
                  aria-setsize={count?.exact ? height : -1}
                  tabIndex={-1}
                  className="board-place"
                  style={{transform: `translateY(${item.start}px)`, height: cardHeight}}
                  data-card={item.index}
                >
                  {entry ? card(entry.id, item.index === current ? 0 : -1) : <span className="bone" />}
                </div>
              )
            })}
          </div>
        </div>
      )}
    </div>
  )
}
