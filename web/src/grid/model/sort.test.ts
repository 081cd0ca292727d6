import {describe, expect, test} from 'vitest'
import {textColumn as column} from '../test/fixtures'
import {add, change, idle, isDefault, move, numberSort, only, orderBy, orderOf, readSorts, sortsOf, step, without, writeSorts} from './sort'

const all = [
  column('num', {builtin: 'NUM', type: 'INTEGER'}),
  column('name', {builtin: 'NAME'}),
  column('state', {builtin: 'STATE', type: 'SELECT'}),
  column('description', {builtin: 'DESCRIPTION', type: 'LONG_TEXT', sortable: false}),
  column('f1'),
  column('f2', {type: 'DATE'}),
  column('long', {type: 'LONG_TEXT', sortable: false}),
]

/** Reads an order as the URL has it; for the tables below. */
const sorts = (text: string) => readSorts(text)
const written = (list: Parameters<typeof writeSorts>[0]) => writeSorts(list) ?? 'num'

test.each([
  ['name', [{column: 'name', descending: false, emptyFirst: false}]],
  ['-num', [{column: 'num', descending: true, emptyFirst: false}]],
  ['-RjVmMjEvYzBkZS9mMDE.first', [{column: 'RjVmMjEvYzBkZS9mMDE', descending: true, emptyFirst: true}]],
  [
    'state,-name.first,f1',
    [
      {column: 'state', descending: false, emptyFirst: false},
      {column: 'name', descending: true, emptyFirst: true},
      {column: 'f1', descending: false, emptyFirst: false},
    ],
  ],
])('%s is read and written again', (text, list) => {
  expect(readSorts(text)).toEqual(list)
  expect(writeSorts(list)).toBe(text)
})

test.each([
  [null, null],
  ['', null],
  ['num', null],
  ['-', null],
  ['.first', null],
  ['--name', null],
  ['name.last', null],
  [',,', null],
  [',name,', 'name'],
  ['name,name', 'name'],
  ['name,-name.first,state', 'name,state'],
  ['name,..,state', 'name,state'],
  ['a,b,c,d,e,f', 'a,b,c,d'],
  ['a,a,b,c,d,e', 'a,b,c,d'],
  ['num,name', 'num,name'],
  ['__proto__,constructor', '__proto__,constructor'],
])('of %j, what is valid remains', (text, want) => {
  expect(writeSorts(readSorts(text))).toBe(want)
  expect(isDefault(readSorts(text))).toBe(want === null)
})

test('an order without columns is the default one', () => {
  expect(writeSorts([])).toBeNull()
  expect(isDefault([numberSort])).toBe(true)
})

test.each([
  ['num', 'num'],
  ['state,-f1.first', 'state,-f1.first'],
  ['gone,state', 'state'],
  ['state,gone,-f2', 'state,-f2'],
  ['gone', 'num'],
  ['-gone.first', 'num'],
  ['description', 'num'],
  ['long,description', 'num'],
  ['-num', '-num'],
  ['state,num', 'state,num'],
])('%s with the definitions of its columns is %s', (text, want) => {
  const order = orderOf(sorts(text), all)
  expect(written(sortsOf(order))).toBe(want)
  for (const key of order) expect(all).toContain(key.column)
})

test('the order as the API takes it', () => {
  expect(orderBy(orderOf(sorts('num'), all))).toEqual([{column: {builtin: 'NUM'}, direction: 'ASC', nulls: 'LAST'}])
  expect(orderBy(orderOf(sorts('state,-f1.first'), all))).toEqual([
    {column: {builtin: 'STATE'}, direction: 'ASC', nulls: 'LAST'},
    {column: {fieldId: 'f1'}, direction: 'DESC', nulls: 'FIRST'},
  ])
})

describe('an order is changed', () => {
  test.each([
    ['num', 'name', 'name'],
    ['name', 'name', '-name'],
    ['-name', 'name', 'name'],
    ['-name.first', 'name', 'name.first'],
    ['state,name', 'state', '-state'],
    ['state,-name', 'name', 'name'],
    ['state,name', 'f1', 'f1'],
    ['num', 'num', '-num'],
  ])('%s by a click on %s to %s', (before, id, after) => expect(written(only(sorts(before), id))).toBe(after))

  test.each([
    ['num', 'name', 'name'],
    ['-num', 'name', 'name,-num'],
    ['state', 'name', 'state,name'],
    ['state,name', 'name', 'state,-name'],
    ['state,-name', 'name', 'state'],
    ['state,name', 'state', '-state,name'],
    ['-state,name', 'state', 'name'],
    ['-name', 'name', 'num'],
    ['num', 'num', '-num'],
    ['-num', 'num', 'num'],
    ['state', 'num', 'state,num'],
    ['state,-num', 'name', 'state,name,-num'],
    ['a,b,c', 'd', 'a,b,c,d'],
    ['a,b,c,d', 'e', 'a,b,c,d'],
    ['a,b,c,num', 'e', 'a,b,c,num'],
    ['a,b,c,d', 'd', 'a,b,c,-d'],
  ])('%s by Shift+click on %s to %s', (before, id, after) => expect(written(step(sorts(before), id))).toBe(after))

  test('by a member of a key', () => {
    expect(written(change(sorts('state,name'), 'name', {descending: true}))).toBe('state,-name')
    expect(written(change(sorts('state,name'), 'state', {emptyFirst: true}))).toBe('state.first,name')
    expect(written(change(sorts('state,name'), 'gone', {emptyFirst: true}))).toBe('state,name')
    expect(written(without(sorts('state,name'), 'state'))).toBe('name')
    expect(written(without(sorts('state'), 'state'))).toBe('num')
    expect(written(add(sorts('state'), 'name'))).toBe('state,name')
  })

  test.each([
    ['a,b,c', 'c', 0, 'c,a,b'],
    ['a,b,c', 'a', 1, 'b,a,c'],
    ['a,b,c', 'a', 2, 'b,c,a'],
    ['a,b,c', 'b', -1, 'b,a,c'],
    ['a,b,c', 'b', 9, 'a,c,b'],
    ['a,-b.first,c', 'b', 0, '-b.first,a,c'],
    ['a,b,c', 'gone', 0, 'a,b,c'],
  ])('%s when %s moves to %d', (before, id, to, after) => expect(written(move(sorts(before), id, to))).toBe(after))

  test.each([
    ['state,name', ''],
    ['state,num', ''],
    ['num', ''],
    ['num,name', 'name'],
    ['state,-num,name,f1', 'name,f1'],
  ])('of %s, the columns after the number have no effect', (text, want) =>
    expect(
      idle(sorts(text))
        .map(s => s.column)
        .join(),
    ).toBe(want),
  )
})
