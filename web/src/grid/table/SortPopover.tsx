// The popover with the sort columns. Each change is applied immediately.
import {useEffect, useRef, useState, type KeyboardEvent} from 'react'
import {useGrid} from '../context/context'
import {messages} from '../messages'
import {mayBeEmpty} from '../model/columns'
import {add, change, idle, isDefault, mostSorts, move, sortsOf, without, type Sort, type SortKey} from '../model/sort'
import {ColumnPicker} from '../ui/ColumnPicker'
import {Icon, IconButton, Popover} from '../ui/ui'
import './sort.css'

const dragged = 'application/x-issuegrid-sort-column'

/** What gets the focus after the next render: a control of a column. */
interface Focus {
  column: string
  control: string
}

export interface SortPopoverProps {
  anchor: Element
}

export default function SortPopover({anchor, onClose}: SortPopoverProps & {onClose: () => void}) {
  const {columns, order, setView} = useGrid()
  const texts = messages.table.sort
  const [adding, setAdding] = useState(false)
  const [said, setSaid] = useState('')
  const list = useRef<HTMLOListElement>(null)
  const more = useRef<HTMLButtonElement>(null)
  const written = useRef(false)
  const next = useRef<Focus | 'add' | null>(null)
  useEffect(() => {
    const to = next.current
    next.current = null
    if (to === 'add') more.current?.focus()
    else if (to) list.current?.querySelector<HTMLElement>(`[data-sort="${CSS.escape(to.column)}"] [data-control="${to.control}"]`)?.focus()
  })

  const sorts = sortsOf(order)
  const label = (id: string) => columns.find(c => c.id === id)?.label ?? id
  const set = (sort: readonly Sort[], words = '') => {
    setSaid(words)
    // All changes of the popover are one entry in the browser's history.
    setView({sort, at: null}, written.current ? 'replace' : 'push')
    written.current = true
  }
  const moveTo = (id: string, to: number, control: string) => {
    next.current = {column: id, control}
    if (to < 0 || to >= sorts.length) setSaid(texts.notMoved(label(id)))
    else set(move(sorts, id, to), texts.moved(label(id), to + 1, sorts.length))
  }
  const remove = (id: string) => {
    const rest = without(sorts, id)
    const neighbor =
      rest[
        Math.min(
          sorts.findIndex(s => s.column === id),
          rest.length - 1,
        )
      ]
    next.current = isDefault(rest) || !neighbor ? 'add' : {column: neighbor.column, control: 'remove'}
    set(rest, texts.removed(label(id)))
  }
  const pick = (id: string) => {
    setAdding(false)
    const sort = add(sorts, id)
    next.current = {column: id, control: 'direction'}
    set(sort, texts.added(label(id), sort.findIndex(s => s.column === id) + 1))
  }
  const keys = (e: KeyboardEvent, id: string, at: number) => {
    const by = {ArrowUp: -1, ArrowDown: 1}[e.key]
    if (by === undefined || !e.altKey || e.ctrlKey || e.metaKey) return
    e.preventDefault()
    moveTo(id, at + by, document.activeElement?.getAttribute('data-control') ?? 'direction')
  }
  const useless = idle(sorts).map(s => label(s.column))
  return (
    <Popover anchor={anchor} label={texts.title} onClose={onClose} className="sort-popover">
      <p className="visually-hidden" role="status">
        {said}
      </p>
      {adding ? (
        <ColumnPicker label={texts.which} columns={columns.filter(c => c.sortable && !sorts.some(s => s.column === c.id))} onPick={c => pick(c.id)} />
      ) : (
        <>
          <h2>{texts.title}</h2>
          <ol ref={list} className="sort-list" aria-label={texts.list}>
            {order.map((key, i) => (
              <Key
                key={key.column.id}
                sortKey={key}
                position={i + 1}
                count={order.length}
                removable={!isDefault(sorts)}
                onKeyDown={e => keys(e, key.column.id, i)}
                onChange={to => set(change(sorts, key.column.id, to))}
                onMove={(by, control) => moveTo(key.column.id, i + by, control)}
                onDrop={id => moveTo(id, i, 'direction')}
                onRemove={() => remove(key.column.id)}
              />
            ))}
          </ol>
          {useless.length > 0 && <p className="hint">{texts.idle(useless.join(', '))}</p>}
          {order.length > 1 && <p className="hint sort-keys">{texts.keys}</p>}
          {order.length < mostSorts ? (
            <button ref={more} type="button" className="quiet" onClick={() => setAdding(true)}>
              <Icon name="plus" />
              {texts.add}
            </button>
          ) : (
            <p className="hint">{texts.full(mostSorts)}</p>
          )}
        </>
      )}
    </Popover>
  )
}

interface KeyProps {
  sortKey: SortKey
  position: number
  count: number
  removable: boolean
  onKeyDown: (e: KeyboardEvent) => void
  onChange: (to: Partial<Sort>) => void
  /** Moves the column by a number of positions; the control gets the focus. */
  onMove: (by: 1 | -1, control: string) => void
  /** Moves another column here. */
  onDrop: (id: string) => void
  onRemove: () => void
}

function Key({sortKey: {column, descending, emptyFirst}, position, count, removable, onKeyDown, onChange, onMove, onDrop, onRemove}: KeyProps) {
  const [dropping, setDropping] = useState(false)
  const texts = messages.table.sort
  const {id, label} = column
  return (
    <li
      data-sort={id}
      className={dropping ? 'dropping' : undefined}
      draggable={count > 1}
      onKeyDown={onKeyDown}
      onDragStart={e => {
        e.dataTransfer.setData(dragged, id)
        e.dataTransfer.effectAllowed = 'move'
      }}
      onDragOver={e => {
        if (!e.dataTransfer.types.includes(dragged)) return
        e.preventDefault()
        setDropping(true)
      }}
      onDragLeave={() => setDropping(false)}
      onDrop={e => {
        e.preventDefault()
        setDropping(false)
        const moved = e.dataTransfer.getData(dragged)
        if (moved && moved !== id) onDrop(moved)
      }}
    >
      <span className="sort-place" aria-hidden="true">
        {position}
      </span>
      <span className="sort-name" title={label} dir="auto">
        {label}
      </span>
      <span className="sort-tools">
        <button type="button" data-control="direction" aria-label={texts.direction(label, descending)} onClick={() => onChange({descending: !descending})}>
          <Icon name={descending ? 'sortDescending' : 'sortAscending'} />
          {descending ? texts.descending : texts.ascending}
        </button>
        <span className="spacer" />
        <IconButton data-control="up" label={texts.moveUp(label)} icon="up" aria-disabled={position === 1 || undefined} onClick={() => onMove(-1, 'up')} />
        <IconButton
          data-control="down"
          label={texts.moveDown(label)}
          icon="down"
          aria-disabled={position === count || undefined}
          onClick={() => onMove(1, 'down')}
        />
        {removable && <IconButton data-control="remove" label={texts.remove(label)} icon="close" onClick={onRemove} />}
      </span>
      {mayBeEmpty(column) && (
        <label className="sort-empty">
          <input
            type="checkbox"
            data-control="empty"
            aria-label={texts.emptyFirstOf(label)}
            checked={emptyFirst}
            onChange={e => onChange({emptyFirst: e.target.checked})}
          />
          <span>{texts.emptyFirst}</span>
        </label>
      )}
    </li>
  )
}
