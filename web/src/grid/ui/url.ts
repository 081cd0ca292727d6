// The query of the page's URL.
import {useSyncExternalStore} from 'react'

const changed = 'issuegrid:url'

function subscribe(listener: () => void): () => void {
  window.addEventListener('popstate', listener)
  window.addEventListener(changed, listener)
  return () => {
    window.removeEventListener('popstate', listener)
    window.removeEventListener(changed, listener)
  }
}

/** Changes the query of the URL. */
export function go(query: string, how: 'push' | 'replace' = 'push'): void {
  const url = location.pathname + query
  if (url === location.pathname + location.search) return
  history[how === 'push' ? 'pushState' : 'replaceState'](null, '', url)
  window.dispatchEvent(new Event(changed))
}

export const useQuery = (): string => useSyncExternalStore(subscribe, () => location.search)

/** The query of the URL of the list of projects. Without it, a user with an account begins with its issues. */
export const projectsQuery = '?page=projects'

/** Reports whether a query is that of the list of projects. */
export const isProjects = (query: string): boolean => new URLSearchParams(query).get('page') === 'projects'
