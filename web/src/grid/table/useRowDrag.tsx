// Dragging rows to another group of the grid.
import {useCallback, useEffect, useRef, useState, type ReactNode, type RefObject} from 'react'
import {useGrid} from '../context/context'
import {groupName, valueIn} from '../model/groups'
import {drag} from '../ui/drag'
import {DragLabel} from '../ui/DragLabel'
import {headerHeight} from './layout'
import {movedWith, moveTo, nameOf} from './moves'

export interface RowDrag {
  isActive: () => boolean
  /** The group that the rows would be moved to: the line of its header, and the number of its lines. */
  target: {top: number; lines: number} | null
  label: ReactNode
  /** Begins to drag the row of an issue. `others` are the issues of the selected range if the row is in it. */
  begin: (down: PointerEvent, row: number, others?: readonly string[]) => void
}

/** Returns the line below a position in the viewport; -1 outside of it. The header of a group that stays in view counts as a line of that group. */
export function lineAt(y: number, {top, bottom}: {top: number; bottom: number}, scrollTop: number, rowHeight: number): number {
  if (y < top + headerHeight || y > bottom) return -1
  const inside = y - top - headerHeight
  return Math.floor((scrollTop + (inside < rowHeight ? 0 : inside)) / rowHeight)
}

export function useRowDrag(viewport: RefObject<HTMLElement | null>, rowHeight: number, footerHeight: number): RowDrag {
  const grid = useGrid()
  const {groups} = grid
  const [dragged, setDragged] = useState<{ids: readonly string[]; what: string; from: string} | null>(null)
  /** The key of the group below the pointer. */
  const [over, setOver] = useState<string | null>(null)
  const latest = useRef({grid, dragged, over})
  useEffect(() => {
    latest.current = {grid, dragged, over}
  })
  const begin = useCallback(
    (down: PointerEvent, row: number, others?: readonly string[]) => {
      const {rows, groups} = latest.current.grid
      const entry = rows.entry(row)
      const box = viewport.current
      if (!entry || !groups || !box) return
      let key: string | null = null
      drag(down, {
        axis: 'y',
        scroller: () => viewport.current,
        begin: () => {
          const {grid} = latest.current
          const ids = movedWith(grid, entry.id, others)
          setDragged({ids, what: nameOf(grid, ids), from: entry.group ?? ''})
        },
        over: (x, y) => {
          const {left, right, top, bottom} = box.getBoundingClientRect()
          const line = x < left || x > right ? -1 : lineAt(y, {top, bottom: bottom - footerHeight}, box.scrollTop, rowHeight)
          key = groups.store.around(line)?.group.key ?? null
          setOver(key)
        },
        drop: () => {
          const {grid, dragged} = latest.current
          const group = grid.groups?.store.snapshot().groups.find(g => g.key === key)
          const value = group && grid.groups ? valueIn(grid.groups.key, group) : undefined
          if (dragged && value !== undefined && isOther(dragged, key)) void moveTo(grid, dragged.ids, value)
        },
        end: () => {
          setDragged(null)
          setOver(null)
        },
      })
    },
    [viewport, rowHeight, footerHeight],
  )

  const group = dragged && over !== null ? groups?.store.snapshot().groups.find(g => g.key === over) : undefined
  const isTarget = dragged !== null && group !== undefined && groups !== null && valueIn(groups.key, group) !== undefined && isOther(dragged, group.key)
  const top = isTarget ? groups.store.topOf(group.key) : -1
  const next = isTarget ? groups.store.snapshot().groups[groups.store.snapshot().groups.indexOf(group) + 1] : undefined
  const {height} = grid.rows.snapshot()
  return {
    isActive: () => latest.current.dragged !== null,
    target: top < 0 ? null : {top, lines: (next && groups ? groups.store.topOf(next.key) : height) - top},
    label: dragged && <DragLabel what={dragged.what} target={isTarget ? groupName(groups.key, group) : null} />,
    begin,
  }
}

/** Reports whether a group is another one than that of a single row. Several rows can be of several groups. */
const isOther = ({ids, from}: {ids: readonly string[]; from: string}, key: string | null): boolean => key !== null && (ids.length > 1 || key !== from)
