// The conditions of a filter: as edited by the user, as sent to the API, as stored in the URL, and as described by a chip.
import type {CustomFieldFilter, CustomFieldType, IssueFilter} from '../../gql/graphql'
import {messages} from '../messages'
import {hasPeople, mayBeEmpty, type Column} from './columns'
import {beyond, notAfter, notBefore, readRelative, showRelative, takesRelative, within, type Relative} from './relative'
import {isEmpty, nameOf, parse, PersonValue, show, written, type Domain, type Value} from './values'

export const operators = [
  'is',
  'isNot',
  'exactly',
  'isMe',
  'isNotMe',
  'isNameOnly',
  'isNotNameOnly',
  'anyOf',
  'noneOf',
  'anyOfUsers',
  'noneOfUsers',
  'contains',
  'startsWith',
  'lt',
  'lte',
  'gt',
  'gte',
  'between',
  'hasAny',
  'hasAll',
  'hasNone',
  'hasMe',
  'hasNotMe',
  'empty',
  'notEmpty',
] as const
export type Operator = (typeof operators)[number]

const isOperator = (name: string): name is Operator => (operators as readonly string[]).includes(name)

export interface Condition {
  column: string
  operator: Operator
  /** Plain values as in values.ts, or relative times as in relative.ts: none, one, two for `between`, or any number for list operators. */
  values: readonly (string | number | boolean)[]
}

const texts: Operator[] = ['contains', 'is', 'isNot', 'exactly', 'startsWith']
const ordered: Operator[] = ['is', 'isNot', 'lt', 'lte', 'gt', 'gte', 'between']
const sets: Operator[] = ['hasAny', 'hasAll', 'hasNone']
const emptiness: Operator[] = ['empty', 'notEmpty']
const byType: Record<CustomFieldType, Operator[]> = {
  TEXT: texts,
  LONG_TEXT: texts,
  USER: [...texts, 'anyOf', 'anyOfUsers', 'noneOfUsers', 'isMe', 'isNotMe', 'isNameOnly', 'isNotNameOnly'],
  INTEGER: ordered,
  NUMBER: ordered,
  DATE: ordered,
  DATETIME: ['is', 'lt', 'gte', 'between'],
  BOOLEAN: ['is'],
  SELECT: ['anyOf', 'noneOf'],
  MULTI_SELECT: sets,
  TAGS: sets,
}

const people: Operator[] = [...sets, 'hasMe', 'hasNotMe']

/** The comparisons with the user that opens the page. */
const byCaller: {readonly [O in Operator]?: Record<string, boolean>} = {
  isMe: {isMe: true},
  isNotMe: {isMe: false},
  hasMe: {hasMe: true},
  hasNotMe: {hasMe: false},
}

/** The comparisons that take no values. */
const byItself: typeof byCaller = {...byCaller, isNameOnly: {isNameOnly: true}, isNotNameOnly: {isNameOnly: false}}

/** Reports whether an operator compares with the user that opens the page. */
export const isByCaller = (o: Operator): boolean => o in byCaller

/** Reports whether a condition compares with users or teams, whose IDs are its values. */
export const isWithPeople = (column: Column, o: Operator): boolean => hasPeople(column) || o === 'anyOfUsers' || o === 'noneOfUsers'

/** Returns the operators of a column, the default one first. */
export function operatorsOf(column: Column): Operator[] {
  return [...(hasPeople(column) ? people : byType[column.type]), ...(mayBeEmpty(column) ? emptiness : [])]
}

/** Returns the name of an operator; dates, times and people have other names for some. The column of an outdated condition may be missing. */
export function operatorName(column: Column | undefined, operator: Operator): string {
  const names: Record<Operator, string> = messages.model.operators
  const {timeOperators, personOperators} = messages.model
  const others: Partial<Record<Operator, string>> = column && isTime(column) ? timeOperators : column?.type === 'USER' ? personOperators : {}
  return others[operator] ?? names[operator]
}

const isTime = (c: Column): boolean => c.type === 'DATE' || c.type === 'DATETIME'

