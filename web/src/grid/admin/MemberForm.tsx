// What the forms of a user and of a team have in common: the name on top, the problems, and the buttons.
import type {ReactNode} from 'react'
import type {Sender} from './changes'
import {messages} from '../messages'
import {Problems} from './Problems'

interface Props {
  title: string
  sender: Sender
  /** Whether the user or the team is active; null for a new one. */
  active: boolean | null
  onSave: () => Promise<void>
  onActivate: (active: boolean) => Promise<void>
  onDone: () => void
  children: ReactNode
}

export function MemberForm({title, sender: {busy, problems}, active, onSave, onActivate, onDone, children}: Props) {
  const words = messages.admin.people
  return (
    <form
      noValidate
      onSubmit={e => {
        e.preventDefault()
        if (!busy) void onSave()
      }}
    >
      <h3>{title}</h3>
      <Problems of={problems} />
      {children}
      <p className="actions">
        <button type="submit" className="primary" disabled={busy}>
          {messages.admin.save}
        </button>
        <button type="button" onClick={onDone}>
          {messages.admin.cancel}
        </button>
        {active !== null && (
          <button type="button" className={active ? 'danger' : undefined} disabled={busy} onClick={() => void onActivate(!active)}>
            {active ? words.deactivate : words.activate}
          </button>
        )}
      </p>
    </form>
  )
}
