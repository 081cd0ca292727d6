// The browser storage of the page: queries, variables, tabs and widths. It never contains headers, because one of them is a token.
//
// With shouldPersistHeaders false, GraphiQL leaves headers out of its tabs, but its history still stores them (@graphiql/plugin-history 0.4.4). So headers are
// removed from everything that is written.

const own = 'graphiql:'

/** The keys whose JSON values contain headers. */
const withHeaders = ['queries', 'favorites', 'tabState'].map(name => own + name)

/**
 * The contents of the editors, which the tabs contain as well, so they are not stored. GraphiQL stores them only after an edit. At the next visit it opens an
 * extra tab if no tab has the same content, for example if a query was only opened in between.
 */
const twice = ['query', 'variables', 'headers'].map(name => own + name)

/** Returns GraphiQL's part of the browser storage, without headers. If the browser denies storage, the data is kept in memory. */
export function secretless(kept: Storage | undefined = browserStorage()) {
  const memory = new Map<string, string>()
  const names = () => (kept ? Object.keys(kept) : [...memory.keys()]).filter(name => name.startsWith(own))
  const removeItem = (name: string) => {
    kept?.removeItem(name)
    memory.delete(name)
  }
  return {
    getItem: (name: string): string | null => (kept ? kept.getItem(name) : (memory.get(name) ?? null)),
    setItem(name: string, value: string) {
      const text = withoutSecrets(name, value)
      if (text === null) removeItem(name)
      else if (kept) kept.setItem(name, text)
      else memory.set(name, text)
    },
    removeItem,
    clear: () => names().forEach(removeItem),
    get length() {
      return names().length
    },
  }
}

function browserStorage(): Storage | undefined {
  try {
    return window.localStorage
  } catch {
    return undefined // the browser's settings forbid it
  }
}

/** Returns the part of a value that may be stored; null for nothing. */
export function withoutSecrets(name: string, value: string): string | null {
  if (twice.includes(name)) return null
  if (!withHeaders.includes(name)) return value
  return JSON.stringify(JSON.parse(value), (key, member: unknown) => (key === 'headers' ? null : member))
}

/** Returns the contents of the tab that was active at the end of the last visit; undefined if there was none. */
export function openTab(storage: Pick<Storage, 'getItem'>): {query: string; variables: string} | undefined {
  try {
    const {tabs, activeTabIndex} = JSON.parse(storage.getItem(`${own}tabState`) ?? '{}') as {
      tabs?: {query?: string; variables?: string}[]
      activeTabIndex?: number
    }
    const tab = tabs?.[activeTabIndex ?? 0]
    return tab && {query: tab.query ?? '', variables: tab.variables ?? ''}
  } catch {
    return undefined
  }
}
