// Inputs for the types of values. They keep the typed string and report its parsed value.
import {useId, useRef, useState, type KeyboardEvent, type ReactNode} from 'react'
import {Icon} from './ui'
import {draftOf, here, localTime, parse, showInFull, type Domain, type Parsed, type Value} from '../model/values'

interface Props {
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
}

/** Shows the input for the type of a value. */
export function ValueInput(props: Props) {
  switch (props.domain.type) {
    case 'SELECT':
    case 'BOOLEAN':
      return <ChoiceInput {...props} />
    case 'MULTI_SELECT':
      return <ChoicesInput {...props} />
    default:
      return <TextInput {...props} />
  }
}

function TextInput({domain, value, label, id, onChange, autoFocus, describedBy, invalid, initial, className}: Props) {
  const [text, setText] = useState(() => initial ?? draftOf(domain, value))
  const change = (text: string) => {
    setText(text)
    onChange(parse(domain, text, {...here, now: new Date()}))
  }
  const common = {
    id,
    className,
    'aria-label': label,
    'aria-invalid': invalid || undefined,
    'aria-describedby': describedBy,
    autoFocus,
    value: text,
    required: domain.required,
    onChange: (e: {target: {value: string}}) => change(e.target.value),
  }
  switch (domain.type) {
    case 'LONG_TEXT':
      return <textarea {...common} rows={8} />
    case 'DATE':
    case 'DATETIME':
      return <DateInput type={domain.type} domain={domain} text={text} label={label} common={common} onText={change} />
    case 'INTEGER':
      return <input type="text" inputMode="numeric" autoComplete="off" {...common} />
    case 'NUMBER':
      return <input type="text" inputMode="decimal" autoComplete="off" {...common} />
    case 'TAGS':
      return <input type="text" autoComplete="off" placeholder="tags, between commas" {...common} />
    default:
      return <input type="text" autoComplete="off" {...common} />
  }
}

/** Shows an input for a date or a time as text, with a button for the browser's calendar. Below it is what was understood, unless that is plain. */
function DateInput({
  type,
  domain,
  text,
  label,
  common,
  onText,
}: {
  type: 'DATE' | 'DATETIME'
  domain: Domain
  text: string
  label: string
  common: object
  onText: (text: string) => void
}) {
  const box = useRef<HTMLSpanElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const parsed = parse(domain, text, {...here, now: new Date()})
  const value = parsed.error === undefined && typeof parsed.value === 'string' ? parsed.value : null
  const isPlain = /^\s*\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?\s*$/.test(text)
  return (
    <span className="date-input" ref={box}>
      <input type="text" autoComplete="off" placeholder={type === 'DATE' ? 'YYYY-MM-DD' : 'YYYY-MM-DD hh:mm'} {...common} />
      <button type="button" tabIndex={-1} aria-label={`Calendar for ${label}`} onClick={() => picker.current?.showPicker()}>
        <Icon name="calendar" />
      </button>
      <input
        ref={picker}
        className="date-picker"
        type={type === 'DATE' ? 'date' : 'datetime-local'}
        tabIndex={-1}
        aria-hidden="true"
        value={value === null ? '' : type === 'DATE' ? value : localTime(value).slice(0, 16)}
        onChange={e => {
          onText(e.target.value.replace('T', ' '))
          box.current?.querySelector('input')?.focus()
        }}
      />
      {value !== null && !isPlain && (
        <span className="date-reading" role="status">
          {showInFull(type, value)}
        </span>
      )}
    </span>
  )
}

function ChoiceInput({domain, value, label, id, onChange, autoFocus, describedBy, invalid, className}: Props) {
  const [chosen, setChosen] = useState(value === null ? '' : String(value))
  const options =
    domain.type === 'BOOLEAN'
      ? [
          {id: 'true', name: 'Yes'},
          {id: 'false', name: 'No'},
        ]
      : domain.options
  const gone = chosen !== '' && !options.some(o => o.id === chosen)
  return (
    <select
      id={id}
      className={className}
      aria-label={label}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      autoFocus={autoFocus}
      value={chosen}
      onChange={e => {
        const id = e.target.value
        setChosen(id)
        onChange({value: id === '' ? null : domain.type === 'BOOLEAN' ? id === 'true' : id})
      }}
    >
      {(!domain.required || chosen === '') && <option value="">—</option>}
      {gone && <option value={chosen}>{chosen}</option>}
      {options.map(o => (
        <option key={o.id} value={o.id}>
          {o.name}
        </option>
      ))}
    </select>
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
    onChange(next.length === 0 && domain.required ? {error: 'A value is required'} : {value: next.length ? next : null})
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
          aria-label={`Search ${label}`}
          placeholder="Search"
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
        {found.length === 0 && <p className="hint">No option matches.</p>}
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
  onChange,
  autoFocus,
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
        onChange={onChange}
        autoFocus={autoFocus}
        describedBy={error || description ? notes : undefined}
        invalid={Boolean(error)}
      />
      {(error || description) && (
        <p id={notes} className={error ? 'error' : 'hint'}>
          {error ?? description}
        </p>
      )}
    </div>
  )
}
