// The fill handle: dragging it repeats the selected cells in the rows below, or in the columns to the right.
import {useCallback, useEffect, useRef, useState} from 'react'
import {fillFrom} from './clipboard'
import {useGrid} from '../context/context'
import {extended, type Place, type Rectangle} from './selection'

export interface Fill {
  /** The range that would be filled; null if the handle is not being dragged. */
  target: Rectangle | null
  /** Begins to drag the handle of a range. */
  begin: (source: Rectangle) => void
  /** The pointer is above a cell. */
  over: (place: Place) => void
}

export function useFill(): Fill {
  const grid = useGrid()
  const [drag, setDrag] = useState<{source: Rectangle; target: Rectangle} | null>(null)
  const latest = useRef({grid, drag})
  useEffect(() => {
    latest.current = {grid, drag}
  })
  const isDragging = drag !== null
  useEffect(() => {
    if (!isDragging) return
    const drop = () => {
      const {grid, drag} = latest.current
      setDrag(null)
      if (drag) void fillFrom(grid, drag.source, drag.target)
    }
    const keys = (e: KeyboardEvent) => {
      if (e.key !== 'Escape') return
      e.preventDefault()
      e.stopPropagation()
      setDrag(null)
    }
    document.addEventListener('pointerup', drop)
    document.addEventListener('keydown', keys, true)
    return () => {
      document.removeEventListener('pointerup', drop)
      document.removeEventListener('keydown', keys, true)
    }
  }, [isDragging])
  return {
    target: drag?.target ?? null,
    begin: useCallback(source => setDrag({source, target: source}), []),
    over: useCallback(place => setDrag(d => d && {...d, target: extended(d.source, place)}), []),
  }
}
