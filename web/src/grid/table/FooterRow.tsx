// The footer of the grid: a summary of each column for which one is chosen, over all issues that match the filter.
import {useEffect, useMemo, useRef, useState, useSyncExternalStore} from 'react'
import {useGrid} from '../context/context'
import {useSignal} from '../context/signals'
import {queryOf} from '../data/source'
import {keyOf, readSummaries, SummaryStore} from '../data/summaries'
import {messages} from '../messages'
import type {Column} from '../model/columns'
import {chosenOf, shownFigure, type Figure, type Part} from '../model/summaries'
import type {View} from '../model/view'
import {Icon} from '../ui/ui'
import {checkWidth, footerHeight, type Drawn} from './layout'
import {partName, SummaryMenu} from './SummaryMenu'
import './footer.css'

/** Reports whether a summary of a shown column is chosen. */
export const isSummarized = (view: View, shown: readonly Column[]): boolean => chosenOf(view.summaries, shown).length > 0

interface Props {
  columns: readonly Drawn[]
  /** The index of the row for screen readers. */
  index: number
  width: number
  activeColumn: number
  onActivate: (column: number) => void
}

export function FooterRow({columns, index, width, activeColumn, onActivate}: Props) {
  const {client, project, view, columns: all, shown, signals} = useGrid()
  const store = useMemo(() => new SummaryStore((query, requested) => readSummaries(client, query, requested)), [client])
  const {known, reading} = useSyncExternalStore(store.subscribe, store.snapshot)
  const {where, timeZone} = queryOf(project, view, all)
  const query = {project: project.id, where, timeZone}
  const requested = chosenOf(view.summaries, shown)
  const key = JSON.stringify([query, requested.map(([c, p]) => keyOf(c, p))])
  useEffect(() => {
    store.request(query, requested)
    // The key stands for both.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [store, key])
  useEffect(() => store.stop, [store])
  const again = () => store.request(query, requested, true)
  useSignal(signals, 'removed', again)
  useSignal(signals, 'restored', again)
  useSignal(signals, 'refreshed', again)
  useSignal(signals, 'changed', ({columns: ids}) => {
    const isOther = requested.some(([c]) => ids.includes(c.id) || c.id === 'updated' || c.id === 'updatedby')
    if (where || isOther) again()
  })
  const parts = new Map(requested.map(([c, p]) => [c.id, p]))
  return (
    <div className="grid-foot" role="rowgroup" style={{width, height: footerHeight}} data-testid="footer" aria-busy={reading}>
      <div role="row" aria-rowindex={index} className="grid-row" style={{height: footerHeight}}>
        <div role="gridcell" aria-colindex={1} className="cell check pinned" style={{left: 0, width: checkWidth}} />
        {columns.map(d => {
          const part = parts.get(d.column.id) ?? null
          return (
            <FooterCell
              key={d.column.id}
              drawn={d}
              part={part}
              figure={(part && known.get(keyOf(d.column, part))) ?? null}
              reading={reading}
              active={d.index === activeColumn}
              onActivate={() => onActivate(d.index)}
              onRetry={again}
            />
          )
        })}
      </div>
    </div>
  )
}

interface CellProps {
  drawn: Drawn
  part: Part | null
  /** What is known of the part; null while it is read for the first time. */
  figure: Figure | null
  reading: boolean
  active: boolean
  onActivate: () => void
  onRetry: () => void
}

function FooterCell({drawn: {column, index, left, width, pinned, isEdge}, part, figure, reading, active, onActivate, onRetry}: CellProps) {
  const cell = useRef<HTMLDivElement>(null)
  const [menu, setMenu] = useState(false)
  const texts = messages.table.figures
  // The grid has the focus, so an active cell of the footer handles the keys of the grid.
  useEffect(() => {
    if (!active) return
    const grid = cell.current?.closest<HTMLElement>('[role=grid]')
    const keys = (e: globalThis.KeyboardEvent) => {
      const isOpening = ['Enter', ' ', 'ContextMenu', 'F2'].includes(e.key) || (e.key === 'ArrowDown' && e.altKey) || (e.key === 'F10' && e.shiftKey)
      if (e.target !== grid || !isOpening) return
      setMenu(true)
      e.preventDefault()
      e.stopPropagation()
    }
    grid?.addEventListener('keydown', keys, true)
    return () => grid?.removeEventListener('keydown', keys, true)
  })
  const shown = part && figure ? shownFigure(column, part, figure) : null
  const name = part && partName(column, part)
  const label = name === null ? texts.cellWithout(column.label) : texts.cell(column.label, name, shown?.spoken ?? texts.reading)
  const classes = ['cell', 'foot-cell']
  if (pinned) classes.push('pinned')
  if (isEdge) classes.push('pinned-edge')
  if (active) classes.push('active')
  if (figure?.problem) classes.push('failed')
  return (
    <div
      ref={cell}
      id={`f-${column.id}`}
      role="gridcell"
      aria-colindex={index + 2}
      data-column={column.id}
      className={classes.join(' ')}
      style={{left, width}}
      onContextMenu={e => {
        e.preventDefault()
        setMenu(true)
      }}
    >
      <button
        type="button"
        tabIndex={-1}
        className="figure"
        aria-haspopup="menu"
        aria-expanded={menu}
        title={shown?.reason ?? label}
        onClick={() => {
          onActivate()
          setMenu(true)
        }}
      >
        <span className="visually-hidden">{label}</span>
        {name === null ? (
          <Icon name="sum" />
        ) : (
          <>
            <span className="figure-name" aria-hidden="true">
              {name}
            </span>
            <b className={reading ? 'figure-value old' : 'figure-value'} aria-hidden="true">
              {shown?.text ?? '…'}
            </b>
          </>
        )}
      </button>
      {menu && cell.current && (
        <SummaryMenu
          anchor={cell.current}
          column={column}
          more={figure?.problem ? [{label: messages.ui.tryAgain, icon: 'refresh', separated: true, onSelect: onRetry}] : []}
          onClose={() => setMenu(false)}
        />
      )}
    </div>
  )
}
