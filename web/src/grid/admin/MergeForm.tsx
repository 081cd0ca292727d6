// Asks what replaces an option or a state that is removed. This cannot be undone.
import {useId, useState} from 'react'
import type {Entry} from './EntryList'
import {messages} from '../messages'

interface Props {
  noun: 'option' | 'state'
  removed: Entry
  others: readonly Entry[]
  /** Whether the values can be removed instead. */
  canEmpty: boolean
  busy: boolean
  onMerge: (into: string | null) => void
  onCancel: () => void
}

export function MergeForm({noun, removed, others, canEmpty, busy, onMerge, onCancel}: Props) {
  const id = useId()
  const [into, setInto] = useState('')
  const isChosen = into !== ''
  return (
    <div className="admin-confirm" role="group" aria-label={messages.admin.remove(removed.name)}>
      <p>
        <strong>{messages.admin.askRemove(removed.name)}</strong> {messages.admin[noun].removing}
      </p>
      <div className="field">
        <label htmlFor={id}>{messages.admin.replaceWith}</label>
        <select id={id} data-autofocus value={into} onChange={e => setInto(e.target.value)}>
          <option value="" disabled>
            {messages.admin.choose}
          </option>
          {others.map(o => (
            <option key={o.id} value={`=${o.id}`}>
              {o.name}
            </option>
          ))}
          {canEmpty && <option value="none">{messages.admin.noValue}</option>}
        </select>
      </div>
      <p className="actions">
        <button type="button" onClick={onCancel}>
          {messages.admin.cancel}
        </button>
        <button type="button" className="danger" disabled={!isChosen || busy} onClick={() => onMerge(into === 'none' ? null : into.slice(1))}>
          {messages.admin.remove(removed.name)}
        </button>
      </p>
    </div>
  )
}
