// The view in the URL, read again on every change of the URL.
import {useCallback, useMemo, useSyncExternalStore} from 'react'
import {readView, writeView, type View} from '../model/view'

const changed = 'issuegrid:url'

function subscribe(listener: () => void): () => void {
  window.addEventListener('popstate', listener)
  window.addEventListener(changed, listener)
  return () => {
    window.removeEventListener('popstate', listener)
    window.removeEventListener(changed, listener)
  }
}

/** Shows a view by changing the URL. */
export function go(view: View, how: 'push' | 'replace' = 'push'): void {
  const url = location.pathname + writeView(view)
  if (url === location.pathname + location.search) return
  history[how === 'push' ? 'pushState' : 'replaceState'](null, '', url)
  window.dispatchEvent(new Event(changed))
}

export function useView(): [View, (change: Partial<View>, how?: 'push' | 'replace') => void] {
  const query = useSyncExternalStore(subscribe, () => location.search)
  const view = useMemo(() => readView(query), [query])
  const change = useCallback((change: Partial<View>, how?: 'push' | 'replace') => go({...readView(location.search), ...change}, how), [])
  return [view, change]
}
