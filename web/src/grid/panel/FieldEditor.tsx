// A field of the panel, edited in place. Blur and Enter save it; Escape restores the old value.
import {useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent} from 'react'
import {CellValue} from '../ui/CellValue'
import type {Column} from '../model/columns'
import {ChoicesInput, ValueInput} from '../ui/editors'
import {Popover} from '../ui/ui'
import {equal, isEmpty, write, type Parsed, type Value} from '../model/values'

interface Props {
  column: Column
  value: Value
  /** Resolves when the value is saved or has failed. */
  onSave: (column: Column, before: Value, value: Value) => Promise<unknown>
  autoFocus?: boolean
  /** Called after Enter, Escape or blur. */
  onEnd?: () => void
}

export function FieldEditor(props: Props) {
  return props.column.type === 'MULTI_SELECT' ? <Choices {...props} /> : <Line {...props} />
}

function Line({column, value, onSave, autoFocus, onEnd}: Props) {
  const [base, setBase] = useState(value)
  const [round, setRound] = useState(0)
  const [draft, setDraft] = useState<Parsed | null>(null)
  const [saving, setSaving] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  const takesFocus = useRef(autoFocus === true)
  const byKey = useRef(false)
  const error = useId()
  const wrong = draft?.error

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
    if (takesFocus.current) box.current?.querySelector<HTMLElement>('input, select, textarea')?.focus()
    takesFocus.current = false
  }, [round])

  const commit = (parsed = draft) => {
    if (!parsed || parsed.error !== undefined) return
    setDraft(null)
    if (equal(parsed.value, base)) return
    setBase(parsed.value)
    setSaving(n => n + 1)
    void onSave(column, base, parsed.value).finally(() => setSaving(n => n - 1))
  }
  const keys = (e: KeyboardEvent) => {
    byKey.current = true
    if (e.key === 'Escape' && (draft || onEnd)) {
      e.stopPropagation()
      setDraft(null)
      begin(value)
      onEnd?.()
    } else if (e.key === 'Enter' && !(e.target instanceof HTMLTextAreaElement) && !(e.target instanceof HTMLSelectElement)) {
      e.preventDefault()
      commit()
      if (!wrong) onEnd?.()
    }
  }
  // A single-line input would lose line breaks.
  const lines = column.type === 'TEXT' && typeof base === 'string' && base.includes('\n')
  return (
    <div
      ref={box}
      className={wrong ? 'field-editor invalid' : 'field-editor'}
      onKeyDown={keys}
      onPointerDown={() => (byKey.current = false)}
      onBlur={e => {
        if (e.currentTarget.contains(e.relatedTarget)) return
        commit()
        if (!wrong) onEnd?.()
      }}
    >
      <ValueInput
        key={round}
        domain={lines ? {...column, type: 'LONG_TEXT'} : column}
        value={base}
        label={column.label}
        invalid={Boolean(wrong)}
        describedBy={wrong ? error : undefined}
        onChange={parsed => {
          setDraft(parsed)
          // Arrow keys pass over other values, so a choice by keyboard is saved only on blur.
          const chosen = column.type === 'SELECT' || column.type === 'BOOLEAN'
          if (chosen && !byKey.current) commit(parsed)
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

function Choices({column, value, onSave}: Props) {
  const [anchor, setAnchor] = useState<Element | null>(null)
  const parsed = useRef<Parsed>({value})
  const before = useRef(value)
  useEffect(() => {
    if (!anchor) before.current = value
  })
  const end = (save: boolean) => {
    setAnchor(null)
    const now = parsed.current
    if (save && now.error === undefined && !equal(now.value, before.current)) void onSave(column, before.current, now.value)
  }
  return (
    <>
      <button
        type="button"
        className="field-choices"
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={e => {
          parsed.current = {value}
          setAnchor(e.currentTarget)
        }}
      >
        <span className="visually-hidden">
          {column.label}: {write(column, value) || 'none'}
        </span>
        <span aria-hidden="true">{isEmpty(value) ? <span className="hint">—</span> : <CellValue column={column} value={value} />}</span>
      </button>
      {anchor && (
        <Popover anchor={anchor} label={column.label} onClose={() => end(true)}>
          <div
            onKeyDown={e => {
              if (e.key === 'Enter') {
                e.preventDefault()
                end(true)
              } else if (e.key === 'Escape') {
                e.preventDefault()
                e.stopPropagation()
                end(false)
              }
            }}
          >
            <ChoicesInput domain={column} value={value} label={column.label} autoFocus onChange={p => (parsed.current = p)} />
            <div className="popover-foot">
              <button type="button" onClick={() => end(false)}>
                Cancel
              </button>
              <button type="button" className="primary" onClick={() => end(true)}>
                Save
              </button>
            </div>
          </div>
        </Popover>
      )}
    </>
  )
}
