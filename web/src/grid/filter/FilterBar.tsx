// The filter bar above the grid: a search, a chip for each condition, and an editor for conditions.
import {useCallback, useEffect, useRef, useState} from 'react'
import {messages} from '../messages'
import {comparisons, describe, fault, isWithPeople, mostComparisons, operatorName, type Condition} from '../model/conditions'
import type {Column} from '../model/columns'
import {wordsOf} from '../model/search'
import {useGrid} from '../context/context'
import {usePeople, type People} from '../people/usePeople'
import {FilterEditor} from './FilterEditor'
import './filter.css'
import {QuickSearch} from './QuickSearch'
import {useSignal} from '../context/signals'
import {Icon} from '../ui/ui'

interface Editing {
  /** The index of the edited condition; null for a new one. */
  index: number | null
  /** The column of a new condition, if known. */
  column: Column | null
  anchor: Element
}

export function FilterBar() {
  const {view, setView, columns, signals} = useGrid()
  const {conditions, any, filter, search} = view
  const [editing, setEditing] = useState<Editing | null>(null)
  const add = useRef<HTMLButtonElement>(null)
  const bar = useRef<HTMLElement>(null)
  /** The index of the chip to focus after the next render. After the last chip, the button that adds a condition gets the focus. */
  const next = useRef<number | null>(null)
  useEffect(() => {
    if (next.current === null) return
    const chip = bar.current?.querySelector<HTMLElement>(`[data-chip='${next.current}'] button`)
    next.current = null
    ;(chip ?? add.current)?.focus()
  })

  const set = (list: readonly Condition[], focus: number) => {
    next.current = focus
    setEditing(null)
    setView({conditions: list, at: null, ...(list.length < 2 ? {any: false} : {})})
  }
  useSignal(signals, 'filter', id => {
    const index = conditions.findIndex(c => c.column === id)
    if (add.current) setEditing({index: index < 0 ? null : index, column: columns.find(c => c.id === id) ?? null, anchor: add.current})
  })
  const close = useCallback(() => setEditing(null), [])

  const columnOf = (c: Condition) => columns.find(x => x.id === c.column)
  const people = usePeople(conditions.flatMap(c => peopleIn(columnOf(c), c)))
  useSignal(signals, 'refreshed', people.retry)
  const total = comparisons(conditions)
  const edited = editing?.index == null ? null : (conditions[editing.index] ?? null)
  return (
    <section ref={bar} className="filter-bar" aria-label={messages.filter.bar}>
      <QuickSearch />
      {conditions.length > 1 && (
        <select aria-label={messages.filter.match} value={any ? 'any' : 'all'} onChange={e => setView({any: e.target.value === 'any', at: null})}>
          <option value="all">{messages.filter.matchAll}</option>
          <option value="any">{messages.filter.matchAny}</option>
        </select>
      )}
      {(conditions.length > 0 || filter !== null) && (
        <ul className="chips" aria-label={messages.filter.chips}>
          {conditions.map((c, i) => (
            <Chip
              key={i}
              index={i}
              condition={c}
              column={named(columnOf(c), c, people)}
              onEdit={anchor => setEditing({index: i, column: null, anchor})}
              onRemove={() => set(conditions.toSpliced(i, 1), i)}
            />
          ))}
          {filter !== null && (
            <li className="chip">
              <span className="chip-text" title={messages.filter.furtherHint}>
                <Icon name="filter" />
                <span>{messages.filter.further}</span>
              </span>
              <button
                type="button"
                className="chip-remove"
                aria-label={messages.filter.removeFilter(messages.filter.further)}
                title={messages.filter.remove}
                onClick={() => {
                  next.current = conditions.length
                  setView({filter: null, at: null})
                }}
              >
                <Icon name="close" />
              </button>
            </li>
          )}
        </ul>
      )}
      <button
        ref={add}
        type="button"
        className="quiet"
        aria-haspopup="dialog"
        aria-expanded={editing !== null && editing.anchor === add.current}
        onClick={e => setEditing({index: null, column: null, anchor: e.currentTarget})}
      >
        <Icon name="filter" />
        {messages.filter.add}
      </button>
      {(conditions.length > 0 || filter !== null) && (
        <button
          type="button"
          className="quiet"
          onClick={() => {
            next.current = 0
            setView({conditions: [], filter: null, any: false, at: null})
          }}
        >
          {messages.filter.clear}
        </button>
      )}
      {total > mostComparisons && (
        <span className="error" role="alert">
          {messages.filter.tooMany(total, mostComparisons)}
        </span>
      )}
      {total <= mostComparisons && wordsOf(search).length >= mostComparisons - total && (
        <span className="error" role="alert">
          {messages.filter.noRoom(total)}
        </span>
      )}
      {editing && (
        <FilterEditor
          key={`${editing.index} ${editing.column?.id}`}
          anchor={editing.anchor}
          start={edited ?? editing.column}
          others={conditions.filter((_, i) => i !== editing.index)}
          people={people}
          onApply={c => {
            const index = editing.index ?? conditions.length
            set(conditions.toSpliced(index, 1, c), index)
          }}
          onClose={close}
        />
      )}
    </section>
  )
}

/** Returns the IDs of the users and teams that a condition compares with. */
const peopleIn = (column: Column | undefined, c: Condition): string[] =>
  column && isWithPeople(column, c.operator) ? c.values.filter(v => typeof v === 'string') : []

/** Returns the column of a condition with the names of the users and teams that the condition compares with. */
function named(column: Column | undefined, c: Condition, people: People): Column | undefined {
  const ids = peopleIn(column, c)
  return column && ids.length > 0 ? {...column, options: ids.map(id => ({id, name: people.find(id).name, color: null}))} : column
}

interface ChipProps {
  index: number
  condition: Condition
  column: Column | undefined
  onEdit: (anchor: Element) => void
  onRemove: () => void
}

function Chip({index, condition, column, onEdit, onRemove}: ChipProps) {
  const wrong = fault(column, condition)
  const text = column ? describe(column, condition) : messages.filter.missingColumn(operatorName(column, condition.operator))
  const said = wrong === null ? text : messages.filter.faulty(text, wrong)
  return (
    <li className={wrong === null ? 'chip' : 'chip faulty'} data-chip={index}>
      {column ? (
        <button type="button" className="chip-text" aria-haspopup="dialog" title={said} onClick={e => onEdit(e.currentTarget)}>
          {wrong !== null && <Icon name="warning" />}
          <span>{text}</span>
          {wrong !== null && (
            <em>
              <span className="visually-hidden">{messages.filter.faultyBetween}</span>
              {wrong}
            </em>
          )}
        </button>
      ) : (
        <span className="chip-text" title={said}>
          <Icon name="warning" />
          <span>{text}</span>
          <em>{messages.filter.filtersNothing}</em>
        </span>
      )}
      <button type="button" className="chip-remove" aria-label={messages.filter.removeFilter(text)} title={messages.filter.remove} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  )
}
