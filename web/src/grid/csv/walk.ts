// Reads a view page by page, from its first row to its last.
import type {ApolloClient, OperationVariables, TypedDocumentNode} from '@apollo/client'
import {ExportIssuesDocument, ExportPageDocument, ViewIDsDocument, type ExportRowFragment} from '../../gql/later/graphql'
import {problemOf} from '../data/client'
import type {Column} from '../model/columns'
import type {Grid} from '../context/context'
import {messages} from '../messages'
import {queryOf} from '../data/source'

export interface WalkedPage<Row> {
  rows: readonly Row[]
  hasNext: boolean
  /** The cursor of the next page. It is set even if the page is empty because it ended at the server's work budget. */
  end: string | null
}

/** Yields all rows in pages of the given size. When the server rejects a page as too large, the size is halved. */
export async function* walk<Row>(
  size: number,
  ask: (first: number, after: string | undefined) => Promise<WalkedPage<Row>>,
): AsyncGenerator<readonly Row[], void, undefined> {
  let after: string | undefined
  for (;;) {
    let page: WalkedPage<Row>
    try {
      page = await ask(size, after)
    } catch (error) {
      if (size === 1 || problemOf(error).code !== 'BAD_USER_INPUT') throw error
      size = Math.ceil(size / 2)
      continue
    }
    yield page.rows
    if (!page.hasNext) return
    if (page.end === null || page.end === after) throw new Error(messages.files.errors.noProgress)
    after = page.end
  }
}

/** The maximum number of rows in a page. */
const mostRows = 500
/** The maximum number of IDs in a request. */
const mostIDs = 100
/** The maximum number of values in a page, which keeps responses to some megabytes. */
const mostValues = 40_000
/** The number of rows in a page with long texts, which can have 2 MiB each. */
const rowsWithTexts = 50

export const pageSize = (columns: readonly Column[]): number =>
  columns.some(c => c.type === 'LONG_TEXT') ? rowsWithTexts : Math.max(1, Math.min(mostRows, Math.floor(mostValues / Math.max(columns.length, 1))))

/** Sends a query without the cache, which is for the grid. */
async function askOnce<Data, Variables extends OperationVariables>(
  client: ApolloClient,
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  signal: AbortSignal,
): Promise<Data> {
  const {data} = await client.query<Data, OperationVariables>({query, variables, fetchPolicy: 'no-cache', context: {fetchOptions: {signal}}})
  // eslint-disable-next-line no-restricted-syntax -- for developers
  if (!data) throw new Error('the answer has no data')
  return data
}

const pageOf = <Row>(
  project: {issues: {nodes: Row[]; pageInfo: {hasNextPage: boolean; endCursor?: string | null}} | null} | null | undefined,
): WalkedPage<Row> => {
  if (!project) throw new Error(messages.files.errors.noProject)
  const {nodes, pageInfo} = project.issues!
  return {rows: nodes, hasNext: pageInfo.hasNextPage, end: pageInfo.endCursor ?? null}
}

type Through = <T>(work: () => Promise<T>) => Promise<T>

const fieldsOf = (columns: readonly Column[]) => ({
  fields: columns.filter(c => !c.builtin).map(c => c.id),
  description: columns.some(c => c.builtin === 'DESCRIPTION'),
})

/** Yields the rows of the view with the values of some columns. */
export function viewRows(
  grid: Grid,
  columns: readonly Column[],
  through: Through,
  signal: AbortSignal,
): AsyncGenerator<readonly ExportRowFragment[], void, undefined> {
  const query = {...queryOf(grid.project, grid.view, grid.columns), ...fieldsOf(columns)}
  return walk(pageSize(columns), (first, after) =>
    through(async () => pageOf((await askOnce(grid.client, ExportPageDocument, {...query, first, after}, signal)).project)),
  )
}

/** Yields some issues with the values of some columns, without deleted issues. */
export function chosenRows(
  grid: Grid,
  ids: readonly string[],
  columns: readonly Column[],
  through: Through,
  signal: AbortSignal,
): AsyncGenerator<readonly ExportRowFragment[], void, undefined> {
  return walk(Math.min(mostIDs, pageSize(columns)), (first, after) =>
    through(async () => {
      const from = Number(after ?? 0)
      const {nodes} = await askOnce(grid.client, ExportIssuesDocument, {ids: ids.slice(from, from + first), ...fieldsOf(columns)}, signal)
      const end = Math.min(from + first, ids.length)
      return {rows: nodes!.flatMap(n => (n?.__typename === 'Issue' ? [n] : [])), hasNext: end < ids.length, end: String(end)}
    }),
  )
}

/** Yields the IDs of the view's rows. */
export function viewIDs(grid: Grid, signal: AbortSignal): AsyncGenerator<readonly string[], void, undefined> {
  const query = queryOf(grid.project, grid.view, grid.columns)
  return walk(mostRows, async (first, after) => {
    const page = pageOf((await askOnce(grid.client, ViewIDsDocument, {...query, first, after}, signal)).project)
    return {...page, rows: page.rows.map(r => r.id)}
  })
}
