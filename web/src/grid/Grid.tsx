// The grid itself: a table of as many places as there are rows, of which those that are seen are drawn. TanStack Virtual says which rows and columns those
// are, TanStack Table keeps order, pinning and widths of the columns.
//
// The grid has the focus, not its cells: one cell is active (aria-activedescendant), so that rows may come and go under it.
import {
  columnOrderingFeature,
  columnPinningFeature,
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import {useVirtualizer} from '@tanstack/react-virtual'
import {useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore, type KeyboardEvent, type RefObject} from 'react'
import {flushSync} from 'react-dom'
import {CellEditor} from './CellEditor'
import type {Column} from './columns'
import {useGrid} from './context'
import {copyRange, pasteRange} from './clipboard'
import {HeaderCell} from './HeaderCell'
import {GridRowView, type RowActions} from './GridRowView'
import {contains, keyMove, rectangle, type Place, type Selection} from './selection'
import {readRow} from './source'
import {rowValue} from './columns'
import {problemOf} from './client'

import {maxWidth, minWidth} from './view'

export const rowHeight = 34
export const headerHeight = 36
/** The first column, with the check boxes. */
export const checkWidth = 40

const features = tableFeatures({columnOrderingFeature, columnPinningFeature, columnSizingFeature, columnResizingFeature, columnVisibilityFeature})
const noRows: never[] = []

/** A column as it is drawn: where it begins, and how wide it is. */
export interface Drawn {
  column: Column
  index: number
  left: number
  width: number
  pinned: boolean
}

export function Grid() {
  const grid = useGrid()
  const {rows, shown, fields, view, setView, edits, client, toasts} = grid
  const state = useSyncExternalStore(rows.subscribe, rows.snapshot)
  const viewport = useRef<HTMLDivElement>(null)
  const [selection, setSelection] = useState<Selection>({active: {row: 0, column: 0}, anchor: null})
  const [editing, setEditing] = useState<{place: Place; initial?: string} | null>(null)

  // Columns.
  const room = useWidth(viewport)
  const pinnedIDs = useMemo(() => {
    // Pinned columns leave room for others, as on a phone they could not all.
    let left = room * 0.6 - checkWidth
    return shown.filter(c => view.pinned.includes(c.id) && (left -= view.widths[c.id] ?? c.width) >= 0).map(c => c.id)
  }, [shown, view.pinned, view.widths, room])
  const definitions = useMemo(() => shown.map(c => ({id: c.id, size: c.width, minSize: minWidth, maxSize: maxWidth})), [shown])
  const [resized, setResized] = useState<Record<string, number>>({})
  const sizing = useMemo(() => ({...view.widths, ...resized}), [view.widths, resized])
  const table = useTable({
    features,
    columns: definitions,
    data: noRows,
    columnResizeMode: 'onChange',
    state: {columnPinning: {start: pinnedIDs, end: []}, columnSizing: sizing, columnOrder: shown.map(c => c.id), columnVisibility: {}},
    onColumnSizingChange: change => {
      const next = typeof change === 'function' ? change(sizing) : change
      setResized(next)
    },
  })
  const isResizing = table.state.columnResizing.isResizingColumn !== false
  useEffect(() => {
    if (isResizing || Object.keys(resized).length === 0) return
    setView({widths: Object.fromEntries(Object.entries({...view.widths, ...resized}).map(([id, w]) => [id, Math.round(w)]))}, 'replace')
    setResized({})
  }, [isResizing, resized, setView, view.widths])
  const headers = table.getHeaderGroups()[0]?.headers ?? []
  const widths = shown.map(c => sizing[c.id] ?? c.width)
  const pinnedCount = pinnedIDs.length
  const pinnedWidth = checkWidth + widths.slice(0, pinnedCount).reduce((a, b) => a + b, 0)
  const totalWidth = checkWidth + widths.reduce((a, b) => a + b, 0)

  const rowVirtualizer = useVirtualizer({
    count: state.height,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: 0,
  })
  const columnVirtualizer = useVirtualizer({
    horizontal: true,
    count: shown.length - pinnedCount,
    getScrollElement: () => viewport.current,
    estimateSize: i => widths[i + pinnedCount] ?? 100,
    paddingStart: pinnedWidth,
    overscan: 2,
  })
  const widthKey = widths.join()
  useLayoutEffect(() => columnVirtualizer.measure(), [columnVirtualizer, widthKey])

  const drawn = useMemo(() => {
    const out: Drawn[] = []
    let left = checkWidth
    for (let i = 0; i < pinnedCount; i++) {
      out.push({column: shown[i]!, index: i, left, width: widths[i]!, pinned: true})
      left += widths[i]!
    }
    return out
    // widthKey stands for widths
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [shown, pinnedCount, widthKey])
  const centers = columnVirtualizer.getVirtualItems()
  const centerKey = centers.map(c => `${c.index}:${c.start}:${c.size}`).join()
  const columns = useMemo(
    () => [
      ...drawn,
      ...centers.flatMap(c =>
        shown[c.index + pinnedCount]
          ? [{column: shown[c.index + pinnedCount]!, index: c.index + pinnedCount, left: c.start, width: c.size, pinned: false}]
          : [],
      ),
    ],
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [drawn, centerKey, shown, pinnedCount],
  )

  // What is seen.
  const offset = rowVirtualizer.scrollOffset ?? 0
  const seen = Math.max(1, Math.floor(((viewport.current?.clientHeight ?? 600) - headerHeight) / rowHeight))
  const first = Math.floor(offset / rowHeight)
  useEffect(() => rows.show(first, first + seen - 1), [rows, first, seen])

  // Places that move take with them what is seen and what is chosen.
  const moved = useRef(0)
  const [, redraw] = useState(0)
  useEffect(
    () =>
      rows.onShift(by => {
        moved.current += by
        setSelection(s => ({active: {...s.active, row: Math.max(0, s.active.row + by)}, anchor: s.anchor && {...s.anchor, row: s.anchor.row + by}}))
        setEditing(e => e && {...e, place: {...e.place, row: e.place.row + by}})
      }),
    [rows],
  )
  useLayoutEffect(() => {
    const by = moved.current
    if (by === 0 || !viewport.current) return
    moved.current = 0
    viewport.current.scrollTop += by * rowHeight
    rowVirtualizer.scrollOffset = viewport.current.scrollTop
    redraw(n => n + 1)
    // state is what the places have moved with
  }, [rowVirtualizer, state])

  // The position survives a reload.
  const before = first > 0 ? rows.entry(first - 1) : undefined
  const at = before?.cursor
  const {at: written} = view
  useEffect(() => {
    if (first > 0 && at === undefined) return
    if (written?.cursor === at && (written === null) === (at === undefined)) return
    const timer = setTimeout(() => setView({at: at === undefined ? null : {cursor: at, index: first}}, 'replace'), 400)
    return () => clearTimeout(timer)
  }, [first, at, setView, written])
  const opened = useRef(false)
  useLayoutEffect(() => {
    if (opened.current || !state.loaded || !viewport.current) return
    opened.current = true
    if (view.at && state.start > 0) {
      moved.current = 0
      viewport.current.scrollTop = Math.max(state.start, view.at.index) * rowHeight
    }
  }, [state.loaded, state.start, view.at])

  // Another order or filter: from the top, with the focus where it is.
  const shownRows = useRef(rows)
  useLayoutEffect(() => {
    if (shownRows.current === rows) return
    shownRows.current = rows
    opened.current = false
    moved.current = 0
    if (viewport.current) viewport.current.scrollTop = 0
    setSelection(s => ({active: {row: Math.min(s.active.row, 0), column: s.active.column}, anchor: null}))
    setEditing(null)
  }, [rows])

  const scrollTo = useCallback(
    (place: Place) => {
      const v = viewport.current
      if (!v) return
      if (place.row >= 0) {
        const top = place.row * rowHeight
        const room = v.clientHeight - headerHeight
        if (top < v.scrollTop) v.scrollTop = top
        else if (top + rowHeight > v.scrollTop + room) v.scrollTop = top + rowHeight - room
      }
      if (place.column < pinnedCount) return
      const left = checkWidth + widths.slice(0, place.column).reduce((a, b) => a + b, 0)
      const width = widths[place.column] ?? 0
      if (left - pinnedWidth < v.scrollLeft) v.scrollLeft = left - pinnedWidth
      else if (left + width > v.scrollLeft + v.clientWidth) v.scrollLeft = left + width - v.clientWidth
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [pinnedCount, pinnedWidth, widthKey],
  )
  const move = useCallback(
    (to: Place, extend = false) => {
      const place = {row: Math.max(-1, Math.min(to.row, state.height - 1)), column: Math.max(0, Math.min(to.column, shown.length - 1))}
      setSelection(s => ({active: place, anchor: extend && place.row >= 0 ? (s.anchor ?? s.active) : null}))
      scrollTo(place)
    },
    [state.height, shown.length, scrollTo],
  )

  // Jumps from elsewhere in the page come as events, because the grid alone knows where rows are drawn.
  useEffect(() => {
    const jumped = (e: Event) => {
      const index = (e as CustomEvent<number>).detail
      if (viewport.current) viewport.current.scrollTop = index * rowHeight
      setSelection(s => ({active: {row: index, column: s.active.column}, anchor: null}))
      viewport.current?.focus({preventScroll: true})
    }
    document.addEventListener('issuegrid:jumped', jumped)
    return () => document.removeEventListener('issuegrid:jumped', jumped)
  }, [])

  // So does the row of the issue that the panel goes to, which keeps the focus.
  useEffect(() => {
    const shown = (e: Event) => move({row: (e as CustomEvent<number>).detail, column: selection.active.column})
    document.addEventListener('issuegrid:row', shown)
    return () => document.removeEventListener('issuegrid:row', shown)
  }, [move, selection.active.column])

  const edit = useCallback(
    (place: Place, initial?: string) => {
      const column = shown[place.column]
      const entry = rows.entry(place.row)
      if (!column || !entry) return
      if (column.id === 'num' || column.type === 'LONG_TEXT') {
        const row = readRow(client.cache, entry.id, [])
        if (!row) return
        move(place) // which is where the focus comes back to
        setView({issue: row.num})
        return
      }
      if (!column.editable) {
        toasts.info(`${column.label} can’t be changed${grid.project.viewerCanEdit ? '' : ': you may only read this project'}.`)
        return
      }
      setEditing({place, initial})
    },
    [shown, rows, client, setView, toasts, grid.project.viewerCanEdit, move],
  )

  const onKeyDown = (e: KeyboardEvent<HTMLDivElement>) => {
    if (editing || e.target !== e.currentTarget) return
    const {active} = selection
    const command = e.ctrlKey || e.metaKey
    if (command && e.key.toLowerCase() === 'z') {
      e.preventDefault()
      void (e.shiftKey ? edits.redo() : edits.undo())
      return
    }
    if (command && e.key.toLowerCase() === 'y') {
      e.preventDefault()
      void edits.redo()
      return
    }
    const to = keyMove(e, active, {rows: state.height, columns: shown.length, page: seen - 1})
    if (to) {
      e.preventDefault()
      move(to, e.shiftKey)
      return
    }
    if (command || e.altKey) return
    if (active.row < 0) return // the header sees to its keys itself
    if (e.key === 'Enter' || e.key === 'F2') {
      e.preventDefault()
      edit(active)
    } else if (e.key === ' ') {
      e.preventDefault()
      const entry = rows.entry(active.row)
      if (entry) {
        const chosen = new Set(grid.selected)
        if (!chosen.delete(entry.id)) chosen.add(entry.id)
        grid.setSelected(chosen)
      }
    } else if (e.key === 'Escape') {
      setSelection(s => ({...s, anchor: null}))
      if (grid.selected.size > 0) grid.setSelected(new Set())
    } else if (e.key === 'Delete' || e.key === 'Backspace') {
      e.preventDefault()
      void pasteRange(grid, rectangle(selection), [['']], true)
    } else if (e.key === 'Process' || e.key === 'Dead') {
      // An input method begins: the editor has the focus before it does, and gets what it makes.
      flushSync(() => edit(active, ''))
    } else if (e.key.length === 1) {
      e.preventDefault()
      edit(active, e.key)
    }
  }

  // Rows are drawn again only when they change; what they call is always the latest.
  const actions = useRef<RowActions>(null)
  useEffect(() => {
    actions.current = {
      pick(place, extend) {
        move(place, extend)
        viewport.current?.focus({preventScroll: true})
      },
      edit,
      choose(row, on, extend) {
        const chosen = new Set(grid.selected)
        const other = extend ? selection.active.row : row
        for (let i = Math.min(other, row); i <= Math.max(other, row); i++) {
          const id = rows.entry(i)?.id
          if (id && on) chosen.add(id)
          else if (id) chosen.delete(id)
        }
        grid.setSelected(chosen)
        move({row, column: selection.active.column})
      },
    }
  })

  const range = selection.anchor ? rectangle(selection) : null
  const activeID = selection.active.row < 0 ? `h-${shown[selection.active.column]?.id}` : `c-${selection.active.row}-${selection.active.column}`
  const seenRows = rowVirtualizer.getVirtualItems()
  const isDrawn = columns.some(d => d.index === selection.active.column) && (selection.active.row < 0 || seenRows.some(r => r.index === selection.active.row))

  return (
    <div className="grid-frame">
      <div
        ref={viewport}
        className="grid"
        role="grid"
        tabIndex={0}
        aria-label={`Issues of ${grid.project.name}`}
        aria-rowcount={state.exact ? state.height + 1 : -1}
        aria-colcount={shown.length + 1}
        aria-multiselectable="true"
        aria-busy={!state.loaded}
        aria-activedescendant={isDrawn ? activeID : undefined}
        data-testid="grid"
        onKeyDown={onKeyDown}
        onCopy={e => {
          if (editing) return
          e.preventDefault()
          copyRange(grid, rectangle(selection), e.clipboardData)
        }}
        onCut={e => {
          if (editing) return
          e.preventDefault()
          copyRange(grid, rectangle(selection), e.clipboardData)
          void pasteRange(grid, rectangle(selection), [['']], true)
        }}
        onPaste={e => {
          if (editing) return
          e.preventDefault()
          void pasteRange(grid, rectangle(selection), e.clipboardData.getData('text/plain'))
        }}
      >
        <div className="grid-head" role="rowgroup" style={{width: totalWidth, height: headerHeight}}>
          <div role="row" aria-rowindex={1} className="grid-row" style={{height: headerHeight}}>
            <div role="columnheader" className="cell check pinned" aria-colindex={1} style={{left: 0, width: checkWidth}}>
              <input
                type="checkbox"
                tabIndex={-1}
                aria-label="Choose all rows that are loaded"
                checked={state.entries.length > 0 && state.entries.every(x => grid.selected.has(x.id))}
                onChange={e => grid.setSelected(e.target.checked ? new Set([...grid.selected, ...state.entries.map(x => x.id)]) : new Set())}
              />
            </div>
            {columns.map(d => {
              const header = headers.find(h => h.column.id === d.column.id)
              return (
                <HeaderCell
                  key={d.column.id}
                  drawn={d}
                  active={selection.active.row < 0 && selection.active.column === d.index}
                  resize={header?.getResizeHandler()}
                  onActivate={() => move({row: -1, column: d.index})}
                />
              )
            })}
          </div>
        </div>
        <div className="grid-body" role="rowgroup" style={{width: totalWidth, height: rowVirtualizer.getTotalSize()}}>
          {seenRows.map(item => {
            const entry = rows.entry(item.index)
            const inRange = range && contains(range, item.index) ? range : null
            const editedHere = editing?.place.row === item.index ? editing : null
            return (
              <GridRowView
                key={entry?.cursor ?? `place-${item.index}`}
                index={item.index}
                top={item.start}
                id={entry?.id ?? null}
                columns={columns}
                fields={fields}
                activeColumn={selection.active.row === item.index ? selection.active.column : -1}
                rangeFrom={inRange ? inRange.left : -1}
                rangeTo={inRange ? inRange.right : -1}
                chosen={entry ? grid.selected.has(entry.id) : false}
                actions={actions}
                editor={
                  editedHere && entry ? (
                    <EditorOf
                      entryID={entry.id}
                      column={shown[editedHere.place.column]!}
                      initial={editedHere.initial}
                      onEnd={direction => {
                        setEditing(null)
                        viewport.current?.focus({preventScroll: true})
                        if (direction === 'down') move({row: item.index + 1, column: editedHere.place.column})
                        if (direction === 'up') move({row: item.index - 1, column: editedHere.place.column})
                        if (direction === 'right') move({row: item.index, column: editedHere.place.column + 1})
                        if (direction === 'left') move({row: item.index, column: editedHere.place.column - 1})
                      }}
                    />
                  ) : null
                }
                editedColumn={editedHere ? editedHere.place.column : -1}
              />
            )
          })}
        </div>
      </div>
      <GridState />
    </div>
  )
}

/** The width of an element, as it changes. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(window.innerWidth)
  useLayoutEffect(() => {
    if (!element.current) return
    const observer = new ResizeObserver(([e]) => e && setWidth(e.contentRect.width))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return width
}

/** What the grid says instead of rows, or beside them. */
function GridState() {
  const {rows, view, setView} = useGrid()
  const state = useSyncExternalStore(rows.subscribe, rows.snapshot)
  if (state.error) {
    const problem = problemOf(state.error)
    return (
      <div className="grid-note error" role="alert">
        <span>{problem.code === 'OFFLINE' ? 'You seem to be offline. What is loaded can still be read.' : `The rows can’t be loaded: ${problem.message}`}</span>
        <button type="button" onClick={() => rows.retry()}>
          Try again
        </button>
      </div>
    )
  }
  if (state.seeking !== null) {
    return (
      <div className="grid-note" role="status">
        Going to row {(state.seeking + 1).toLocaleString()} …
      </div>
    )
  }
  if (state.loaded && state.height === 0) {
    const filtered = view.conditions.length > 0
    return (
      <div className="grid-empty" role="status">
        <h2>{filtered ? 'No issue meets the filter' : 'No issues yet'}</h2>
        {filtered ? (
          <button type="button" onClick={() => setView({conditions: [], at: null})}>
            Clear the filter
          </button>
        ) : (
          <p>Make the first one with “New issue”, or drop a CSV file here.</p>
        )}
      </div>
    )
  }
  return null
}

function EditorOf({
  entryID,
  column,
  initial,
  onEnd,
}: {
  entryID: string
  column: Column
  initial?: string
  onEnd: (direction: 'down' | 'up' | 'left' | 'right' | null) => void
}) {
  const {client, edits, fields, toasts} = useGrid()
  const [before] = useState(() => {
    const row = readRow(client.cache, entryID, fields)
    return row ? (rowValue(row, column, fields) ?? null) : null
  })
  return (
    <CellEditor
      column={column}
      value={before}
      initial={initial}
      onCancel={() => onEnd(null)}
      onCommit={(value, direction) => {
        edits
          .change([{id: entryID, cells: [{column, before, value}]}], `change of ${column.label}`)
          .catch((error: unknown) => toasts.error(problemOf(error).message))
        onEnd(direction)
      }}
    />
  )
}
