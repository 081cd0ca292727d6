// The rows of the grid that are seen: TanStack Virtual says which those are; the store of rows is told, and where it moves places, what is seen moves along.
import {useVirtualizer, type VirtualItem} from '@tanstack/react-virtual'
import {useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type RefObject} from 'react'
import {useGrid} from '../context/context'
import {headerHeight, rowHeight} from './layout'

export interface SeenRows {
  /** The places that are drawn. */
  items: readonly VirtualItem[]
  /** Of all rows, in pixels. */
  totalHeight: number
  /** How many rows are seen at a time. */
  seen: number
}

/** `onMoved` is told when all places have moved, and `onReset` when there are other rows; both must stay the same. */
export function useSeenRows(viewport: RefObject<HTMLElement | null>, onMoved: (by: number) => void, onReset: () => void): SeenRows {
  const {rows, view, setView} = useGrid()
  const state = useSyncExternalStore(rows.subscribe, rows.snapshot)
  const rowVirtualizer = useVirtualizer({
    count: state.height,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  })
  const offset = rowVirtualizer.scrollOffset ?? 0
  const seen = Math.max(1, Math.floor(((viewport.current?.clientHeight ?? 600) - headerHeight) / rowHeight))
  const first = Math.floor(offset / rowHeight)
  const opened = useRef(false)
  useEffect(() => {
    // Not before the position of the URL is reached, which is not scrolled to before its page is there.
    if (!opened.current && view.at) return
    const now = Math.floor((viewport.current?.scrollTop ?? 0) / rowHeight) // by now it may be scrolled elsewhere than when this was drawn
    rows.show(now, now + seen - 1)
  }, [rows, first, seen, state.loaded, view.at, viewport])

  // Places that move take with them what is seen and what is chosen.
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
    // state is what the places have moved with
  }, [rowVirtualizer, state, viewport])

  // The position survives a reload.
  const before = first > 0 ? rows.entry(first - 1) : undefined
  const at = before?.cursor
  const {at: written} = view
  useEffect(() => {
    if (!opened.current || (first > 0 && at === undefined)) return
    if (written?.cursor === at && (written === null) === (at === undefined)) return
    const timer = setTimeout(() => setView({at: at === undefined ? null : {cursor: at, index: first}}, 'replace'), 400)
    return () => clearTimeout(timer)
  }, [first, at, setView, written])
  useLayoutEffect(() => {
    if (opened.current || !state.loaded || !viewport.current) return
    opened.current = true
    if (view.at && state.start > 0) {
      moved.current = 0
      viewport.current.scrollTop = Math.max(state.start, view.at.index) * rowHeight
    }
  }, [state.loaded, state.start, view.at, viewport])

  // Another order or filter: from the top.
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
