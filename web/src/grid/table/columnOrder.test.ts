import {expect, test} from 'vitest'
import {arrangementOf, neighbor, pin, place, show, viewOf} from './columnOrder'
import {found, parseNumber} from '../model/columns'
import {newView} from '../model/view'
import {textColumn as column} from '../test/fixtures'

const all = [...['num', 'name', 'a', 'b', 'c', 'd'].map(id => column(id)), column('text', {showable: false})]
const view = {...newView('p'), columns: ['name', 'c', 'num', 'a', 'gone']}
const begun = arrangementOf(view, all)

test('begins with what is shown, pinned columns in front', () => {
  expect(begun.order).toEqual(['name', 'num', 'c', 'a', 'b', 'd'])
  expect(viewOf(begun)).toEqual({columns: ['name', 'num', 'c', 'a'], pinned: ['name', 'num']})
})

test('a column that is hidden and shown again is where it was', () => {
  const hidden = show(begun, ['c'], false)
  expect(viewOf(hidden).columns).toEqual(['name', 'num', 'a'])
  expect(viewOf(show(hidden, ['c'], true)).columns).toEqual(['name', 'num', 'c', 'a'])
  expect(show(begun, begun.order, false)).toBe(begun) // one column is always shown
})

test('columns change places with the next that is shown', () => {
  const both = show(begun, ['d'], true)
  expect(neighbor(both, 'd', -1)).toBe('a')
  expect(neighbor(both, 'c', -1)).toBeUndefined() // the pinned columns come first
  expect(neighbor(both, 'num', 1)).toBeUndefined()
  expect(neighbor(both, 'b', 1)).toBeUndefined() // hidden
  expect(viewOf(place(both, 'd', 'a')).columns).toEqual(['name', 'num', 'c', 'd', 'a'])
  expect(viewOf(place(both, 'c', 'a')).columns).toEqual(['name', 'num', 'a', 'c', 'd'])
  expect(viewOf(place(both, 'd', 'name')).columns).toEqual(['name', 'num', 'd', 'c', 'a'])
  expect(place(both, 'd', 'nowhere')).toBe(both)
})

test('pinning moves a column in front', () => {
  const pinned = pin(begun, 'a', true)
  expect(viewOf(pinned)).toEqual({columns: ['name', 'num', 'a', 'c'], pinned: ['name', 'num', 'a']})
  expect(viewOf(pin(pinned, 'name', false))).toEqual({columns: ['num', 'a', 'name', 'c'], pinned: ['num', 'a']})
})

test('columns are found without regard to case and accents', () => {
  const named = [column('1', {label: 'Größe'}), column('2', {label: 'Café'}), column('3', {label: 'Cost'})]
  expect(found(named, ' CAFE ').map(c => c.id)).toEqual(['2'])
  expect(found(named, 'c').map(c => c.id)).toEqual(['2', '3'])
  expect(found(named, '')).toHaveLength(3)
})

test.each<[string, number | null]>([
  ['12', 12],
  [' ab-12 ', 12],
  ['#12', 12],
  ['AB-2147483647', 2147483647],
  ['2147483648', null],
  ['0', null],
  ['XY-12', null],
  ['-12', null],
  ['1.5', null],
  ['', null],
])('the number of %j', (text, num) => expect(parseNumber({key: 'AB'}, text)).toBe(num))
