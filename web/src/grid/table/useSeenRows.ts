// The visible rows of the grid. TanStack Virtual finds them, and the row store receives their range. When the store shifts the indexes, the scroll position
// shifts along.
import {useVirtualizer, type VirtualItem} from '@tanstack/react-virtual'
import {useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type RefObject} from 'react'
import {useGrid} from '../context/context'

export interface SeenRows {
  /** The rendered rows. */
  items: readonly VirtualItem[]
  /** The height of all rows in pixels. */
  totalHeight: number
  /** The number of rows that fit in the viewport. */
  seen: number
}

/**
 * `onMoved` is called when all indexes shift, and `onReset` when the rows are replaced. Both must be stable. The heights of a row, and of what is above the rows
 * in the viewport, are in pixels.
 */
export function useSeenRows(
  viewport: RefObject<HTMLElement | null>,
  onMoved: (by: number) => void,
  onReset: () => void,
  rowHeight: number,
  headerHeight: number,
): SeenRows {
  const {rows, groups, view, setView} = useGrid()
  const position = groups ? null : view.at // the URL has no position among groups
  const state = useSyncExternalStore(rows.subscribe, rows.snapshot)
  const rowVirtualizer = useVirtualizer({
    count: state.height,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  })
  // With another height of rows, the first visible row stays.
  const drawn = useRef(rowHeight)
  useLayoutEffect(() => {
    if (drawn.current === rowHeight) return
    const first = (viewport.current?.scrollTop ?? 0) / drawn.current
    drawn.current = rowHeight
    rowVirtualizer.measure()
    if (viewport.current) viewport.current.scrollTop = first * rowHeight
  }, [rowVirtualizer, viewport, rowHeight])
  const offset = rowVirtualizer.scrollOffset ?? 0
  const seen = Math.max(1, Math.floor(((viewport.current?.clientHeight ?? 600) - headerHeight) / rowHeight))
  const first = Math.floor(offset / rowHeight)
  const opened = useRef(false)
  useEffect(() => {
    // Waits for the position in the URL, which can be scrolled to only after its page is loaded.
    if (!opened.current && position) return
    const now = Math.floor((viewport.current?.scrollTop ?? 0) / rowHeight) // it may have scrolled since the render
    rows.show(now, now + seen - 1)
  }, [rows, first, seen, state.loaded, state.height, position, viewport, rowHeight])

  // When the indexes shift, the scroll position and the selection follow.
  const moved = useRef(0)
  const [, redraw] = useState(0)
  useEffect(
    () =>
      rows.onShift(by => {
        moved.current += by
        onMoved(by)
      }),
    [rows, onMoved],
  )
  useLayoutEffect(() => {
    const by = moved.current
    if (by === 0 || !viewport.current) return
    moved.current = 0
    viewport.current.scrollTop += by * rowHeight
    rowVirtualizer.scrollOffset = viewport.current.scrollTop
    redraw(n => n + 1)
    // depends on state because the indexes shift with it
  }, [rowVirtualizer, state, viewport, rowHeight])

  // The URL stores the position, so it survives a reload.
  const before = first > 0 ? rows.entry(first - 1) : undefined
  const at = before?.cursor
  const {at: written} = view
  useEffect(() => {
    if (groups || !opened.current || (first > 0 && at === undefined)) return
    if (written?.cursor === at && (written === null) === (at === undefined)) return
    const timer = setTimeout(() => setView({at: at === undefined ? null : {cursor: at, index: first}}, 'replace'), 400)
    return () => clearTimeout(timer)
  }, [groups, first, at, setView, written])
  useLayoutEffect(() => {
    if (opened.current || !state.loaded || !viewport.current) return
    opened.current = true
    const at = position
    // The rows may have been loaded before, by the table or the cards that these replace.
    const known = at ? state.entries.findIndex(e => e.cursor === at.cursor) : -1
    if (at && (state.start > 0 || known >= 0)) {
      moved.current = 0
      viewport.current.scrollTop = (known >= 0 ? state.start + known + 1 : Math.max(state.start, at.index)) * rowHeight
    }
  }, [state.loaded, state.start, state.entries, position, viewport, rowHeight])

  // A new order or filter starts at the top.
  const shownRows = useRef(rows)
  useLayoutEffect(() => {
    if (shownRows.current === rows) return
    shownRows.current = rows
    opened.current = false
    moved.current = 0
    if (viewport.current) viewport.current.scrollTop = 0
    onReset()
  }, [rows, viewport, onReset])
  return {items: rowVirtualizer.getVirtualItems(), totalHeight: rowVirtualizer.getTotalSize(), seen}
}
