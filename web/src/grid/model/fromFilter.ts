// The conditions that a filter of the API stands for. A client may have saved any filter, so what conditions cannot express is returned as it is.
//
// A condition is guessed from the JSON and kept only if filterOf makes the same filter of it, so that the result always selects the same issues.
import type {IssueFilter} from '../../gql/graphql'
import type {Column} from './columns'
import {both, fault, filterOf, inputDomain, operatorsOf, arity, type Condition, type Operator} from './conditions'
import {periods, positions, units, writeRelative, type Relative} from './relative'
import {parse, written} from './values'

type JSONObject = Readonly<Record<string, unknown>>

export interface Conditions {
  conditions: readonly Condition[]
  any: boolean
  /** What rows must match in addition; null if the conditions say all. */
  filter: IssueFilter | null
}

/** Returns the conditions of a filter. */
export function conditionsOf(filter: IssueFilter | null, all: readonly Column[]): Conditions {
  const parts = filter ? partsOf(filter) : []
  const [only] = parts
  if (parts.length === 1 && only && Array.isArray(only.or)) {
    const members = (only.or as JSONObject[]).map(m => {
      const [part, ...others] = partsOf(m)
      return part && others.length === 0 ? conditionOf(part, all) : null
    })
    if (members.length > 0 && !members.includes(null)) return {conditions: members as Condition[], any: members.length > 1, filter: null}
  }
  const conditions: Condition[] = []
  let rest: IssueFilter | null = null
  for (const part of parts) {
    const condition = conditionOf(part, all)
    if (condition) conditions.push(condition)
    else rest = rest ? both(rest, part) : part
  }
  return {conditions, any: false, filter: rest}
}

/** Returns the filters that a filter is the conjunction of, each with one comparison where that is possible. */
function partsOf(filter: JSONObject): JSONObject[] {
  return Object.entries(filter).flatMap(([name, value]): JSONObject[] => {
    if (name === 'and') return (value as JSONObject[]).flatMap(partsOf)
    if (name === 'fields')
      return (value as JSONObject[]).flatMap(({fieldId, ...members}) =>
        Object.entries(members).flatMap(([member, v]) => comparisonsOf(v).map(c => ({fields: [{fieldId, [member]: c}]}))),
      )
    return name === 'or' || name === 'not' ? [{[name]: value}] : comparisonsOf(value).map(c => ({[name]: c}))
  })
}

/** Returns the comparisons of a value one by one. Those with relative times stay together, because a range is one condition. */
function comparisonsOf(value: unknown): unknown[] {
  if (!isObject(value) || 'relative' in value) return [value]
  return Object.entries(value).map(([name, operand]) => ({[name]: operand}))
}

const isObject = (value: unknown): value is JSONObject => typeof value === 'object' && value !== null && !Array.isArray(value)

const builtins: Readonly<Record<string, Column['builtin']>> = {
  num: 'NUM',
  name: 'NAME',
  state: 'STATE',
  description: 'DESCRIPTION',
  createdAt: 'CREATED_AT',
  updatedAt: 'UPDATED_AT',
  createdBy: 'CREATED_BY',
  updatedBy: 'UPDATED_BY',
  assignees: 'ASSIGNEES',
  watchers: 'WATCHERS',
}

/** Returns the condition that makes a filter; null if there is none. */
function conditionOf(part: JSONObject, all: readonly Column[]): Condition | null {
  const column = columnOf(part, all)
  if (!column) return null
  const wanted = canonical(part)
  for (const operator of operatorsOf(column))
    for (const values of operands(part, column, operator)) {
      const condition = {column: column.id, operator, values}
      const filter = fault(column, condition) === null ? filterOf([condition], false, [column]) : undefined
      if (filter && canonical(partsOf(filter)[0]) === wanted) return condition
    }
  return null
}

function columnOf(part: JSONObject, all: readonly Column[]): Column | undefined {
  const [name, value] = Object.entries(part)[0] ?? []
  if (name === 'not') return isObject(value) ? columnOf(value, all) : undefined
  if (name === 'fields') return all.find(c => c.id === (value as {fieldId: string}[])[0]?.fieldId)
  return all.find(c => c.builtin !== undefined && c.builtin === builtins[name ?? ''])
}

/** Returns the operands that a condition with an operator may have. */
function operands(part: JSONObject, column: Column, operator: Operator): Condition['values'][] {
  const n = arity(operator)
  if (n === 0) return [[]]
  const found = leavesOf(part)
  if (n === 'list') return [found.fixed.map(v => read(column, operator, v))]
  const fixed = found.fixed.map(v => read(column, operator, v))
  const relative = found.times.flatMap(relativesOf).map(writeRelative)
  const single = [...fixed, ...new Set(relative)]
  return n === 1 ? single.map(v => [v]) : single.flatMap(from => single.map(to => [from, to]))
}

type Scalar = string | number | boolean

/** Returns the values and the relative times of a filter. */
function leavesOf(part: unknown): {fixed: Scalar[]; times: JSONObject[]} {
  if (typeof part === 'string' || typeof part === 'number' || typeof part === 'boolean') return {fixed: [part], times: []}
  if (isObject(part) && typeof part.base === 'string') return {fixed: [], times: [part]}
  const members: unknown[] = Array.isArray(part) ? part : isObject(part) ? Object.entries(part).flatMap(([name, v]) => (name === 'fieldId' ? [] : [v])) : []
  const found = members.map(leavesOf)
  return {fixed: found.flatMap(f => f.fixed), times: found.flatMap(f => f.times)}
}

/** Returns a value of a filter as a condition has it. */
function read(column: Column, operator: Operator, value: Scalar): Scalar {
  if (arity(operator) === 'list') return value
  const parsed = parse(inputDomain(column, operator), String(value), written)
  const ofCondition = parsed.error === undefined ? parsed.value : null
  return ['string', 'number', 'boolean'].includes(typeof ofCondition) ? (ofCondition as Scalar) : value
}

/** Returns the relative values that may have a time as one of their bounds. */
function relativesOf(time: JSONObject): Relative[] {
  const {offset, unit} = {offset: 0, unit: 'DAY', ...time}
  if (time.base !== 'NOW') {
    const period = periods.find(p => time.base === `START_OF_${p.toUpperCase()}`)
    return period ? positions.map(position => ({is: 'period', position, unit: period})) : []
  }
  const known = units.find(u => u === unit.toLowerCase())
  return known
    ? [
        {is: 'point', count: offset, unit: known},
        {is: 'span', count: offset, unit: known},
      ]
    : []
}

/** Returns the JSON of a filter without differences in the order of members, the form of times, and what may be omitted. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (name, v: unknown) => {
    if (!isObject(v)) return name !== 'fieldId' && typeof v === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(v) ? v.replace(/\.?0*Z$/, 'Z') : v
    const {offset, unit, ...others} = v
    const members: JSONObject = 'base' in v && offset !== undefined && offset !== 0 ? {...others, offset, unit} : 'base' in v ? others : v
    return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
