// Saved views as the page shows them: what of a view the server keeps, how a URL names a saved view and the differences from it, and what a user may do.
import type {SavedView} from '../data/savedViews'
import {orderColumn, type Column} from '../model/columns'
import {both, filterOf} from '../model/conditions'
import {conditionsOf} from '../model/fromFilter'
import {groupBy, groupKeyOf, isGroupable, rangeIn, type Grouping} from '../model/groups'
import {mostSorts, numberSort, orderBy, orderOf, type Sort} from '../model/sort'
import {chosenOf, nameOf, partOf as summaryPart} from '../model/summaries'
import {allIssues, layouts, levelsOf, maxWidth, minWidth, newView, queryText, readView, shownColumns, writeView, type View} from '../model/view'

/** The parameters of the URL that a saved view keeps. */
const kept = ['sort', 'where', 'match', 'filter', 'columns', 'widths', 'group', 'summaries', 'layout'] as const
/** The value of a parameter that is not that of the saved view, but the one that a URL without any has. */
const unset = 'default'

/** Returns the view of a project that is as it was saved. */
export function viewOf(saved: SavedView, project: string | null, all: readonly Column[]): View {
  type Named = {builtin?: string | null; field?: {id: string} | null}
  const id = (c: Named) => c.field?.id ?? all.find(x => x.builtin === c.builtin)?.id
  const known = (c: Named) => all.find(x => x.id === id(c))
  const columns = saved.columns.flatMap(c => {
    const known = id(c)
    return known === undefined ? [] : [{id: known, width: c.width}]
  })
  const sort = saved.orderBy.flatMap((o): Sort[] => {
    const column = id(o)
    return column === undefined ? [] : [{column, descending: o.direction === 'DESC', emptyFirst: o.nulls === 'FIRST'}]
  })
  const [group = null, inner = null] = saved.groupBy.flatMap((g): Grouping[] => {
    const column = known(g)
    return column && isGroupable(column)
      ? [{column: column.id, descending: g.direction === 'DESC', emptyFirst: g.nulls === 'FIRST', range: rangeIn(column, g)}]
      : []
  })
  const summaries = saved.summaries.flatMap(s => {
    const [column, part] = [id(s), summaryPart(s.part)]
    return column !== undefined && part ? [[column, part] as const] : []
  })
  return {
    ...newView(project),
    ...conditionsOf(saved.filter ?? null, all),
    sort: sort.length > 0 ? sort.slice(0, mostSorts) : [numberSort],
    columns: columns.length > 0 ? columns.map(c => c.id) : null,
    widths: Object.fromEntries(columns.flatMap(c => (c.width == null ? [] : [[c.id, Math.min(Math.max(c.width, minWidth), maxWidth)]]))),
    group,
    inner,
    summaries: Object.fromEntries(summaries),
    layout: layouts.find(l => l === saved.layout.toLowerCase()) ?? 'grid',
    saved: saved.id,
  }
}

/** Returns what the server keeps of a view, as the input of a mutation. */
export function contentOf(view: View, all: readonly Column[]) {
  const conditions = filterOf(view.conditions, view.any, all)
  const widths = new Map(Object.entries(view.widths))
  const known = new Map(all.filter(c => c.showable).map(c => [c.id, c]))
  const shown = (view.columns ?? (widths.size > 0 ? shownColumns(view, all).map(c => c.id) : [])).flatMap(id => known.get(id) ?? [])
  const order = orderBy(orderOf(view.sort, all))
  return {
    columns: shown.map(c => ({column: orderColumn(c), ...(widths.has(c.id) ? {width: widths.get(c.id)} : {})})),
    filter: view.filter && conditions ? both(view.filter, conditions) : (view.filter ?? conditions ?? {}),
    orderBy: isByNumber(view.sort) ? [] : order,
    groupBy: levelsOf(view)
      .flatMap(g => groupKeyOf(g, all) ?? [])
      .map(groupBy),
    summaries: chosenOf(view.summaries, all).map(([c, part]) => ({column: orderColumn(c), part: nameOf(part)})),
    layout: view.layout.toUpperCase() as SavedView['layout'],
  }
}

const isByNumber = (sorts: readonly Sort[]): boolean => writeView({...newView(null), sort: sorts}) === ''

/** Returns the part of what the server keeps that differs from the saved view, so that saving it leaves the rest to others. */
export function changedContent(view: View, base: View, all: readonly Column[]): Partial<ReturnType<typeof contentOf>> {
  const names = new Set(differences(view, base))
  const {columns, filter, orderBy, groupBy, summaries, layout} = contentOf(view, all)
  const has = (...some: string[]) => some.some(name => names.has(name))
  return {
    ...(has('columns', 'widths') ? {columns} : {}),
    ...(has('where', 'match', 'filter') ? {filter} : {}),
    ...(has('sort') ? {orderBy} : {}),
    ...(has('group') ? {groupBy} : {}),
    ...(has('summaries') ? {summaries} : {}),
    ...(has('layout') ? {layout} : {}),
  }
}

const paramsOf = (view: View): URLSearchParams => new URLSearchParams(writeView(view))

/** Returns the value of a parameter without differences that mean nothing. */
const valueOf = (q: URLSearchParams, name: string): string | null =>
  name === 'widths' || name === 'summaries' ? (q.get(name)?.split(',').sort().join() ?? null) : q.get(name)

