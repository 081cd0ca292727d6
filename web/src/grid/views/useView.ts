// The view in the URL, read again on every change of the URL.
import {useCallback, useEffect, useLayoutEffect, useMemo, useRef, useSyncExternalStore} from 'react'
import type {SavedViews} from '../data/savedViews'
import type {Column} from '../model/columns'
import {readView, type View} from '../model/view'
import {go, useQuery} from '../ui/url'
import {isBare, Links} from './saved'

/** Returns the project in the URL; null for the list of projects. */
export function useProjectID(): string | null {
  const query = useQuery()
  return useMemo(() => readView(query).project, [query])
}

export function useView(saved: SavedViews, columns: readonly Column[]): [View, (change: Partial<View>, how?: 'push' | 'replace') => void] {
  const query = useQuery()
  const views = useSyncExternalStore(saved.subscribe, saved.snapshot)
  const links = useMemo(() => new Links(views, columns), [views, columns])
  const view = useMemo(() => links.read(query), [links, query])
  const latest = useRef(columns)
  useLayoutEffect(() => {
    latest.current = columns
  })
  const change = useCallback(
    (change: Partial<View>, how?: 'push' | 'replace') => {
      const links = new Links(saved.snapshot(), latest.current) // a view that was just saved is not rendered yet
      go(links.write({...links.read(location.search), ...change}), how)
    },
    [saved],
  )
  // The URL names what the project opened with, which is then still shown when the project has another default view.
  useEffect(() => {
    if (isBare(new URLSearchParams(query))) change({}, 'replace')
  }, [query, change])
  return [view, change]
}
