import {afterAll, describe, expect, test} from 'vitest'
import type {CustomFieldType, RelativeTime} from '../../gql/graphql'
import {setMessages} from '../messages'
import {de} from '../messages/de'
import {en} from '../messages/en'
import {column} from '../test/fixtures'
import {refused} from '../test/schema'
import {comparisons, describe as chip, fault, filterOf, isAsked, isRelative, operatorsOf, readConditions, writeConditions, type Operator} from './conditions'
import {mostUnits, periods, positions, readRelative, showRelative, takesRelative, typedRelative, units, writeRelative, type Relative} from './relative'

const all: Relative[] = [
  ...positions.flatMap(position => periods.map(unit => ({is: 'period', position, unit}) as const)),
  ...units.flatMap(unit => [1, 7, -1, -mostUnits].flatMap(count => [{is: 'span', count, unit} as const, {is: 'point', count, unit} as const])),
  {is: 'point', count: 0, unit: 'day'},
]
const due = column('DATE', {id: 'due', label: 'Due'})
const created = column('DATETIME', {id: 'created', label: 'Created', builtin: 'CREATED_AT'})
const text = column('TEXT', {id: 'text', label: 'Text'})
const columns = [due, created, text]

test('an operand is read as it was written', () => {
  for (const r of all) expect(readRelative(writeRelative(r))).toEqual(r)
  expect(new Set(all.map(writeRelative)).size).toBe(all.length)
})

test.each([
  'last day',
  'this day',
  'today ',
  'Today',
  'last 0 days',
  'last 1001 days',
  'last 99999 days',
  'last 01 days',
  'last -1 days',
  'last 1.5 days',
  'last 7 day',
  'last 7 decades',
  'last days',
  '7 days',
  'last 7 days ago',
  'this 7 days',
  '0 days ago',
  'constructor',
  '',
  '2026-01-01',
])('%j is no relative time', operand => expect(readRelative(operand)).toBeNull())

test('nothing but a string is one', () => {
  for (const value of [0, 1, true, null, undefined, {}]) expect(readRelative(value)).toBeNull()
})

/** What the API is asked of a date and of a time; undefined if the operator does not take the operand. */
type Asked = Record<string, RelativeTime> | undefined
const week = (offset: number): RelativeTime => (offset === 0 ? {base: 'START_OF_WEEK'} : {base: 'START_OF_WEEK', offset, unit: 'WEEK'})
const now = (offset: number, unit: RelativeTime['unit']): RelativeTime => (offset === 0 ? {base: 'NOW'} : {base: 'NOW', offset, unit})

