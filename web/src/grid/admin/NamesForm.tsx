// Asks which users the values of a field are that are only names, and links them with a job.
import {useEffect, useRef, useState} from 'react'
import {LinkUserNamesDocument} from '../../gql/later/graphql'
import {useGrid} from '../context/context'
import {once, problemOf} from '../data/client'
import {messages} from '../messages'
import type {Project} from '../model/columns'
import type {Person, User} from '../model/people'
import {PeopleList} from '../people/PeopleList'
import {PeoplePicker} from '../people/PeoplePicker'
import {findUsers, mostNames, readNames, type Names} from './names'
import {Problems} from './Problems'
import {useDefinition} from './useDefinition'

interface Props {
  field: NonNullable<Project['fields']>[number]
  onCancel: () => void
  onDone: () => void
}

export function NamesForm({field, onCancel, onDone}: Props) {
  const {client, jobs, toasts} = useGrid()
  const {project, send, problems, busy} = useDefinition()
  const [found, setFound] = useState<Names | null>(null)
  const [error, setError] = useState<string | null>(null)
  /** The users by the names that are theirs. */
  const [users, setUsers] = useState<ReadonlyMap<string, User>>(new Map())
  const texts = messages.admin.names
  const tenant = project.tenant?.id
  useEffect(() => {
    const load = async () => {
      const found = await readNames(client, project.id, field.id)
      const names = found.names.map(n => n.name)
      setUsers(tenant === undefined ? new Map() : await findUsers(client, tenant, names))
      setFound(found)
    }
    load().catch((e: unknown) => setError(problemOf(e).message))
    // once
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  const choose = (name: string, user: User | null) => {
    const others = [...users].filter(([n]) => n !== name)
    setUsers(new Map(user ? [...others, [name, user]] : others))
  }
  const link = async () => {
    if (busy) return
    const links = [...users].map(([name, {id}]) => ({name, userId: id}))
    const data = await send(LinkUserNamesDocument, {...once(), fieldId: field.id, links})
    const job = data?.linkUserNames?.job
    if (!job) return
    jobs.watch(job.id)
    toasts.info(texts.started(links.length))
    onDone()
  }
  return (
    <form
      className="admin-confirm"
      noValidate
      aria-busy={found === null && error === null}
      onSubmit={e => {
        e.preventDefault()
        void link()
      }}
    >
      <Problems of={problems} />
      {error && <p role="alert">{error}</p>}
      {!found && !error && <p className="hint">{messages.page.loading}</p>}
      {found?.names.length === 0 && !found.incomplete && <p>{texts.none}</p>}
      {found && found.names.length > 0 && (
        <>
          <p>{texts.hint}</p>
          <table className="admin-names">
            <thead>
              <tr>
                <th scope="col">{texts.name}</th>
                <th scope="col">{texts.issues}</th>
                <th scope="col">{texts.user}</th>
              </tr>
            </thead>
            <tbody>
              {found.names.map(({name, total, exact}) => (
                <tr key={name}>
                  <th scope="row" dir="auto">
                    {name}
                  </th>
                  <td>{total === null ? '' : `${exact ? '' : '≥ '}${total.toLocaleString()}`}</td>
                  <td>
                    <UserOf name={name} tenant={tenant} user={users.get(name) ?? null} onChange={user => choose(name, user)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      {found?.more && <p className="hint">{texts.first(mostNames)}</p>}
      {found?.incomplete && <p className="hint">{texts.incomplete}</p>}
      <p className="actions">
        <button type="button" onClick={onCancel}>
          {messages.admin.cancel}
        </button>
        <button type="submit" className="primary" disabled={users.size === 0 || busy}>
          {texts.link(users.size)}
        </button>
      </p>
    </form>
  )
}

interface UserProps {
  name: string
  tenant: string | undefined
  user: User | null
  onChange: (user: User | null) => void
}

/** The user of a name, who can be removed, or a button that asks for one. */
function UserOf({name, tenant, user, onChange}: UserProps) {
  const [picking, setPicking] = useState(false)
  const cell = useRef<HTMLDivElement>(null)
  /** Whether what had the focus is being replaced. */
  const isReplaced = useRef(false)
  const texts = messages.admin.names
  useEffect(() => {
    if (isReplaced.current) cell.current?.querySelector('button')?.focus()
    isReplaced.current = false
  }, [picking, user])
  const close = (how: 'escape' | 'left') => {
    isReplaced.current = how === 'escape'
    setPicking(false)
  }
  const change = (user: User | null) => {
    isReplaced.current = true
    setPicking(false)
    onChange(user)
  }
  const pick = (person: Person) => {
    if (person.__typename === 'User') change(person) // no teams are offered
  }
  return (
    <div ref={cell}>
      {user ? (
        <PeopleList people={[user]} label={texts.userOf(name)} removeLabel={() => texts.remove(name)} onRemove={() => change(null)} />
      ) : picking && tenant !== undefined ? (
        <PeoplePicker tenant={tenant} label={texts.userOf(name)} without={new Set()} self={null} teams={false} onPick={pick} onClose={close} />
      ) : (
        <button type="button" className="link" aria-label={texts.pickFor(name)} onClick={() => setPicking(true)}>
          {texts.pick}
        </button>
      )}
    </div>
  )
}
