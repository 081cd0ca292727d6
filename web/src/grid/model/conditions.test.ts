import {describe as group, expect, test} from 'vitest'
import type {CustomFieldType, IssueFilter} from '../../gql/graphql'
import type {Column} from './columns'
import {
  arity,
  both,
  comparisons,
  conditionFor,
  describe,
  fault,
  filterOf,
  inputDomain,
  isAsked,
  isBackwards,
  misfit,
  operators,
  operatorsOf,
  readConditions,
  writeConditions,
  type Condition,
  type Operator,
} from './conditions'
import {column as fixture, operands, peopleColumns, types, user} from '../test/fixtures'
import {refused} from '../test/schema'
import {parse, PersonValue, type Value} from './values'

const options = [
  {id: 'o1', name: 'One', color: null},
  {id: 'o2', name: 'Two', color: '#123456'},
]
const field = (type: CustomFieldType, more: Partial<Column> = {}): Column =>
  fixture(type, {label: `Field ${type}`, options: type === 'SELECT' || type === 'MULTI_SELECT' ? options : [], ...more})
const builtin = (id: string, builtin: Column['builtin'], type: CustomFieldType): Column => field(type, {id, label: id, builtin})

const num = builtin('num', 'NUM', 'INTEGER')
const name = builtin('name', 'NAME', 'TEXT')
const state = builtin('state', 'STATE', 'SELECT')
const columns: Column[] = [
  num,
  name,
  state,
  builtin('description', 'DESCRIPTION', 'LONG_TEXT'),
  builtin('created', 'CREATED_AT', 'DATETIME'),
  builtin('updated', 'UPDATED_AT', 'DATETIME'),
  builtin('createdby', 'CREATED_BY', 'USER'),
  builtin('updatedby', 'UPDATED_BY', 'USER'),
  ...peopleColumns,
  ...types.map(type => field(type)),
]
const column = (id: string) => columns.find(c => c.id === id)!

const valuesOf = (c: Column, operator: Operator): Condition['values'] => {
  if (c.type === 'DATETIME' && operator === 'is') return ['this week']
  const n = arity(operator)
  return (c.builtin === 'NUM' ? ['3', '9'] : operands[c.type]).slice(0, n === 'list' ? 2 : n)
}
const all: [Column, Operator][] = columns.flatMap(c => operatorsOf(c).map(o => [c, o] as [Column, Operator]))

group('every column by every operator', () => {
  test.each(all.map(([c, o]) => [c.id, o] as const))('%s %s', (id, operator) => {
    const c = column(id)
    const condition: Condition = {column: id, operator, values: valuesOf(c, operator)}
    expect(fault(c, condition)).toBeNull()
    const filter = filterOf([condition], false, columns)!
    expect(refused(filter)).toBeUndefined()
    expect(readConditions(writeConditions([condition]))).toEqual([condition])
    expect(describe(c, condition)).toMatch(new RegExp(`^${c.label} `))
    expect(isAsked(filter)).toBe(true)
  })
  test('are as many as the types have', () => expect(all.length).toBeGreaterThan(60))
})

