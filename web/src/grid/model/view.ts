// The view of a project's grid. The URL stores all of it, so it survives a reload and can be shared.
import type {IssueOrder} from '../../gql/graphql'
import {orderColumn, type Column} from './columns'
import {readConditions, writeConditions, type Condition} from './conditions'

export interface Sort {
  column: string
  descending: boolean
  emptyFirst: boolean
}

/** The heights of rows. In tall rows, values have several lines. */
export const rowSizes = ['compact', 'normal', 'tall'] as const
export type RowSize = (typeof rowSizes)[number]

export interface View {
  /** The ID of the project; null shows the list of projects. */
  project: string | null
  sort: Sort
  conditions: readonly Condition[]
  /** Whether one matching condition is enough. */
  any: boolean
  /** What the name and the texts of a row must contain, in addition to the conditions. */
  search: string
  /** The IDs of the shown columns, in order; null for the default ones. */
  columns: readonly string[] | null
  /** The columns that stay in place when the grid scrolls horizontally. */
  pinned: readonly string[]
  widths: Readonly<Record<string, number>>
  size: RowSize
  /** The cursor before the first visible row, and the estimated index of that row; null at the start. */
  at: {cursor: string; index: number} | null
  /** The number of the issue in the side panel. */
  issue: number | null
  /** The name of the stored view that was applied. */
  named: string | null
}

export const numberSort: Sort = {column: 'num', descending: false, emptyFirst: false}

export const newView = (project: string | null): View => ({
  project,
  sort: numberSort,
  conditions: [],
  any: false,
  search: '',
  columns: null,
  pinned: ['num', 'name'],
  widths: {},
  size: 'normal',
  at: null,
  issue: null,
  named: null,
})

/** Reads a view from the query of a URL. Invalid parameters are ignored. */
export function readView(query: string): View {
  const q = new URLSearchParams(query)
  const view = newView(q.get('project'))
  const [, minus, column, first] = /^(-?)([^.-][^.]*)(\.first)?$/.exec(q.get('sort') ?? '') ?? []
  if (column) view.sort = {column, descending: minus === '-', emptyFirst: first !== undefined}
  view.conditions = readConditions(q.get('where'))
  view.any = q.get('match') === 'any'
  view.search = q.get('q') ?? ''
  view.named = q.get('view') || null
  const list = (name: string) => (q.has(name) ? [...new Set(q.get(name)?.split(',').filter(Boolean))] : null)
  view.columns = list('columns')
  view.pinned = list('pinned') ?? view.pinned
  view.widths = Object.fromEntries(
    (list('widths') ?? []).flatMap(w => {
      const [, id, pixels] = /^(.+):(\d+)$/.exec(w) ?? []
      return id ? [[id, Math.min(Math.max(Number(pixels), minWidth), maxWidth)]] : []
    }),
  )
  view.size = rowSizes.find(s => s === q.get('rows')) ?? view.size
  const [, index, cursor] = /^(\d{1,9}):([\w-]+)$/.exec(q.get('at') ?? '') ?? []
  if (cursor) view.at = {cursor, index: Number(index)}
  const [issue] = /^[1-9]\d{0,8}$/.exec(q.get('issue') ?? '') ?? []
  if (issue) view.issue = Number(issue)
  return view
}

export const minWidth = 60
export const maxWidth = 800

/** Writes a view as the query of a URL, without default values. */
export function writeView(view: View): string {
  const q = new URLSearchParams()
  const set = (name: string, value: string | null | undefined) => {
    if (value !== null && value !== undefined) q.set(name, value)
  }
  const usual = newView(null)
  set('project', view.project)
  const {column, descending, emptyFirst} = view.sort
  if (column !== usual.sort.column || descending || emptyFirst) set('sort', (descending ? '-' : '') + column + (emptyFirst ? '.first' : ''))
  set('where', writeConditions(view.conditions))
  if (view.any) set('match', 'any')
  set('q', view.search || null)
  set('columns', view.columns?.join(','))
  if (view.pinned.join() !== usual.pinned.join()) set('pinned', view.pinned.join(','))
  set(
    'widths',
    Object.entries(view.widths)
      .map(([id, w]) => `${id}:${w}`)
      .join(',') || null,
  )
  if (view.size !== usual.size) set('rows', view.size)
  if (view.at) set('at', `${view.at.index}:${view.at.cursor}`)
  set('view', view.named)
  if (view.issue !== null) set('issue', String(view.issue))
  // Commas and colons need no escape in a query, and unescaped ones are easier to read.
  const text = q.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')
  return text ? '?' + text : ''
}

/** How many custom fields are shown by default. */
const shownAtFirst = 12

/** Returns the columns that a view shows, the pinned ones first. Unknown IDs are skipped. */
export function shownColumns(view: View, all: readonly Column[]): Column[] {
  const ids = view.columns ?? [
    'num',
    'name',
    'state',
    ...all
      .filter(c => !c.builtin && c.type !== 'LONG_TEXT')
      .slice(0, shownAtFirst)
      .map(c => c.id),
    'created',
    'updated',
  ]
  const byID = new Map(all.map(c => [c.id, c]))
  const shown = ids.flatMap(id => byID.get(id) ?? []).filter(c => c.showable)
  const pinned = new Set(view.pinned)
  return [...shown.filter(c => pinned.has(c.id)), ...shown.filter(c => !pinned.has(c.id))]
}

/** Returns the order for the API; undefined, which is by number, if the column is unknown or not sortable. */
export function orderBy(sort: Sort, all: readonly Column[]): IssueOrder[] | undefined {
  const column = all.find(c => c.id === sort.column)
  if (!column?.sortable) return undefined
  return [{column: orderColumn(column), direction: sort.descending ? 'DESC' : 'ASC', nulls: sort.emptyFirst ? 'FIRST' : 'LAST'}]
}
