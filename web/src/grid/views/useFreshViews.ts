// Keeps the saved views fresh: they are read again when the page gets the focus, every 15 seconds while it is visible, and when the definition of the project
// has changed, which may leave out parts of them.
import {useCallback, useEffect, useRef} from 'react'
import {messages} from '../messages'
import type {SavedView, SavedViews} from '../data/savedViews'
import type {Project} from '../model/columns'
import {allIssues, type View} from '../model/view'
import type {Toasts} from '../ui/ui'

const interval = 15_000
/** The shortest time between two reads, in milliseconds. */
const shortest = 1000

/** Returns a function that reads the views again. If the shown one is gone, what it showed stays. */
export function useFreshViews(
  saved: SavedViews,
  project: Project,
  view: View,
  setView: (change: Partial<View>, how?: 'push' | 'replace') => void,
  toasts: Toasts,
): () => Promise<void> {
  const shown = useRef(view.saved)
  useEffect(() => {
    shown.current = view.saved
  })
  const refresh = useCallback(async () => {
    const before = (views: readonly SavedView[]) => {
      const gone = saved.snapshot().find(v => v.id === shown.current)
      if (!gone || views.some(v => v.id === gone.id)) return
      setView({saved: allIssues}, 'replace')
      toasts.info(messages.views.goneMeanwhile(gone.name))
    }
    try {
      await saved.refresh(before)
    } catch {
      // what is shown stays; the next read may succeed
    }
  }, [saved, setView, toasts])
  useEffect(() => {
    let last = Date.now()
    const read = () => {
      if (document.hidden || Date.now() - last < shortest) return
      last = Date.now()
      void refresh()
    }
    const timer = setInterval(read, interval)
    window.addEventListener('focus', read)
    document.addEventListener('visibilitychange', read)
    return () => {
      clearInterval(timer)
      window.removeEventListener('focus', read)
      document.removeEventListener('visibilitychange', read)
    }
  }, [refresh])
  const known = useRef(project)
  useEffect(() => {
    if (known.current !== project) void refresh()
    known.current = project
  }, [project, refresh])
  // A link may name a view that is gone, or a private one of another user.
  useEffect(() => {
    if (view.saved === allIssues || saved.snapshot().some(v => v.id === view.saved)) return
    setView({saved: allIssues}, 'replace')
    toasts.info(messages.views.noSuchView)
  }, [view.saved, saved, setView, toasts])
  return refresh
}