test.each<[Condition, IssueFilter]>([
  [{column: 'num', operator: 'between', values: ['3', '9']}, {num: {between: {from: 3, to: 9}}}],
  [{column: 'num', operator: 'isNot', values: ['3']}, {num: {neq: 3}}],
  [{column: 'name', operator: 'contains', values: ['x']}, {name: {contains: 'x'}}],
  [{column: 'state', operator: 'noneOf', values: ['o1']}, {state: {notInIds: ['o1']}}],
  [{column: 'description', operator: 'empty', values: []}, {description: {isNull: true}}],
  [{column: 'created', operator: 'gte', values: ['2026-01-01T00:00:00Z']}, {createdAt: {gte: '2026-01-01T00:00:00Z'}}],
  [{column: 'f-INTEGER', operator: 'lte', values: ['9223372036854775807']}, {fields: [{fieldId: 'f-INTEGER', integer: {lte: '9223372036854775807'}}]}],
  [{column: 'f-BOOLEAN', operator: 'is', values: [false]}, {fields: [{fieldId: 'f-BOOLEAN', boolean: {eq: false}}]}],
  [{column: 'f-SELECT', operator: 'anyOf', values: ['o1', 'o2']}, {fields: [{fieldId: 'f-SELECT', option: {inIds: ['o1', 'o2']}}]}],
  [{column: 'f-MULTI_SELECT', operator: 'hasAll', values: ['o1']}, {fields: [{fieldId: 'f-MULTI_SELECT', options: {hasAllIds: ['o1']}}]}],
  [{column: 'f-TAGS', operator: 'hasNone', values: ['a']}, {fields: [{fieldId: 'f-TAGS', tags: {hasNone: ['a']}}]}],
  [{column: 'f-USER', operator: 'isMe', values: []}, {fields: [{fieldId: 'f-USER', user: {isMe: true}}]}],
  [{column: 'f-USER', operator: 'isNotMe', values: []}, {fields: [{fieldId: 'f-USER', user: {isMe: false}}]}],
  [{column: 'f-USER', operator: 'isNameOnly', values: []}, {fields: [{fieldId: 'f-USER', user: {isNameOnly: true}}]}],
  [{column: 'createdby', operator: 'isNotNameOnly', values: []}, {createdBy: {isNameOnly: false}}],
  [{column: 'f-USER', operator: 'anyOf', values: ['Ann']}, {fields: [{fieldId: 'f-USER', user: {in: ['Ann']}}]}],
  [{column: 'f-USER', operator: 'anyOfUsers', values: ['u1', 'u2']}, {fields: [{fieldId: 'f-USER', user: {inIds: ['u1', 'u2']}}]}],
  [{column: 'createdby', operator: 'anyOfUsers', values: ['u1']}, {createdBy: {inIds: ['u1']}}],
  [{column: 'updatedby', operator: 'noneOfUsers', values: ['u1']}, {updatedBy: {notInIds: ['u1']}}],
  [{column: 'assignees', operator: 'hasAny', values: ['u1', 't1']}, {assignees: {hasAnyIds: ['u1', 't1']}}],
  [{column: 'assignees', operator: 'hasAll', values: ['u1']}, {assignees: {hasAllIds: ['u1']}}],
  [{column: 'watchers', operator: 'hasNone', values: ['t1']}, {watchers: {hasNoneIds: ['t1']}}],
  [{column: 'assignees', operator: 'hasMe', values: []}, {assignees: {hasMe: true}}],
  [{column: 'watchers', operator: 'hasNotMe', values: []}, {watchers: {hasMe: false}}],
  [{column: 'assignees', operator: 'empty', values: []}, {assignees: {isNull: true}}],
  [{column: 'watchers', operator: 'notEmpty', values: []}, {watchers: {isNull: false}}],
  [{column: 'f-DATE', operator: 'notEmpty', values: []}, {fields: [{fieldId: 'f-DATE', isNull: false}]}],
])('%o', (condition, filter) => expect(filterOf([condition], false, columns)).toEqual({and: [filter]}))

test('any of the conditions, or all of them', () => {
  const two: Condition[] = [
    {column: 'name', operator: 'contains', values: ['x']},
    {column: 'num', operator: 'is', values: ['1']},
  ]
  expect(filterOf(two, true, columns)).toEqual({or: [{name: {contains: 'x'}}, {num: {eq: 1}}]})
  expect(filterOf(two, false, columns)).toEqual({and: [{name: {contains: 'x'}}, {num: {eq: 1}}]})
  expect(filterOf([], true, columns)).toBeUndefined() // not {or: []}, which matches no issue
})

