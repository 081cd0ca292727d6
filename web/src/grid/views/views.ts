// Views that people have named, kept in the browser by project. A view is kept as the query of its URL, without what is not of the view: the project, where
// the grid was scrolled to, and the open issue. Whatever else is found where they are kept is passed over.
import {parseList} from '../model/conditions'
import {readView, writeView, type View} from '../model/view'

export interface NamedView {
  name: string
  query: string
}

export const longestName = 80

/** What is kept of a view. */
export const queryOf = (view: View): string => writeView({...view, project: null, at: null, issue: null})

/** What applying a kept query changes of a view. */
export function changeTo(query: string): Partial<View> {
  const {sort, conditions, any, columns, pinned, widths} = readView(query)
  return {sort, conditions, any, columns, pinned, widths, at: null}
}

/** Reads named views, as writeViews has written them or anything else. */
export function readViews(text: string | null): NamedView[] {
  const views = new Map<string, NamedView>()
  for (const v of parseList(text)) {
    if (typeof v !== 'object' || v === null) continue
    const {name, query} = v as Partial<Record<string, unknown>>
    if (typeof name !== 'string' || typeof query !== 'string' || nameError(name) !== null || views.has(folded(name))) continue
    views.set(folded(name), {name: name.trim(), query: queryOf(readView(query))})
  }
  return [...views.values()].sort((a, b) => a.name.localeCompare(b.name))
}

export const writeViews = (views: readonly NamedView[]): string => JSON.stringify(views)

const folded = (name: string): string => name.trim().toLowerCase()

/** A view by its name, upper or lower case. */
export const findView = (views: readonly NamedView[], name: string): NamedView | undefined => views.find(v => folded(v.name) === folded(name))

/** Why a text is no name; null when it is one. */
export function nameError(name: string): string | null {
  if (name.trim() === '') return 'A name is required'
  return [...name.trim()].length > longestName ? `A name has at most ${longestName} characters` : null
}

/** The views with this one, in the place of one of the same name. */
export const withView = (views: readonly NamedView[], view: NamedView): NamedView[] => [...withoutView(views, view.name), {...view, name: view.name.trim()}]

export const withoutView = (views: readonly NamedView[], name: string): NamedView[] => views.filter(v => folded(v.name) !== folded(name))

/** The view that is applied, and whether the current one differs from it. Last is the name of the one that was chosen last. */
export function appliedView(views: readonly NamedView[], query: string, last: string | null): {view: NamedView; changed: boolean} | null {
  const chosen = last === null ? undefined : findView(views, last)
  const same = chosen?.query === query ? chosen : views.find(v => v.query === query)
  if (same) return {view: same, changed: false}
  return chosen ? {view: chosen, changed: true} : null
}

const keyOf = (project: string) => `issuegrid:views:${project}`
const lastKeyOf = (project: string) => `issuegrid:view:${project}`

/** The views of a project, where the browser keeps them. It may refuse to: then there are none. */
export const viewStore = {
  isKey: (key: string | null, project: string): boolean => key === null || key === keyOf(project),
  load(project: string): NamedView[] {
    return readViews(attempt(() => localStorage.getItem(keyOf(project))))
  },
  /** Tells whether they were kept. */
  save(project: string, views: readonly NamedView[]): boolean {
    return (
      attempt(() => {
        if (views.length > 0) localStorage.setItem(keyOf(project), writeViews(views))
        else localStorage.removeItem(keyOf(project))
        return true
      }) === true
    )
  },
  last: (project: string): string | null => attempt(() => sessionStorage.getItem(lastKeyOf(project))),
  setLast(project: string, name: string | null): void {
    attempt(() => (name === null ? sessionStorage.removeItem(lastKeyOf(project)) : sessionStorage.setItem(lastKeyOf(project), name)))
  },
}

function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}
