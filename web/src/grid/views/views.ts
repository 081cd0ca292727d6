// Named views, stored in the browser by project. A view is stored as the query of its URL, without the project, the scroll position and the open issue, which
// are not part of a named view. Invalid entries are ignored.
import {messages} from '../messages'
import {parseList} from '../model/conditions'
import {nameKey} from '../model/values'
import {allIssues, readView, writeView, type View} from '../model/view'

export interface NamedView {
  name: string
  query: string
}

export const longestName = 80

/** Returns the query to store for a view. */
export const queryOf = (view: View): string => writeView({...view, project: null, at: null, issue: null, named: null, saved: null})

/** Returns the changes to a view that apply a stored query under its name. */
export function changeTo(query: string, named: string | null): Partial<View> {
  const {sort, conditions, any, filter, search, columns, pinned, widths, size, summaries, layout, group, fold} = readView(query)
  return {sort, conditions, any, filter, search, columns, pinned, widths, size, summaries, layout, group, fold, named, saved: allIssues, at: null}
}

/** Parses what writeViews has written, and ignores anything invalid. */
export function readViews(text: string | null): NamedView[] {
  const views = new Map<string, NamedView>()
  for (const v of parseList(text)) {
    if (typeof v !== 'object' || v === null) continue
    const {name, query} = v as Partial<Record<string, unknown>>
    if (typeof name !== 'string' || typeof query !== 'string' || nameError(name) !== null || views.has(nameKey(name))) continue
    views.set(nameKey(name), {name: name.trim(), query: queryOf(readView(query))})
  }
  return [...views.values()].sort((a, b) => a.name.localeCompare(b.name))
}

export const writeViews = (views: readonly NamedView[]): string => JSON.stringify(views)

/** Finds a view by its name, ignoring case. */
export const findView = (views: readonly NamedView[], name: string): NamedView | undefined => views.find(v => nameKey(v.name) === nameKey(name))

/** Returns why a name is invalid, or null. */
export function nameError(name: string): string | null {
  if (name.trim() === '') return messages.views.nameRequired
  return [...name.trim()].length > longestName ? messages.views.nameLength(longestName) : null
}

/** Adds a view, replacing one of the same name. */
export const withView = (views: readonly NamedView[], view: NamedView): NamedView[] => [...withoutView(views, view.name), {...view, name: view.name.trim()}]

export const withoutView = (views: readonly NamedView[], name: string): NamedView[] => views.filter(v => nameKey(v.name) !== nameKey(name))

/** Returns the applied view and whether the current query differs from it. `named` is the view that the URL names. */
export function appliedView(views: readonly NamedView[], query: string, named: string | null): {view: NamedView; changed: boolean} | null {
  const chosen = named === null ? undefined : findView(views, named)
  const same = chosen?.query === query ? chosen : views.find(v => v.query === query)
  if (same) return {view: same, changed: false}
  return chosen ? {view: chosen, changed: true} : null
}

const keyOf = (project: string) => `issuegrid:views:${project}`

/** Stores the views of a project in the browser. If the browser denies access, there are none. */
export const viewStore = {
  isKey: (key: string | null, project: string): boolean => key === null || key === keyOf(project),
  load(project: string): NamedView[] {
    return readViews(attempt(() => localStorage.getItem(keyOf(project))))
  },
  /** Reports whether the views were stored. */
  save(project: string, views: readonly NamedView[]): boolean {
    return (
      attempt(() => {
        if (views.length > 0) localStorage.setItem(keyOf(project), writeViews(views))
        else localStorage.removeItem(keyOf(project))
        return true
      }) === true
    )
  },
}

const offerKey = (project: string) => `issuegrid:views-offer:${project}`

/** Keeps in the browser whether the user has answered the offer to save its views on the server. */
export const offers = {
  answered: (project: string): boolean => attempt(() => localStorage.getItem(offerKey(project))) != null,
  answer: (project: string): void => void attempt(() => localStorage.setItem(offerKey(project), 'answered')),
}

function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}