/** Returns the relative time that a value of a condition is; null if it is another value. */
export const relativeOf = (column: Column, value: unknown): Relative | null => (isTime(column) ? readRelative(value) : null)

/** Reports whether what a condition filters depends on the time of the request. */
export const isRelative = (column: Column | undefined, c: Condition): boolean =>
  column !== undefined && fault(column, c) === null && c.values.some(v => relativeOf(column, v) !== null)

/** Returns how many values an operator takes: none, one, two, or a list. */
export function arity(operator: Operator): 0 | 1 | 2 | 'list' {
  switch (operator) {
    case 'empty':
    case 'notEmpty':
    case 'isMe':
    case 'isNotMe':
    case 'isNameOnly':
    case 'isNotNameOnly':
    case 'hasMe':
    case 'hasNotMe':
      return 0
    case 'between':
      return 2
    case 'anyOf':
    case 'noneOf':
    case 'anyOfUsers':
    case 'noneOfUsers':
    case 'hasAny':
    case 'hasAll':
    case 'hasNone':
      return 'list'
    default:
      return 1
  }
}

/** Reports whether a condition has the values that its operator takes. An incomplete condition filters nothing. */
export function complete(c: Condition): boolean {
  const n = arity(c.operator)
  return n === 'list' ? c.values.length > 0 : c.values.length === n && c.values.every(v => v !== '')
}

/** Returns the condition that a column has a value, or none; null if no operator says that. */
export function conditionFor(column: Column, value: Value): Condition | null {
  const operators = operatorsOf(column)
  if (isEmpty(value)) return operators.includes('empty') ? {column: column.id, operator: 'empty', values: []} : null
  if (column.type === 'LONG_TEXT') return null // a row has only its beginning
  if (column.type === 'DATETIME') return null // equals only periods
  if (value instanceof PersonValue)
    return value.user ? {column: column.id, operator: 'anyOfUsers', values: [value.user.id]} : {column: column.id, operator: 'is', values: [value.name]}
  const operator = (['is', 'anyOf', 'hasAll'] as const).find(o => operators.includes(o))
  return operator ? {column: column.id, operator, values: Array.isArray(value) ? (value as readonly string[]) : [value as string | number | boolean]} : null
}

/** Returns the domain of the operand's input, whether or not it ends a range: a list of IDs, comma-separated strings for any other list, and a text for a name. */
export function inputDomain(column: Column, operator: Operator, isEnd = false): Domain {
  const {options} = column
  if (arity(operator) !== 'list') return {type: plain(column.type), options, required: true, endsDay: isEnd}
  return {type: hasIDs(column, operator) ? 'MULTI_SELECT' : 'TAGS', options, required: true}
}

const isChoice = (c: Column): boolean => c.type === 'SELECT' || c.type === 'MULTI_SELECT'
/** Reports whether the values of a condition are IDs. */
const hasIDs = (c: Column, o: Operator): boolean => isChoice(c) || isWithPeople(c, o)
const plain = (t: CustomFieldType): CustomFieldType => (t === 'TAGS' || t === 'LONG_TEXT' || t === 'USER' ? 'TEXT' : t)

/** The maximum length of a string operand, in characters. */
export const mostCharacters = 255
/** The maximum number of an issue. */
export const mostNumber = 2 ** 31 - 1

/** Returns why a value is no operand of an operator, or null. Values are in the form that parse returns, or relative times. */
export function misfit(column: Column, operator: Operator, value: string | number | boolean): string | null {
  const relative = relativeOf(column, value)
  if (relative) return takesRelative(column.type, operator, relative) ? null : messages.model.notWritten(showRelative(relative))
  if (column.type === 'DATETIME' && operator === 'is') return messages.model.periodNeeded
  // Only the server knows which users and teams there are.
  const type = hasPeople(column) ? 'TEXT' : plain(column.type)
  if (type === 'SELECT' || type === 'MULTI_SELECT') return column.options.some(o => o.id === value) ? null : messages.model.missingOption
  if (type === 'TEXT') {
    if (typeof value !== 'string') return messages.model.notText(String(value))
    const most = column.type === 'TAGS' ? 100 : mostCharacters
    if ([...value].length > most) return messages.model.operandLength(most)
    return value.trim() === '' ? messages.model.missingValue : null
  }
  const read = parse({...column, type, required: true}, String(value), written)
  if (read.error !== undefined) return read.error
  if (read.value !== value) return messages.model.notWritten(String(value))
  if (column.builtin === 'NUM' && Math.abs(Number(value)) > mostNumber) return messages.model.issueNumbers(mostNumber)
  return null
}

