// A query in the URL of the page, such as the link of the grid that explains a view.

/** Returns the query and the variables in the fragment of a URL; undefined if it has none. */
export function linked(hash: string): {query: string; variables: string} | undefined {
  const given = new URLSearchParams(hash.replace(/^#/, ''))
  const query = given.get('query')
  return query ? {query, variables: given.get('variables') ?? ''} : undefined
}
