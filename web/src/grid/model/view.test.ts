import {describe, expect, test} from 'vitest'
import type {Condition} from './conditions'
import {readSorts} from './sort'
import {maxWidth, minWidth, newView, readView, shownColumns, writeView, type View} from './view'
import {textColumn as column} from '../test/fixtures'

const usual = newView('UDVmMjEvYzBkZQ')
const id = 'RjVmMjEvYzBkZS9mMDE'

const views: Record<string, Partial<View>> = {
  usual: {},
  'no project': {project: null},
  'by name': {sort: [{column: 'name', descending: false, emptyFirst: false}]},
  'descending by number': {sort: [{column: 'num', descending: true, emptyFirst: false}]},
  'by a field, empty values first': {sort: [{column: id, descending: true, emptyFirst: true}]},
  'by four columns': {sort: readSorts(`state,-${id}.first,name.first,-num`)},
  'one condition': {conditions: [{column: 'name', operator: 'contains', values: ['a & b = c #1, “x”: 100% + \\ " \' <>']}]},
  'any of conditions': {
    any: true,
    conditions: [
      {column: 'state', operator: 'anyOf', values: ['UzVm', 'UzVn-_']},
      {column: id, operator: 'between', values: [1.5, -2]},
      {column: id, operator: 'is', values: [false]},
      {column: id, operator: 'empty', values: []},
      {column: 'gone', operator: 'is', values: ['💥\u0000\n\t']},
    ],
  },
  summaries: {summaries: {state: 'filled', [id]: 'percentChecked'}},
  groups: {group: {column: id, descending: true, emptyFirst: true, range: 'month'}, fold: {all: false, keys: ['oopen', 'vgA-_']}},
  'groups, all of them collapsed': {group: {column: 'state', descending: false, emptyFirst: false, range: null}, fold: {all: true, keys: []}},
  'groups, all but one collapsed': {group: {column: id, descending: false, emptyFirst: false, range: 0.5}, fold: {all: true, keys: ['n']}},
  'a board by state': {layout: 'board'},
  'a board by state, with collapsed columns': {layout: 'board', fold: {all: false, keys: ['oopen']}},
  'a board': {layout: 'board', group: {column: id, descending: false, emptyFirst: false, range: null}, fold: {all: true, keys: ['oopen']}},
  'no columns': {columns: []},
  columns: {columns: ['num', id, 'name']},
  'nothing pinned': {pinned: []},
  pinned: {pinned: [id, 'num']},
  widths: {widths: {num: minWidth, [id]: maxWidth, name: 321}},
  'a filter of the API': {filter: {not: {name: {contains: 'a & "b"'}}}},
  'a saved view': {saved: 'VjVmMjEvYzBkZS92MDE'},
  'compact rows': {size: 'compact'},
  'tall rows': {size: 'tall'},
  'a place': {at: {cursor: 'AbC_-9', index: 12345}},
  'a place in an order of several columns, with a time': {at: {cursor: 'AbC_-9~x~Yz.1764110069123456', index: 12345}},
  'an issue': {issue: 7},
  everything: {
    sort: [{column: 'updated', descending: true, emptyFirst: true}],
    conditions: [{column: 'name', operator: 'is', values: ['x']}],
    any: true,
    columns: ['updated'],
    pinned: ['updated'],
    widths: {updated: 100},
    size: 'tall',
    at: {cursor: 'x', index: 0},
    issue: 999_999_999,
  },
}

