// Finds users and teams by the beginnings of their names.
import type {ApolloClient} from '@apollo/client'
import {FindPeopleDocument} from '../../gql/graphql'
import type {Person} from '../model/people'
import {folded} from '../model/values'

/** How many users and how many teams are found for a text. */
const most = {users: 20, teams: 10}

/** Finds the first active users and teams whose names begin with a text. */
export async function findPeople(client: ApolloClient, tenant: string, text: string, teams: boolean): Promise<{found: Person[]; complete: boolean}> {
  const {data} = await client.query({
    query: FindPeopleDocument,
    variables: {tenant, nameStartsWith: text || null, ...most, withTeams: teams},
    fetchPolicy: 'no-cache',
  })
  const found = {users: data?.tenant?.users?.nodes ?? [], teams: data?.tenant?.teams?.nodes ?? []}
  return {found: [...found.users, ...found.teams], complete: found.users.length < most.users && found.teams.length < most.teams}
}

interface Wanted {
  text: string
  self: Person | null
  without: ReadonlySet<string>
  teams: boolean
}

/**
 * Returns the people that a picker offers, of those that the server has last found. The answer may be to a shorter text. The caller comes first, because people
 * assign most issues to themselves.
 */
export function found(people: readonly Person[], {text, self, without, teams}: Wanted): Person[] {
  const wanted = folded(text)
  const fits = (p: Person) => folded(p.name).startsWith(wanted)
  const others = people.filter(p => p.id !== self?.id)
  return [...(self ? [self] : []), ...others].filter(p => fits(p) && !without.has(p.id) && (teams || p.__typename === 'User'))
}
