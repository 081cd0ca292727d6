import {describe, expect, test} from 'vitest'
import type {Grid} from '../context/context'
import type {Column} from '../model/columns'
import type {Group, GroupKey} from '../model/groups'
import {column, group, user} from '../test/fixtures'
import {groupWith, isMovable, targets, whyNotMovable} from './moves'
import {PersonValue} from '../model/values'
import {headerHeight} from './layout'
import {lineAt} from './useRowDrag'

const stateColumn = column('SELECT', {
  id: 'state',
  builtin: 'STATE',
  label: 'State',
  options: [
    {id: 'o', name: 'open', color: null},
    {id: 'c', name: 'closed', color: null},
  ],
})
const keyOf = (column: Column, range: GroupKey['range'] = null): GroupKey => ({column, range, descending: false, emptyFirst: false})
const groupOf = (part: Partial<Group>): Group => group({name: 'n', ...part})
const gridOf = (key: GroupKey | null, viewerCanEdit = true) => ({groups: key && {key}, project: {viewerCanEdit}}) as unknown as Grid

describe('issues can be moved', () => {
  test('between single values that can be edited', () => {
    expect(isMovable(gridOf(keyOf(stateColumn)))).toBe(true)
    expect(isMovable(gridOf(keyOf(column('USER'))))).toBe(true)
    expect(isMovable(gridOf(keyOf(column('BOOLEAN'))))).toBe(true)
  })

  test.each([
    ['texts', gridOf(keyOf(column('TEXT')))],
    ['several options', gridOf(keyOf(column('MULTI_SELECT')))],
    ['first letters', gridOf(keyOf(column('USER'), 'letter'))],
    ['what cannot be edited', gridOf(keyOf({...stateColumn, editable: false}))],
    ['readers', gridOf(keyOf(stateColumn), false)],
    ['no groups', gridOf(null)],
  ])('not for %s, with a reason', (_, grid) => {
    expect(isMovable(grid)).toBe(false)
    expect(whyNotMovable(grid)).toMatch(/\w{3}/)
  })
})

test('the targets are all options, both Booleans, or the known users, and no value where that is possible', () => {
  expect(targets(keyOf(stateColumn), [])).toEqual([
    {name: 'open', value: 'o'},
    {name: 'closed', value: 'c'},
  ])
  const boolean = keyOf(column('BOOLEAN'))
  expect(targets(boolean, []).map(t => t.value)).toEqual([true, false, null])
  const user = keyOf(column('USER', {required: true}))
  const groups = [groupOf({key: 'a', text: 'Ann'}), groupOf({key: 'n', name: null})]
  expect(targets(user, groups)).toEqual([{name: 'Ann', value: new PersonValue('Ann')}])
})

test('the group of a value is found', () => {
  const groups = [groupOf({key: 'a', option: 'o'}), groupOf({key: 'b', option: 'c'}), groupOf({key: 'n', name: null})]
  expect([groupWith(keyOf(stateColumn), groups, 'c')?.key, groupWith(keyOf(stateColumn), groups, 'x'), groupWith(keyOf(stateColumn), groups, null)]).toEqual([
    'b',
    undefined,
    undefined,
  ])
  const field = column('SELECT', {options: stateColumn.options})
  expect(groupWith(keyOf(field), groups, null)?.key).toBe('n')
  const people = [groupOf({key: 'a', text: 'Ann'}), groupOf({key: 'b', text: 'Bob'})]
  expect(groupWith(keyOf(column('USER')), people, PersonValue.of(user('Bob')))?.key).toBe('b')
})

test('a row is dropped on the line below the pointer, and outside of the lines on none', () => {
  const box = {top: 100, bottom: 500}
  const at = (y: number, scrollTop = 0) => lineAt(y, box, scrollTop, 34)
  expect([at(100 + headerHeight - 1), at(100 + headerHeight), at(100 + headerHeight + 34), at(500), at(501)]).toEqual([-1, 0, 1, 10, -1])
  // Scrolled by half a row: the header of the group of the first line covers what is below it.
  expect([at(100 + headerHeight + 30, 51), at(100 + headerHeight + 34, 51)]).toEqual([1, 2])
})
