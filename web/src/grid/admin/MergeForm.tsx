// Asks what replaces an option or a state that is removed. This cannot be undone.
import {useId, useState} from 'react'
import type {Entry} from './EntryList'

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
    <div className="admin-confirm" role="group" aria-label={`Remove ${removed.name}`}>
      <p>
        <strong>Remove {removed.name}?</strong> The issues that have this {noun} get another one. This can’t be undone.
      </p>
      <div className="field">
        <label htmlFor={id}>Replace it with</label>
        <select id={id} data-autofocus value={into} onChange={e => setInto(e.target.value)}>
          <option value="" disabled>
            Choose …
          </option>
          {others.map(o => (
            <option key={o.id} value={`=${o.id}`}>
              {o.name}
            </option>
          ))}
          {canEmpty && <option value="none">No value</option>}
        </select>
      </div>
      <p className="actions">
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="button" className="danger" disabled={!isChosen || busy} onClick={() => onMerge(into === 'none' ? null : into.slice(1))}>
          Remove {removed.name}
        </button>
      </p>
    </div>
  )
}
