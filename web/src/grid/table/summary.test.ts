import {expect, test} from 'vitest'
import type {Column} from '../model/columns'
import type {Value} from '../model/values'
import {column} from '../test/fixtures'
import {summaryOf} from './summary'

const of = (type: Column['type'], ...values: Value[]) => values.map(v => [column(type), v] as const)
const texts = (cells: Parameters<typeof summaryOf>[0], locale = 'en-US') => Object.fromEntries(summaryOf(cells, locale).results)

test('the sum of integers is exact beyond 2^53', () => {
  expect(texts(of('INTEGER', '9007199254740993', '2'))).toMatchObject({Sum: '9,007,199,254,740,995'})
})

test('the sum of decimal fractions shows no rounding of binary ones', () => {
  expect(texts(of('NUMBER', 0.1, 0.2))).toMatchObject({Sum: '0.3', Average: '0.15'})
})

test('empty cells count as cells, not as zero', () => {
  const cells = [...of('NUMBER', 4, null, 8), ...of('TEXT', 'x', null)]
  expect(summaryOf(cells, 'en-US')).toMatchObject({cells: 5, filled: 3})
  expect(texts(cells)).toMatchObject({Sum: '12', Average: '6'})
})

test('the bounds of numbers of both types', () => {
  expect(texts([...of('NUMBER', -1.5, 3), ...of('INTEGER', '7')])).toMatchObject({Sum: '8.5'})
  const {results} = summaryOf(of('INTEGER', '12', '-3', '7'), 'en-US')
  expect(results.map(([label]) => label)).toEqual(['Sum', 'Average', 'Min', 'Max'])
})

test('the locale writes the sum', () => expect(texts(of('NUMBER', 1234.5), 'de-DE')).toMatchObject({Sum: '1.234,5'}))

test('dates have bounds', () => {
  const {results} = summaryOf(of('DATE', '2026-03-01', null, '2025-12-31'))
  expect(results.map(([label]) => label)).toEqual(['Earliest', 'Latest'])
  expect(results[0]![1]).toMatch(/2025/)
})

test('numbers of issues are not added up', () => expect(summaryOf([[column('INTEGER', {id: 'num'}), '1']]).results).toEqual([]))
test('texts have no results', () => expect(summaryOf(of('TEXT', 'a', 'b')).results).toEqual([]))
