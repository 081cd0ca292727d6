// Conditions of a filter: what people choose of a column, as the API takes it, as the URL holds it, and as a chip says it.
import type {CustomFieldFilter, CustomFieldType, IssueFilter} from '../../gql/graphql'
import {isField, type Column} from './columns'
import {isEmpty, nameOf, parse, show, type Domain, type Value} from './values'

export type Operator =
  | 'is'
  | 'isNot'
  | 'anyOf'
  | 'noneOf'
  | 'contains'
  | 'startsWith'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'between'
  | 'hasAny'
  | 'hasAll'
  | 'hasNone'
  | 'empty'
  | 'notEmpty'

export interface Condition {
  column: string
  operator: Operator
  /** None, one, two for `between`, or any number for the lists: as plain values, see values.ts. */
  values: readonly (string | number | boolean)[]
}

export const operatorNames: Record<Operator, string> = {
  is: 'is',
  isNot: 'is not',
  anyOf: 'is any of',
  noneOf: 'is none of',
  contains: 'contains',
  startsWith: 'begins with',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is greater than',
  gte: 'is at least',
  between: 'is between',
  hasAny: 'has any of',
  hasAll: 'has all of',
  hasNone: 'has none of',
  empty: 'is empty',
  notEmpty: 'is not empty',
}

/** What is said of times instead. */
const timeNames: Partial<Record<Operator, string>> = {lt: 'is before', lte: 'is at or before', gt: 'is after', gte: 'is at or after'}

const texts: Operator[] = ['contains', 'is', 'isNot', 'startsWith']
const ordered: Operator[] = ['is', 'isNot', 'lt', 'lte', 'gt', 'gte', 'between']
const emptiness: Operator[] = ['empty', 'notEmpty']
const byType: Record<CustomFieldType, Operator[]> = {
  TEXT: texts,
  LONG_TEXT: texts,
  USER: [...texts, 'anyOf'],
  INTEGER: ordered,
  NUMBER: ordered,
  DATE: ordered,
  DATETIME: ['lt', 'gte', 'between'],
  BOOLEAN: ['is'],
  SELECT: ['anyOf', 'noneOf'],
  MULTI_SELECT: ['hasAny', 'hasAll', 'hasNone'],
  TAGS: ['hasAny', 'hasAll', 'hasNone'],
}

/** The operators that a column has, the usual one first. */
export function operatorsOf(column: Column): Operator[] {
  const always = !isField(column) && column.builtin !== 'DESCRIPTION' // every issue has those
  return [...byType[column.type], ...(always ? [] : emptiness)]
}

export function operatorName(column: Column, operator: Operator): string {
  const time = column.type === 'DATE' || column.type === 'DATETIME'
  return (time && timeNames[operator]) || operatorNames[operator]
}

/** How many values an operator takes: none, one, two, or a list. */
export function arity(operator: Operator): 0 | 1 | 2 | 'list' {
  switch (operator) {
    case 'empty':
    case 'notEmpty':
      return 0
    case 'between':
      return 2
    case 'anyOf':
    case 'noneOf':
    case 'hasAny':
    case 'hasAll':
    case 'hasNone':
      return 'list'
    default:
      return 1
  }
}

/** Whether a condition has the values that its operator takes. An unfinished one filters nothing. */
export function complete(c: Condition): boolean {
  const n = arity(c.operator)
  return n === 'list' ? c.values.length > 0 : c.values.length === n && c.values.every(v => v !== '')
}

/** What the input of an operand takes: a list of options by check boxes, any other list as texts between commas. */
export function inputDomain(column: Column, operator: Operator): Domain {
  const {options} = column
  if (arity(operator) !== 'list') return {type: plain(column.type), options, required: true}
  return {type: isChoice(column) ? 'MULTI_SELECT' : 'TAGS', options, required: true}
}

const isChoice = (c: Column): boolean => c.type === 'SELECT' || c.type === 'MULTI_SELECT'
const plain = (t: CustomFieldType): CustomFieldType => (t === 'TAGS' || t === 'LONG_TEXT' ? 'TEXT' : t)

/** The most characters that the API takes of a text to compare with. */
export const mostCharacters = 255
const mostNumber = 2 ** 31 - 1