test.each<[string, Condition]>([
  ['an unknown column', {column: 'gone', operator: 'is', values: ['x']}],
  ['no value', {column: 'name', operator: 'contains', values: []}],
  ['an empty value', {column: 'name', operator: 'contains', values: ['']}],
  ['nothing but spaces', {column: 'name', operator: 'contains', values: ['  ']}],
  ['one value of two', {column: 'num', operator: 'between', values: ['1']}],
  ['too many values', {column: 'num', operator: 'is', values: ['1', '2']}],
  ['an empty list', {column: 'state', operator: 'anyOf', values: []}],
  ['an operator of another type', {column: 'name', operator: 'hasAny', values: ['x']}],
  ['emptiness of what every issue has', {column: 'name', operator: 'empty', values: []}],
  ['an option that is gone', {column: 'state', operator: 'anyOf', values: ['o1', 'o3']}],
  ['a text that is too long', {column: 'name', operator: 'is', values: ['x'.repeat(256)]}],
  ['a tag that is too long', {column: 'f-TAGS', operator: 'hasAny', values: ['x'.repeat(101)]}],
  ['a number of an issue that is none', {column: 'num', operator: 'is', values: ['2147483648']}],
  ['an integer beyond 64 bits', {column: 'f-INTEGER', operator: 'is', values: ['9223372036854775808']}],
  ['a number for an integer', {column: 'f-INTEGER', operator: 'is', values: [5]}],
  ['digits for a number', {column: 'f-NUMBER', operator: 'is', values: ['5']}],
  ['an infinite number', {column: 'f-NUMBER', operator: 'is', values: [Infinity]}],
  ['a text for a truth', {column: 'f-BOOLEAN', operator: 'is', values: ['true']}],
  ['a day that is none', {column: 'f-DATE', operator: 'is', values: ['2026-02-30']}],
  ['a time without a zone', {column: 'created', operator: 'lt', values: ['2026-01-01 10:00']}],
  ['a time that is none', {column: 'created', operator: 'lt', values: ['soon']}],
  ['no users or teams', {column: 'assignees', operator: 'hasAny', values: []}],
  ['a number for a user', {column: 'assignees', operator: 'hasAny', values: [1]}],
  ['a truth for a user', {column: 'f-USER', operator: 'anyOfUsers', values: [true]}],
  ['users for a text', {column: 'name', operator: 'anyOfUsers', values: ['u1']}],
  ['an empty ID', {column: 'watchers', operator: 'hasAll', values: ['u1', '']}],
  ['a text that is only a name', {column: 'name', operator: 'isNameOnly', values: []}],
  ['a set of users that is me', {column: 'assignees', operator: 'isMe', values: []}],
  ['options that include me', {column: 'f-MULTI_SELECT', operator: 'hasMe', values: []}],
  ['a number for a text', {column: 'name', operator: 'is', values: [1]}],
])('%s filters nothing, and a chip can say so', (_, condition) => {
  const c = columns.find(x => x.id === condition.column)
  expect(fault(c, condition)).not.toBeNull()
  expect(filterOf([condition], true, columns)).toBeUndefined()
  expect(filterOf([condition, {column: 'num', operator: 'is', values: ['1']}], true, columns)).toEqual({or: [{num: {eq: 1}}]})
  if (c) expect(describe(c, condition)).toContain(c.label)
})

test('a text of 255 characters is compared with, however many code units it has', () => {
  expect(misfit(name, 'is', '😀'.repeat(255))).toBeNull()
  expect(misfit(name, 'is', '😀'.repeat(256))).not.toBeNull()
})

test('what the inputs give is what the API takes', () => {
  const written: Partial<Record<CustomFieldType, string>> = {
    INTEGER: ' 1 000 ',
    NUMBER: '1e3',
    DATE: '2026-1-2',
    DATETIME: '2026-01-02 10:00:00.5',
    USER: ' Ann ',
    TEXT: 'x',
  }
  for (const [type, text] of Object.entries(written)) {
    const c = column(`f-${type}`)
    const read = parse(inputDomain(c, 'is'), text)
    expect(read.error, type).toBeUndefined()
    expect(misfit(c, operatorsOf(c).includes('gte') ? 'gte' : 'is', (read as {value: string}).value), type).toBeNull()
  }
  expect(parse(inputDomain(column('f-TAGS'), 'hasAny'), 'a, "b, c"')).toEqual({value: ['a', 'b, c']})
  expect(parse(inputDomain(column('f-USER'), 'anyOf'), 'Ann, Bob')).toEqual({value: ['Ann', 'Bob']})
  expect(inputDomain(state, 'anyOf').type).toBe('MULTI_SELECT')
})

