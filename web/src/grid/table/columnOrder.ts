// The order of columns while the user arranges them. It includes hidden columns, so a column that is hidden and shown again keeps its position. Pinned columns
// always come first.
import type {Column} from '../model/columns'
import {shownColumns, type View} from '../model/view'

export interface Arrangement {
  /** The IDs of all columns that the grid can show. */
  order: readonly string[]
  shown: ReadonlySet<string>
  pinned: ReadonlySet<string>
}

/** Returns the arrangement of a view: the shown columns, then the others. */
export function arrangementOf(view: View, all: readonly Column[]): Arrangement {
  const shown = shownColumns(view, all).map(c => c.id)
  const has = new Set(shown)
  const rest = all.filter(c => c.showable && !has.has(c.id)).map(c => c.id)
  const pinned = new Set(view.pinned)
  return {order: pinnedFirst([...shown, ...rest], pinned), shown: has, pinned}
}

/** Returns the change of a view for an arrangement. */
export function viewOf({order, shown, pinned}: Arrangement): Pick<View, 'columns' | 'pinned'> {
  return {columns: order.filter(id => shown.has(id)), pinned: order.filter(id => pinned.has(id))}
}

/** Shows or hides columns. At least one is always shown. */
export function show(a: Arrangement, ids: readonly string[], on: boolean): Arrangement {
  const shown = new Set(a.shown)
  for (const id of ids)
    if (on) shown.add(id)
    else shown.delete(id)
  return shown.size === 0 ? a : {...a, shown}
}

export function pin(a: Arrangement, id: string, on: boolean): Arrangement {
  const pinned = new Set(a.pinned)
  if (on) pinned.add(id)
  else pinned.delete(id)
  return {...a, pinned, order: pinnedFirst(a.order, pinned)}
}

/** Returns the shown column before (-1) or after (1) a column; undefined if they cannot be swapped. */
export function neighbor({order, shown, pinned}: Arrangement, id: string, by: -1 | 1): string | undefined {
  const row = order.filter(x => shown.has(x) && pinned.has(x) === pinned.has(id))
  const at = row.indexOf(id)
  return at < 0 ? undefined : row[at + by]
}

/** Moves a column to the position of another one and shifts those between. */
export function place(a: Arrangement, id: string, target: string): Arrangement {
  const from = a.order.indexOf(id)
  const to = a.order.indexOf(target)
  if (from < 0 || to < 0) return a
  return {...a, order: pinnedFirst(a.order.toSpliced(from, 1).toSpliced(to, 0, id), a.pinned)}
}

const pinnedFirst = (order: readonly string[], pinned: ReadonlySet<string>): string[] => [
  ...order.filter(id => pinned.has(id)),
  ...order.filter(id => !pinned.has(id)),
]
