// The order of a grid: the columns that it is sorted by, as the URL and the API have it, and as the user changes it.
import type {IssueOrder} from '../../gql/graphql'
import {orderColumn, type Column} from './columns'

/** A column that rows are sorted by, with its ID. Rows with the same value are sorted by the next one, and at last by number. */
export interface Sort {
  column: string
  descending: boolean
  emptyFirst: boolean
}

/** A column that rows are sorted by, with its definition. */
export interface SortKey extends Omit<Sort, 'column'> {
  column: Column
}

/** The order of a grid, with at least one column. */
export type Order = readonly [SortKey, ...SortKey[]]

/** The maximum number of columns in an order. */
export const mostSorts = 4

export const numberSort: Sort = {column: 'num', descending: false, emptyFirst: false}

/** Reports whether rows are sorted by number alone, which is the default. */
export const isDefault = (sorts: readonly Sort[]): boolean => writeSorts(sorts) === null

/** Reads the order from a URL, such as `state,-name.first`. Invalid and repeated columns, and those after the first four, are ignored. */
export function readSorts(text: string | null): readonly Sort[] {
  const sorts = new Map<string, Sort>()
  for (const part of (text ?? '').split(',')) {
    const [, minus, column, first] = /^(-?)([^.-][^.]*)(\.first)?$/.exec(part) ?? []
    if (column && !sorts.has(column)) sorts.set(column, {column, descending: minus === '-', emptyFirst: first !== undefined})
  }
  return sorts.size > 0 ? [...sorts.values()].slice(0, mostSorts) : [numberSort]
}

/** Writes the order for a URL; null if it is the default. */
export function writeSorts(sorts: readonly Sort[]): string | null {
  const text = sorts.map(s => (s.descending ? '-' : '') + s.column + (s.emptyFirst ? '.first' : '')).join(',')
  return text === '' || text === numberSort.column ? null : text
}

/** Returns the order with the definitions of its columns. Columns that are unknown or not sortable are skipped; without any other, it is by number. */
export function orderOf(sorts: readonly Sort[], all: readonly Column[]): Order {
  const byID = new Map(all.filter(c => c.sortable).map(c => [c.id, c]))
  const keys = [...sorts, numberSort].flatMap(s => {
    const column = byID.get(s.column)
    return column ? [{...s, column}] : []
  })
  const [first, ...others] = keys.slice(0, Math.max(keys.length - 1, 1)) as [SortKey, ...SortKey[]]
  return [first, ...others]
}

/** Returns the order without the definitions of its columns. */
export const sortsOf = (order: Order): readonly Sort[] => order.map(k => ({...k, column: k.column.id}))

/** Returns the order for the API. */
export const orderBy = (order: Order): IssueOrder[] =>
  order.map(k => ({column: orderColumn(k.column), direction: k.descending ? 'DESC' : 'ASC', nulls: k.emptyFirst ? 'FIRST' : 'LAST'}))

/** Sorts by one column alone. The column that comes first in the order changes its direction. */
export function only(sorts: readonly Sort[], column: string): readonly Sort[] {
  const [first] = sorts
  return first?.column === column ? [{...first, descending: !first.descending}] : [{column, descending: false, emptyFirst: false}]
}

/** Adds a column to the order, makes it descending if it is ascending, and removes it otherwise. */
export function step(sorts: readonly Sort[], column: string): readonly Sort[] {
  const sort = sorts.find(s => s.column === column)
  if (!sort) return add(sorts, column)
  return sort.descending ? without(sorts, column) : change(sorts, column, {descending: true})
}

/** Adds a column at the end, or before the number, which no two rows share. It replaces the default order. A full order remains as it is. */
export function add(sorts: readonly Sort[], column: string): readonly Sort[] {
  const added = {column, descending: false, emptyFirst: false}
  if (isDefault(sorts)) return [added]
  if (sorts.length >= mostSorts) return sorts
  return sorts.toSpliced(sorts.at(-1)?.column === numberSort.column ? -1 : sorts.length, 0, added)
}

export const change = (sorts: readonly Sort[], column: string, to: Partial<Sort>): readonly Sort[] => sorts.map(s => (s.column === column ? {...s, ...to} : s))

/** Removes a column. Without any other, the order is the default one. */
export function without(sorts: readonly Sort[], column: string): readonly Sort[] {
  const rest = sorts.filter(s => s.column !== column)
  return rest.length > 0 ? rest : [numberSort]
}

/** Moves a column to a position, which starts at 0. A position beyond the ends is that of the end. */
export function move(sorts: readonly Sort[], column: string, to: number): readonly Sort[] {
  const from = sorts.findIndex(s => s.column === column)
  const moved = sorts[from]
  return moved ? sorts.toSpliced(from, 1).toSpliced(Math.max(0, to), 0, moved) : sorts
}

/** Returns the columns after the number, which have no effect because no two rows have the same number. */
export function idle(sorts: readonly Sort[]): readonly Sort[] {
  const at = sorts.findIndex(s => s.column === numberSort.column)
  return at < 0 ? [] : sorts.slice(at + 1)
}
