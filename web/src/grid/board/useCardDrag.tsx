// Dragging cards to another column.
import {useCallback, useEffect, useRef, useState, type ReactNode, type RefObject} from 'react'
import {useGrid} from '../context/context'
import {groupName, valueIn} from '../model/groups'
import {movedWith, moveTo, nameOf} from '../table/moves'
import {drag} from '../ui/drag'
import {DragLabel} from '../ui/DragLabel'
import {columnAt} from './places'

export interface CardDrag {
  /** The key of the column to which the dragged cards would be moved. */
  target: string | null
  label: ReactNode
  /** A card was pressed, which may be the begin of a drag. `key` is that of its column. */
  press: (down: PointerEvent, id: string, key: string) => void
}

export function useCardDrag(viewport: RefObject<HTMLElement | null>): CardDrag {
  const grid = useGrid()
  const [dragged, setDragged] = useState<{what: string; target: string | null} | null>(null)
  const latest = useRef(grid)
  useEffect(() => {
    latest.current = grid
  })
  const press = useCallback(
    (down: PointerEvent, id: string, from: string) => {
      let ids: readonly string[] = []
      let target: string | null = null
      /** Returns the value of a column; undefined if the cards cannot be moved there. */
      const valueOf = (key: string | null) => {
        const {groups} = latest.current
        const group = groups?.store.snapshot().groups.find(g => g.key === key)
        return groups && group && (ids.length > 1 || key !== from) ? valueIn(groups.key, group) : undefined
      }
      drag(down, {
        axis: 'x',
        scroller: () => viewport.current,
        begin: () => {
          ids = movedWith(latest.current, id)
          setDragged({what: nameOf(latest.current, ids), target: null})
        },
        over: (x, y) => {
          const board = viewport.current
          if (!board) return
          const columns = [...board.querySelectorAll<HTMLElement>('[data-group]')].map(c => {
            const {left, right} = c.getBoundingClientRect()
            return {key: c.dataset.group!, left, right}
          })
          const key = columnAt(x, y, board.getBoundingClientRect(), columns)
          const next = valueOf(key) === undefined ? null : key
          if (next === target) return
          target = next
          setDragged(d => d && {...d, target})
        },
        drop: () => {
          const value = valueOf(target)
          if (value !== undefined) void moveTo(latest.current, ids, value)
        },
        end: () => setDragged(null),
      })
    },
    [viewport],
  )
  const {groups} = grid
  const group = groups?.store.snapshot().groups.find(g => g.key === dragged?.target)
  return {
    target: dragged?.target ?? null,
    label: dragged && <DragLabel what={dragged.what} target={groups && group ? groupName(groups.key, group) : null} />,
    press,
  }
}