test.each<[Operator, string, Asked, Asked]>([
  [
    'is',
    'today',
    {gte: {base: 'START_OF_DAY'}, lt: {base: 'START_OF_DAY', offset: 1, unit: 'DAY'}},
    {gte: {base: 'START_OF_DAY'}, lt: {base: 'START_OF_DAY', offset: 1, unit: 'DAY'}},
  ],
  [
    'is',
    'yesterday',
    {gte: {base: 'START_OF_DAY', offset: -1, unit: 'DAY'}, lt: {base: 'START_OF_DAY'}},
    {gte: {base: 'START_OF_DAY', offset: -1, unit: 'DAY'}, lt: {base: 'START_OF_DAY'}},
  ],
  ['is', 'this week', {gte: week(0), lt: week(1)}, {gte: week(0), lt: week(1)}],
  ['is', 'last week', {gte: week(-1), lt: week(0)}, {gte: week(-1), lt: week(0)}],
  ['is', 'next week', {gte: week(1), lt: week(2)}, {gte: week(1), lt: week(2)}],
  ['is', 'last 7 days', {gt: now(-7, 'DAY'), lte: now(0, 'DAY')}, {gt: now(-7, 'DAY'), lte: now(0, 'DAY')}],
  ['is', 'next 2 quarters', {gte: now(0, 'QUARTER'), lt: now(2, 'QUARTER')}, {gte: now(0, 'QUARTER'), lt: now(2, 'QUARTER')}],
  ['is', 'last 24 hours', undefined, {gt: now(-24, 'HOUR'), lte: now(0, 'HOUR')}],
  ['is', '3 days ago', {eq: now(-3, 'DAY')}, undefined],
  ['is', 'now', undefined, undefined],
  ['lt', 'today', {lt: {base: 'START_OF_DAY'}}, {lt: {base: 'START_OF_DAY'}}],
  ['lte', 'this week', {lt: week(1)}, undefined],
  ['gt', 'last week', {gte: week(0)}, undefined],
  ['gte', 'next week', {gte: week(1)}, {gte: week(1)}],
  ['lt', '2 weeks ago', {lt: now(-2, 'WEEK')}, {lt: now(-2, 'WEEK')}],
  ['lte', '2 weeks ahead', {lte: now(2, 'WEEK')}, undefined],
  ['gt', '1 months ago', {gt: now(-1, 'MONTH')}, undefined],
  ['gte', '30 minutes ago', undefined, {gte: now(-30, 'MINUTE')}],
  ['lt', 'now', undefined, {lt: now(0, 'DAY')}],
  ['gte', 'last 7 days', undefined, undefined],
])('%s %s', (operator, operand, date, time) => {
  for (const [c, want] of [
    [due, date],
    [created, time],
  ] as const) {
    const condition = {column: c.id, operator, values: [operand]}
    const filter = filterOf([condition], false, columns)
    const wrapped = c === due ? {fields: [{fieldId: 'due', date: {relative: want}}]} : {createdAt: {relative: want}}
    expect(filter).toEqual(want && {and: [wrapped]})
    expect(isRelative(c, condition)).toBe(want !== undefined)
    if (filter) expect(refused(filter)).toBeUndefined()
  }
})

test('not in a period is the negation', () =>
  expect(filterOf([{column: 'due', operator: 'isNot', values: ['this week']}], false, columns)).toEqual({
    and: [{not: {fields: [{fieldId: 'due', date: {relative: {gte: week(0), lt: week(1)}}}]}}],
  }))

test.each([
  [['last week', 'next week'], {relative: {gte: week(-1), lt: week(2)}}],
  [['2026-01-01', 'today'], {gte: '2026-01-01', relative: {lt: {base: 'START_OF_DAY', offset: 1, unit: 'DAY'}}}],
  [['3 days ago', '2030-01-01'], {lte: '2030-01-01', relative: {gte: now(-3, 'DAY')}}],
  [['2026-01-01', '2026-12-31'], {between: {from: '2026-01-01', to: '2026-12-31'}}],
])('between %j', (values, want) => {
  const filter = filterOf([{column: 'due', operator: 'between', values}], false, columns)!
  expect(filter).toEqual({and: [{fields: [{fieldId: 'due', date: want}]}]})
  expect(refused(filter)).toBeUndefined()
})

describe('every relative time', () => {
  const conditions = [due, created].flatMap(c =>
    operatorsOf(c)
      .filter(o => !['empty', 'notEmpty'].includes(o))
      .flatMap(operator =>
        all.map(r => ({c, r, condition: {column: c.id, operator, values: operator === 'between' ? [writeRelative(r), writeRelative(r)] : [writeRelative(r)]}})),
      ),
  )
  test('that an operator takes is a filter of the schema, survives the URL, and is counted in full', () => {
    let taken = 0
    for (const {c, r, condition} of conditions) {
      expect(fault(c, condition) === null, JSON.stringify(condition)).toBe(takesRelative(c.type, condition.operator, r))
      const filter = filterOf([condition], false, columns)
      if (!filter) continue
      taken++
      expect(refused(filter)).toBeUndefined()
      expect(readConditions(writeConditions([condition]))).toEqual([condition])
      const list = {column: 'text', operator: 'anyOf' as const, values: Array.from({length: 100 - comparisons([condition])}, String)}
      expect(isAsked({and: [filter, {fields: [{fieldId: 'u', user: {in: list.values}}]}]})).toBe(true)
    }
    expect(taken).toBeGreaterThan(300)
  })
  test('is another value of other types', () => {
    expect(filterOf([{column: 'text', operator: 'is', values: ['today']}], false, columns)).toEqual({and: [{fields: [{fieldId: 'text', text: {eq: 'today'}}]}]})
    for (const type of ['TEXT', 'INTEGER', 'BOOLEAN', 'SELECT'] as CustomFieldType[]) expect(takesRelative(type, 'is', all[0]!)).toBe(false)
  })
})

