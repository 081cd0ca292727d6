// The issues that are loaded, and how they are shown.
import type {WorkQuery, WorkQueryVariables} from '../../gql/later/graphql'
import type {Place} from './place'

type Page = NonNullable<NonNullable<WorkQuery['viewer']>['issues']>
export type Edge = Page['edges'][number]
export type Project = Edge['node']['project']

export interface List {
  edges: readonly Edge[]
  /** The position after the last issue; null if there are no more. */
  after: string | null
  total: number
  exact: boolean
}

/** The number of issues in a page, and the maximum of those that one request reads. */
export const pageSize = 50
const mostInRequest = 100

/** Returns the arguments of the list, without those of paging. */
export function argumentsOf({kind, status, order}: Place): Omit<WorkQueryVariables, 'first' | 'after'> {
  const columns = {updated: 'UPDATED_AT', created: 'CREATED_AT', number: 'NUM'} as const
  return {
    roles: [({mine: 'ASSIGNEE', teams: 'ASSIGNEE', watched: 'WATCHER', created: 'AUTHOR'} as const)[kind]],
    own: kind !== 'teams',
    teams: kind === 'teams',
    status: ({open: 'OPEN', closed: 'CLOSED', all: 'ALL'} as const)[status],
    orderBy: {column: columns[order], direction: order === 'number' ? 'ASC' : 'DESC'},
  }
}

/** Returns the list with a page more; `known` is null for the first page. An issue that was changed meanwhile may be on both, and is then where it was found last. */
export function withPage(known: List | null, {edges, pageInfo, totalCount, totalCountPrecision}: Page): List {
  const again = new Set(edges.map(e => e.node.id))
  return {
    edges: [...(known?.edges ?? []).filter(e => !again.has(e.node.id)), ...edges],
    after: pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null,
    total: totalCount ?? 0,
    exact: totalCountPrecision === 'EXACT',
  }
}

/** Returns how many issues to read again so that no fewer are shown than before, as far as one request can read them. */
export const sizeOf = (known: List | null): number => Math.min(mostInRequest, Math.max(pageSize, known?.edges.length ?? 0))

/** Returns issues below their projects, which are in the order of their first issues. */
export function byProject(edges: readonly Edge[]): {project: Project; edges: Edge[]}[] {
  const groups = new Map<string, {project: Project; edges: Edge[]}>()
  for (const e of edges) {
    const {project} = e.node
    const group = groups.get(project.id) ?? {project, edges: []}
    group.edges.push(e)
    groups.set(project.id, group)
  }
  return [...groups.values()]
}
