import {expect, test} from 'vitest'
import type {Column} from './columns'
import {searchFilter, wordsOf} from './search'

const column = (id: string, type: Column['type'], builtin?: Column['builtin']) => ({id, type, builtin, label: id, options: []}) as unknown as Column
const columns = [
  column('num', 'INTEGER', 'NUM'),
  column('name', 'TEXT', 'NAME'),
  column('createdby', 'USER', 'CREATED_BY'),
  column('t', 'TEXT'),
  column('long', 'LONG_TEXT'),
  column('n', 'NUMBER'),
  column('u', 'USER'),
]
const shown = [columns[6]!, columns[1]!]
const name = (word: string) => ({name: {contains: word}})
const field = (id: string, word: string, type = 'text') => ({fields: [{fieldId: id, [type]: {contains: word}}]})
const word = (w: string) => ({or: [name(w), field('u', w, 'user'), field('t', w)]})

test.each<[string, string[]]>([
  ['', []],
  ['  a  b ', ['a', 'b']],
  ['a A', ['a']],
  ['"a b" c', ['a b', 'c']],
  ['"a b', ['a b']],
  ['""', []],
  ['5" pipe', ['5"', 'pipe']],
])('%j has the words %j', (text, words) => expect(wordsOf(text)).toEqual(words))

const filter = (text: string, room = 100) => searchFilter(text, 'FLEET', columns, shown, room)
test.each<[string, unknown]>([
  ['', undefined],
  ['davit', word('davit')],
  ['davit lifeboat', {and: [word('davit'), word('lifeboat')]}],
  ['1500', {or: [{num: {eq: 1500}}, word('1500')]}],
  ['#12', {or: [{num: {eq: 12}}, word('#12')]}],
  ['fleet-12', {or: [{num: {eq: 12}}, word('fleet-12')]}],
  ['OTHER-12', word('OTHER-12')],
  ['99999999999', word('99999999999')],
])('%j', (text, want) => expect(filter(text)).toEqual(want))

test('the columns are as many as the limit of comparisons allows, the shown ones first', () => {
  expect(filter('a b', 5)).toEqual({and: [{or: [name('a'), field('u', 'a', 'user')]}, {or: [name('b'), field('u', 'b', 'user')]}]})
  expect(filter('12', 3)).toEqual({or: [{num: {eq: 12}}, {or: [name('12'), field('u', '12', 'user')]}]})
  expect(filter('a b', 2)).toEqual({and: [name('a'), name('b')]})
  expect(filter('a b', 1)).toBeNull()
})
