// Grouping a grid by a column: how the URL and the API have it, which ranges of values a column has, and the names of groups.
import type {GroupPeriod, IssueGroupBy} from '../../gql/graphql'
import {messages} from '../messages'
import {isField, mayBeEmpty, orderColumn, type Column} from './columns'
import {equal, PersonValue, show, type Value} from './values'

/** The ranges that are combined to groups: periods of dates and times, and first letters of texts. */
export const ranges = ['day', 'week', 'month', 'quarter', 'year', 'letter'] as const
export type Range = (typeof ranges)[number]

export interface Grouping {
  /** The ID of the column. */
  column: string
  descending: boolean
  emptyFirst: boolean
  /** A range, or the width of ranges of numbers; null for a group for each value. */
  range: Range | number | null
}

/** A grouping with its column. */
export interface GroupKey extends Omit<Grouping, 'column'> {
  column: Column
}

/** A group, as the API describes it. */
export interface Group {
  /** Identifies the group among those of the same grouping. */
  key: string
  name: string | null
  /** The ID of the state or option. */
  option: string | null
  boolean: boolean | null
  text: string | null
  from: string | null
  to: string | null
  total: number | null
  exact: boolean
}

/** Which groups are collapsed: those with these keys, or all others. */
export interface Fold {
  all: boolean
  keys: readonly string[]
}

export const noFold: Fold = {all: false, keys: []}

export const isFolded = (fold: Fold, key: string): boolean => fold.all !== fold.keys.includes(key)

/** Collapses a group, or expands it. */
export function folded(fold: Fold, key: string, on: boolean): Fold {
  if (isFolded(fold, key) === on) return fold
  return {...fold, keys: fold.keys.includes(key) ? fold.keys.filter(k => k !== key) : [...fold.keys, key]}
}

const isNumber = (c: Column) => c.type === 'INTEGER' || c.type === 'NUMBER'
const isTime = (c: Column) => c.type === 'DATE' || c.type === 'DATETIME'

/** Reports whether issues can be grouped by a column. */
export const isGroupable = (c: Column): boolean => c.type !== 'LONG_TEXT' && (c.sortable || (isField(c) && (c.type === 'MULTI_SELECT' || c.type === 'TAGS')))

/** Reports whether a column has texts, of which each can be a group, and which begin with what is typed. */
export const hasTexts = (c: Column): boolean => isGroupable(c) && (c.type === 'TEXT' || c.type === 'USER' || c.type === 'TAGS')

/** Returns the named ranges of a column, without those of numbers, which have widths. */
export function rangesOf(c: Column): readonly Range[] {
  if (isTime(c)) return ['day', 'week', 'month', 'quarter', 'year']
  return c.type === 'TEXT' || c.type === 'USER' ? ['letter'] : []
}

export const hasWidths = isNumber

/** Reports whether each value of a column can be a group. Days are the shortest periods of dates and times, and no two issues have the same number. */
export const hasValues = (c: Column): boolean => !isTime(c) && c.builtin !== 'NUM'

/** Reports whether a column has a range, or groups of single values. */
function fits(c: Column, range: Grouping['range']): boolean {
  if (range === null) return hasValues(c)
  if (typeof range === 'number') return isNumber(c) && range > 0 && (c.type === 'NUMBER' || Number.isInteger(range))
  return rangesOf(c).includes(range)
}

/** Returns the range that is proposed for a column. */
export const usualRange = (c: Column): Grouping['range'] => (isTime(c) ? 'month' : c.builtin === 'NUM' ? 100 : null)

/** Groups by a column in the usual way. */
export const groupingBy = (c: Column): Grouping => ({column: c.id, descending: false, emptyFirst: false, range: usualRange(c)})

/** Reads a grouping from a URL, such as `state`, `-due.month` or `cost.100.first`; null if it is none. */
export function readGrouping(text: string | null): Grouping | null {
  const [, minus, column, named, width, first] =
    /^(-?)([^.-][^.]*?)(?:\.(?:(day|week|month|quarter|year|letter)|(\d+(?:\.\d+)?(?:e[+-]?\d+)?)))?(\.first)?$/.exec(text ?? '') ?? []
  if (!column) return null
  const range = ranges.find(r => r === named) ?? (Number(width) > 0 && Number.isFinite(Number(width)) ? Number(width) : null)
  return {column, descending: minus === '-', emptyFirst: first !== undefined, range}
}

/** Reads the groupings of up to two levels, which are different columns. */
export function readGroupings(text: string | null): [Grouping | null, Grouping | null] {
  const [first = null, second = null] = (text ?? '').split(',').map(readGrouping)
  return [first, first && second?.column !== first.column ? second : null]
}

