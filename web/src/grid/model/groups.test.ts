import {describe, expect, test} from 'vitest'
import type {CustomFieldType} from '../../gql/graphql'
import {column, group, options, peopleColumns, textColumn, user} from '../test/fixtures'
import {
  boardKeyOf,
  canMove,
  folded,
  groupBy,
  groupingBy,
  groupKeyOf,
  groupName,
  isFolded,
  isGroupable,
  isSameGroup,
  noFold,
  readGrouping,
  valueIn,
  writeGrouping,
  type Group,
  type Grouping,
} from './groups'
import {PersonValue} from './values'

const plain = {descending: false, emptyFirst: false, range: null}

describe('the URL', () => {
  test.each<[string, Grouping]>([
    ['state', {...plain, column: 'state'}],
    ['-due.month', {...plain, column: 'due', descending: true, range: 'month'}],
    ['name.letter.first', {...plain, column: 'name', range: 'letter', emptyFirst: true}],
    ['cost.100', {...plain, column: 'cost', range: 100}],
    ['-cost.0.5.first', {column: 'cost', descending: true, emptyFirst: true, range: 0.5}],
    ['state.first', {...plain, column: 'state', emptyFirst: true}],
    ['cost.1e-7', {...plain, column: 'cost', range: 1e-7}],
    ['cost.1.5e+21.first', {...plain, column: 'cost', range: 1.5e21, emptyFirst: true}],
    ['cost.0.12345678901234', {...plain, column: 'cost', range: 0.12345678901234}],
  ])('%s is a grouping, and is written the same', (text, want) => {
    expect(readGrouping(text)).toEqual(want)
    expect(writeGrouping(want)).toBe(text)
  })

  test.each([null, '', '-', '.month', 'a.century', 'a.first.month', 'a.-5'])('%s is none', text => expect(readGrouping(text)).toBeNull())

  test('a width of zero is no width', () => expect(readGrouping('cost.0')?.range).toBeNull())
})

test.each<[CustomFieldType, boolean]>([
  ['TEXT', true],
  ['NUMBER', true],
  ['DATE', true],
  ['BOOLEAN', true],
  ['SELECT', true],
  ['USER', true],
  ['MULTI_SELECT', true],
  ['TAGS', true],
  ['LONG_TEXT', false],
])('issues are grouped by %s: %s', (type, want) => {
  expect(isGroupable(column(type, {sortable: !['MULTI_SELECT', 'TAGS', 'LONG_TEXT'].includes(type)}))).toBe(want)
})

test('issues are not grouped by users and teams', () => expect(peopleColumns.map(isGroupable)).toEqual([false, false]))

describe('of a column', () => {
  const columns = [
    column('INTEGER', {id: 'num', builtin: 'NUM'}),
    column('DATE', {id: 'due'}),
    column('NUMBER', {id: 'cost'}),
    column('INTEGER', {id: 'hours'}),
    column('LONG_TEXT', {id: 'report', sortable: false}),
    textColumn('name', {builtin: 'NAME'}),
  ]
  test.each<[string, object | null]>([
    ['name', {column: {builtin: 'NAME'}, direction: 'ASC', nulls: 'LAST'}],
    ['-name.letter.first', {column: {builtin: 'NAME'}, direction: 'DESC', nulls: 'FIRST', firstLetter: true}],
    ['due.week', {column: {fieldId: 'due'}, direction: 'ASC', nulls: 'LAST', period: 'WEEK'}],
    ['cost.0.5', {column: {fieldId: 'cost'}, direction: 'ASC', nulls: 'LAST', width: 0.5}],
    ['hours', {column: {fieldId: 'hours'}, direction: 'ASC', nulls: 'LAST'}],
    // Ranges that the column does not have.
    ['due', {column: {fieldId: 'due'}, direction: 'ASC', nulls: 'LAST', period: 'MONTH'}],
    ['hours.0.5', {column: {fieldId: 'hours'}, direction: 'ASC', nulls: 'LAST'}],
    ['hours.month', {column: {fieldId: 'hours'}, direction: 'ASC', nulls: 'LAST'}],
    ['num', {column: {builtin: 'NUM'}, direction: 'ASC', nulls: 'LAST', width: 100}],
    ['report', null],
    ['gone', null],
  ])('%s is sent as %j', (text, want) => {
    const key = groupKeyOf(readGrouping(text), columns)
    expect(key && groupBy(key)).toEqual(want)
  })
})

