// The summary of a range of cells: how many have a value, and the sum and the bounds of numbers, or the bounds of dates.
import type {Column} from '../model/columns'
import {messages} from '../messages'
import {isEmpty, show, type Value} from '../model/values'

export interface Summary {
  cells: number
  filled: number
  /** Labelled results, such as the sum, in the user's locale. */
  results: readonly (readonly [label: string, text: string])[]
}

const isNumber = ({type}: Column): boolean => type === 'INTEGER' || type === 'NUMBER'
const isTime = ({type}: Column): boolean => type === 'DATE' || type === 'DATETIME'

/** Summarizes cells. Dates are summarized only if there are no numbers among them, and only those of the first type. */
export function summaryOf(cells: readonly (readonly [Column, Value])[], locale?: string): Summary {
  const filled = cells.filter(([, value]) => !isEmpty(value))
  const numbers = filled.filter(([column]) => isNumber(column) && column.id !== 'num')
  const times = filled.filter(([column]) => isTime(column))
  return {
    cells: cells.length,
    filled: filled.length,
    results: numbers.length > 0 ? ofNumbers(numbers, locale) : times.length > 0 ? ofTimes(times) : [],
  }
}

function ofNumbers(cells: readonly (readonly [Column, Value])[], locale?: string): Summary['results'] {
  const texts = messages.table.summary
  const values = cells.map(([, value]) => Number(value))
  const format = new Intl.NumberFormat(locale, {maximumSignificantDigits: 15})
  // The sum of integers is exact, whatever their size.
  const sum = cells.every(([column]) => column.type === 'INTEGER')
    ? new Intl.NumberFormat(locale).format(cells.reduce((sum, [, value]) => sum + BigInt(value as string), 0n))
    : format.format(values.reduce((a, b) => a + b, 0))
  const [min, max] = bounds(cells, ([, a], [, b]) => Number(a) - Number(b))
  const average = new Intl.NumberFormat(locale, {maximumFractionDigits: 2}).format(values.reduce((a, b) => a + b / values.length, 0))
  return [
    [texts.sum, sum],
    [texts.average, average],
    [texts.min, show(...min)],
    [texts.max, show(...max)],
  ]
}

function ofTimes(cells: readonly (readonly [Column, Value])[]): Summary['results'] {
  const type = cells[0]![0].type
  const [min, max] = bounds(
    cells.filter(([column]) => column.type === type),
    ([, a], [, b]) => ((a as string) < (b as string) ? -1 : 1),
  )
  return [
    [messages.table.summary.earliest, show(...min)],
    [messages.table.summary.latest, show(...max)],
  ]
}

function bounds<T>(list: readonly T[], compare: (a: T, b: T) => number): [T, T] {
  let [min, max]: [T, T] = [list[0] as T, list[0] as T]
  for (const item of list) {
    if (compare(item, min) < 0) min = item
    if (compare(item, max) > 0) max = item
  }
  return [min, max]
}
