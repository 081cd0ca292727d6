// Filters that count the rows before a row, from which its position among all rows follows.
import type {IssueFilter} from '../../gql/graphql'
import {mayBeEmpty, type Column} from './columns'
import {mostCharacters, mostComparisons, wrap} from './conditions'
import type {Order, SortKey} from './sort'
import {isEmpty, PersonValue, type Value} from './values'

/** The largest list of options here; the rest is left for the conditions of the view. */
const mostOperands = mostComparisons - 20

/**
 * Returns filters for the rows that a grid shows before a row with these values and this number. No row matches two of them, so the sum of their counts is the
 * index of the row. For each column of the order, there is a filter for the rows that first differ in it; the last filter is for those that differ in the
 * number. It returns null if there are no such filters.
 */
export function before(order: Order, values: readonly Value[], num: number): IssueFilter[] | null {
  const filters: IssueFilter[] = []
  const same: IssueFilter[] = []
  const all = (last: IssueFilter) => (same.length === 0 ? last : {and: [...same, last]})
  let direction = order[0]
  for (const [i, key] of order.entries()) {
    direction = key
    if (key.column.builtin === 'NUM') break // no two rows have the same number
    const value = values[i] ?? null
    const less = earlier(key, value)
    if (less === undefined) return null
    if (less !== null) filters.push(all(less))
    same.push(wrap(key.column, isEmpty(value) ? {isNull: true} : {[key.column.type === 'SELECT' ? 'eqId' : 'eq']: operandOf(value)}))
  }
  return [...filters, all({num: {[than(direction)]: num}})]
}

const than = ({descending}: SortKey) => (descending ? 'gt' : 'lt')

/** Returns a value as an operand. The API compares only the beginning of a long text, and people by their names. */
const operandOf = (value: Value) => (typeof value === 'string' || value instanceof PersonValue ? [...String(value)].slice(0, mostCharacters).join('') : value)

/** Returns the filter for the rows whose value in a column comes before a value; null if there are none, and undefined if there is no such filter. */
function earlier(key: SortKey, value: Value): IssueFilter | null | undefined {
  const {column, emptyFirst} = key
  if (isEmpty(value)) return emptyFirst ? null : wrap(column, {isNull: false})
  const less = lesser(key, value)
  if (less === undefined || !emptyFirst || !mayBeEmpty(column)) return less
  const empty = wrap(column, {isNull: true})
  return less === null ? empty : {or: [less, empty]}
}

function lesser(key: SortKey, value: Value): IssueFilter | null | undefined {
  const {column, descending} = key
  if (column.type === 'BOOLEAN') return value === descending ? null : wrap(column, {eq: descending})
  if (column.type !== 'SELECT') return wrap(column, {[than(key)]: operandOf(value)})
  const options = optionsBefore(column, value, descending)
  if (options === null || options.length > mostOperands) return undefined
  return options.length === 0 ? null : wrap(column, {inIds: options})
}

function optionsBefore({options}: Column, value: Value, descending: boolean): string[] | null {
  const at = options.findIndex(o => o.id === value)
  if (at < 0) return null
  return (descending ? options.slice(at + 1) : options.slice(0, at)).map(o => o.id)
}
