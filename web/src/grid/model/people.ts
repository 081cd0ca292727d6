// Users and teams.
import type {PersonFragment} from '../../gql/graphql'
import {messages} from '../messages'

/** A user or a team. */
export type Person = PersonFragment

export type User = Extract<Person, {__typename: 'User'}>

/** Returns the name of a user or a team for display, which says whether it is deactivated. */
export const shownName = ({name, active}: Pick<Person, 'name' | 'active'>): string => (active ? name : messages.people.inactive(name))
