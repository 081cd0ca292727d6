// The rendered columns of the grid. TanStack Table manages their order, pinning and widths; TanStack Virtual finds the visible ones.
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
import {useEffect, useLayoutEffect, useMemo, useState, type RefObject} from 'react'
import {useGrid} from '../context/context'
import {checkWidth, type Drawn} from './layout'
import {maxWidth, minWidth} from '../model/view'

const features = tableFeatures({columnOrderingFeature, columnPinningFeature, columnSizingFeature, columnResizingFeature, columnVisibilityFeature})
const noRows: never[] = []

export interface DrawnColumns {
  /** The visible columns, the pinned ones first. */
  columns: readonly Drawn[]
  /** The widths of all shown columns. */
  widths: readonly number[]
  pinnedCount: number
  /** The left edge of the columns that are not pinned. */
  pinnedWidth: number
  totalWidth: number
  /** Returns the handler that resizes a column. */
  resize: (id: string) => ((event: unknown) => void) | undefined
}

export function useDrawnColumns(viewport: RefObject<HTMLElement | null>): DrawnColumns {
  const {shown, view, setView} = useGrid()
  const room = useWidth(viewport)
  const pinnedIDs = useMemo(() => {
    // Pinned columns leave space for the others: on a phone, not all of them may fit.
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
      out.push({column: shown[i]!, index: i, left, width: widths[i]!, pinned: true, isEdge: i === pinnedCount - 1})
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
          ? [{column: shown[c.index + pinnedCount]!, index: c.index + pinnedCount, left: c.start, width: c.size, pinned: false, isEdge: false}]
          : [],
      ),
    ],
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [drawn, centerKey, shown, pinnedCount],
  )
  const resize = (id: string) => headers.find(h => h.column.id === id)?.getResizeHandler()
  return {columns, widths, pinnedCount, pinnedWidth, totalWidth, resize}
}

/** Returns the current width of an element. */
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
