// The users and the teams that take part in the issue of the panel: its assignees and its watchers.
import {useId, useRef, useState} from 'react'
import {flushSync} from 'react-dom'
import {UpdateParticipantsDocument} from '../../gql/graphql'
import {useGrid} from '../context/context'
import {once, problemOf} from '../data/client'
import {messages} from '../messages'
import {PeopleList} from '../people/PeopleList'
import {PeoplePicker} from '../people/PeoplePicker'
import type {Person} from '../model/people'
import type {OpenIssue, Part} from './useIssue'

/** How many users and teams can be assigned to an issue, and can watch it. */
const most = 100

interface Props {
  issue: OpenIssue
  reload: () => Promise<void>
}

export function PanelPeople(props: Props) {
  return (
    <div className="panel-fields">
      <People {...props} part="assignees" />
      <People {...props} part="watchers" />
    </div>
  )
}

function People({issue, reload, part}: Props & {part: Part}) {
  const {client, project, user, toasts, signals} = useGrid()
  const texts = messages.people[part]
  const people = issue.people[part]
  const [picking, setPicking] = useState(false)
  const [busy, setBusy] = useState(false)
  const add = useRef<HTMLButtonElement>(null)
  const name = useId()
  const change = async (person: Person, how: 'add' | 'remove') => {
    setBusy(true)
    try {
      const ids = [person.id]
      const input = {issue: {id: issue.id, [part]: how === 'add' ? {addIds: ids} : {removeIds: ids}}, ...once()}
      await client.mutate({mutation: UpdateParticipantsDocument, variables: {input}, fetchPolicy: 'no-cache'})
      signals.tell('changed', {columns: [part], issues: [issue.id]})
      await reload()
      if (how === 'remove') add.current?.focus() // its button is gone
    } catch (e) {
      const {code, message} = problemOf(e)
      toasts.error(code === 'OFFLINE' ? messages.panel.offline : message, {label: messages.ui.tryAgain, run: () => void change(person, how)})
    } finally {
      setBusy(false)
    }
  }
  // The button is rendered again before it takes the focus.
  const close = (how: 'escape' | 'left') => {
    flushSync(() => setPicking(false))
    if (how === 'escape') add.current?.focus()
  }
  const canEdit = project.viewerCanEdit
  const takesPart = user != null && people.some(p => p.id === user.id)
  return (
    <div className="panel-field" role="group" aria-labelledby={name} aria-busy={busy}>
      <span id={name} className="panel-label">
        {texts.title}
      </span>
      <div className="panel-value">
        {people.length > 0 && (
          <PeopleList people={people} label={texts.title} busy={busy} removeLabel={texts.remove} onRemove={canEdit ? p => void change(p, 'remove') : null} />
        )}
        {!canEdit && people.length === 0 && <span className="hint">—</span>}
        {canEdit && !picking && people.length < most && (
          <p className="people-tools">
            <button ref={add} type="button" className="link" onClick={() => setPicking(true)}>
              {texts.add}
            </button>
            {user && !takesPart && (
              <button type="button" className="link" disabled={busy} onClick={() => void change(user, 'add')}>
                {texts.addSelf}
              </button>
            )}
          </p>
        )}
        {picking && project.tenant && (
          <PeoplePicker
            tenant={project.tenant.id}
            label={texts.add}
            self={user ?? null}
            without={new Set(people.map(p => p.id))}
            onPick={p => void change(p, 'add')}
            onClose={close}
          />
        )}
      </div>
    </div>
  )
}
