// The values that the issues of a project have in a column, which are suggested for what is typed, with the numbers of their issues.
import type {ApolloClient} from '@apollo/client'
import {ColumnValuesDocument} from '../../gql/graphql'
import {orderColumn, type Column} from '../model/columns'
import {Store} from './store'

export interface Suggestion {
  text: string
  /** The number of issues with the value; null if it could not be counted. */
  total: number | null
  exact: boolean
}

export interface Suggestions {
  values: readonly Suggestion[]
  /** Whether these are all values with the prefix. */
  complete: boolean
}

/** How many values are suggested. */
const most = 10
/** The limit of the API for prefixes, in characters. */
const longest = 255
/** The delay in milliseconds after a key before values are read. */
export const calm = 150

/** Reads values that begin with a prefix, of all issues: a filter would make each of them as expensive as its first page. */
export async function readSuggestions(client: ApolloClient, project: string, column: Column, prefix: string, signal: AbortSignal): Promise<Suggestions> {
  const {data} = await client.query({
    query: ColumnValuesDocument,
    variables: {project, by: [{column: orderColumn(column)}], prefix: prefix === '' ? null : prefix, first: most},
    fetchPolicy: 'no-cache',
    errorPolicy: 'all', // a value whose count failed is suggested without it
    context: {fetchOptions: {signal}, queryDeduplication: false},
  })
  const groups = data?.project?.groups
  if (!groups) return {values: [], complete: false}
  // The issues without a value are a group as well.
  const values = groups.nodes.flatMap(g => (g.text == null ? [] : [{text: g.text, total: g.totalCount ?? null, exact: g.totalCountPrecision === 'EXACT'}]))
  return {values, complete: !groups.pageInfo.hasNextPage && !groups.incomplete}
}

/** The suggestions for what was typed last. Those for an earlier text stay until then; after an error, there are none. */
export class SuggestionStore extends Store<readonly Suggestion[]> {
  private timer: ReturnType<typeof setTimeout> | undefined
  private reading: AbortController | null = null
  private latest: string | null = null
  /** A prefix of which all values are known, so those of a longer one are among them. */
  private known: string | null = null

  constructor(private readonly read: (prefix: string, signal: AbortSignal) => Promise<Suggestions>) {
    super([])
  }

  /** Requests suggestions for what is typed. A request before that has not been answered is given up. */
  request(typed: string): void {
    const text = typed.trim()
    if (text === this.latest) return
    this.stop()
    this.latest = text
    if ([...text].length > longest || (this.known !== null && text.startsWith(this.known))) return
    this.timer = setTimeout(() => void this.readNow(text), text === '' ? 0 : calm)
  }

  stop = (): void => {
    clearTimeout(this.timer)
    this.reading?.abort()
    this.reading = null
    this.latest = null
  }

  private async readNow(text: string): Promise<void> {
    const reading = (this.reading = new AbortController())
    let found: Suggestions = {values: [], complete: false}
    try {
      found = await this.read(text, reading.signal)
    } catch {
      // Whoever types does not need suggestions. The next text is asked for again.
    }
    if (reading.signal.aborted) return
    this.known = found.complete ? text : null
    this.replaceState(found.values)
  }
}