const from = (from: string, to: string | null = null) => group({name: from, from, to})

test.each<[CustomFieldType, Grouping['range'], Group, string]>([
  ['SELECT', null, group({name: 'Low', option: 'o0'}), 'Low'],
  ['SELECT', null, group({name: 'New one', option: 'o99'}), 'New one'],
  ['SELECT', null, group({}), 'No SELECT'],
  ['BOOLEAN', null, group({name: 'false', boolean: false}), 'No'],
  ['USER', null, group({name: 'Ann', text: 'Ann'}), 'Ann'],
  ['TEXT', 'letter', group({name: 'a', text: 'a'}), 'A'],
  ['INTEGER', 10, from('-10', '0'), '-10 to -1'],
  ['INTEGER', 1000, from('1000', '2000'), '1,000 to 1,999'],
  ['INTEGER', 1000, from('9223372036854775000'), '9,223,372,036,854,775,000 or more'],
  ['INTEGER', null, from('1234'), '1,234'],
  ['NUMBER', 0.5, from('0.5', '1'), '0.5 to below 1'],
  ['DATE', 'day', from('2026-02-01', '2026-02-02'), 'Feb 1, 2026'],
  ['DATE', 'week', from('2026-02-02', '2026-02-09'), 'Week of Feb 2, 2026'],
  ['DATE', 'month', from('2026-02-01', '2026-03-01'), 'February 2026'],
  ['DATE', 'quarter', from('2026-04-01', '2026-07-01'), 'Q2 2026'],
  ['DATE', 'year', from('2026-01-01', '2027-01-01'), '2026'],
])('a group of %s by %s is named after its values', (type, range, g, name) => {
  expect(groupName({...plain, column: column(type), range}, g, 'en-US')).toBe(name)
})

test('collapsing', () => {
  const one = folded(noFold, 'a', true)
  expect([isFolded(one, 'a'), isFolded(one, 'b')]).toEqual([true, false])
  expect(folded(one, 'a', true)).toBe(one)
  expect(folded(one, 'a', false)).toEqual(noFold)
  const all = {all: true, keys: []}
  const but = folded(all, 'a', false)
  expect([isFolded(but, 'a'), isFolded(but, 'b')]).toEqual([false, true])
  expect(folded(but, 'a', true)).toEqual(all)
})

describe('moving to a group', () => {
  test.each<[CustomFieldType, Partial<Group>, unknown]>([
    ['SELECT', {option: 'o1', name: options[1]!.name}, 'o1'],
    ['BOOLEAN', {boolean: false, name: 'false'}, false],
    ['USER', {text: 'Ann', name: 'Ann'}, new PersonValue('Ann')],
    ['USER', {}, null],
    ['TEXT', {text: 'x', name: 'x'}, undefined],
    ['TAGS', {text: 'x', name: 'x'}, undefined],
    ['MULTI_SELECT', {option: 'o1', name: 'x'}, undefined],
    ['DATE', {from: '2026-01-01', name: 'x'}, undefined],
  ])('a %s becomes that of %j: %j', (type, g, want) => expect(valueIn({...groupingBy(column(type)), column: column(type)}, group(g))).toEqual(want))

  test('people are in the same group by the names of their values', () => {
    const renamed = new PersonValue('Ann', user('Ann Lee'))
    expect(isSameGroup(renamed, new PersonValue('Ann'))).toBe(true)
    expect(isSameGroup(renamed, new PersonValue('Ann Lee'))).toBe(false)
    expect(isSameGroup(renamed, null)).toBe(false)
  })

  test('is not possible where the value cannot change', () => {
    expect(canMove({...plain, column: column('SELECT', {editable: false})})).toBe(false)
    expect(canMove({...plain, range: 'letter', column: column('USER')})).toBe(false)
    expect(valueIn({...plain, column: column('SELECT', {required: true})}, group({}))).toBeUndefined()
  })
})

test('a board without groups, or with those of a column that is gone, is grouped by state', () => {
  const state = column('SELECT', {id: 'state', builtin: 'STATE'})
  const cost = column('NUMBER', {id: 'cost'})
  const columns = [state, cost]
  expect(boardKeyOf(null, columns)).toEqual({...plain, column: state})
  expect(boardKeyOf({...plain, column: 'gone'}, columns)?.column).toBe(state)
  expect(boardKeyOf({...plain, column: 'cost', range: 10}, columns)).toEqual({...plain, column: cost, range: 10})
})
