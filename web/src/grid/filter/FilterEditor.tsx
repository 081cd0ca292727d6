// The popover for adding or editing a condition: a column, an operator and its operands. Operands that the API would reject are marked as errors and not
// applied.
import {useEffect, useId, useRef, useState, type FormEvent} from 'react'
import {messages} from '../messages'
import {hasPeople, type Column} from '../model/columns'
import {
  arity,
  comparisons,
  inputDomain,
  isBackwards,
  misfit,
  mostComparisons,
  operatorName,
  isByCaller,
  isWithPeople,
  operatorsOf,
  type Condition,
  type Operator,
} from '../model/conditions'
import {hasTexts} from '../model/groups'
import {useGrid} from '../context/context'
import {PeopleInput} from './PeopleInput'
import {SuggestedInput} from './SuggestedInput'
import {TimeOperand, today} from './TimeOperand'
import {ColumnPicker} from '../ui/ColumnPicker'
import {ChoicesInput, ValueInput} from '../ui/editors'
import type {People} from '../people/usePeople'
import {focusFirst, IconButton, Popover, submitFromSelect} from '../ui/ui'
import type {Parsed} from '../model/values'

interface Props {
  anchor: Element
  /** The edited condition, or the column of a new one; null if it is not chosen yet. */
  start: Condition | Column | null
  /** The other conditions. */
  others: readonly Condition[]
  /** The users and teams that conditions compare with. */
  people: People
  onApply: (condition: Condition) => void
  onClose: () => void
}

const isCondition = (start: Condition | Column): start is Condition => 'operator' in start

export function FilterEditor({anchor, start, others, people, onApply, onClose}: Props) {
  const {columns} = useGrid()
  const condition = start && isCondition(start) ? start : null
  const [column, setColumn] = useState<Column | null>(() => (start && isCondition(start) ? (columns.find(c => c.id === start.column) ?? null) : start))
  return (
    <Popover anchor={anchor} label={condition ? messages.filter.editorChange : messages.filter.editorAdd} onClose={onClose} className="filter-editor">
      {column ? (
        <ConditionForm
          column={column}
          condition={condition?.column === column.id ? condition : null}
          others={others}
          people={people}
          onBack={() => setColumn(null)}
          onApply={onApply}
          onClose={onClose}
        />
      ) : (
        <ColumnPicker label={messages.filter.whichColumn} columns={columns} onPick={setColumn} />
      )}
    </Popover>
  )
}

/** The values of the inputs: one per operand, or one for a whole list. */
type Slots = readonly Parsed[]

interface FormProps {
  column: Column
  condition: Condition | null
  others: readonly Condition[]
  people: People
  onBack: () => void
  onApply: (condition: Condition) => void
  onClose: () => void
}

