// A user or a team: an avatar and the name. Pictures are not shown, because the page loads nothing from other servers.
import type {CSSProperties} from 'react'
import {shownName, type Person} from '../model/people'
import {Icon} from './ui'

export function PersonName({person, isShort = false}: {person: Person; isShort?: boolean}) {
  const name = shownName(person)
  const user = person.__typename === 'User' ? person : null
  return (
    <span className="person" title={name} dir="auto">
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
