// A user or a team: an avatar and the name. Pictures are not shown, because the page loads nothing from other servers.
import type {CSSProperties} from 'react'
import type {PersonFragment} from '../../gql/graphql'
import {messages} from '../messages'
import {Icon} from '../ui/ui'

export type Person = PersonFragment

export function PersonName({person, isShort = false}: {person: Person; isShort?: boolean}) {
  const name = person.active ? person.name : messages.people.inactive(person.name)
  const user = person.__typename === 'User' ? person : null
  return (
    <span className="person" title={isShort ? name : undefined} dir="auto">
      {user ? (
        <span className="avatar tinted" aria-hidden="true" data-initials={user.initials} style={{'--tint': user.color} as CSSProperties} />
      ) : (
        <span className="avatar team" aria-hidden="true">
          <Icon name="team" />
        </span>
      )}
      {isShort ? <span className="visually-hidden">{name}</span> : name}
    </span>
  )
}
