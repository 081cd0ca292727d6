// A field of the panel, edited in place. Blur and Enter save it; Escape restores the old value.
import {useId, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent} from 'react'
import type {Column} from '../model/columns'
import type {Choices} from '../ui/choices'
import {ValueInput} from '../ui/editors'
import {isComposing} from '../ui/keys'
import {equal, type Parsed, type Value} from '../model/values'

interface Props {
  column: Column
  value: Value
  /** Resolves when the value is saved or has failed. */
  onSave: (column: Column, before: Value, value: Value) => Promise<unknown>
  autoFocus?: boolean
  /** Called after Enter, Escape, a chosen value, or blur. */
  onEnd?: () => void
  /** Returns the choices that are not in the definition of the column. */
  choices?: (column: Column) => Choices
}

export function FieldEditor({column, value, onSave, autoFocus, onEnd, choices}: Props) {
  const more = useMemo(() => choices?.(column), [choices, column])
  const [base, setBase] = useState(value)
  const [round, setRound] = useState(0)
  const [draft, setDraft] = useState<Parsed | null>(null)
  /** The draft as of now; a key that chooses a value also ends the input, before it is rendered again. */
  const latest = useRef<Parsed | null>(null)
  const [saving, setSaving] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  const takesFocus = useRef(autoFocus === true)
  const error = useId()
  const wrong = draft?.error !== undefined && !draft.isUnfinished ? draft.error : undefined
  const change = (parsed: Parsed | null) => {
    latest.current = parsed
    setDraft(parsed)
  }

  const begin = (value: Value) => {
    // The new key replaces the input, which takes over the focus.
    takesFocus.current = box.current?.contains(document.activeElement) ?? false
    setBase(value)
    setRound(n => n + 1)
  }
  // A new value from elsewhere replaces this one, unless the user is editing.
  const isOther = !draft && saving === 0 && !equal(value, base)
  useLayoutEffect(() => {
    if (isOther) begin(value)
  })
  useLayoutEffect(() => {
    // eslint-disable-next-line no-restricted-syntax -- a selector
    if (takesFocus.current) box.current?.querySelector<HTMLElement>('input, select, textarea')?.focus()
    takesFocus.current = false
  }, [round])

  const commit = () => {
    const parsed = latest.current
    if (!parsed) return
    if (parsed.error !== undefined) return setDraft({error: parsed.error})
    change(null)
    if (equal(parsed.value, base)) return
    setBase(parsed.value)
    setSaving(n => n + 1)
    void onSave(column, base, parsed.value).finally(() => setSaving(n => n - 1))
  }
  const keys = (e: KeyboardEvent) => {
    if (isComposing(e)) return e.stopPropagation()
    if (e.key === 'Escape' && (draft || onEnd)) {
      e.stopPropagation()
      change(null)
      begin(value)
      onEnd?.()
    } else if (e.key === 'Enter' && !(e.target instanceof HTMLTextAreaElement)) {
      e.preventDefault()
      commit()
      if (!latest.current) onEnd?.()
    }
  }
  return (
    <div
      ref={box}
      className={wrong ? 'field-editor invalid' : 'field-editor'}
      onKeyDown={keys}
      onBlur={e => {
        if (e.currentTarget.contains(e.relatedTarget)) return
        commit()
        if (!latest.current) onEnd?.()
      }}
    >
      <ValueInput
        key={round}
        domain={column}
        value={base}
        label={column.label}
        invalid={Boolean(wrong)}
        describedBy={wrong ? error : undefined}
        opens={autoFocus}
        {...more}
        onChange={change}
        onPicked={() => {
          commit()
          if (!latest.current) onEnd?.()
        }}
      />
      {wrong && (
        <p id={error} className="error" role="alert">
          {wrong}
        </p>
      )}
    </div>
  )
}
