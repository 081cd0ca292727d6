// The input for an operand that is a date or a time: a fixed one, a period such as this week, or a time relative to now.
import {useState} from 'react'
import {messages} from '../messages'
import type {Column} from '../model/columns'
import {inputDomain, relativeOf, type Operator} from '../model/conditions'
import {mostUnits, periods, positions, showRelative, takesRelative, typedRelative, units, writeRelative, type Relative, type Unit} from '../model/relative'
import type {Parsed, Value} from '../model/values'
import {ValueInput} from '../ui/editors'

interface Props {
  column: Column
  operator: Operator
  /** Whether it ends a range. */
  isEnd: boolean
  /** The initial value. */
  value: Value
  label: string
  invalid: boolean
  describedBy: string | undefined
  onChange: (parsed: Parsed) => void
}

/** The kinds of values with a number of units. */
const counted = {
  last: {is: 'span', sign: -1},
  next: {is: 'span', sign: 1},
  ago: {is: 'point', sign: -1},
  ahead: {is: 'point', sign: 1},
} as const
type Counted = keyof typeof counted

const isCounted = (kind: string): kind is Counted => Object.hasOwn(counted, kind)

export const today = writeRelative({is: 'period', position: 'this', unit: 'day'})
const now: Relative = {is: 'point', count: 0, unit: 'day'}

/** Returns the kind of a value: `fixed`, a kind with a number, or the operand of a period. */
function kindOf(r: Relative | null): string {
  if (!r) return 'fixed'
  if (r.is === 'period' || r.count === 0) return writeRelative(r)
  return Object.keys(counted).find(kind => counted[kind as Counted].is === r.is && counted[kind as Counted].sign === Math.sign(r.count))!
}

const madeOf = (kind: Counted, count: number, unit: Unit): Relative => ({is: counted[kind].is, count: counted[kind].sign * count, unit})

export function TimeOperand({column, operator, isEnd, value, label, onChange, ...input}: Props) {
  const texts = messages.filter
  const initial = relativeOf(column, value)
  const [kind, setKind] = useState(() => kindOf(initial))
  const [count, setCount] = useState(() => (initial && initial.is !== 'period' && initial.count !== 0 ? String(Math.abs(initial.count)) : '7'))
  const [unit, setUnit] = useState<Unit>(initial?.unit ?? 'day')
  const takes = (r: Relative) => takesRelative(column.type, operator, r)

  const report = (kind: string, count: string, unit: Unit) => {
    if (kind === 'fixed') return onChange({error: messages.model.required})
    if (!isCounted(kind)) return onChange({value: kind})
    const n = /^\s*\d{1,5}\s*$/.test(count) ? Number(count) : 0
    onChange(n < 1 || n > mostUnits ? {error: texts.countRange(mostUnits)} : {value: writeRelative(madeOf(kind, n, unit))})
  }
  const choose = (next: string) => {
    setKind(next)
    report(next, count, unit)
  }
  const words = (text: string) => {
    const r = typedRelative(text)
    return r && takes(r) ? {value: writeRelative(r), reading: texts.moves(showRelative(r))} : null
  }
  const groups = {day: texts.days, week: texts.weeks, month: texts.months, quarter: texts.quarters, year: texts.years}
  return (
    <div className="time-operand">
      <select aria-label={texts.kind(label)} value={kind} onChange={e => choose(e.target.value)}>
        {!(column.type === 'DATETIME' && operator === 'is') && <option value="fixed">{column.type === 'DATE' ? texts.fixedDate : texts.fixedTime}</option>}
        {takes(now) && <option value={writeRelative(now)}>{showRelative(now)}</option>}
        {periods.map(unit => (
          <optgroup key={unit} label={groups[unit]}>
            {positions.map(position => {
              const r: Relative = {is: 'period', position, unit}
              return (
                <option key={position} value={writeRelative(r)}>
                  {showRelative(r)}
                </option>
              )
            })}
          </optgroup>
        ))}
        <optgroup label={texts.counted}>
          {(['last', 'next', 'ago', 'ahead'] as const)
            .filter(kind => takes(madeOf(kind, 1, 'day')))
            .map(kind => (
              <option key={kind} value={kind}>
                {texts[kind]}
              </option>
            ))}
        </optgroup>
      </select>
      {kind === 'fixed' && (
        <ValueInput domain={inputDomain(column, operator, isEnd)} value={initial ? null : value} label={label} words={words} onChange={onChange} {...input} />
      )}
      {isCounted(kind) && (
        <span className="time-count">
          <input
            type="text"
            inputMode="numeric"
            autoComplete="off"
            aria-label={texts.count(label)}
            aria-invalid={input.invalid || undefined}
            aria-describedby={input.describedBy}
            value={count}
            onChange={e => {
              setCount(e.target.value)
              report(kind, e.target.value, unit)
            }}
          />
          <select
            aria-label={texts.unit(label)}
            value={unit}
            onChange={e => {
              setUnit(e.target.value as Unit)
              report(kind, count, e.target.value as Unit)
            }}
          >
            {units
              .filter(unit => takes(madeOf(kind, 1, unit)))
              .map(unit => (
                <option key={unit} value={unit}>
                  {texts.units[unit]}
                </option>
              ))}
          </select>
        </span>
      )}
    </div>
  )
}