/** Returns the names of the parameters of which a saved view keeps another value. */
export function differences(view: View, base: View): string[] {
  const [q, b] = [paramsOf(view), paramsOf(base)]
  return kept.filter(name => valueOf(q, name) !== valueOf(b, name))
}

/** Finds what the views of a project and a URL say together. */
export class Links {
  /** The views as they were saved, by their IDs: a URL is read with every scrolled row. */
  private readonly known = new Map<string, View>()

  constructor(
    private readonly views: readonly SavedView[],
    private readonly columns: readonly Column[],
  ) {}

  /** Returns the saved view with an ID; undefined if there is none. */
  find = (id: string | null): SavedView | undefined => this.views.find(v => v.id === id)

  /** Returns the view of which a view can differ: the saved one that it names, or that of all issues. */
  base(view: Pick<View, 'project' | 'saved'>): View {
    const saved = this.find(view.saved)
    if (!saved) return {...newView(view.project), saved: allIssues}
    const base = this.known.get(saved.id) ?? viewOf(saved, view.project, this.columns)
    this.known.set(saved.id, base)
    return {...base, project: view.project}
  }

  /** Reads a URL. If it says nothing but the project and an issue, the project opens with its default view. */
  read(query: string): View {
    const q = new URLSearchParams(query)
    const initial = isBare(q) ? this.views.find(v => v.isDefault)?.id : undefined
    const saved = q.get('saved') || (initial ?? allIssues)
    const b = paramsOf(this.base({project: q.get('project'), saved}))
    for (const name of kept) {
      const known = b.get(name)
      if (q.get(name) === unset) q.delete(name)
      else if (!q.has(name) && known !== null) q.set(name, known)
    }
    return {...readView(queryText(q)), saved}
  }

  /** Writes the URL of a view: the saved view that it names, and how it differs. */
  write(view: View): string {
    const q = paramsOf(view)
    const b = paramsOf(this.base(view))
    for (const name of kept) {
      if (valueOf(q, name) === valueOf(b, name)) q.delete(name)
      else if (!q.has(name)) q.set(name, unset)
    }
    if (view.saved !== allIssues) return queryText(q)
    // A URL that says more than the project shows all issues anyway, as those of earlier versions do.
    q.delete('saved')
    if (isBare(q)) q.append('saved', allIssues)
    return queryText(q)
  }
}

/** Reports whether a URL says nothing but the project and an issue. */
export const isBare = (q: URLSearchParams): boolean => [...q.keys()].every(name => name === 'project' || name === 'issue')

/** Returns the views in the order of their tabs: the default one, the shared ones, and those of the user. All issues come after the default one. */
export function tabsOf(views: readonly SavedView[]): (SavedView | null)[] {
  const byName = [...views].sort((a, b) => Number(b.shared) - Number(a.shared) || a.name.localeCompare(b.name))
  return [...byName.filter(v => v.isDefault), null, ...byName.filter(v => !v.isDefault)]
}

/** The rights of a user in a project. */
export interface Rights {
  viewerCanEdit: boolean
  viewerCanAdminister: boolean
}

export type Action = 'save' | 'rename' | 'duplicate' | 'share' | 'makePrivate' | 'makeDefault' | 'noDefault' | 'copyLink' | 'delete'

/** Returns what a user may do with a view; null stands for all issues. */
export function actionsOf(view: SavedView | null, {viewerCanEdit, viewerCanAdminister}: Rights): Action[] {
  if (!view) return ['copyLink']
  const mayChange = !view.shared || viewerCanEdit
  const mayWithdraw = !view.shared || (view.isDefault ? viewerCanAdminister : viewerCanEdit)
  return [
    ...(mayChange ? (['save', 'rename'] as const) : []),
    'duplicate',
    ...(view.shared ? (mayWithdraw ? (['makePrivate'] as const) : []) : viewerCanEdit ? (['share'] as const) : []),
    ...(view.shared && viewerCanAdminister ? [view.isDefault ? ('noDefault' as const) : ('makeDefault' as const)] : []),
    'copyLink',
    ...(mayWithdraw ? (['delete'] as const) : []),
  ]
}

/** Reports whether a view has parts that the server does not keep. */
export const hasMore = (view: View): boolean => {
  const usual = newView(null)
  return view.search !== '' || view.size !== usual.size || view.pinned.join() !== usual.pinned.join()
}

/** Returns the change that shows a saved view, or all issues, as they are saved. The height of rows and the open issue stay. */
export const shownAs = (links: Links, saved: string, {project, size, issue}: View): View => ({...links.base({project, saved}), size, issue})

/** Returns the parts of a view that the server keeps. */
export const keptParts = ({sort, conditions, any, filter, columns, widths, group, inner, summaries, layout}: View) => ({
  sort,
  conditions,
  any,
  filter,
  columns,
  widths,
  group,
  inner,
  summaries,
  layout,
})

/** The maximum length of the name of a saved view, in characters. */
export const longestName = 255

/** Returns the part of a view that a path of a problem is in. */
export function partOf(path: string): 'columns' | 'filter' | 'orderBy' | 'groupBy' | 'summaries' | 'view' {
  const [, part] = /^(columns|filter|orderBy|groupBy|summaries)\b/.exec(path) ?? []
  return (part as 'columns' | undefined) ?? 'view'
}
