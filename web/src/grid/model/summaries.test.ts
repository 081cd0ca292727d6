import {describe, expect, test} from 'vitest'
import type {CustomFieldType} from '../../gql/graphql'
import {column, peopleColumns, textColumn} from '../test/fixtures'
import {chosenOf, choose, partsOf, readChosen, shownFigure, writeChosen, type Part, type Summary} from './summaries'

const counts = ['filled', 'empty']
const numbers = [...counts, 'distinct', 'sum', 'average', 'median', 'min', 'max']
const times = [...counts, 'distinct', 'min', 'max']

test.each<[CustomFieldType, string[]]>([
  ['TEXT', [...counts, 'distinct']],
  ['USER', [...counts, 'distinct']],
  ['SELECT', [...counts, 'distinct']],
  ['INTEGER', numbers],
  ['NUMBER', numbers],
  ['DATE', times],
  ['DATETIME', times],
  ['BOOLEAN', [...counts, 'distinct', 'checked', 'percentChecked']],
])('a column of type %s has %j', (type, want) => expect(partsOf(column(type))).toEqual(want))

test.each<CustomFieldType>(['MULTI_SELECT', 'TAGS', 'LONG_TEXT'])('a column of type %s, which is not sortable, has counts', type =>
  expect(partsOf(column(type, {sortable: false}))).toEqual(counts),
)

test('built-in columns have no sums', () => {
  expect(partsOf(column('INTEGER', {builtin: 'NUM'}))).toEqual(times)
  expect(partsOf(column('DATETIME', {builtin: 'CREATED_AT'}))).toEqual(times)
  expect(partsOf(column('SELECT', {builtin: 'STATE'}))).toEqual([...counts, 'distinct'])
})

test('users and teams are not summarized', () => expect(peopleColumns.flatMap(partsOf)).toEqual([]))

describe('the URL', () => {
  test.each<[string | null, Record<string, Part>]>([
    [null, {}],
    ['', {}],
    ['f1:sum,state:filled', {f1: 'sum', state: 'filled'}],
    ['f1:sum,f1:max', {f1: 'max'}],
    ['f1:total,f2,:sum,f3:,f4:sum:max,f5:constructor', {}],
  ])('%s has the choice %j', (text, want) => expect(readChosen(text)).toEqual(want))

  test('has what was chosen', () => {
    const chosen = choose(choose(choose({}, 'a', 'sum'), 'b', 'filled'), 'a', 'max')
    expect(writeChosen(chosen)).toBe('b:filled,a:max')
    expect(readChosen(writeChosen(chosen))).toEqual(chosen)
    expect(writeChosen(choose(choose(chosen, 'a', null), 'b', null))).toBeNull()
  })
})

test('a field whose type has changed loses its summary', () => {
  const chosen = {a: 'sum', b: 'filled', gone: 'filled'} as const
  expect(chosenOf(chosen, [textColumn('a'), textColumn('b')]).map(([c, p]) => [c.id, p])).toEqual([['b', 'filled']])
  expect(chosenOf(chosen, [column('NUMBER', {id: 'a'})]).map(([c, p]) => [c.id, p])).toEqual([['a', 'sum']])
})

const shown = (type: CustomFieldType, part: Part, summary: Partial<Summary>) =>
  shownFigure(column(type), part, {summary: {precision: 'EXACT', ...summary}, problem: null}, 'en-US')

test.each<[CustomFieldType, Part, Partial<Summary>, string]>([
  ['TEXT', 'filled', {filled: 1234}, '1,234'],
  ['TEXT', 'empty', {empty: 0}, '0'],
  ['INTEGER', 'sum', {sum: 0}, '0'],
  ['INTEGER', 'sum', {sum: 1234567}, '1,234,567'],
  ['NUMBER', 'sum', {sum: 0.1 + 0.2}, '0.3'],
  ['NUMBER', 'average', {average: 2 / 3}, '0.67'],
  ['NUMBER', 'median', {median: 1234.5}, '1,234.5'],
  ['NUMBER', 'min', {min: '-0.125'}, '-0.125'],
  ['INTEGER', 'max', {max: '9007199254740993'}, '9,007,199,254,740,993'],
  ['DATE', 'min', {min: '2026-12-24'}, 'Dec 24, 2026'],
  ['BOOLEAN', 'percentChecked', {percentChecked: 12.345}, '12.3%'],
  ['BOOLEAN', 'percentChecked', {percentChecked: 100}, '100%'],
])('of a %s column, %s with %j is %s', (type, part, summary, text) => expect(shown(type, part, summary)).toEqual({text, spoken: text, reason: null}))

test.each<[Part, string]>([
  ['filled', '≥ 1,000'],
  ['distinct', '≥ 1,000'],
  ['checked', '≥ 1,000'],
])('a lower bound of %s is shown as such', (part, text) =>
  expect(shown('BOOLEAN', part, {precision: 'AT_LEAST', [part]: 1000})).toEqual({text, spoken: 'at least 1,000', reason: null}),
)

test.each<[CustomFieldType, Part, Partial<Summary>, string]>([
  ['NUMBER', 'sum', {sum: null}, 'Too many issues to summarize'],
  ['NUMBER', 'average', {average: null, sum: null}, 'Too many issues to summarize'],
  ['NUMBER', 'average', {average: null, sum: 0}, 'No values'],
  ['NUMBER', 'median', {median: null, sum: 0}, 'No values'],
  ['DATE', 'min', {min: null}, 'No values, or too many issues to find them'],
  ['BOOLEAN', 'percentChecked', {percentChecked: null}, 'No issues, or too many to count'],
])('of a %s column, %s with %j is a dash', (type, part, summary, reason) => expect(shown(type, part, summary)).toEqual({text: '–', spoken: reason, reason}))

test('a figure that failed says why', () => {
  const reason = 'The summary couldn’t be loaded: it is late'
  expect(shownFigure(textColumn('a'), 'filled', {summary: null, problem: 'it is late'})).toEqual({text: '!', spoken: reason, reason})
})
