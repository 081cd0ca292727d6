import {describe, expect, test} from 'vitest'
import type {IssueFilter} from '../../gql/graphql'
import {column, options, textColumn, user} from '../test/fixtures'
import {refused} from '../test/schema'
import {before} from './before'
import type {Column} from './columns'
import {orderOf, readSorts} from './sort'
import {PersonValue, type Value} from './values'

const columns: Column[] = [
  textColumn('num', {builtin: 'NUM', type: 'INTEGER'}),
  textColumn('name', {builtin: 'NAME'}),
  column('SELECT', {id: 'state', builtin: 'STATE'}),
  column('USER', {id: 'createdby', builtin: 'CREATED_BY'}),
  column('DATETIME', {id: 'created', builtin: 'CREATED_AT'}),
  column('TEXT', {id: 'text'}),
  column('NUMBER', {id: 'number'}),
  column('INTEGER', {id: 'integer'}),
  column('DATE', {id: 'date'}),
  column('DATETIME', {id: 'time'}),
  column('BOOLEAN', {id: 'truth'}),
  column('SELECT', {id: 'option'}),
  column('USER', {id: 'user'}),
]
const order = (text: string) => orderOf(readSorts(text), columns)

/** A row of a grid: its number, and its values by column. Most pairs have some values in common. */
type Row = {num: number; values: Record<string, Value>}
const rows: Row[] = Array.from({length: 60}, (_, i) => ({
  num: i + 1,
  values: {
    num: String(i + 1),
    name: `n${i % 4}`,
    state: options[i % 3]!.id,
    createdby: i % 4 === 0 ? null : new PersonValue(`u${i % 3}`),
    text: i % 5 === 0 ? null : `t${i % 3}`,
    number: i % 7 === 0 ? null : (i * 5) % 4,
    truth: i % 3 === 0 ? null : i % 2 === 0,
    option: i % 6 === 0 ? null : options[(i * 3) % 4]!.id,
  },
}))

/** Compares two values of a column as the server sorts them. */
function compare({type, options}: Column, a: Value, b: Value): number {
  if (type === 'USER') return String(a).localeCompare(String(b))
  if (a === b) return 0
  if (type === 'SELECT') return options.findIndex(o => o.id === a) - options.findIndex(o => o.id === b)
  return a! < b! ? -1 : 1
}

const sorted = (text: string): Row[] =>
  rows.toSorted((a, b) => {
    const keys = order(text)
    for (const {column, descending, emptyFirst} of keys) {
      if (column.id === 'num') return descending ? b.num - a.num : a.num - b.num
      const [x, y] = [a.values[column.id]!, b.values[column.id]!]
      if (x === null && y === null) continue
      if (x === null || y === null) return (x === null) === emptyFirst ? -1 : 1
      const by = compare(column, x, y)
      if (by !== 0) return descending ? -by : by
    }
    return keys.at(-1)!.descending ? b.num - a.num : a.num - b.num
  })

const members: Record<string, string> = {name: 'name', state: 'state', createdBy: 'createdby'}

/** Reports whether a row matches a filter of the forms that `before` returns. */
function matches(row: Row, filter: IssueFilter): boolean {
  return Object.entries(filter).every(([member, part]: [string, unknown]) => {
    if (member === 'and') return (part as IssueFilter[]).every(f => matches(row, f))
    if (member === 'or') return (part as IssueFilter[]).some(f => matches(row, f))
    if (member === 'num') return Object.entries(part as object).every(([o, n]) => (o === 'lt' ? row.num < n : row.num > n))
    if (member === 'fields')
      return (part as Record<string, unknown>[]).every(({fieldId, ...rest}) => {
        const comparison = ('isNull' in rest ? rest : Object.values(rest)[0]) as object
        return holds(
          columns.find(c => c.id === fieldId)!,
          row,
          comparison,
        )
      })
    return holds(
      columns.find(c => c.id === members[member])!,
      row,
      part as object,
    )
  })
}

function holds(column: Column, row: Row, comparison: object): boolean {
  const value = row.values[column.id]!
  return Object.entries(comparison).every(([operator, operand]: [string, Value]) => {
    if (operator === 'isNull') return (value === null) === operand
    if (value === null) return false
    if (operator === 'inIds') return (operand as string[]).includes(value as string)
    const by = compare(column, value, operand)
    return operator === 'eq' || operator === 'eqId' ? by === 0 : operator === 'lt' ? by < 0 : by > 0
  })
}

test.each([
  'num',
  '-num',
  'name',
  '-text.first',
  'text.first',
  '-truth',
  'state,name',
  '-state,text.first',
  'createdby.first,-state',
  'option,-truth.first,name',
  'truth,-number,state,text',
  '-number.first,truth.first,-option.first,-createdby',
  'state,-num',
  'num,name',
])('in the order %s, the counts of the filters are the index of each row', text => {
  sorted(text).forEach((row, index) => {
    const keys = order(text)
    const filters = before(
      keys,
      keys.map(k => row.values[k.column.id]!),
      row.num,
    )!
    for (const filter of filters) expect(refused(filter)).toBeUndefined()
    expect(filters.reduce((n, f) => n + rows.filter(r => matches(r, f)).length, 0)).toBe(index)
  })
})

describe('a row', () => {
  test('in the order of one column has two filters at most', () => {
    expect(before(order('num'), ['5'], 5)).toEqual([{num: {lt: 5}}])
    expect(before(order('-name'), ['x'], 5)).toEqual([{name: {gt: 'x'}}, {and: [{name: {eq: 'x'}}, {num: {gt: 5}}]}])
  })
  test('with a value of any type is compared as the schema has it', () => {
    const values: Record<string, Value> = {
      created: '2026-01-01T00:00:00Z',
      time: '2026-01-01T00:00:00.5Z',
      date: '2026-02-28',
      integer: '-7',
      user: new PersonValue('Ann', user('Ann Lee')),
    }
    for (const [id, value] of Object.entries(values))
      for (const text of [id, `-${id}.first`, `state,${id}`])
        for (const filter of before(order(text), text.includes('state') ? [options[1]!.id, value] : [value], 5)!) expect(refused(filter)).toBeUndefined()
  })
  test('with a long text is compared by its beginning, which ends with a whole character', () =>
    expect(before(order('name'), ['😀'.repeat(300)], 5)![0]).toEqual({name: {lt: '😀'.repeat(255)}}))
  test('with an option that is gone has no place', () => {
    expect(before(order('state'), ['o99'], 5)).toBeNull()
    expect(before(order('name,state'), ['x', 'o99'], 5)).toBeNull()
  })
})
