// The users and teams that were chosen for something, each with a button that removes it.
import {IconButton} from '../ui/ui'
import './people.css'
import type {Person} from '../model/people'
import {PersonName} from '../ui/PersonName'

interface Props {
  people: readonly Person[]
  label: string
  busy?: boolean
  /** Returns the label of the button that removes a person. */
  removeLabel: (name: string) => string
  /** Null if they can't be removed. */
  onRemove: ((person: Person) => void) | null
}

export function PeopleList({people, label, busy = false, removeLabel, onRemove}: Props) {
  return (
    <ul className="people" aria-label={label}>
      {people.map(p => (
        <li key={p.id}>
          <PersonName person={p} />
          {onRemove && <IconButton label={removeLabel(p.name)} icon="close" disabled={busy} onClick={() => onRemove(p)} />}
        </li>
      ))}
    </ul>
  )
}
