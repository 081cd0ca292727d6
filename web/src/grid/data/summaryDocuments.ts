/* eslint-disable no-restricted-syntax -- the strings are GraphQL */
// The operations that read summaries. They have slots for columns, each with all parts of a summary, of which variables include some. So the text of an operation
// is the same for all choices of columns and parts, and a list of allowed operations can contain it.
import type {TypedDocumentNode} from '@apollo/client'
import {parse} from 'graphql'
import type {CountPrecision, IssueFilter, IssueGroupBy} from '../../gql/graphql'
import {parts, type Summary} from '../model/summaries'

/** How many columns one operation summarizes. */
export const slots = 10

const each = (write: (i: number) => string) => Array.from({length: slots}, (_, i) => write(i)).join('\n')
const variables = each(i => `$c${i}: IssueColumn! = {builtin: NUM} $on${i}: Boolean! = false ${parts.map(p => `$${p}${i}: Boolean! = false`).join(' ')}`)
const aliases = each(i => `c${i}: summary(column: $c${i}) @include(if: $on${i}) { precision ${parts.map(p => `${p} @include(if: $${p}${i})`).join(' ')} }`)

/** The summaries by their aliases. */
export type Aliased = Readonly<Record<string, Summary | null>>

interface Variables extends Record<string, unknown> {
  project: string
  where: IssueFilter | undefined
  timeZone: string | undefined
}

export const GridSummariesDocument = parse(`
query GridSummaries($project: ID!, $where: IssueFilter, $timeZone: TimeZone! = "UTC", ${variables}) {
  project(id: $project) {
    id
    issues(first: 0, where: $where, timeZone: $timeZone) {
      ${aliases}
    }
  }
}`) as TypedDocumentNode<{project: {issues: Aliased | null} | null}, Variables>

interface GroupVariables extends Variables {
  by: IssueGroupBy[]
  keys: string[]
}

interface GroupNode extends Readonly<Record<string, unknown>> {
  totalCount: number | null
  totalCountPrecision: CountPrecision | null
}

export const GridGroupSummariesDocument = parse(`
query GridGroupSummaries($project: ID!, $by: [IssueGroupBy!]!, $keys: [String!]!, $where: IssueFilter, $timeZone: TimeZone! = "UTC", ${variables}) {
  project(id: $project) {
    id
    groups(by: $by, keys: $keys, where: $where, timeZone: $timeZone) {
      nodes {
        totalCount
        totalCountPrecision
        ${aliases}
      }
    }
  }
}`) as TypedDocumentNode<{project: {groups: {nodes: readonly GroupNode[]} | null} | null}, GroupVariables>
