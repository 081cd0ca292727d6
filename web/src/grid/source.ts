// The grid of the API as the rows need it.
import type {ApolloCache, ApolloClient, OperationVariables, TypedDocumentNode} from '@apollo/client'
import {
  CursorAtDocument,
  GridCountDocument,
  GridPageDocument,
  GridPlaceDocument,
  GridRowFragmentDoc,
  GridSkipDocument,
  LastNumberDocument,
  type IssueFilter,
  type IssueOrder,
} from '../gql/graphql'
import {rowValue, type Column, type Row} from './columns'
import {before, both, isAsked} from './conditions'
import type {Entry, Source} from './rows'

export interface GridQuery {
  project: string
  orderBy: IssueOrder[] | undefined
  where: IssueFilter | undefined
}

/** The order in other words: its column, and its directions. */
export interface Order {
  column: Column
  descending: boolean
  emptyFirst: boolean
}

/** The row of an issue in the cache, with the values of some fields; null where one of them is not there. */
export function readRow(cache: ApolloCache, id: string, fields: readonly string[], optimistic = true): Row | null {
  return cache.readFragment({fragment: GridRowFragmentDoc, fragmentName: 'GridRow', id: `Issue:${id}`, variables: {fields: [...fields]}, optimistic})
}

/** Asks the network, and gives what it says or throws. */
export async function ask<Data, Variables extends OperationVariables>(
  client: ApolloClient,
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const {data, error} = await client.query<Data, OperationVariables>({query, variables, fetchPolicy: 'network-only'})
  if (error) throw error as Error
  if (data === undefined) throw new Error('the answer has no data')
  return data
}

/**
 * The rows of a grid over the API. Fields are those whose values a page brings, the column of the order among them, as they are when the page is asked for.
 * Issues that are kept, by their numbers, stay in the cache when the run forgets them.
 */
export function gridSource(client: ApolloClient, query: GridQuery, order: Order, fields: () => readonly string[], kept: (num: number) => boolean): Source {
  const {cache} = client
  const {project} = query
  // The cache holds the rows; the lists of the pages would only pile up beside them.
  const dropLists = () => cache.evict({id: cache.identify({__typename: 'Project', id: project}), fieldName: 'issues', broadcast: false})
  const found = <T>(p: T | null | undefined): T => {
    if (!p) throw new Error('The project is gone.')
    return p
  }
  return {
    async page(at) {
      const data = await ask(client, GridPageDocument, {...query, ...at, fields: [...fields()]})
      dropLists()
      const {edges, pageInfo} = found(data.project).issues
      return {
        entries: edges.map(e => ({id: e.node.id, cursor: e.cursor})),
        hasNext: pageInfo.hasNextPage,
        hasPrevious: pageInfo.hasPreviousPage,
        start: pageInfo.startCursor ?? null,
        end: pageInfo.endCursor ?? null,
      }
    },
    async skip(at) {
      const data = await ask(client, GridSkipDocument, {...query, ...at})
      dropLists()
      const {edges, pageInfo} = found(data.project).issues
      return {
        entries: edges.map(e => ({id: '', cursor: e.cursor})),
        hasNext: pageInfo.hasNextPage,
        hasPrevious: pageInfo.hasPreviousPage,
        start: pageInfo.startCursor ?? null,
        end: pageInfo.endCursor ?? null,
      }
    },
    async count() {
      const data = await ask(client, GridCountDocument, {project, where: query.where})
      dropLists()
      const {totalCount, totalCountPrecision} = found(data.project).issues
      return {total: totalCount, exact: totalCountPrecision === 'EXACT'}
    },
    async place(entry) {
      const asked = order.column.builtin ? [] : [order.column.id]
      const row = readRow(cache, entry.id, asked)
      const value = row && rowValue(row, order.column, asked)
      if (!row || value === undefined) return null
      const parts = before(order.column, value, row.num, order.descending, order.emptyFirst)
      return parts && (await placeOf(parts.others, parts.ties))
    },
    async near(index, total) {
      if (order.column.builtin !== 'NUM' || query.where) return null
      const last = found((await ask(client, LastNumberDocument, {project})).project).issues.nodes[0]
      if (!last) return null
      const share = (index + 1) / total
      const num = Math.max(1, Math.round(last.num * (order.descending ? 1 - share : share)))
      const {cursorAt} = found((await ask(client, CursorAtDocument, {project, orderBy: query.orderBy, value: {integer: String(num)}})).project)
      const parts = before(order.column, String(num), num, order.descending, order.emptyFirst)
      const place = parts && (await placeOf(parts.others, parts.ties))
      return place === null ? null : {index: place - 1, cursor: cursorAt}
    },
    forget(entries: readonly Entry[]) {
      for (const {id} of entries) {
        const row = readRow(cache, id, [])
        if (row && !kept(row.num)) cache.evict({id: `Issue:${id}`, broadcast: false})
      }
    },
  }

  async function placeOf(others: IssueFilter, ties: IssueFilter): Promise<number | null> {
    const parts = {others: both(query.where, others), ties: both(query.where, ties)}
    if (!isAsked(parts.others) || !isAsked(parts.ties)) return null
    const data = await ask(client, GridPlaceDocument, {project, ...parts})
    dropLists()
    const p = found(data.project)
    return p.others.totalCount + p.ties.totalCount
  }
}