/** Returns why a condition filters nothing, or null if it filters. A condition from an old URL may be outdated. */
export function fault(column: Column | undefined, c: Condition): string | null {
  if (!column) return messages.model.missingColumn
  if (!operatorsOf(column).includes(c.operator)) return messages.model.notCompared(column.label, operatorName(undefined, c.operator))
  if (!complete(c)) return messages.model.missingValue
  for (const v of c.values) {
    const wrong = misfit(column, c.operator, v)
    if (wrong !== null) return wrong
  }
  return null
}

/** Reports whether a range of fixed values ends before it begins. */
export function isBackwards(column: Column, [from, to]: Condition['values']): boolean {
  if (relativeOf(column, from) || relativeOf(column, to)) return false // that depends on the day
  switch (column.type) {
    case 'INTEGER':
      return BigInt(from as string) > BigInt(to as string)
    case 'DATETIME':
      return Date.parse(from as string) > Date.parse(to as string)
    default:
      return from! > to!
  }
}

/** The maximum number of comparisons in a filter. Each member of a list counts, and each end of a range with relative times. */
export const mostComparisons = 100

/** Counts the comparisons of conditions. Of any other type than a date or a time, a value such as `today` counts twice: the count is never too low. */
export const comparisons = (conditions: readonly Condition[]): number =>
  conditions.reduce((n, c) => {
    if (arity(c.operator) === 'list') return n + c.values.length
    const isRange = c.operator === 'is' || c.operator === 'isNot' || c.operator === 'between'
    return n + (isRange && c.values.some(v => readRelative(v) !== null) ? 2 : 1)
  }, 0)

/** How many members of a list a chip shows. */
const named = 3

/** Returns the label of a chip. The options of the column have the names of what the condition has IDs of. */
export function describe(column: Column, c: Condition): string {
  const relative = c.values.map(v => relativeOf(column, v))
  const said = c.values.map((v, i) =>
    relative[i] ? showRelative(relative[i]) : hasIDs(column, c.operator) ? nameOf(column, String(v)) : show({...column, type: plain(column.type)}, v),
  )
  if (relative.some(r => r !== null)) {
    const names: Partial<Record<Operator, string>> = messages.model.relative.operators
    return messages.model.condition(column.label, names[c.operator] ?? operatorName(column, c.operator), said.join(messages.model.relative.and))
  }
  const texts = said.length > 1 ? said.map(t => (t.includes(',') && arity(c.operator) === 'list' ? `“${t}”` : t)) : said
  const list = texts.length > named + 1 ? messages.model.andMore(texts.slice(0, named).join(', '), texts.length - named) : texts.join(', ')
  const values = c.operator === 'between' ? texts.join(messages.model.and) : list
  return messages.model.condition(column.label, operatorName(column, c.operator), values)
}

/** Returns the filter of a view for the API; undefined if the view has none. */
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
  const whole = byItself[c.operator]
  if (whole) return wrap(column, whole)
  const relative = c.values.map(v => relativeOf(column, v))
  return relative.some(r => r !== null) ? relativeFilter(column, c, relative) : wrap(column, comparison(column, c))
}

/** Returns the filter of a condition of which some values are relative times. */
function relativeFilter(column: Column, {operator, values}: Condition, [from = null, to = null]: readonly (Relative | null)[]): IssueFilter {
  if (operator === 'between') {
    const fixed = {...(from ? {} : {gte: values[0]}), ...(to ? {} : {lte: values[1]})}
    return wrap(column, {...fixed, relative: {...(from && notBefore(from)), ...(to && notAfter(to))}})
  }
  const filter = (relative: object) => wrap(column, {relative})
  switch (operator) {
    case 'isNot':
      return {not: filter(within(from!))}
    case 'lt':
    case 'gt':
      return filter(beyond(operator, from!))
    case 'gte':
      return filter(notBefore(from!))
    case 'lte':
      return filter(notAfter(from!))
    default:
      return filter(within(from!))
  }
}

