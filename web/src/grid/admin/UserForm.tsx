// Creates a user, or changes one.
import {useId, useState} from 'react'
import {CreateUserDocument, UpdateUserDocument, type AdminUserFragment} from '../../gql/later/graphql'
import {once} from '../data/client'
import {messages} from '../messages'
import {useSender} from './changes'
import {MemberForm} from './MemberForm'

const members = ['name', 'email', 'claim'] as const
type Texts = Record<(typeof members)[number], string>

interface Props {
  tenant: string
  /** The user to change; null for a new one. */
  user: AdminUserFragment | null
  onDone: () => void
}

export function UserForm({tenant, user, onDone}: Props) {
  const sender = useSender()
  const {send} = sender
  const before: Texts = {name: user?.name ?? '', email: user?.email ?? '', claim: user?.claim ?? ''}
  const [texts, setTexts] = useState(before)
  const form = useId()
  const words = messages.admin.people
  const save = async () => {
    const {name} = texts
    const [email, claim] = [texts.email.trim(), texts.claim.trim()]
    const change = {
      ...(name === before.name ? {} : {name}),
      ...(email === before.email ? {} : {email}),
      ...(claim === before.claim ? {} : {claim}),
    }
    const data = user
      ? await send(UpdateUserDocument, {id: user.id, expectedVersion: user.version, ...change, ...once()})
      : await send(CreateUserDocument, {tenantId: tenant, name, email, claim, ...once()})
    if (data) onDone()
  }
  const activate = async (active: boolean) => {
    if (user && (await send(UpdateUserDocument, {id: user.id, active, ...once()}))) onDone()
  }
  return (
    <>
      <MemberForm title={user ? user.name : words.newUser} sender={sender} active={user && user.active} onSave={save} onActivate={activate} onDone={onDone}>
        {members.map((m, i) => (
          <div className="field" key={m}>
            <label htmlFor={`${form}-${m}`}>{m === 'name' ? messages.admin.name : words[m]}</label>
            <input
              id={`${form}-${m}`}
              type="text"
              autoFocus={i === 0}
              autoComplete="off"
              aria-describedby={m === 'claim' ? `${form}-hint` : undefined}
              value={texts[m]}
              onChange={e => setTexts({...texts, [m]: e.target.value})}
            />
            {m === 'claim' && (
              <p id={`${form}-hint`} className="hint">
                {words.claimHint}
              </p>
            )}
          </div>
        ))}
      </MemberForm>
      {user?.active && <p className="hint">{words.deactivateHint}</p>}
    </>
  )
}
