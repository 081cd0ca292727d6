// Implements the Source of a RowStore with the API.
import type {ApolloCache, ApolloClient, OperationVariables, TypedDocumentNode} from '@apollo/client'
import {
  CursorAtDocument,
  GridCountDocument,
  GridPageDocument,
  GridPlaceDocument,
  GridRowFragmentDoc,
  GridSkipDocument,
  LastNumberDocument,
  type GridSkipQuery,
  type IssueFilter,
  type IssueOrder,
} from '../../gql/graphql'
import {messages} from '../messages'
import {rowValue, type Column, type Project, type Row} from '../model/columns'
import {before, both, comparisons, filterOf, isAsked, mostComparisons} from '../model/conditions'
import type {Entry, Page, Source} from './rows'
import type {Value} from '../model/values'
import {searchFilter} from '../model/search'
import {orderBy, shownColumns, type View} from '../model/view'

export interface GridQuery {
  project: string
  orderBy: IssueOrder[] | undefined
  where: IssueFilter | undefined
}

/** Returns the query of a view of a project. */
export const queryOf = (project: Project, view: View, columns: readonly Column[]): GridQuery => ({
  project: project.id,
  orderBy: orderBy(view.sort, columns),
  where: whereOf(project, view, columns),
})

/** Returns the filter of a view: its conditions and its search. */
function whereOf(project: Project, view: View, columns: readonly Column[]): IssueFilter | undefined {
  const filter = filterOf(view.conditions, view.any, columns)
  const room = mostComparisons - comparisons(view.conditions)
  const search = searchFilter(view.search, project.key, columns, shownColumns(view, columns), room)
  return search ? both(filter, search) : filter
}

/** The sort order: its column and directions. */
export interface Order {
  column: Column
  descending: boolean
  emptyFirst: boolean
}

/** Reads the row of an issue with the values of some fields from the cache; null if one of them is missing. */
export function readRow(cache: ApolloCache, id: string, fields: readonly string[], optimistic = true): Row | null {
  return cache.readFragment({fragment: GridRowFragmentDoc, fragmentName: 'GridRow', id: `Issue:${id}`, variables: {fields: [...fields]}, optimistic})
}

/** Sends a query to the network. It returns the data or throws the error. */
export async function ask<Data, Variables extends OperationVariables>(
  client: ApolloClient,
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const {data, error} = await client.query<Data, OperationVariables>({query, variables, fetchPolicy: 'network-only'})
  if (error) throw error as Error
  // eslint-disable-next-line no-restricted-syntax -- only developers see it
  if (data === undefined) throw new Error('the answer has no data')
  return data
}

/**
 * Returns the rows of a grid, read from the API. `order` returns the order with the current definition of its column. Each page has the values of `fields`, which is called for each request and includes the column of the order.
 * When the row store drops an issue, it leaves the cache unless `kept` is true for its number.
 */
export function gridSource(
  client: ApolloClient,
  query: GridQuery,
  order: () => Order,
  fields: () => readonly string[],
  kept: (num: number) => boolean,
): Source {
  const {cache} = client
  const {project} = query

  /** Sends a query and returns its project. */
  async function asked<Of, Variables extends OperationVariables>(
    document: TypedDocumentNode<{project?: Of | null}, Variables>,
    variables: Variables,
  ): Promise<Of> {
    const data = await ask(client, document, variables)
    // The cache keeps the rows, not the lists of the pages, which would only accumulate.
    cache.evict({id: cache.identify({__typename: 'Project', id: project}), fieldName: 'issues', broadcast: false})
    if (!data.project) throw new Error(messages.data.projectGone)
    return data.project
  }

  /** Returns how many rows precede one with this value and number, or null if that is unknown. */
  async function placeOf(value: Value, num: number): Promise<number | null> {
    const parts = before(order().column, value, num, order().descending, order().emptyFirst)
    if (!parts) return null
    const [others, ties] = [both(query.where, parts.others), both(query.where, parts.ties)]
    if (!isAsked(others) || !isAsked(ties)) return null
    const counts = await asked(GridPlaceDocument, {project, others, ties})
    return counts.others!.totalCount! + counts.ties!.totalCount!
  }

  return {
    async page(at) {
      const {issues} = await asked(GridPageDocument, {...query, ...at, fields: [...fields()]})
      return pageOf(
        issues!.pageInfo,
        issues!.edges.map(e => ({id: e.node.id, cursor: e.cursor})),
      )
    },
    async skip(at) {
      const {issues} = await asked(GridSkipDocument, {...query, ...at})
      return pageOf(
        issues!.pageInfo,
        issues!.edges.map(e => ({id: '', cursor: e.cursor})),
      )
    },
    async count() {
      const {totalCount, totalCountPrecision} = (await asked(GridCountDocument, {project, where: query.where})).issues!
      return {total: totalCount!, exact: totalCountPrecision === 'EXACT'}
    },
    async place(entry) {
      const needed = order().column.builtin ? [] : [order().column.id]
      const row = readRow(cache, entry.id, needed)
      const value = row && rowValue(row, order().column, needed)
      return row && value !== undefined ? placeOf(value, row.num) : null
    },
    async near(index, total) {
      if (order().column.builtin !== 'NUM' || query.where) return null
      const last = (await asked(LastNumberDocument, {project})).issues!.nodes[0]
      if (!last) return null
      const share = (index + 1) / total
      const num = Math.max(1, Math.round(last.num * (order().descending ? 1 - share : share)))
      const {cursorAt} = await asked(CursorAtDocument, {project, orderBy: query.orderBy, value: {integer: String(num)}})
      const place = await placeOf(String(num), num)
      return place === null ? null : {index: place - 1, cursor: cursorAt!}
    },
    forget(entries: readonly Entry[]) {
      for (const {id} of entries) {
        const row = readRow(cache, id, [])
        if (row && !kept(row.num)) cache.evict({id: `Issue:${id}`, broadcast: false})
      }
    },
  }
}

const pageOf = (info: NonNullable<NonNullable<GridSkipQuery['project']>['issues']>['pageInfo'], entries: Entry[]): Page => ({
  entries,
  hasNext: info.hasNextPage,
  hasPrevious: info.hasPreviousPage,
  start: info.startCursor ?? null,
  end: info.endCursor ?? null,
})