function ConditionForm({column, condition, others, people, onBack, onApply, onClose}: FormProps) {
  const {user, userName} = useGrid()
  const all = operatorsOf(column)
  // Nobody is the caller without authentication, and an operator has a name but takes no part in issues. A condition that was made elsewhere stays.
  const isNobody = (hasPeople(column) ? user : userName) === null
  const operators = isNobody ? all.filter(o => !isByCaller(o) || o === condition?.operator) : all
  const [operator, setOperator] = useState<Operator>(() => (condition && operators.includes(condition.operator) ? condition.operator : operators[0]!))
  const [slots, setSlots] = useState<Slots>(() => firstSlots(column, operator, condition?.values ?? []))
  /** Whether the user has chosen the values. */
  const [chosen, setChosen] = useState(condition !== null)
  // The input with suggestions has one line. It stays the same input while somebody types in it.
  const [isSuggested] = useState(() => hasTexts(column) && !condition?.values.some(v => String(v).includes('\n')))
  /** The inputs whose errors are shown: those that were left, and all after an attempt to apply. */
  const [seen, setSeen] = useState<readonly boolean[]>([])
  const form = useRef<HTMLFormElement>(null)
  const inputs = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    const marked = form.current?.querySelector('[data-autofocus]')
    if (marked) focusFirst(marked.querySelector('input') ?? marked)
  }, [])

  const takes = arity(operator)
  const domain = inputDomain(column, operator)
  const count = takes === 'list' ? 1 : takes
  const values = slots.slice(0, count).flatMap(operandsOf)
  const made: Condition = {column: column.id, operator, values}
  const errors = Array.from({length: count}, (_, i) => errorOf(column, operator, slots, i))
  const total = comparisons([...others, made])
  const tooMany = total > mostComparisons && errors.every(e => e === null)

  const choose = (next: Operator) => {
    const {type} = inputDomain(column, next)
    if (type !== domain.type || arity(operator) === 0) setSlots(firstSlots(column, next, []))
    // Not every comparison takes every period, and not every time is compared for equality.
    else if (isTime) setSlots(firstSlots(column, next, chosen ? values : []))
    setOperator(next)
    setSeen([])
  }
  const submit = (e: FormEvent) => {
    e.preventDefault()
    const wrong = errors.findIndex(x => x !== null)
    if (wrong < 0 && !tooMany) return onApply(made)
    setSeen(errors.map(() => true))
    const box = inputs.current?.children[Math.max(wrong, 0)]
    if (box) focusFirst(box.querySelector('input') ?? box)
  }
  // A filter compares with many options at once, so all of them are in sight.
  const Input = domain.type === 'MULTI_SELECT' ? ChoicesInput : ValueInput
  const isTime = domain.type === 'DATE' || domain.type === 'DATETIME'
  return (
    <form ref={form} noValidate onSubmit={submit} onKeyDown={submitFromSelect}>
      <div className="filter-editor-head">
        <IconButton label={messages.filter.anotherColumn} icon="left" onClick={onBack} />
        <h2>{column.label}</h2>
      </div>
      <select
        data-autofocus={takes === 0 ? true : undefined}
        aria-label={messages.filter.comparison}
        value={operator}
        onChange={e => choose(e.target.value as Operator)}
      >
        {operators.map(o => (
          <option key={o} value={o}>
            {operatorName(column, o)}
          </option>
        ))}
      </select>
      <div ref={inputs} className="filter-values" data-autofocus={takes === 0 || isWithPeople(column, operator) ? undefined : true}>
        {errors.map((error, i) => {
          const shown = seen[i] ? error : null
          const slot = slots[i]
          const {from, to, operand} = messages.filter
          const label = takes === 2 ? [from, to][i]! : operand(column.label, operatorName(column, operator))
          const input = {
            value: slot?.error === undefined ? (slot?.value ?? null) : null,
            label,
            invalid: shown !== null,
            describedBy: shown === null ? undefined : `${id}-${i}`,
            onChange: (parsed: Parsed) => {
              setChosen(true)
              setSlots(s => Array.from({length: Math.max(s.length, i + 1)}, (_, j) => (j === i ? parsed : (s[j] ?? nothing()))))
            },
          }
          return (
            <div
              key={isTime ? `${operator}-${i}` : `${domain.type}-${i}`}
              onBlur={e =>
                !e.currentTarget.contains(e.relatedTarget) && isWritten(e.currentTarget) && setSeen(s => errors.map((_, j) => j === i || s[j] === true))
              }
            >
              {takes === 2 && <span aria-hidden="true">{label}</span>}
              {isTime ? (
                <TimeOperand column={column} operator={operator} isEnd={takes === 2 && i === 1} {...input} />
              ) : isWithPeople(column, operator) ? (
                <PeopleInput people={people} teams={hasPeople(column)} {...input} />
              ) : isSuggested ? (
                <SuggestedInput column={column} domain={domain} {...input} />
              ) : (
                <Input domain={domain} {...input} />
              )}
              <p id={`${id}-${i}`} className="error" role="alert">
                {shown}
              </p>
            </div>
          )
        })}
      </div>
      {domain.type === 'TAGS' && <p className="hint">{messages.filter.listHint}</p>}
      {column.type === 'DATETIME' && takes !== 0 && <p className="hint">{messages.filter.zoneHint}</p>}
      <p className="error" role="alert">
        {tooMany && messages.filter.withThisTooMany(total, mostComparisons)}
      </p>
      <div className="popover-foot">
        <button type="button" onClick={onClose}>
          {messages.ui.cancel}
        </button>
        <button type="submit" className="primary">
          {messages.filter.apply}
        </button>
      </div>
    </form>
  )
}

const nothing = (): Parsed => ({error: messages.model.required})

/** Returns the initial values of the inputs, without options that no longer exist and so have no checkbox. */
function firstSlots(column: Column, operator: Operator, given: Condition['values']): Slots {
  const values = given.filter(v => misfit(column, operator, v) === null)
  if (arity(operator) === 'list') return values.length ? [{value: values as string[]}] : [nothing()]
  if (column.type === 'BOOLEAN' && values.length === 0) return [{value: true}]
  if (column.type === 'DATETIME' && operator === 'is' && values.length === 0) return [{value: today}]
  return values.map(value => ({value}))
}

/** Returns the values of an input, which has none but those of conditions. */
const operandsOf = (slot: Parsed): Condition['values'] =>
  slot.error !== undefined || slot.value === null ? [] : ([slot.value].flat() as Condition['values'][number][])

function errorOf(column: Column, operator: Operator, slots: Slots, i: number): string | null {
  const slot = slots[i] ?? nothing()
  if (slot.error !== undefined) return slot.error
  const values = operandsOf(slot)
  const wrong = values.map(v => misfit(column, operator, v)).find(w => w !== null)
  if (wrong !== undefined) return wrong
  const from = slots[0] ?? nothing()
  if (operator !== 'between' || i === 0 || from.error !== undefined || from.value === null) return null
  return isBackwards(column, [from.value as string, values[0]!]) ? messages.filter.backwards : null
}

/** Reports whether the input has content. Leaving an empty input is not an error yet. */
const isWritten = (box: Element): boolean => {
  const input = box.querySelector('input')
  return input !== null && input.type !== 'checkbox' && input.type !== 'search' && (input.value !== '' || input.validity.badInput)
}
