// The users and teams whose IDs a filter has.
import {useApolloClient} from '@apollo/client/react'
import {useCallback, useEffect, useState} from 'react'
import {PeopleDocument} from '../../gql/graphql'
import {problemsOf} from '../data/client'
import {messages} from '../messages'
import type {Person} from '../model/people'

export interface People {
  /** Returns a user or a team. One that was not found, or not read yet, has a text that says so as its name. */
  find: (id: string) => Person
  /** Adds somebody who was read elsewhere. */
  add: (person: Person) => void
  /** Reads those again who could not be read. */
  retry: () => void
}

/** Reads the users and teams with these IDs, those that are not known yet in one request. */
export function usePeople(ids: readonly string[]): People {
  const client = useApolloClient()
  /** Null stands for nobody. An ID that was not read is missing. */
  const [known, setKnown] = useState<ReadonlyMap<string, Person | null>>(new Map())
  const [tries, setTries] = useState(0)
  const key = JSON.stringify([...new Set(ids)].filter(id => !known.has(id)))
  useEffect(() => {
    const ids = JSON.parse(key) as string[]
    if (ids.length === 0) return
    let current = true
    client.query({query: PeopleDocument, variables: {ids}, fetchPolicy: 'no-cache', errorPolicy: 'all'}).then(
      ({data, error}) => {
        if (!current || !data?.nodes || (error && problemsOf(error).some(p => p.code !== 'NOT_FOUND'))) return
        const people = data.nodes.map(n => (n?.__typename === 'User' || n?.__typename === 'Team' ? n : null))
        setKnown(known => new Map([...known, ...ids.map((id, i) => [id, people[i] ?? null] as const)]))
      },
      () => undefined, // the grid, whose rows are read at the same time, says what is wrong
    )
    return () => {
      current = false
    }
  }, [client, key, tries])
  const find = useCallback(
    (id: string): Person => known.get(id) ?? {__typename: 'Team', id, name: known.has(id) ? messages.people.missing : '…', active: true},
    [known],
  )
  const add = useCallback((person: Person) => setKnown(known => new Map(known).set(person.id, person)), [])
  const retry = useCallback(() => setTries(n => n + 1), [])
  return {find, add, retry}
}
