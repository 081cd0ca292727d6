// Implements the Source of a RowStore with the API.
import type {ApolloCache, ApolloClient, OperationVariables, TypedDocumentNode} from '@apollo/client'
import {
  CursorAtDocument,
  GridCountDocument,
  GridPageDocument,
  GridRowFragmentDoc,
  GridSkipDocument,
  LastNumberDocument,
  type GridSkipQuery,
  type IssueFilter,
  type IssueOrder,
} from '../../gql/graphql'
import {messages} from '../messages'
import {problemOf} from './client'
import {isField, rowValue, type Column, type Project, type Row} from '../model/columns'
import {before} from '../model/before'
import {both, comparisons, filterOf, isAsked, isRelative, hasRelative, mostComparisons, operands} from '../model/conditions'
import type {Count, Entry, Page, Source} from './rows'
import {browserZone} from '../model/dates'
import type {Value} from '../model/values'
import {searchFilter} from '../model/search'
import {orderBy, orderOf, type Order} from '../model/sort'
import {shownColumns, type View} from '../model/view'

export interface GridQuery {
  project: string
  orderBy: IssueOrder[]
  where: IssueFilter | undefined
  /** The time zone of relative times in the filter; undefined if it has none. */
  timeZone: string | undefined
}

/** Returns the query of a view of a project. */
export const queryOf = (project: Project, view: View, columns: readonly Column[]): GridQuery => ({
  project: project.id,
  orderBy: orderBy(orderOf(view.sort, columns)),
  where: whereOf(project, view, columns),
  timeZone:
    hasRelative(view.filter) ||
    view.conditions.some(c =>
      isRelative(
        columns.find(x => x.id === c.column),
        c,
      ),
    )
      ? browserZone()
      : undefined,
})

/** Returns the filter of a view: its conditions and its search. */
function whereOf(project: Project, view: View, columns: readonly Column[]): IssueFilter | undefined {
  const conditions = filterOf(view.conditions, view.any, columns)
  const filter = view.filter && conditions ? both(view.filter, conditions) : (view.filter ?? conditions)
  const room = mostComparisons - comparisons(view.conditions) - (view.filter ? operands(view.filter) : 0)
  const search = searchFilter(view.search, project.key, columns, shownColumns(view, columns), room)
  return search ? both(filter, search) : filter
}

/** Reads the row of an issue with the values of some fields from the cache; null if one of them is missing. */
export function readRow(cache: ApolloCache, id: string, fields: readonly string[], optimistic = true): Row | null {
  return cache.readFragment({fragment: GridRowFragmentDoc, fragmentName: 'GridRow', id: `Issue:${id}`, variables: {fields: [...fields]}, optimistic})
}

/**
 * Sends a query to the network. It returns the data or throws the error. It does not share the answer of an equal query that was sent before, because that answer
 * may be older than an edit that was saved meanwhile.
 */
export async function ask<Data, Variables extends OperationVariables>(
  client: ApolloClient,
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const {data, error} = await client.query<Data, OperationVariables>({query, variables, fetchPolicy: 'network-only', context: {queryDeduplication: false}})
  if (error) throw error as Error
  // eslint-disable-next-line no-restricted-syntax -- only developers see it
  if (data === undefined) throw new Error('the answer has no data')
  return data
}

/** Reports whether an error is about the cursor of a page. */
export const refuses = (error: unknown): boolean => {
  const {code, argument} = problemOf(error)
  return code === 'BAD_USER_INPUT' && (argument === 'after' || argument === 'before')
}

/**
 * Returns the rows of a grid, read from the API. `order` returns the order with the current definitions of its columns. Each page has the values of `fields`, which is called for
 * each request and includes the columns of the order.
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

  const count = async (where: IssueFilter | undefined): Promise<Count> => {
    const {totalCount, totalCountPrecision} = (await asked(GridCountDocument, {project, where, timeZone: query.timeZone})).issues!
    return {total: totalCount!, exact: totalCountPrecision === 'EXACT'}
  }

  /** Returns how many rows precede one with these values and this number, or null if that is unknown. */
  async function placeOf(values: readonly Value[], num: number): Promise<number | null> {
    const filters = before(order(), values, num)?.map(filter => both(query.where, filter))
    if (!filters?.every(isAsked)) return null
    const counts = await Promise.all(filters.map(count))
    return counts.reduce((sum, {total}) => sum + total, 0)
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
    count: () => count(query.where),
    async place(entry) {
      const columns = order().map(k => k.column)
      const needed = columns.filter(isField).map(c => c.id)
      const row = readRow(cache, entry.id, needed)
      const values = row ? columns.map(c => rowValue(row, c, needed)) : []
      return row && values.every(v => v !== undefined) ? placeOf(values, row.num) : null
    },
    async near(index, total) {
      const [first] = order()
      if (first.column.builtin !== 'NUM' || query.where) return null
      const last = (await asked(LastNumberDocument, {project})).issues!.nodes[0]
      if (!last) return null
      const share = (index + 1) / total
      const num = Math.max(1, Math.round(last.num * (first.descending ? 1 - share : share)))
      const {cursorAt} = await asked(CursorAtDocument, {project, orderBy: query.orderBy, value: {integer: String(num)}})
      const place = await placeOf([String(num)], num)
      return place === null ? null : {index: place - 1, cursor: cursorAt!}
    },
    refuses,
    forget(entries: readonly Entry[]) {
      for (const {id} of entries) {
        const row = readRow(cache, id, [])
        if (row && !kept(row.num)) cache.evict({id: `Issue:${id}`, broadcast: false})
      }
    },
  }
}

export const pageOf = (info: NonNullable<NonNullable<GridSkipQuery['project']>['issues']>['pageInfo'], entries: Entry[]): Page => ({
  entries,
  hasNext: info.hasNextPage,
  hasPrevious: info.hasPreviousPage,
  start: info.startCursor ?? null,
  end: info.endCursor ?? null,
})