/** Why the API would not take a value as an operand; null when it would. Values are as parse gives them. */
export function misfit(column: Column, value: string | number | boolean): string | null {
  if (isChoice(column)) return column.options.some(o => o.id === value) ? null : 'A choice is not there any more'
  const type = plain(column.type)
  if (type === 'TEXT' || type === 'USER') {
    if (typeof value !== 'string') return `“${value}” is not a text`
    const most = column.type === 'TAGS' ? 100 : mostCharacters
    if ([...value].length > most) return `A text to compare with has at most ${most} characters`
    return value.trim() === '' ? missing : null
  }
  const read = parse({...column, type, required: true}, String(value))
  if (read.error !== undefined) return read.error
  if (read.value !== value) return `“${value}” is not written as it is compared`
  if (column.builtin === 'NUM' && Math.abs(Number(value)) > mostNumber) return `Numbers of issues go up to ${mostNumber}`
  return null
}

const missing = 'A value is missing'

/** Why a condition filters nothing; null when it does. Those of an old URL may be about what has changed since. */
export function fault(column: Column | undefined, c: Condition): string | null {
  if (!column) return 'There is no such column'
  if (!operatorsOf(column).includes(c.operator)) return `${column.label} can’t be compared by “${operatorNames[c.operator]}”`
  if (!complete(c)) return missing
  for (const v of c.values) {
    const wrong = misfit(column, v)
    if (wrong !== null) return wrong
  }
  return null
}

/** Whether a range ends before it begins. */
export function isBackwards(column: Column, [from, to]: Condition['values']): boolean {
  switch (column.type) {
    case 'INTEGER':
      return BigInt(from as string) > BigInt(to as string)
    case 'DATETIME':
      return Date.parse(from as string) > Date.parse(to as string)
    default:
      return from! > to!
  }
}

/** The most comparisons of a filter, the members of lists counted one by one. */
export const mostComparisons = 100

export const comparisons = (conditions: readonly Condition[]): number =>
  conditions.reduce((n, c) => n + (arity(c.operator) === 'list' ? c.values.length : 1), 0)

/** How many members of a list a chip names. */
const named = 3

/** What a chip says. */
export function describe(column: Column, c: Condition): string {
  const said = c.values.map(v => (isChoice(column) ? nameOf(column, String(v)) : show({...column, type: plain(column.type)}, v)))
  const texts = said.length > 1 ? said.map(t => (t.includes(',') && arity(c.operator) === 'list' ? `“${t}”` : t)) : said
  const list = texts.length > named + 1 ? `${texts.slice(0, named).join(', ')} and ${texts.length - named} more` : texts.join(', ')
  return `${column.label} ${operatorName(column, c.operator)} ${c.operator === 'between' ? texts.join(' and ') : list}`.trim()
}

/** The filter of a view, as the API takes it; undefined when there is none. */
export function filterOf(conditions: readonly Condition[], any: boolean, all: readonly Column[]): IssueFilter | undefined {
  const byID = new Map(all.map(c => [c.id, c]))
  const parts = conditions.flatMap(c => {
    const column = byID.get(c.column)
    return column && fault(column, c) === null ? [conditionFilter(column, c)] : []
  })
  if (parts.length === 0) return undefined
  return any ? {or: parts} : {and: parts}
}

function conditionFilter(column: Column, c: Condition): IssueFilter {
  if (c.operator === 'empty' || c.operator === 'notEmpty') return wrap(column, {isNull: c.operator === 'empty'})
  return wrap(column, comparison(c))
}

const names = {is: 'eq', isNot: 'neq', anyOf: 'in', noneOf: 'notIn'} as const

function comparison({operator, values}: Condition): Record<string, unknown> {
  const name = operator in names ? names[operator as keyof typeof names] : operator
  switch (arity(operator)) {
    case 2:
      return {between: {from: values[0], to: values[1]}}
    case 'list':
      return {[name]: values}
    default:
      return {[name]: values[0]}
  }
}

const members: Record<CustomFieldType, Exclude<keyof CustomFieldFilter, 'field' | 'isNull'>> = {
  TEXT: 'text',
  LONG_TEXT: 'text',
  INTEGER: 'integer',
  NUMBER: 'number',
  DATE: 'date',
  DATETIME: 'dateTime',
  BOOLEAN: 'boolean',
  SELECT: 'option',
  MULTI_SELECT: 'options',
  TAGS: 'tags',
  USER: 'user',
}

