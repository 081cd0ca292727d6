// The dialog in which columns are shown, hidden, ordered and pinned. Each change is applied immediately.
import {memo, useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent} from 'react'
import {arrangementOf, neighbor, pin, place, show, viewOf, type Arrangement} from './columnOrder'
import {found, type Column} from '../model/columns'
import './columns.css'
import {useGrid} from '../context/context'
import {messages} from '../messages'
import {Dialog, IconButton} from '../ui/ui'

const dragged = 'application/x-issuegrid-listed-column'

export default function ColumnsDialog({onClose}: {onClose: () => void}) {
  const {view, setView, columns} = useGrid()
  const texts = messages.table.columns
  const [arrangement, setArrangement] = useState(() => arrangementOf(view, columns))
  const [search, setSearch] = useState('')
  const [active, setActive] = useState<string | null>(null)
  const [said, setSaid] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const written = useRef(false)
  const byID = useMemo(() => new Map(columns.map(c => [c.id, c])), [columns])
  const {order, shown, pinned} = arrangement

  // All changes of the dialog are one entry in the browser's history.
  const how = () => {
    const first = !written.current
    written.current = true
    return first ? 'push' : 'replace'
  }
  const change = (next: Arrangement, words: string) => {
    setSaid(words)
    if (next === arrangement) return
    setArrangement(next)
    setView(viewOf(next), how())
  }
  const label = (id: string) => byID.get(id)?.label ?? id
  const moveTo = (id: string, target: string | undefined) => {
    if (target === undefined) return setSaid(texts.notMoved(label(id)))
    const next = place(arrangement, id, target)
    const row = next.order.filter(x => shown.has(x))
    change(next, texts.moved(label(id), row.indexOf(id) + 1, row.length))
  }
  const actions: RowActions = {
    show: (id, on) => change(show(arrangement, [id], on), shown.size === 1 && !on ? texts.oneNeeded : ''),
    pin: (id, on) => change(pin(arrangement, id, on), on ? texts.pinned(label(id)) : texts.unpinned(label(id))),
    move: (id, by) => moveTo(id, neighbor(arrangement, id, by)),
    drop: moveTo,
    focus: setActive,
  }
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  const act = useCallback(
    <K extends keyof RowActions>(name: K, ...with_: Parameters<RowActions[K]>) => (latest.current[name] as (...a: Parameters<RowActions[K]>) => void)(...with_),
    [],
  )

  const rows = found(
    order.flatMap(id => byID.get(id) ?? []),
    search,
  )
  const positions = new Map(order.filter(id => shown.has(id)).map((id, i) => [id, i + 1]))
  const reached = rows.some(c => c.id === active) ? active : (rows[0]?.id ?? null)

  // Tab reaches one row, and the arrow keys the others, because there may be 400.
  const keys = (e: KeyboardEvent) => {
    const to = {ArrowDown: 1, ArrowUp: -1, Home: -rows.length, End: rows.length}[e.key]
    if (to === undefined || e.ctrlKey || e.metaKey) return
    e.preventDefault()
    if (e.altKey && reached && Math.abs(to) === 1) return actions.move(reached, to as 1 | -1)
    const at = rows.findIndex(c => c.id === reached)
    const next = list.current?.children[Math.max(0, Math.min(at + to, rows.length - 1))]
    const control = document.activeElement?.getAttribute('data-control')
    next?.querySelector<HTMLElement>(`[data-control='${control}']`)?.focus()
  }
  return (
    <Dialog
      title={texts.title}
      onClose={onClose}
      footer={
        <>
          <button type="button" onClick={() => change(show(arrangement, order, true), texts.allShown)}>
            {texts.showAll}
          </button>
          <button
            type="button"
            onClick={() => {
              setArrangement(arrangementOf({...view, columns: null}, columns))
              setView({columns: null}, how())
              setSaid(texts.usualShown)
            }}
          >
            {texts.showUsual}
          </button>
          <span className="spacer" />
          <button type="button" className="primary" onClick={onClose}>
            {texts.done}
          </button>
        </>
      }
    >
      <input
        type="search"
        className="columns-search"
        data-autofocus
        aria-label={texts.search}
        placeholder={texts.search}
        autoComplete="off"
        value={search}
        onChange={e => setSearch(e.target.value)}
      />
      <p className="hint columns-count">
        <span data-testid="columns-shown">{texts.shown(shown.size, order.length)}</span>
        {search.trim() !== '' && texts.found(rows.length)}
        <span className="columns-keys"> · {texts.keys}</span>
      </p>
      <p className="visually-hidden" role="status">
        {said}
      </p>
      <ul ref={list} className="columns-list" aria-label={texts.title} onKeyDown={keys}>
        {rows.map(c => (
          <Row
            key={c.id}
            column={c}
            position={positions.get(c.id) ?? null}
            pinned={pinned.has(c.id)}
            only={shown.size === 1 && shown.has(c.id)}
            reached={c.id === reached}
            act={act}
          />
        ))}
      </ul>
      {rows.length === 0 && <p className="hint">{texts.none}</p>}
    </Dialog>
  )
}

interface RowActions {
  show: (id: string, on: boolean) => void
  pin: (id: string, on: boolean) => void
  move: (id: string, by: 1 | -1) => void
  /** Moves a column to the position of another one. */
  drop: (id: string, target: string) => void
  focus: (id: string) => void
}

interface RowProps {
  column: Column
  /** The position among the shown columns; null if the column is hidden. */
  position: number | null
  pinned: boolean
  /** Whether this is the only shown column. */
  only: boolean
  reached: boolean
  act: <K extends keyof RowActions>(name: K, ...with_: Parameters<RowActions[K]>) => void
}

const Row = memo(function Row({column: {id, label, description}, position, pinned, only, reached, act}: RowProps) {
  const [dropping, setDropping] = useState(false)
  const tabIndex = reached ? 0 : -1
  const texts = messages.table.columns
  return (
    <li
      className={dropping ? 'dropping' : undefined}
      draggable={position !== null}
      onFocus={() => act('focus', id)}
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
        if (moved && moved !== id) act('drop', moved, id)
      }}
    >
      <label title={description || undefined}>
        <input
          type="checkbox"
          data-control="show"
          tabIndex={tabIndex}
          checked={position !== null}
          aria-disabled={only || undefined}
          onChange={e => act('show', id, e.target.checked)}
        />
        <span className="columns-place" aria-hidden="true">
          {position}
        </span>
        <span className="columns-name">{label}</span>
      </label>
      <IconButton
        data-control="up"
        tabIndex={tabIndex}
        label={texts.moveUp(label)}
        icon="up"
        aria-disabled={position === null || undefined}
        onClick={() => position !== null && act('move', id, -1)}
      />
      <IconButton
        data-control="down"
        tabIndex={tabIndex}
        label={texts.moveDown(label)}
        icon="down"
        aria-disabled={position === null || undefined}
        onClick={() => position !== null && act('move', id, 1)}
      />
      <IconButton data-control="pin" tabIndex={tabIndex} label={texts.pin(label)} icon="pin" aria-pressed={pinned} onClick={() => act('pin', id, !pinned)} />
    </li>
  )
})
