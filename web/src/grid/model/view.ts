// The view of a project's grid. The URL stores all of it, so it survives a reload and can be shared.
import type {IssueFilter} from '../../gql/graphql'
import type {Column} from './columns'
import {readConditions, writeConditions, type Condition} from './conditions'
import {noFold, readGroupings, writeGrouping, type Fold, type Grouping} from './groups'
import {numberSort, readSorts, writeSorts, type Sort} from './sort'
import {readChosen, writeChosen, type Chosen} from './summaries'

/** The heights of rows. In tall rows, values have several lines. */
export const rowSizes = ['compact', 'normal', 'tall'] as const
export type RowSize = (typeof rowSizes)[number]

/** How issues are shown: as rows of a table, or as cards in a column for each group. */
export const layouts = ['grid', 'board'] as const
export type Layout = (typeof layouts)[number]

export interface View {
  /** The ID of the project; null shows the list of projects. */
  project: string | null
  sort: readonly Sort[]
  conditions: readonly Condition[]
  /** Whether one matching condition is enough. */
  any: boolean
  /** What rows must match in addition, in the form of the API: the part of a saved view's filter that conditions cannot express. */
  filter: IssueFilter | null
  /** What the name and the texts of a row must contain, in addition to the conditions. */
  search: string
  /** The IDs of the shown columns, in order; null for the default ones. */
  columns: readonly string[] | null
  /** The columns that stay in place when the grid scrolls horizontally. */
  pinned: readonly string[]
  widths: Readonly<Record<string, number>>
  size: RowSize
  /** The summaries in the footer. */
  summaries: Chosen
  layout: Layout
  /** How rows are grouped; null if they are not. A board is then grouped by state. */
  group: Grouping | null
  /** The second level of groups, which the page keeps but does not show. */
  inner: Grouping | null
  /** The collapsed groups. */
  fold: Fold
  /** The cursor before the first visible row, and the estimated index of that row; null at the start. */
  at: {cursor: string; index: number} | null
  /** The number of the issue in the side panel. */
  issue: number | null
  /** The name of the stored view that was applied. */
  named: string | null
  /** The ID of the saved view that is shown, or allIssues; null if the URL says neither. */
  saved: string | null
}

/** Stands for no saved view, where the project would open with one otherwise. */
export const allIssues = 'all'

export const newView = (project: string | null): View => ({
  project,
  sort: [numberSort],
  conditions: [],
  any: false,
  filter: null,
  search: '',
  columns: null,
  pinned: ['num', 'name'],
  widths: {},
  size: 'normal',
  summaries: {},
  layout: 'grid',
  group: null,
  inner: null,
  fold: noFold,
  at: null,
  issue: null,
  named: null,
  saved: null,
})

/** Reads a view from the query of a URL. Invalid parameters are ignored. */
export function readView(query: string): View {
  const q = new URLSearchParams(query)
  const view = newView(q.get('project'))
  view.sort = readSorts(q.get('sort'))
  view.conditions = readConditions(q.get('where'))
  view.any = q.get('match') === 'any'
  view.filter = readFilter(q.get('filter'))
  view.search = q.get('q') ?? ''
  view.named = q.get('view') || null
  view.saved = q.get('saved') || null
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
  view.summaries = readChosen(q.get('summaries'))
  view.layout = layouts.find(l => l === q.get('layout')) ?? view.layout
  ;[view.group, view.inner] = readGroupings(q.get('group'))
  const unfolded = list('expanded')
  if (view.group || view.layout === 'board') view.fold = {all: unfolded !== null, keys: unfolded ?? list('collapsed') ?? []}
  const [, index, cursor] = /^(\d{1,9}):([\w.~-]+)$/.exec(q.get('at') ?? '') ?? []
  if (cursor) view.at = {cursor, index: Number(index)}
  const [issue] = /^[1-9]\d{0,8}$/.exec(q.get('issue') ?? '') ?? []
  if (issue) view.issue = Number(issue)
  return view
}

function readFilter(text: string | null): IssueFilter | null {
  try {
    const filter: unknown = JSON.parse(text ?? 'null')
    return typeof filter === 'object' && !Array.isArray(filter) ? filter : null
  } catch {
    return null
  }
}

export const minWidth = 60
export const maxWidth = 800

/** Returns the groupings of a view, from the outermost. A column that the user has chosen is not that of the second level too. */
export const levelsOf = ({group, inner}: Pick<View, 'group' | 'inner'>): Grouping[] =>
  group ? [group, ...(inner && inner.column !== group.column ? [inner] : [])] : []

/** Writes a view as the query of a URL, without default values. */
export function writeView(view: View): string {
  const q = new URLSearchParams()
  const set = (name: string, value: string | null | undefined) => {
    if (value !== null && value !== undefined) q.set(name, value)
  }
  const usual = newView(null)
  set('project', view.project)
  set('saved', view.saved)
  set('sort', writeSorts(view.sort))
  set('where', writeConditions(view.conditions))
  if (view.any) set('match', 'any')
  set('filter', view.filter && JSON.stringify(view.filter))
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
  set('summaries', writeChosen(view.summaries))
  if (view.layout !== usual.layout) set('layout', view.layout)
  if (view.group) set('group', levelsOf(view).map(writeGrouping).join(','))
  if (view.group || view.layout === 'board') {
    if (view.fold.all) set('expanded', view.fold.keys.join(','))
    else set('collapsed', view.fold.keys.join(',') || null)
  }
  if (view.at) set('at', `${view.at.index}:${view.at.cursor}`)
  set('view', view.named)
  if (view.issue !== null) set('issue', String(view.issue))
  return queryText(q)
}

/** Returns parameters as the query of a URL. Commas and colons need no escape, and unescaped ones are easier to read. */
export function queryText(q: URLSearchParams): string {
  const text = q.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')
  return text ? '?' + text : ''
}

/** Returns the change from the grid to the board, or back. Everything else of the view stays, so that changing it twice has no effect. */
export const otherLayout = ({layout}: Pick<View, 'layout'>): Partial<View> => ({layout: layout === 'board' ? 'grid' : 'board', at: null})

/** Reports whether a view shows only some of the issues. */
export const isFiltered = (view: View): boolean => view.conditions.length > 0 || view.filter !== null || view.search !== ''

/** Shows all issues. */
export const noFilter = {conditions: [], filter: null, search: '', at: null} satisfies Partial<View>

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