test.each<[string, string, Condition['values'], boolean]>([
  ['f-INTEGER', 'by value, not by digits', ['9', '10'], false],
  ['f-INTEGER', 'beyond 2^53', ['9223372036854775807', '9223372036854775806'], true],
  ['f-NUMBER', 'numbers', [2, 1], true],
  ['f-DATE', 'dates', ['2026-01-02', '2026-01-01'], true],
  ['f-DATETIME', 'times with and without a fraction', ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5Z'], false],
  ['f-DATE', 'one day', ['2026-01-02', '2026-01-02'], false],
])('a range of %s that ends before it begins: %s', (id, _, values, backwards) => expect(isBackwards(column(id), values)).toBe(backwards))

test('a chip names some members of a long list', () => {
  const five: Condition = {column: 'f-TAGS', operator: 'hasAny', values: ['a', 'b', 'c', 'd', 'e']}
  expect(describe(column('f-TAGS'), five)).toBe('Field TAGS has any of a, b, c and 2 more')
  expect(describe(column('f-TAGS'), {...five, values: ['a', 'b, c']})).toBe('Field TAGS has any of a, “b, c”')
  expect(describe(column('f-SELECT'), {column: 'f-SELECT', operator: 'noneOf', values: ['o1', 'o2']})).toBe('Field SELECT is none of One, Two')
  expect(describe(column('f-DATE'), {column: 'f-DATE', operator: 'lt', values: ['2026-01-01']})).toBe('Field DATE is before Jan 1, 2026')
  expect(describe(num, {column: 'num', operator: 'between', values: ['1', '2']})).toBe('num is between 1 and 2')
})

test('a chip names users and teams', () => {
  const [assignees] = peopleColumns
  const options = ['Ada', 'Core', 'Doe, Jane'].map((name, i) => ({id: `p${i}`, name, color: null}))
  const c = {column: 'assignees', operator: 'hasAny', values: ['p0', 'p1']} as const
  expect(describe({...assignees!, options}, c)).toBe('Assignees has any of Ada, Core')
  expect(describe({...assignees!, options}, {...c, operator: 'hasNone', values: ['p2', 'p0']})).toBe('Assignees has none of “Doe, Jane”, Ada')
  const owner = {...column('f-USER'), options}
  expect(describe(owner, {column: owner.id, operator: 'anyOfUsers', values: ['p0', 'p1']})).toBe('Field USER is any of Ada, Core')
  expect(describe(owner, {column: owner.id, operator: 'noneOfUsers', values: ['p2']})).toBe('Field USER is none of Doe, Jane')
  expect(describe(owner, {column: owner.id, operator: 'anyOf', values: ['p0']})).toBe('Field USER has any of the names p0')
  expect(describe(owner, {column: owner.id, operator: 'isNameOnly', values: []})).toBe('Field USER is only a name')
  expect(describe(owner, {column: owner.id, operator: 'isNotNameOnly', values: []})).toBe('Field USER is not only a name')
  expect(describe(assignees!, {...c, operator: 'hasMe', values: []})).toBe('Assignees includes me')
  expect(describe(assignees!, {...c, operator: 'hasNotMe', values: []})).toBe('Assignees does not include me')
})

test('the condition for the value of a cell is for the user that it refers to, or else for the name', () => {
  const of = (value: Value) => conditionFor(column('f-USER'), value)
  expect(of(new PersonValue('Ann', user('Ann Lee')))).toEqual({column: 'f-USER', operator: 'anyOfUsers', values: ['u-Ann Lee']})
  expect(of(new PersonValue('Ann'))).toEqual({column: 'f-USER', operator: 'is', values: ['Ann']})
  expect(of(null)).toEqual({column: 'f-USER', operator: 'empty', values: []})
})

test('members of lists are counted one by one', () => {
  const c = (n: number): Condition => ({column: 'f-TAGS', operator: 'hasAny', values: Array.from({length: n}, (_, i) => `t${i}`)})
  expect(comparisons([c(3), {column: 'num', operator: 'between', values: ['1', '2']}, {column: 'f-DATE', operator: 'empty', values: []}])).toBe(5)
  const asked = (n: number) => isAsked(both(filterOf([c(n)], false, columns), {num: {between: {from: 1, to: 2}}}))
  expect(asked(99)).toBe(true)
  expect(asked(100)).toBe(false)
})

group('hostile URLs', () => {
  test.each([
    '',
    'null',
    '1',
    '"x"',
    '{}',
    '[',
    '[[]]',
    '[null]',
    '[["name"]]',
    '[["name","toString","x"]]',
    '[["name","constructor"]]',
    '[["name","__proto__"]]',
    '[[1,"is","x"]]',
    '[["name","is",null]]',
    '[["name","is",{}]]',
    '[["name","is",["x"]]]',
    '[{"column":"name","operator":"is"}]',
  ])('%s', text => expect(readConditions(text)).toEqual([]))
  test('what is a condition stays', () =>
    expect(readConditions('[0,["name","is","x"],["name","?"]]')).toEqual([{column: 'name', operator: 'is', values: ['x']}]))
  test('an unknown column is kept, so that it can be shown', () =>
    expect(readConditions('[["__proto__","is","x"]]')).toEqual([{column: '__proto__', operator: 'is', values: ['x']}]))
  test('numbers beyond all bounds filter nothing', () => expect(filterOf(readConditions('[["f-NUMBER","is",1e999]]'), false, columns)).toBeUndefined())
  test('nothing throws', () => {
    const values = ['', 'x', '-', '9'.repeat(500), 'garbage', '\u0000', '😀', 0, -1, 1e308, true]
    for (const c of columns) {
      for (const operator of operators) {
        for (const value of values) {
          const condition: Condition = {column: c.id, operator, values: [value, value]}
          fault(c, condition)
          describe(c, condition)
          const filter = filterOf([condition, {...condition, values: [value]}], false, columns)
          if (filter) expect(refused(filter)).toBeUndefined()
        }
      }
    }
  })
})
