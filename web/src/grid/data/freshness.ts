// Reads visible issues again, so that the changes of others appear. It costs one request, and a read of each document.
import type {ApolloClient} from '@apollo/client'
import {CellsDocument, GridRowFragmentDoc} from '../../gql/graphql'
import type {Row} from '../model/columns'
import {problemsOf} from './client'
import {readRow} from './source'
import {equal, valueOf} from '../model/values'
import {Store} from './store'

/** The IDs of the columns whose values others have changed, by issue, for a short time. */
export type Fresh = ReadonlyMap<string, readonly string[]>

/** How long a changed cell is highlighted, in milliseconds. */
const shownFor = 3000

export class Freshness extends Store<Fresh> {
  constructor(private readonly client: ApolloClient) {
    super(new Map())
  }

  /** Reads issues again. It returns the IDs of those that are gone, and of the columns in which others have changed. */
  async read(ids: readonly string[], fields: readonly string[]): Promise<{gone: ReadonlySet<string>; changed: readonly string[]}> {
    // Not through the cache: a response that is older than an edit made meanwhile must not replace it.
    const {data, error} = await this.client.query({
      query: CellsDocument,
      variables: {ids: [...ids], fields: [...fields]},
      fetchPolicy: 'no-cache',
      errorPolicy: 'all',
    })
    if (error && problemsOf(error).some(p => p.code !== 'NOT_FOUND')) throw error as Error
    // eslint-disable-next-line no-restricted-syntax -- only developers see it
    if (!data) throw new Error('the response has no data')
    const gone = new Set<string>()
    const fresh = new Map<string, readonly string[]>()
    ;(data.nodes ?? []).forEach((node, i) => {
      const id = ids[i]!
      const before = readRow(this.client.cache, id, fields, false)
      if (node === null) gone.add(id)
      // An edit of one cell brings its version into the cache, but not what others had changed in other cells before it.
      if (node?.__typename !== 'Issue' || !before || before.version > node.version) return
      const changed = differences(before, node, fields)
      if (changed.length === 0 && before.version === node.version) return
      fresh.set(id, changed)
      this.client.cache.writeFragment({
        id: `Issue:${id}`,
        fragment: GridRowFragmentDoc,
        fragmentName: 'GridRow',
        variables: {fields: [...fields]},
        data: node,
      })
    })
    if (fresh.size > 0) {
      this.replaceState(new Map([...this.state, ...fresh]))
      setTimeout(() => this.replaceState(new Map([...this.state].filter(([id, columns]) => fresh.get(id) !== columns))), shownFor)
    }
    return {gone, changed: [...new Set([...fresh.values()].flat())]}
  }
}

/** Returns the IDs of the columns in which two versions of a row differ. */
export function differences(before: Row, after: Row, fields: readonly string[]): string[] {
  return [
    ...(before.name === after.name ? [] : ['name']),
    ...(before.state.id === after.state.id ? [] : ['state']),
    ...(before.updatedAt === after.updatedAt ? [] : ['updated']),
    ...(before.updatedByName === after.updatedByName ? [] : ['updatedby']),
    ...fields.filter((_, i) => !equal(valueOf(before.values?.[i]), valueOf(after.values?.[i]))),
  ]
}