/** Puts a comparison where the filter of an issue has it. */
function wrap(column: Column, comparison: Record<string, unknown>): IssueFilter {
  switch (column.builtin) {
    case 'NUM':
      return {num: numbers(comparison)}
    case 'NAME':
      return {name: comparison}
    case 'STATE':
      return {state: comparison}
    case 'DESCRIPTION':
      return {description: comparison}
    case 'CREATED_AT':
      return {createdAt: comparison}
    case 'UPDATED_AT':
      return {updatedAt: comparison}
    case undefined:
      return {fields: ['isNull' in comparison ? {field: column.id, ...comparison} : {field: column.id, [members[column.type]]: comparison}]}
  }
}

/** The numbers of issues are plain ones in the API, and digits here. */
function numbers(comparison: Record<string, unknown>): Record<string, unknown> {
  const convert = (v: unknown): unknown =>
    Array.isArray(v) ? v.map(convert) : typeof v === 'object' && v !== null ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, convert(x)])) : Number(v)
  return convert(comparison) as Record<string, unknown>
}

/** Some comparisons are left to the view. */
const mostOperands = mostComparisons - 20

/**
 * What holds of the rows that a grid shows before one, in two parts, whose counts together are its place: those with another value, and those with the same
 * one. Null where that can't be said.
 */
export function before(column: Column, value: Value, num: number, descending: boolean, emptyFirst: boolean): {others: IssueFilter; ties: IssueFilter} | null {
  const never: IssueFilter = {or: []}
  const than = descending ? 'gt' : 'lt'
  const earlier: IssueFilter = {num: {[than]: num}}
  if (column.builtin === 'NUM') return {others: earlier, ties: never}
  if (isEmpty(value)) {
    const others = emptyFirst ? never : wrap(column, {isNull: false})
    return {others, ties: {and: [wrap(column, {isNull: true}), earlier]}}
  }
  const operand = typeof value === 'string' ? [...value].slice(0, mostCharacters).join('') : value
  let less: IssueFilter
  if (column.type === 'SELECT') {
    const at = column.options.findIndex(o => o.id === value)
    if (at < 0) return null
    const others = descending ? column.options.slice(at + 1) : column.options.slice(0, at)
    if (others.length > mostOperands) return null
    less = wrap(column, {in: others.map(o => o.id)})
  } else if (column.type === 'BOOLEAN') less = value === descending ? never : wrap(column, {eq: descending})
  else less = wrap(column, {[than]: operand})
  const others = emptyFirst && isField(column) ? {or: [less, wrap(column, {isNull: true})]} : less
  return {others, ties: {and: [wrap(column, {eq: operand}), earlier]}}
}

/** Both filters. */
export function both(a: IssueFilter | undefined, b: IssueFilter): IssueFilter {
  return a ? {and: [a, b]} : b
}

/** Whether the API takes a filter of so many comparisons. */
export const isAsked = (filter: IssueFilter): boolean => operands(filter) <= mostComparisons

/** Counts the leaves, as the API counts comparisons: a range is one, and of a field its id is none. */
function operands(part: unknown): number {
  if (Array.isArray(part))
    return Math.max(
      1,
      part.reduce<number>((n, p) => n + operands(p), 0),
    )
  if (typeof part !== 'object' || part === null) return 1
  return Object.entries(part).reduce((n, [name, p]) => n + (name === 'between' ? 1 : name === 'field' ? 0 : operands(p)), 0)
}

/** Writes conditions for a URL. */
export function writeConditions(conditions: readonly Condition[]): string | null {
  return conditions.length ? JSON.stringify(conditions.map(c => [c.column, c.operator, ...c.values])) : null
}

/** Reads a list in JSON, whatever is in it; what is no list is an empty one. */
export function parseList(text: string | null): unknown[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

/** Reads them; whatever is no condition is passed over. */
export function readConditions(text: string | null): Condition[] {
  return parseList(text).flatMap(c => {
    if (!Array.isArray(c)) return []
    const [column, operator, ...values] = c as unknown[]
    if (typeof column !== 'string' || typeof operator !== 'string' || !Object.hasOwn(operatorNames, operator)) return []
    if (!values.every(v => ['string', 'number', 'boolean'].includes(typeof v))) return []
    return [{column, operator: operator as Operator, values: values as Condition['values']}]
  })
}