describe('in words', () => {
  const [english, german] = [
    ['today', 'this week', 'last 7 days', 'next 1 weeks', '3 months ago', '2 quarters ahead', 'now'],
    ['heute', 'diese Woche', 'in den letzten 7 Tagen', 'in höchstens 1 Woche', 'vor 3 Monaten', 'in 2 Quartalen', 'jetzt'],
  ]
  afterAll(() => setMessages(en, 'en'))
  test('of the page', () => {
    const shown = () => english.map(o => showRelative(readRelative(o)!))
    expect(shown()).toEqual(['today', 'this week', 'in the last 7 days', 'in the next 1 week', '3 months ago', '2 quarters from now', 'now'])
    setMessages(de, 'de')
    expect(shown()).toEqual(german)
    setMessages(en, 'en')
  })
  test.each<[string, Operator, string[], string, string]>([
    ['due', 'is', ['this week'], 'Due is this week', 'Due ist diese Woche'],
    ['due', 'isNot', ['tomorrow'], 'Due is not tomorrow', 'Due ist nicht morgen'],
    ['created', 'is', ['last 24 hours'], 'Created is in the last 24 hours', 'Created ist in den letzten 24 Stunden'],
    ['due', 'lt', ['today'], 'Due is before today', 'Due liegt früher als heute'],
    ['created', 'gte', ['3 days ago'], 'Created is on or after 3 days ago', 'Created liegt nicht früher als vor 3 Tagen'],
    ['due', 'between', ['today', '2 weeks ahead'], 'Due is between today and 2 weeks from now', 'Due liegt im Zeitraum: heute bis in 2 Wochen'],
    ['due', 'between', ['2026-01-02', 'today'], 'Due is between Jan 2, 2026 and today', 'Due liegt im Zeitraum: Jan 2, 2026 bis heute'],
  ])('a chip of %s %s %j', (id, operator, values, inEnglish, inGerman) => {
    const c = columns.find(c => c.id === id)!
    expect(chip(c, {column: id, operator, values})).toBe(inEnglish)
    setMessages(de, 'de')
    expect(chip(c, {column: id, operator, values})).toBe(inGerman)
    setMessages(en, 'en')
  })
  test('as people type them', () => {
    const typed = (text: string) => {
      const r = typedRelative(text)
      return r && writeRelative(r)
    }
    const cases = [
      ['today', 'today'],
      [' Last  Week ', 'last week'],
      ['in the last 7 days', 'last 7 days'],
      ['last 7 days', 'last 7 days'],
      ['3 months ago', '3 months ago'],
      ['1 day ago', '1 days ago'],
      ['2 weeks from now', '2 weeks ahead'],
      ['+3d', '3 days ahead'],
      ['-2w', '2 weeks ago'],
      ['+1', '1 days ahead'],
      ['now', 'now'],
    ] as const
    for (const [text, want] of cases) expect(typed(text), text).toBe(want)
    for (const text of ['', '7', '7 days', '+0d', '+1001d', '1001 days ago', '2026-01-01', '12/24/2026', 'friday', 'heute'])
      expect(typed(text), text).toBeNull()
    setMessages(de, 'de')
    for (const [text, want] of [
      ['heute', 'today'],
      ['nächste Woche', 'next week'],
      ['vor 3 Tagen', '3 days ago'],
      ['in 2 Wochen', '2 weeks ahead'],
      ['in den letzten 30 Tagen', 'last 30 days'],
      ['today', 'today'],
    ] as const)
      expect(typed(text), text).toBe(want)
    setMessages(en, 'en')
  })
})
