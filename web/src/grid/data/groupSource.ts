// Implements the Source of a GroupStore with the API, and reads summaries of groups.
import type {ApolloClient} from '@apollo/client'
import {
  BoardDocument,
  BoardGroupsDocument,
  GridGroupPageDocument,
  GridGroupsDocument,
  GridGroupSkipDocument,
  type BoardGroupFragment,
  type GroupFragment,
  type IssueGroupBy,
} from '../../gql/graphql'
import {messages} from '../messages'
import {browserZone} from '../model/dates'
import {isFolded, type Fold, type Group} from '../model/groups'
import type {Figure} from '../model/summaries'
import {problemOf} from './client'
import type {KnownFigures} from './groupFigures'
import {cardsAtOnce, groupsAtOnce, type BoardSource} from './boardRows'
import type {GroupSource} from './groupRows'
import type {Ask, Count, Page, Source} from './rows'
import {ask, pageOf, refuses, type GridQuery} from './source'
import {errorsOf, figuresOf, slotVariables, type Requested} from './summaries'
import {GridGroupSummariesDocument, slots} from './summaryDocuments'

/** A grid in groups. */
export interface GroupQuery extends GridQuery {
  by: IssueGroupBy[]
}

const groupOf = (g: GroupFragment): Group => ({
  key: g.key,
  name: g.name ?? null,
  option: g.state?.id ?? g.option?.id ?? null,
  boolean: g.boolean ?? null,
  text: g.text ?? null,
  from: g.from ?? null,
  to: g.to ?? null,
  total: g.totalCount ?? null,
  exact: g.totalCountPrecision === 'EXACT',
})

/** How many groups are read at once. */
const pageSize = 100
/** The limit of the API for collapsed groups. */
const mostCollapsed = 500

/** Removes the pages of groups from the cache, which keeps the rows. */
const evictGroups = ({cache}: ApolloClient, project: string) =>
  cache.evict({id: cache.identify({__typename: 'Project', id: project}), fieldName: 'groups', broadcast: false})

/** Periods of times need the time zone, whether or not the filter does. */
const zoned = (query: GroupQuery) => ({...query, timeZone: query.timeZone ?? browserZone()})

/** Returns the groups of a grid, read from the API. `count` counts the issues of all of them. `fields` is called for each page of rows. */
export function groupSource(client: ApolloClient, query: GroupQuery, count: () => Promise<Count>, fields: () => readonly string[]): GroupSource {
  const {project, by, where, timeZone} = zoned(query)
  const evict = () => evictGroups(client, project)

  const rows = (key: string, count: () => Count): Source => ({
    async page(at: Ask) {
      const data = await ask(client, GridGroupPageDocument, {...zoned(query), ...at, keys: [key], fields: [...fields()]})
      evict()
      const issues = data.project?.groups?.nodes[0]?.issues
      if (!issues) throw new Error(messages.data.projectGone)
      return pageOf(
        issues.pageInfo,
        issues.edges.map(e => ({id: e.node.id, cursor: e.cursor, group: key})),
      )
    },
    async skip(at: Ask) {
      const data = await ask(client, GridGroupSkipDocument, {...zoned(query), ...at, keys: [key]})
      evict()
      const issues = data.project?.groups?.nodes[0]?.issues
      if (!issues) throw new Error(messages.data.projectGone)
      return pageOf(
        issues.pageInfo,
        issues.edges.map(e => ({id: '', cursor: e.cursor, group: key})),
      )
    },
    count: () => Promise.resolve(count()),
    place: () => Promise.resolve(null),
    near: () => Promise.resolve(null),
    // The issue may be in another group.
    forget: () => undefined,
    refuses,
  })

  return {
    async groups(after) {
      const data = await ask(client, GridGroupsDocument, {project, by, where, timeZone, first: pageSize, after})
      evict()
      const {groups} = data.project ?? {}
      if (!groups) throw new Error(messages.data.projectGone)
      const {nodes, pageInfo, incomplete} = groups
      return {groups: nodes.map(groupOf), next: pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null, incomplete}
    },
    rows,
    count,
    refuses,
  }
}

/** Returns the groups of a board, also those without issues: each page of groups has the first cards of each. */
export function boardSource(client: ApolloClient, query: GroupQuery, count: () => Promise<Count>, fields: () => readonly string[]): BoardSource {
  const evict = () => evictGroups(client, query.project)
  return {
    ...groupSource(client, query, count, fields),
    isFiltered: query.where !== undefined,
    async groups(after, fold: Fold) {
      const data = await ask(client, BoardDocument, {
        ...zoned(query),
        first: groupsAtOnce,
        after,
        // Which groups are collapsed is not known before they are read if all others are.
        cards: fold.all ? 0 : cardsAtOnce,
        collapsed: fold.all ? [] : fold.keys.slice(0, mostCollapsed),
        fields: [...fields()],
      })
      evict()
      const {groups} = data.project ?? {}
      if (!groups) throw new Error(messages.data.projectGone)
      const {nodes, pageInfo, incomplete} = groups
      const next = pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null
      return {groups: nodes.map(groupOf), rows: fold.all ? new Map<string, Page>() : cardsOf(nodes), next, incomplete}
    },
    async some(keys, fold) {
      const collapsed = keys.filter(key => isFolded(fold, key))
      const data = await ask(client, BoardGroupsDocument, {...zoned(query), keys: [...keys], cards: cardsAtOnce, collapsed, fields: [...fields()]})
      evict()
      const {groups} = data.project ?? {}
      if (!groups) throw new Error(messages.data.projectGone)
      return {groups: groups.nodes.map(groupOf), rows: cardsOf(groups.nodes)}
    },
  }
}

/** Returns the first cards of groups. Collapsed ones have none. */
function cardsOf(groups: readonly BoardGroupFragment[]): Map<string, Page> {
  const rows = new Map<string, Page>()
  for (const {key, issues} of groups)
    if (issues)
      rows.set(
        key,
        pageOf(
          issues.pageInfo,
          issues.edges.map(e => ({id: e.node.id, cursor: e.cursor, group: key})),
        ),
      )
  return rows
}

/** Reads the counts and summaries of groups, at most 100. It never throws: a figure has the problem instead. */
export async function readGroupFigures(client: ApolloClient, query: GroupQuery, keys: readonly string[], requested: Requested): Promise<KnownFigures> {
  const {project, by, where, timeZone} = zoned(query)
  const out = new Map(keys.map(key => [key, {count: null as Count | null, figures: new Map<string, Figure>()}]))
  for (let i = 0; i === 0 || i < requested.length; i += slots) {
    const some = requested.slice(i, i + slots)
    try {
      const {data, error} = await client.query({
        query: GridGroupSummariesDocument,
        variables: {project, by, where, timeZone, keys: [...keys], ...slotVariables(some)},
        fetchPolicy: 'no-cache',
        errorPolicy: 'all',
      })
      const errors = error ? errorsOf(error) : []
      keys.forEach((key, at) => {
        const node = data?.project?.groups?.nodes[at]
        const group = out.get(key)!
        if (node?.totalCount != null) group.count = {total: node.totalCount, exact: node.totalCountPrecision === 'EXACT'}
        // An error whose path has the index of another group is not of this one.
        const own = errors.filter(e => !e.path?.some(p => typeof p === 'number' && p !== at))
        for (const [id, figure] of figuresOf(some, node, own)) group.figures.set(id, figure)
      })
    } catch (error) {
      for (const {figures} of out.values()) for (const [id, figure] of figuresOf(some, null, [{message: problemOf(error).message}])) figures.set(id, figure)
    }
  }
  return out
}
