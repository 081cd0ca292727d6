// The search of names. It edits a condition of the filter: the first one with the operator `contains` on the name.
import {useEffect, useRef, useState} from 'react'
import {comparisons, mostCharacters, mostComparisons, type Condition} from '../model/conditions'
import {useGrid} from '../context/context'

/** The delay between the last key and the request, in milliseconds. */
const pause = 300

const isOurs = (c: Condition): boolean => c.column === 'name' && c.operator === 'contains' && typeof c.values[0] === 'string'

export function QuickSearch() {
  const {view, setView, toasts} = useGrid()
  const {conditions} = view
  const current = String(conditions.find(isOurs)?.values[0] ?? '')
  /** The string being typed, until the input is left. */
  const [draft, setDraft] = useState<string | null>(null)
  const applied = useRef(current)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(conditions)
  useEffect(() => {
    latest.current = conditions
  })
  useEffect(() => {
    if (current === applied.current) return
    applied.current = current // changed elsewhere
    clearTimeout(timer.current)
    setDraft(null)
  }, [current])
  useEffect(() => () => clearTimeout(timer.current), [])

  const apply = (text: string) => {
    clearTimeout(timer.current)
    const list = latest.current
    const index = list.findIndex(isOurs)
    const wanted = text.trim()
    if (wanted === String(list[index]?.values[0] ?? '')) return
    const made: Condition[] = wanted ? [{column: 'name', operator: 'contains', values: [wanted]}] : []
    const next = index < 0 ? [...made, ...list] : list.toSpliced(index, 1, ...made)
    if (wanted && comparisons(next) > mostComparisons) return toasts.error(`The filter has ${mostComparisons} comparisons already, and can’t have more.`)
    applied.current = wanted
    // A search adds one history entry, not one for each pause in typing.
    setView({conditions: next, at: null, ...(next.length < 2 ? {any: false} : {})}, index >= 0 && wanted ? 'replace' : 'push')
  }
  const write = (text: string) => {
    setDraft(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => apply(text), pause)
  }
  return (
    <search>
      <input
        type="search"
        className="quick-search"
        aria-label="Search names"
        placeholder="Search names"
        autoComplete="off"
        maxLength={mostCharacters}
        value={draft ?? current}
        onChange={e => write(e.target.value)}
        onBlur={() => {
          if (draft !== null) apply(draft)
          setDraft(null)
        }}
        onKeyDown={e => {
          if (e.key === 'Enter') apply(e.currentTarget.value)
          else if (e.key === 'Escape') {
            e.preventDefault()
            setDraft('')
            apply('')
          }
        }}
      />
    </search>
  )
}
