import {describe, expect, test} from 'vitest'
import type {CustomFieldType, IssueFilter} from '../../gql/graphql'
import {column, nameColumn, operands, peopleColumns, types} from '../test/fixtures'
import {arity, filterOf, operatorsOf, type Condition, type Operator} from './conditions'
import {takesRelative, readRelative} from './relative'
import {conditionsOf} from './fromFilter'

const state = column('SELECT', {id: 'state', builtin: 'STATE'})
const created = column('DATETIME', {id: 'created', builtin: 'CREATED_AT'})
const author = column('USER', {id: 'createdby', builtin: 'CREATED_BY'})
const num = column('INTEGER', {id: 'num', builtin: 'NUM', required: true})
const all = [nameColumn, state, created, author, num, ...peopleColumns, ...types.map(t => column(t))]

const relative = [
  'today',
  'yesterday',
  'this week',
  'next month',
  'last quarter',
  'last 7 days',
  'next 2 weeks',
  '3 months ago',
  '2 days ahead',
  '5 hours ago',
  'now',
]

const valuesOf = (type: CustomFieldType, operator: Operator): Condition['values'][] => {
  const [a, b] = operands[type]
  const n = arity(operator)
  const moving = relative.filter(r => takesRelative(type, operator, readRelative(r)!))
  if (n === 0) return [[]]
  if (n === 'list') return [[a], [a, b]]
  if (type === 'DATETIME' && operator === 'is') return moving.map(v => [v]) // equals only periods
  return n === 1 ? [a, b, ...moving].map(v => [v]) : [[a, b], ...moving.map(m => [m, b]), ...moving.map(m => [a, m]), ...moving.map(m => [m, 'today'])]
}

/** Returns a filter as the server returns it: with all members of relative times, and members by name. */
const returned = (filter: IssueFilter): IssueFilter =>
  JSON.parse(
    JSON.stringify(filter, (_, v: unknown) =>
      typeof v !== 'object' || v === null || Array.isArray(v)
        ? v
        : Object.fromEntries(
            Object.entries('base' in v ? {offset: 0, unit: 'DAY', ...v} : v)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, x]: [string, unknown]) => [name, x]),
          ),
    ),
  ) as IssueFilter

const cases = all.flatMap(c =>
  operatorsOf(c).flatMap(operator =>
    valuesOf(c.type, operator)
      .filter(values => c.builtin !== 'NUM' || values.every(v => Math.abs(Number(v)) < 2 ** 31))
      .map(values => ({column: c.id, operator, values})),
  ),
)

describe('every condition', () => {
  test('there are cases of all operators', () => expect(new Set(cases.map(c => c.operator)).size).toBe(25))
  test.each(cases.map(c => [`${c.column} ${c.operator} ${c.values.join(' and ')}`, c] as const))('%s', (_, c) => {
    const filter = filterOf([c], false, all)!
    const read = conditionsOf(returned(filter), all)
    expect(read.filter).toBeNull()
    expect(read.any).toBe(false)
    // An equivalent condition is as good: after last week is on or after this week, and from today to today is today.
    expect(filterOf(read.conditions, false, all)).toEqual(filter)
    if (!['lt', 'lte', 'gt', 'gte', 'between'].includes(c.operator)) expect(read.conditions).toEqual([c])
  })
})

const a: Condition = {column: 'name', operator: 'contains', values: ['x']}
const b: Condition = {column: 'state', operator: 'anyOf', values: ['o1', 'o2']}
const c: Condition = {column: 'f-NUMBER', operator: 'gte', values: [3]}

test('several conditions, of which all or any must match', () => {
  expect(conditionsOf(returned(filterOf([a, b, c], false, all)!), all)).toEqual({conditions: [a, b, c], any: false, filter: null})
  expect(conditionsOf(returned(filterOf([a, b, c], true, all)!), all)).toEqual({conditions: [a, b, c], any: true, filter: null})
  expect(conditionsOf(null, all)).toEqual({conditions: [], any: false, filter: null})
})

describe('filters that other clients save', () => {
  const fields = (...list: object[]) => ({fields: list}) as IssueFilter
  test.each<[string, IssueFilter, readonly Condition[], IssueFilter | null]>([
    ['several members', {name: {contains: 'x'}, state: {inIds: ['o1', 'o2']}}, [a, b], null],
    [
      'several comparisons',
      {num: {gt: 3, lte: 9}},
      [
        {column: 'num', operator: 'gt', values: ['3']},
        {column: 'num', operator: 'lte', values: ['9']},
      ],
      null,
    ],
    [
      'several fields',
      fields({fieldId: 'f-NUMBER', number: {gte: 3}}, {fieldId: 'f-TEXT', isNull: true}),
      [c, {column: 'f-TEXT', operator: 'empty', values: []}],
      null,
    ],
    [
      'several comparisons of users and teams',
      {assignees: {hasMe: true, hasNoneIds: ['t1']}, watchers: {isNull: false}},
      [
        {column: 'assignees', operator: 'hasMe', values: []},
        {column: 'assignees', operator: 'hasNone', values: ['t1']},
        {column: 'watchers', operator: 'notEmpty', values: []},
      ],
      null,
    ],
    [
      'users, by their IDs or their names',
      {createdBy: {notInIds: ['u1']}, fields: [{fieldId: 'f-USER', user: {inIds: ['u1', 'u2'], in: ['Ann']}}]},
      [
        {column: 'createdby', operator: 'noneOfUsers', values: ['u1']},
        {column: 'f-USER', operator: 'anyOfUsers', values: ['u1', 'u2']},
        {column: 'f-USER', operator: 'anyOf', values: ['Ann']},
      ],
      null,
    ],
    ['one user by the ID', {createdBy: {eqId: 'u1'}}, [], {createdBy: {eqId: 'u1'}}],
    ['no users or teams', {assignees: {hasAnyIds: []}}, [], {assignees: {hasAnyIds: []}}],
    ['or with one member', {or: [{name: {contains: 'x'}}]}, [a], null],
    ['or within and', {and: [{name: {contains: 'x'}}, {or: [{num: {eq: 1}}, {num: {eq: 2}}]}]}, [a], {or: [{num: {eq: 1}}, {num: {eq: 2}}]}],
    ['not', {not: {name: {contains: 'x'}}}, [], {not: {name: {contains: 'x'}}}],
    ['an unknown field', fields({fieldId: 'gone', text: {eq: 'x'}}), [], fields({fieldId: 'gone', text: {eq: 'x'}})],
    ['a member without a column', {open: true}, [], {open: true}],
    [
      'or with a member of two parts',
      {or: [{name: {contains: 'x'}, num: {eq: 1}}, {num: {eq: 2}}]},
      [],
      {or: [{name: {contains: 'x'}, num: {eq: 1}}, {num: {eq: 2}}]},
    ],
    ['two parts that cannot be conditions', {open: true, not: {open: false}}, [], {and: [{open: true}, {not: {open: false}}]}],
  ])('%s', (_, filter, conditions, rest) => expect(conditionsOf(filter, all)).toEqual({conditions, any: false, filter: rest}))
})
