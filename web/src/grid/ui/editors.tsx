// Inputs for the types of values. They keep the typed string and report its parsed value.
import {useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode} from 'react'
import {messages} from '../messages'
import {Combobox} from './Combobox'
import type {Choices} from './choices'
import {Icon} from './ui'
import {draftOf, here, localTime, parse, show, showInFull, type Domain, type Parsed, type Value} from '../model/values'

interface Props extends Choices {
  domain: Domain
  /** The initial value. */
  value: Value
  /** The accessible name. The caller shows a visible label. */
  label: string
  id?: string
  onChange: (parsed: Parsed) => void
  autoFocus?: boolean
  describedBy?: string
  invalid?: boolean
  /** The initial string instead of the value, such as the key that started editing. */
  initial?: string
  className?: string
  /** Whether the input is in a cell, where choices are shown at once, and texts grow. */
  isCell?: boolean
  /** Whether choices are shown at once. */
  opens?: boolean
  /** Reads what a date or a time can be besides: the value, and what was understood. */
  words?: (text: string) => {value: string; reading: string} | null
  /** Called after the only value was chosen, except by a key in a cell. */
  onPicked?: () => void
}

const inputs: Record<Domain['type'], (props: Props) => ReactNode> = {
  TEXT: TextInput,
  LONG_TEXT: TextInput,
  INTEGER: NumberInput,
  NUMBER: NumberInput,
  DATE: DateInput,
  DATETIME: DateInput,
  BOOLEAN: Combobox,
  SELECT: Combobox,
  MULTI_SELECT: Combobox,
  TAGS: Combobox,
  USER: Combobox,
}

/** Shows the input for the type of a value. */
export function ValueInput(props: Props) {
  const Input = inputs[props.domain.type]
  return <Input {...props} />
}

/** Keeps the typed string, and reports its parsed value. */
function useText({domain, value, initial, onChange, words}: Props) {
  const [text, setText] = useState(() => initial ?? draftOf(domain, value))
  const report = (text: string) => {
    const meant = words?.(text)
    onChange(meant ? {value: meant.value} : parse(domain, text, {...here, now: new Date()}))
  }
  // The key that opened the editor may be the whole value. An input method has opened it without a text, which does not clear the value.
  const first = useRef(initial ? () => report(initial) : null)
  useEffect(() => {
    first.current?.()
    first.current = null
  }, [])
  const change = (text: string) => {
    setText(text)
    report(text)
  }
  return [text, change] as const
}

const attributes = ({id, className, label, invalid, describedBy, autoFocus, domain}: Props) => ({
  id,
  className,
  'aria-label': label,
  'aria-invalid': invalid || undefined,
  'aria-describedby': describedBy,
  autoFocus,
  required: domain.required,
  autoComplete: 'off',
})

function TextInput(props: Props) {
  const [text, change] = useText(props)
  const {domain, isCell} = props
  // An input of one line would lose the others.
  const rows = domain.type === 'LONG_TEXT' ? 8 : isCell || text.includes('\n') ? Math.min(text.split('\n').length, 6) : 0
  const common = {...attributes(props), value: text, onChange: (e: {target: {value: string}}) => change(e.target.value)}
  return rows > 0 ? <textarea {...common} rows={rows} /> : <input type="text" {...common} />
}

/** Shows what a number was understood as, unless that is plain. */
function NumberInput(props: Props) {
  const [text, change] = useText(props)
  const {type} = props.domain
  const parsed = parse(props.domain, text, here)
  const reading = parsed.error === undefined && !/^\s*\d*\s*$/.test(text) ? show(props.domain, parsed.value) : ''
  return (
    <span className="number-input">
      <input type="text" inputMode={type === 'INTEGER' ? 'numeric' : 'decimal'} {...attributes(props)} value={text} onChange={e => change(e.target.value)} />
      {reading !== '' && reading !== text.trim() && <Understood>{reading}</Understood>}
    </span>
  )
}

const Understood = ({children}: {children: ReactNode}) => (
  <span className="reading" role="status">
    {children}
  </span>
)

