// The values of a field that are only names, and the users with these names.
import type {ApolloClient} from '@apollo/client'
import {GridGroupsDocument, type GridGroupsQueryVariables} from '../../gql/graphql'
import {UsersNamedDocument, type UsersNamedQueryVariables} from '../../gql/later/graphql'
import {messages} from '../messages'
import {browserZone} from '../model/dates'
import type {User} from '../model/people'
import {folded} from '../model/values'

/** The limit of the API for the links of a change. */
export const mostNames = 100
/** How many pages are read if they end early. */
const mostPages = 10
/** How many names UsersNamed takes. */
const slots = 10

export interface Name {
  name: string
  /** The number of issues; null if it is not known. */
  total: number | null
  exact: boolean
}

export interface Names {
  names: readonly Name[]
  /** Whether there are more than the limit. */
  more: boolean
  /** Whether the search ended early. */
  incomplete: boolean
}

/** Reads the first names in the values of a field that refer to no user. Values that differ only in case and accents are one. */
export async function readNames(client: ApolloClient, project: string, field: string): Promise<Names> {
  const names: Name[] = []
  const by = [{column: {fieldId: field}}]
  const where = {fields: [{fieldId: field, user: {isNameOnly: true}}]}
  const timeZone = browserZone()
  let after: string | null = null
  for (let page = 1; ; page++) {
    const variables: GridGroupsQueryVariables = {project, by, first: mostNames - names.length, after, where, timeZone}
    const {data} = await client.query({query: GridGroupsDocument, variables, fetchPolicy: 'no-cache'})
    const groups = data?.project?.groups
    if (!groups) throw new Error(messages.data.projectGone)
    for (const {text, totalCount, totalCountPrecision} of groups.nodes)
      if (text != null) names.push({name: text, total: totalCount ?? null, exact: totalCountPrecision === 'EXACT'})
    const {incomplete, pageInfo} = groups
    if (!incomplete || names.length >= mostNames || page === mostPages) return {names, more: pageInfo.hasNextPage && !incomplete, incomplete}
    after = pageInfo.endCursor ?? null
  }
}

/** Finds the active users with these names, as namesakes returns them. */
export async function findUsers(client: ApolloClient, tenant: string, names: readonly string[]): Promise<Map<string, User>> {
  const users: User[] = []
  for (let i = 0; i < names.length; i += slots) {
    // The last request asks for one name again in the place of those that it has too few of.
    const asked = Array.from({length: slots}, (_, n) => [`n${n}`, names[i + n] ?? names[i]])
    const variables = {tenant, ...Object.fromEntries(asked)} as UsersNamedQueryVariables
    const {data} = await client.query({query: UsersNamedDocument, variables, fetchPolicy: 'no-cache'})
    for (const found of Object.values(data?.tenant ?? {})) if (typeof found === 'object') users.push(...(found?.nodes ?? []))
  }
  return namesakes(names, users)
}

/** Returns the user of each name that exactly one user has, ignoring case and accents. */
export function namesakes(names: readonly string[], users: readonly User[]): Map<string, User> {
  /** By name; null if several users have it. */
  const known = new Map<string, User | null>()
  for (const user of users) {
    const key = folded(user.name)
    const other = known.get(key)
    known.set(key, other === undefined || other?.id === user.id ? user : null)
  }
  return new Map(
    names.flatMap(name => {
      const user = known.get(folded(name))
      return user?.active ? [[name, user] as const] : []
    }),
  )
}
