// What the page keeps in the browser: queries, variables, tabs, widths; never headers, because one of them is a token.
//
// GraphiQL leaves headers out of its tabs where shouldPersistHeaders is false, but its history keeps them all the same (@graphiql/plugin-history 0.4.4), so
// they are taken out of everything that is written.

const own = 'graphiql:'

/** What has headers in it, as JSON. */
const withHeaders = ['queries', 'favorites', 'tabState'].map(name => own + name)

/**
 * The texts of the editors, which are in the tabs as well. GraphiQL keeps those that were changed, and at the next visit opens one more tab with them when no tab has
 * just these, as after a visit in which nothing was written but a query opened; the tabs alone know better.
 */
const twice = ['query', 'variables', 'headers'].map(name => own + name)

/** The part of the browser's storage that is GraphiQL's, without headers. Where a browser keeps nothing for pages, it is kept until the page goes. */
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
    return undefined // the browser's owner has forbidden it
  }
}

/** What may be written of a value; null for nothing. */
export function withoutSecrets(name: string, value: string): string | null {
  if (twice.includes(name)) return null
  if (!withHeaders.includes(name)) return value
  return JSON.stringify(JSON.parse(value), (key, member: unknown) => (key === 'headers' ? null : member))
}

/** The texts of the tab that was open at the end of the last visit; undefined where there was none. */
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
