// The dialog that asks for the name of a view.
import {useId, useState, type FormEvent, type ReactNode} from 'react'
import {messages} from '../messages'
import {Dialog} from '../ui/ui'

interface Props {
  title: string
  action: string
  initial: string
  /** The maximum length of a name, in characters. */
  most: number
  /** Returns why a name cannot be used, or null. */
  fault: (name: string) => string | null
  /** Uses the name, and returns why that failed, or null. */
  onName: (name: string) => Promise<string | null>
  onClose: () => void
  children?: ReactNode
}

export function NameDialog({title, action, initial, most, fault, onName, onClose, children}: Props) {
  const [name, setName] = useState(initial)
  /** The name that was refused, and why. */
  const [refused, setRefused] = useState<{name: string; why: string} | null>(null)
  const [busy, setBusy] = useState(false)
  const id = useId()
  const wrong = refused?.name === name ? refused.why : null
  const submit = async () => {
    if (busy) return
    const why = faultOf(name, most) ?? fault(name)
    if (why !== null) return setRefused({name, why})
    setBusy(true)
    const failed = await onName(name.trim())
    if (failed === null) return onClose()
    setBusy(false)
    setRefused({name, why: failed})
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <button type="button" onClick={onClose}>
            {messages.ui.cancel}
          </button>
          <button type="submit" form={`${id}-form`} className="primary" disabled={busy}>
            {action}
          </button>
        </>
      }
    >
      <form
        id={`${id}-form`}
        noValidate
        onSubmit={(e: FormEvent) => {
          e.preventDefault()
          void submit()
        }}
      >
        <div className="field">
          <label htmlFor={id}>{messages.views.name}</label>
          <input
            id={id}
            type="text"
            data-autofocus
            autoComplete="off"
            maxLength={2 * most}
            value={name}
            required
            aria-invalid={wrong !== null || undefined}
            aria-describedby={`${id}-note`}
            onFocus={e => e.currentTarget.select()}
            onChange={e => setName(e.target.value)}
          />
          <p id={`${id}-note`} className="error" role="alert">
            {wrong}
          </p>
        </div>
        {children}
      </form>
    </Dialog>
  )
}

function faultOf(name: string, most: number): string | null {
  if (name.trim() === '') return messages.views.nameRequired
  return [...name.trim()].length > most ? messages.views.nameLength(most) : null
}