/** Shows an input for a date or a time as text, with a button for the browser's calendar. Below it is what was understood, unless that is plain. */
function DateInput(props: Props) {
  const [text, onText] = useText(props)
  const {domain, label, words} = props
  const meant = words?.(text)
  const isDate = domain.type === 'DATE'
  const box = useRef<HTMLSpanElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const parsed = parse(domain, text, {...here, now: new Date()})
  const value = !meant && parsed.error === undefined && typeof parsed.value === 'string' ? parsed.value : null
  const isPlain = /^\s*\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?\s*$/.test(text)
  return (
    <span className="date-input" ref={box}>
      <input
        type="text"
        placeholder={isDate ? messages.ui.dateForm : messages.ui.timeForm}
        {...attributes(props)}
        value={text}
        onChange={e => onText(e.target.value)}
      />
      <button type="button" tabIndex={-1} aria-label={messages.ui.calendarFor(label)} onClick={() => picker.current?.showPicker()}>
        <Icon name="calendar" />
      </button>
      <input
        ref={picker}
        className="date-picker"
        type={isDate ? 'date' : 'datetime-local'}
        tabIndex={-1}
        aria-hidden="true"
        value={value === null ? '' : isDate ? value : localTime(value).slice(0, 16)}
        onChange={e => {
          onText(e.target.value.replace('T', ' '))
          box.current?.querySelector('input')?.focus()
        }}
      />
      {meant && <Understood>{meant.reading}</Understood>}
      {value !== null && !isPlain && <Understood>{showInFull(isDate ? 'DATE' : 'DATETIME', value)}</Understood>}
    </span>
  )
}

/** Shows checkboxes, with a search if there are many. */
export function ChoicesInput({domain, value, label, id, onChange, autoFocus, describedBy, className = ''}: Props) {
  const [chosen, setChosen] = useState<readonly string[]>(() => (Array.isArray(value) ? (value as string[]) : []))
  const [search, setSearch] = useState('')
  const many = domain.options.length > 10
  const found = many ? domain.options.filter(o => o.name.toLowerCase().includes(search.toLowerCase())) : domain.options
  const toggle = (id: string, on: boolean) => {
    const next = on ? [...chosen, id] : chosen.filter(c => c !== id)
    setChosen(next)
    onChange(next.length === 0 && domain.required ? {error: messages.model.required} : {value: next.length ? next : null})
  }
  const keys = (e: KeyboardEvent<HTMLElement>) => {
    if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return
    const inputs = [...e.currentTarget.querySelectorAll('input')]
    const to = inputs.indexOf(document.activeElement as HTMLInputElement) + (e.key === 'ArrowDown' ? 1 : -1)
    e.preventDefault()
    inputs[Math.max(0, Math.min(to, inputs.length - 1))]?.focus()
  }
  return (
    <div id={id} className={`choices ${className}`} role="group" aria-label={label} aria-describedby={describedBy} onKeyDown={keys}>
      {many && (
        <input
          type="search"
          aria-label={messages.ui.searchIn(label)}
          placeholder={messages.ui.search}
          autoFocus={autoFocus}
          value={search}
          onChange={e => setSearch(e.target.value)}
        />
      )}
      <div className="choices-list">
        {found.map((o, i) => (
          <label key={o.id}>
            <input type="checkbox" autoFocus={autoFocus && !many && i === 0} checked={chosen.includes(o.id)} onChange={e => toggle(o.id, e.target.checked)} />
            <Swatch color={o.color} />
            {o.name}
          </label>
        ))}
        {found.length === 0 && <p className="hint">{messages.ui.noOption}</p>}
      </div>
    </div>
  )
}

/** Shows the color of an option. */
export function Swatch({color}: {color: string | null | undefined}) {
  return color ? <span className="swatch" style={{background: color}} aria-hidden="true" /> : null
}

/** Shows an input with its label and error. */
export function ValueField({
  domain,
  value,
  label,
  description,
  error,
  ...others
}: Omit<Props, 'id' | 'describedBy' | 'invalid'> & {description?: string; error?: string | undefined}): ReactNode {
  const id = useId()
  const notes = useId()
  return (
    <div className={error ? 'field invalid' : 'field'}>
      <label htmlFor={id}>
        {label}
        {domain.required && <span aria-hidden="true"> *</span>}
      </label>
      <ValueInput
        id={id}
        domain={domain}
        value={value}
        label={label}
        describedBy={error || description ? notes : undefined}
        invalid={Boolean(error)}
        {...others}
      />
      {(error || description) && (
        <p id={notes} className={error ? 'error' : 'hint'}>
          {error ?? description}
        </p>
      )}
    </div>
  )
}
