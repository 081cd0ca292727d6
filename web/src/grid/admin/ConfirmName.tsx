// Confirms what cannot be undone: the user types the name of what is deleted.
import {useId, useState, type ReactNode} from 'react'
import {messages} from '../messages'
import {Rich} from '../ui/Rich'

interface Props {
  name: string
  action: string
  busy: boolean
  children: ReactNode
  onCancel: () => void
  onConfirm: () => void
}

export function ConfirmName({name, action, busy, children, onCancel, onConfirm}: Props) {
  const id = useId()
  const [typed, setTyped] = useState('')
  return (
    <form
      className="admin-confirm"
      noValidate
      onSubmit={e => {
        e.preventDefault()
        if (typed === name && !busy) onConfirm()
      }}
    >
      <p>{children}</p>
      <div className="field">
        <label htmlFor={id}>
          <Rich text={messages.admin.confirm} name={<strong>{name}</strong>} />
        </label>
        <input id={id} type="text" data-autofocus autoComplete="off" value={typed} onChange={e => setTyped(e.target.value)} />
      </div>
      <p className="actions">
        <button type="button" onClick={onCancel}>
          {messages.admin.cancel}
        </button>
        <button type="submit" className="danger" disabled={typed !== name || busy}>
          {action}
        </button>
      </p>
    </form>
  )
}