/** Writes a grouping for a URL. */
export const writeGrouping = ({column, descending, emptyFirst, range}: Grouping): string =>
  (descending ? '-' : '') + column + (range === null ? '' : `.${range}`) + (emptyFirst ? '.first' : '')

/** Returns the grouping with its column; null if the column is gone or cannot be grouped by. A range that the column does not have becomes the usual one. */
export function groupKeyOf(grouping: Grouping | null, columns: readonly Column[]): GroupKey | null {
  const column = grouping && columns.find(c => c.id === grouping.column)
  if (!column || !isGroupable(column)) return null
  return {...grouping, column, range: fits(column, grouping.range) ? grouping.range : usualRange(column)}
}

/** Returns the grouping of a board: the given one, or by state if there is none. */
export const boardKeyOf = (grouping: Grouping | null, columns: readonly Column[]): GroupKey | null =>
  groupKeyOf(grouping, columns) ?? groupKeyOf({column: 'state', descending: false, emptyFirst: false, range: null}, columns)

/** Returns the grouping for the API. */
export const groupBy = ({column, descending, emptyFirst, range}: GroupKey): IssueGroupBy => ({
  column: orderColumn(column),
  direction: descending ? 'DESC' : 'ASC',
  nulls: emptyFirst ? 'FIRST' : 'LAST',
  ...(range === 'letter' ? {firstLetter: true} : typeof range === 'number' ? {width: range} : range ? {period: range.toUpperCase() as GroupPeriod} : {}),
})

/** Returns the range of a grouping in the form of the API. Without any, times are grouped by days. */
export const rangeIn = (c: Column, by: Pick<IssueGroupBy, 'period' | 'width' | 'firstLetter'>): Grouping['range'] =>
  by.firstLetter ? 'letter' : (by.width ?? (by.period ? (by.period.toLowerCase() as Range) : isTime(c) ? 'day' : null))

const zoned = (c: Column) => (c.type === 'DATE' ? {timeZone: 'UTC'} : {})

/** Returns the name of a group for display. */
export function groupName({column, range}: GroupKey, group: Group, locale?: string): string {
  const texts = messages.table.groups
  if (group.name === null && group.boolean === null && group.from === null) return texts.without(column.label)
  if (group.boolean !== null) return group.boolean ? messages.model.yes : messages.model.no
  if (group.option !== null) return column.options.find(o => o.id === group.option)?.name ?? group.name ?? ''
  if (group.text !== null) return range === 'letter' ? group.text.toLocaleUpperCase(locale) : group.text
  if (group.from === null) return group.name ?? ''
  if (isTime(column)) return periodName(column, range as Range, group.from, locale)
  const n = (text: string) => (column.type === 'INTEGER' ? new Intl.NumberFormat(locale).format(BigInt(text)) : show(column, Number(text)))
  if (typeof range !== 'number') return n(group.from)
  if (group.to === null) return texts.from(n(group.from))
  return column.type === 'INTEGER' ? texts.between(n(group.from), n(String(BigInt(group.to) - 1n))) : texts.below(n(group.from), n(group.to))
}

function periodName(column: Column, range: Range, from: string, locale?: string): string {
  const at = new Date(column.type === 'DATE' ? `${from}T00:00Z` : from)
  if (Number.isNaN(at.getTime())) return from
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, {calendar: 'gregory', ...zoned(column), ...options}).format(at)
  switch (range) {
    case 'year':
      return format({year: 'numeric'})
    case 'quarter':
      return messages.table.groups.quarter(
        Math.floor((Number(new Intl.DateTimeFormat('en-US', {month: 'numeric', ...zoned(column)}).format(at)) - 1) / 3) + 1,
        format({year: 'numeric'}),
      )
    case 'month':
      return format({year: 'numeric', month: 'long'})
    case 'week':
      return messages.table.groups.week(format({dateStyle: 'medium'}))
    default:
      return format({dateStyle: 'medium'})
  }
}

/** Reports whether an issue can be moved to another group: a group is a single value that it can get. */
export const canMove = ({column, range}: GroupKey): boolean =>
  column.editable && range === null && (column.type === 'SELECT' || column.type === 'BOOLEAN' || column.type === 'USER')

/** Returns the value that an issue gets by being moved to a group; undefined if it cannot be moved there. */
export function valueIn(key: GroupKey, group: Group): Value | undefined {
  if (!canMove(key)) return undefined
  if (group.option !== null) return group.option
  if (group.boolean !== null) return group.boolean
  if (group.text !== null) return new PersonValue(group.text)
  return mayBeEmpty(key.column) && !key.column.required ? null : undefined
}

/** Reports whether the issues with two values are in the same group: people are grouped by their names. */
export const isSameGroup = (a: Value, b: Value): boolean => (a instanceof PersonValue && b instanceof PersonValue ? a.name === b.name : equal(a, b))
