// What the tabs of a project's views do.
import {useEffect, useMemo, useRef, useState, useSyncExternalStore} from 'react'
import {messages} from '../messages'
import {problemOf} from '../data/client'
import type {SavedView, SavedViews} from '../data/savedViews'
import {useGrid} from '../context/context'
import {allIssues, readView, type View} from '../model/view'
import {copyLink} from './LinkDialog'
import {changedContent, contentOf, differences, hasMore, keptParts, Links, shownAs, viewOf} from './saved'

/** Returns the ID of a view in URLs; null stands for all issues. */
export const idOf = (view: SavedView | null): string => view?.id ?? allIssues

/** `conflicted` is called if somebody else has changed the view that is saved, and `notCopied` with a link that the browser does not let the page copy. */
export function useTabs(conflicted: (view: SavedView) => void, notCopied: (url: string) => void) {
  const {columns, project, saved, setView, toasts, view} = useGrid()
  const views = useSyncExternalStore(saved.subscribe, saved.snapshot)
  const [busy, setBusy] = useState(false)
  const links = useMemo(() => new Links(views, columns), [views, columns])
  const current = links.find(view.saved) ?? null
  const base = useMemo(() => links.base({project: project.id, saved: current?.id ?? allIssues}), [links, project.id, current?.id])
  const isChanged = differences(view, base).length > 0

  /** The URLs of tabs that were left with changes, by the IDs of their views. */
  const [drafts, setDrafts] = useState<ReadonlyMap<string, string>>(new Map())
  const withoutDraft = (id: string) => setDrafts(known => new Map([...known].filter(([k]) => k !== id)))
  const draftOf = (of: SavedView | null): View | null => {
    const url = drafts.get(idOf(of))
    return url === undefined ? null : links.read(url)
  }

  /** The versions of the views that changes are based on. A view that is refreshed while it has changes keeps the one before. */
  const versions = useRef(new Map<string, number>())
  useEffect(() => {
    if (current && (!isChanged || !versions.current.has(current.id))) versions.current.set(current.id, current.version)
  }, [current, isChanged])

  const open = (to: SavedView | null) => {
    if (idOf(to) === idOf(current) && view.named === null) return
    setDrafts(known => {
      const next = new Map(known)
      next.delete(idOf(to))
      if (isChanged) next.set(idOf(current), links.write({...view, named: null}))
      return next
    })
    const draft = draftOf(to)
    const shown = shownAs(links, idOf(to), view)
    setView(draft ? {...draft, size: view.size, issue: view.issue, at: null} : shown)
  }

  /** Shows what was saved of the current view, unless it has been changed meanwhile. */
  const settle = (to: SavedView, sent: string, how: 'push' | 'replace') => {
    withoutDraft(to.id)
    versions.current.set(to.id, to.version)
    const now = readView(location.search)
    const then = readView(sent)
    if (now.saved === then.saved && differences(now, then).length === 0)
      setView({...keptParts(viewOf(to, project.id, columns)), saved: to.id, named: null}, how)
  }
  const refresh = () => saved.refresh().catch((error: unknown) => void toasts.error(problemOf(error).message))
  const failed = (error: unknown, name: string): string => {
    const problem = problemOf(error)
    return problem.code === 'CONFLICT' ? messages.views.nameTaken(name) : problem.message
  }

  const save = async (of: SavedView, expectedVersion = versions.current.get(of.id)) => {
    const sent = location.search
    setBusy(true)
    try {
      const to = await saved.update({id: of.id, ...(expectedVersion === undefined ? {} : {expectedVersion}), ...changedContent(view, base, columns)})
      settle(to, sent, 'replace')
      toasts.info(messages.views.updated(to.name))
    } catch (error) {
      const problem = problemOf(error)
      if (problem.code === 'CONFLICT') conflicted(of)
      else toasts.error(problem.message)
    } finally {
      setBusy(false)
    }
  }
  /** Creates a view. It returns why that failed, or null. */
  const create = async (name: string, shared: boolean, content: View, then: (view: SavedView) => void): Promise<string | null> => {
    try {
      then(await saved.create({name, shared, ...contentOf(content, columns)}))
      return null
    } catch (error) {
      return failed(error, name)
    }
  }
  const saveAs = (name: string, shared: boolean) => {
    const sent = location.search
    return create(name, shared, view, to => settle(to, sent, 'push'))
  }
  const duplicate = (of: SavedView, name: string, shared: boolean) =>
    create(name, shared, viewOf(of, project.id, columns), to => setView(shownAs(new Links(saved.snapshot(), columns), to.id, view)))
  const rename = async (of: SavedView, name: string): Promise<string | null> => {
    try {
      await saved.update({id: of.id, name})
      return null
    } catch (error) {
      return failed(error, name)
    }
  }
  const change = async (of: SavedView, input: Omit<Parameters<SavedViews['update']>[0], 'id'>) => {
    try {
      await saved.update({id: of.id, ...input})
    } catch (error) {
      const problem = problemOf(error)
      if (problem.code === 'CONFLICT' && input.expectedVersion !== undefined) {
        toasts.info(messages.views.conflict(of.name))
        await refresh()
      } else toasts.error(failed(error, of.name))
    }
  }
  /** Deletes a view, and reports whether it is gone. */
  const remove = async (of: SavedView): Promise<boolean> => {
    try {
      await saved.remove(of.id, () => {
        withoutDraft(of.id)
        if (readView(location.search).saved === of.id) setView(shownAs(links, allIssues, view), 'replace')
      })
      toasts.info(messages.views.deleted(of.name))
      return true
    } catch (error) {
      toasts.error(problemOf(error).message)
      return false
    }
  }
  const discard = () => {
    if (current) versions.current.delete(current.id)
    setView({...keptParts(base), named: null, at: null})
  }
  const reload = (of: SavedView) => {
    void saved.refresh().then(
      () => {
        versions.current.delete(of.id)
        setView({...keptParts(new Links(saved.snapshot(), columns).base({project: project.id, saved: of.id})), at: null})
      },
      (error: unknown) => toasts.error(problemOf(error).message),
    )
  }
  const overwrite = async (of: SavedView) => {
    versions.current.delete(of.id)
    await save(of, undefined)
  }
  return {
    views,
    current,
    isChanged,
    busy,
    hasMore: hasMore(view),
    hasDraft: (of: SavedView | null): boolean => {
      const draft = draftOf(of)
      return draft !== null && differences(draft, links.base(draft)).length > 0
    },
    open,
    save,
    saveAs,
    duplicate,
    rename,
    change,
    /** Returns what the page shows of a view as the input that saves it without the rest. */
    contentOf: (of: SavedView) => ({expectedVersion: of.version, ...contentOf(viewOf(of, project.id, columns), columns)}),
    remove,
    discard,
    reload,
    overwrite,
    copyLink: (of: SavedView | null) => {
      const to = idOf(of) === idOf(current) ? {...view, at: null, issue: null, named: null} : (draftOf(of) ?? shownAs(links, idOf(of), view))
      const url = location.origin + location.pathname + links.write({...to, issue: null, at: null})
      return copyLink(url, toasts, () => notCopied(url))
    },
  }
}
