// Dates and times relative to the time of a request, as operands of conditions. As strings they are English in every language of the page: `this week`,
// `last 7 days`, `3 months ago`, `now`.
import type {CustomFieldType, RelativeTime, RelativeTimeBase, TimeUnit} from '../../gql/graphql'
import {messages} from '../messages'

export const units = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type Unit = (typeof units)[number]
export const periods = ['day', 'week', 'month', 'quarter', 'year'] as const
export type Period = (typeof periods)[number]
/** The position of a period: the one before the current one, that one, or the one after it. */
export const positions = ['last', 'this', 'next'] as const
export type Position = (typeof positions)[number]

export type Relative =
  /** A period of the calendar, such as the last week. Weeks begin on Monday. */
  | {is: 'period'; position: Position; unit: Period}
  /** The time between now and so many units later, or earlier if the count is negative. */
  | {is: 'span'; count: number; unit: Unit}
  /** The time so many units after now, or before it if the count is negative. */
  | {is: 'point'; count: number; unit: Unit}

/** The maximum number of units. */
export const mostUnits = 1000

const days: Record<Position, string> = {last: 'yesterday', this: 'today', next: 'tomorrow'}

/** Writes a relative time as an operand. */
export function writeRelative(r: Relative): string {
  if (r.is === 'period') return r.unit === 'day' ? days[r.position] : `${r.position} ${r.unit}`
  if (r.count === 0) return 'now'
  const count = `${Math.abs(r.count)} ${r.unit}s`
  if (r.is === 'span') return `${r.count < 0 ? 'last' : 'next'} ${count}`
  return `${count} ${r.count < 0 ? 'ago' : 'ahead'}`
}

const all: ReadonlyMap<string, Relative> = new Map(
  [...positions.flatMap(position => periods.map((unit): Relative => ({is: 'period', position, unit}))), {is: 'point', count: 0, unit: 'day'} as Relative].map(
    r => [writeRelative(r), r],
  ),
)

/** Reads an operand; null if it is not a relative time. */
export function readRelative(operand: unknown): Relative | null {
  if (typeof operand !== 'string') return null
  const known = all.get(operand)
  if (known) return known
  const [, before, digits, unit, after] = /^(?:(last|next) )?([1-9]\d{0,3}) (minute|hour|day|week|month|quarter|year)s(?: (ago|ahead))?$/.exec(operand) ?? []
  const count = Number(digits)
  if (unit === undefined || (before === undefined) === (after === undefined) || count > mostUnits) return null
  const isPast = before === 'last' || after === 'ago'
  return {is: before ? 'span' : 'point', count: isPast ? -count : count, unit: unit as Unit}
}

/** Reports whether an operator compares values of a type with a relative time. */
export function takesRelative(type: CustomFieldType, operator: string, r: Relative): boolean {
  if (type !== 'DATE' && type !== 'DATETIME') return false
  if (type === 'DATE' && (r.unit === 'minute' || r.unit === 'hour' || (r.is === 'point' && r.count === 0))) return false
  if (operator === 'is' || operator === 'isNot') return type === 'DATE' || r.is !== 'point'
  return r.is !== 'span' && ['lt', 'lte', 'gt', 'gte', 'between'].includes(operator)
}

/** Returns the relative time in words. */
export function showRelative(r: Relative): string {
  const texts = messages.model.relative
  if (r.is === 'period') return texts.periods[r.unit][r.position]
  if (r.count === 0) return texts.now
  const {last, next, ago, ahead} = texts
  const form = r.is === 'span' ? (r.count < 0 ? last : next) : r.count < 0 ? ago : ahead
  return form[r.unit](Math.abs(r.count))
}

const folded = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim()
const letters: Record<string, Unit> = {d: 'day', w: 'week', m: 'month', y: 'year'}

/** Reads words as people type them: those that showRelative or writeRelative returns, and `+3d` or `-2w`. */
export function typedRelative(text: string): Relative | null {
  const typed = folded(text)
  const [, sign, short, letter = 'd'] = /^([+-]) ?(\d{1,4}) ?([dwmy])?$/.exec(typed) ?? []
  const count = Number(short ?? /\d+/.exec(typed)?.[0] ?? 0)
  if (count > mostUnits) return null
  if (short !== undefined) return count === 0 ? null : {is: 'point', count: sign === '-' ? -count : count, unit: letters[letter]!}
  const counted = count === 0 ? [] : units.flatMap(unit => (['span', 'point'] as const).flatMap(is => [-count, count].map(n => ({is, count: n, unit}))))
  const isTyped = (r: Relative) => writeRelative(r) === typed || folded(showRelative(r)) === typed
  return [...all.values(), ...counted].find(isTyped) ?? null
}

const bases: Record<Period, RelativeTimeBase> = {
  day: 'START_OF_DAY',
  week: 'START_OF_WEEK',
  month: 'START_OF_MONTH',
  quarter: 'START_OF_QUARTER',
  year: 'START_OF_YEAR',
}

const timeOf = (base: RelativeTimeBase, offset: number, unit: Unit): RelativeTime =>
  offset === 0 ? {base} : {base, offset, unit: unit.toUpperCase() as TimeUnit}

/** Returns the first time of a period, or a point, as the API takes it. */
const startOf = (r: Relative): RelativeTime =>
  r.is === 'period' ? timeOf(bases[r.unit], positions.indexOf(r.position) - 1, r.unit) : timeOf('NOW', r.count, r.unit)

/** Returns the condition that a time is not before a relative time. */
export const notBefore = (r: Relative) => ({gte: startOf(r)})

/** Returns the condition that a time is not after a relative time. */
export const notAfter = (r: Relative) => (r.is === 'period' ? {lt: timeOf(bases[r.unit], positions.indexOf(r.position), r.unit)} : {lte: startOf(r)})

/** Returns the condition that a time is in a period or a span, or that a date is that of a point. */
export function within(r: Relative) {
  if (r.is === 'point') return {eq: startOf(r)}
  if (r.is === 'period') return {...notBefore(r), ...notAfter(r)}
  // A span of seven dates that ends today begins after the date seven days ago.
  return r.count < 0 ? {gt: startOf(r), lte: timeOf('NOW', 0, r.unit)} : {gte: timeOf('NOW', 0, r.unit), lt: startOf(r)}
}

/** Returns the condition that a time is before or after a relative time. */
export function beyond(operator: 'lt' | 'gt', r: Relative) {
  if (operator === 'lt') return {lt: startOf(r)}
  const {lt} = notAfter(r) as {lt?: RelativeTime}
  return lt ? {gte: lt} : {gt: startOf(r)}
}
