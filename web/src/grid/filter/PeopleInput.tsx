// The input of users and teams to compare with.
import {useRef, useState} from 'react'
import {useGrid} from '../context/context'
import {messages} from '../messages'
import type {Parsed, Value} from '../model/values'
import {PeopleList} from '../people/PeopleList'
import {PeoplePicker} from '../people/PeoplePicker'
import type {People} from '../people/usePeople'

interface Props {
  people: People
  /** Whether teams are offered. */
  teams: boolean
  /** The IDs of the chosen ones. */
  value: Value
  label: string
  invalid: boolean
  describedBy: string | undefined
  onChange: (parsed: Parsed) => void
}

export function PeopleInput({people, teams, value, label, invalid, describedBy, onChange}: Props) {
  const {project, user} = useGrid()
  const picker = useRef<HTMLDivElement>(null)
  const [ids, setIds] = useState((value ?? []) as readonly string[])
  /** What is typed and belongs to nobody yet, so that it is not left out in silence. */
  const typed = useRef('')
  const tell = (ids: readonly string[]) =>
    onChange(typed.current !== '' ? {error: messages.filter.pickPerson} : ids.length > 0 ? {value: ids} : {error: messages.model.required})
  const choose = (ids: readonly string[]) => {
    setIds(ids)
    tell(ids)
  }
  return (
    <div className="people-input" role="group" aria-label={label}>
      {ids.length > 0 && (
        <PeopleList
          people={ids.map(people.find)}
          label={label}
          removeLabel={messages.filter.removePerson}
          onRemove={({id}) => {
            choose(ids.filter(x => x !== id))
            picker.current?.querySelector('input')?.focus() // the button is gone
          }}
        />
      )}
      <div ref={picker} data-autofocus>
        {project.tenant && (
          <PeoplePicker
            tenant={project.tenant.id}
            label={label}
            without={new Set(ids)}
            self={user}
            teams={teams}
            invalid={invalid}
            describedBy={describedBy}
            onType={text => {
              typed.current = text
              tell(ids)
            }}
            onPick={person => {
              people.add(person)
              choose([...ids, person.id])
            }}
          />
        )}
      </div>
    </div>
  )
}