const names = {is: 'eq', isNot: 'neq', exactly: 'is', anyOf: 'in', noneOf: 'notIn', anyOfUsers: 'inIds', noneOfUsers: 'notInIds'} as const

function comparison(column: Column, {operator, values}: Condition): Record<string, unknown> {
  const name = operator in names ? names[operator as keyof typeof names] : operator
  switch (arity(operator)) {
    case 2:
      return {between: {from: values[0], to: values[1]}}
    case 'list':
      return {[isChoice(column) ? `${name}Ids` : name]: values}
    default:
      return {[name]: values[0]}
  }
}

const members: Record<CustomFieldType, Exclude<keyof CustomFieldFilter, 'fieldId' | 'isNull'>> = {
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

/** Wraps a comparison in the filter of its column. */
export function wrap(column: Column, comparison: Record<string, unknown>): IssueFilter {
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
    case 'CREATED_BY':
      return {createdBy: comparison}
    case 'UPDATED_BY':
      return {updatedBy: comparison}
    case 'ASSIGNEES':
      return {assignees: comparison}
    case 'WATCHERS':
      return {watchers: comparison}
    case undefined:
      return {fields: ['isNull' in comparison ? {fieldId: column.id, ...comparison} : {fieldId: column.id, [members[column.type]]: comparison}]}
  }
}

/** Converts operands from digits to numbers: the API takes the numbers of issues as plain numbers. */
function numbers(comparison: Record<string, unknown>): Record<string, unknown> {
  const convert = (v: unknown): unknown =>
    Array.isArray(v) ? v.map(convert) : typeof v === 'object' && v !== null ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, convert(x)])) : Number(v)
  return convert(comparison) as Record<string, unknown>
}

/** Returns the conjunction of both filters. */
export function both(a: IssueFilter | undefined, b: IssueFilter): IssueFilter {
  return a ? {and: [a, b]} : b
}

/** Reports whether the API accepts the number of comparisons in a filter. */
export const isAsked = (filter: IssueFilter): boolean => operands(filter) <= mostComparisons

/** Counts comparisons as the API does: a range and a relative time are one, and the ID of a field is none. */
export function operands(part: unknown): number {
  if (Array.isArray(part))
    return Math.max(
      1,
      part.reduce<number>((n, p) => n + operands(p), 0),
    )
  if (typeof part !== 'object' || part === null) return 1
  return Object.entries(part).reduce(
    (n, [name, p]) => n + (name === 'between' ? 1 : name === 'fieldId' ? 0 : name === 'relative' ? Object.keys(p as object).length : operands(p)),
    0,
  )
}

/** Reports whether a filter has relative times. In JSON, a quote within a string is escaped, so that no string has the name of the member. */
export const hasRelative = (filter: IssueFilter | null): boolean => filter !== null && JSON.stringify(filter).includes('"relative":')

/** Writes conditions for a URL. */
export function writeConditions(conditions: readonly Condition[]): string | null {
  return conditions.length ? JSON.stringify(conditions.map(c => [c.column, c.operator, ...c.values])) : null
}

/** Parses a JSON list of any values. Anything else is an empty list. */
export function parseList(text: string | null): unknown[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

/** Reads conditions from a URL and skips invalid ones. */
export function readConditions(text: string | null): Condition[] {
  return parseList(text).flatMap(c => {
    if (!Array.isArray(c)) return []
    const [column, operator, ...values] = c as unknown[]
    if (typeof column !== 'string' || typeof operator !== 'string' || !isOperator(operator)) return []
    if (!values.every(v => ['string', 'number', 'boolean'].includes(typeof v))) return []
    return [{column, operator, values: values as Condition['values']}]
  })
}