describe('a view survives the URL', () => {
  test.each(Object.keys(views))('%s', name => {
    const view = {...usual, ...views[name]}
    expect(readView(writeView(view))).toEqual(view)
    expect(writeView(readView(writeView(view)))).toBe(writeView(view))
  })
  test('of all pairs of them, too', () => {
    for (const a of Object.values(views))
      for (const b of Object.values(views)) expect(readView(writeView({...usual, ...a, ...b}))).toEqual({...usual, ...a, ...b})
  })
  test('with random texts', () => {
    let seed = 1
    const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n
    const alphabet = [...'abz09,:;"\'\\[]{}&=+%#?/ äß💥\u0000\n']
    for (let i = 0; i < 300; i++) {
      const text = Array.from({length: random(20)}, () => alphabet[random(alphabet.length)]).join('')
      const condition: Condition = {column: text, operator: 'contains', values: [text, random(1000) / 8, random(2) === 0]}
      const view = {...usual, conditions: [condition]}
      expect(readView(writeView(view))).toEqual(view)
    }
  })
  test('and the usual one says nothing', () => {
    expect(writeView(newView(null))).toBe('')
    expect(writeView(usual)).toBe('?project=UDVmMjEvYzBkZQ')
  })
})

test('an order of several columns can be read in the URL', () =>
  expect(writeView({...newView(null), sort: readSorts('state,-name.first')})).toBe('?sort=state,-name.first'))

test.each([
  '?sort=',
  '?sort=-',
  '?sort=.first',
  '?where=',
  '?where=[[',
  '?where=%',
  '?where=%00',
  '?match=all',
  '?match=ANY',
  '?rows=',
  '?rows=normal',
  '?rows=huge',
  '?widths=',
  '?widths=num',
  '?widths=num:',
  '?widths=:5',
  '?widths=num:-5',
  '?at=',
  '?at=5',
  '?at=:x',
  '?at=5:',
  '?at=-5:x',
  '?at=1e3:x',
  '?at=99999999999999999999:x',
  '?at=5:<script>',
  '?filter=',
  '?filter={',
  '?filter=null',
  '?filter=[]',
  '?filter=1',
  '?saved=',
  '?issue=',
  '?issue=0',
  '?issue=-1',
  '?issue=1.5',
  '?issue=1e3',
  '?issue=0x10',
  '?issue=%201',
  '?issue=9999999999999',
  '?constructor=1',
  '?__proto__=1',
  '?&&&===',
])('%s is as if nothing were said', query => expect(readView(query)).toEqual(newView(null)))

test('what is said twice counts once', () => {
  expect(readView('?columns=num,name,num,,name').columns).toEqual(['num', 'name'])
  expect(readView('?pinned=num,num').pinned).toEqual(['num'])
  expect(readView('?issue=1&issue=2').issue).toBe(1)
})

test('widths stay within bounds', () => {
  expect(readView('?widths=num:1,name:999999999999,x:70').widths).toEqual({num: minWidth, name: maxWidth, x: 70})
  expect(Object.keys(readView('?widths=__proto__:70').widths)).toEqual(['__proto__'])
})

const all = [
  column('num', {builtin: 'NUM', type: 'INTEGER'}),
  column('name', {builtin: 'NAME'}),
  column('state', {builtin: 'STATE', type: 'SELECT'}),
  column('description', {builtin: 'DESCRIPTION', type: 'LONG_TEXT', sortable: false, showable: false}),
  column('created', {builtin: 'CREATED_AT', type: 'DATETIME'}),
  column('updated', {builtin: 'UPDATED_AT', type: 'DATETIME'}),
  column('long', {type: 'LONG_TEXT', sortable: false}),
  ...Array.from({length: 20}, (_, i) => column(`f${i}`)),
]
const ids = (view: Partial<View>) => shownColumns({...usual, ...view}, all).map(c => c.id)

test('columns that are shown', () => {
  expect(ids({})).toEqual(['num', 'name', 'state', ...Array.from({length: 12}, (_, i) => `f${i}`), 'created', 'updated'])
  expect(ids({columns: ['f3', 'gone', 'name', 'description', 'long']})).toEqual(['name', 'f3', 'long'])
  expect(ids({columns: ['name', 'f1', 'f2'], pinned: ['f2']})).toEqual(['f2', 'name', 'f1'])
  expect(ids({columns: []})).toEqual([])
})
