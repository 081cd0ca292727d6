import {describe, expect, test} from 'vitest'
import type {Column} from '../model/columns'
import {columns as some} from '../test/fakeserver'
import {peopleColumns} from '../test/fixtures'
import {beginning, deed, nameOf, textOf, withNewest, withOlder, type Change} from './history'

const when: Column = {...some.text, id: 'f-when', label: 'Seen', type: 'DATETIME'}
const safe: Column = {...some.text, id: 'f-safe', label: 'Safe', type: 'BOOLEAN'}
const columns = [{...some.name, label: 'Name'}, {...some.state, label: 'State'}, ...peopleColumns, {...some.text, label: 'Vessel'}, when, safe]

const changed = (name: string, field: string | null = null): Change['columns'][number] => ({
  __typename: 'ColumnChange',
  name,
  field: field ? {__typename: 'CustomField', id: field} : null,
  before: null,
  after: null,
})
const change = (version: number, kind: Change['kind'] = 'UPDATED', ...columns: Change['columns']): Change => ({
  __typename: 'IssueChange',
  version,
  kind,
  at: '2026-01-01T00:00:00Z',
  by: null,
  columns,
})
const versions = (h: {changes: readonly Change[]}) => h.changes.map(c => c.version)

const actor = (kind: NonNullable<Change['by']>['kind'], name: string | null, user: string | null = null): Change['by'] => ({
  __typename: 'Actor',
  kind,
  name,
  user: user === null ? null : {__typename: 'User', id: 'u-1', name: user},
})
test.each([
  [null, 'Someone'],
  [actor('USER', null), 'Someone'],
  [actor('USER', 'ada'), 'ada'],
  [actor('USER', 'job'), 'job'],
  [actor('USER', 'auth0|4711', 'Ada Lovelace'), 'Ada Lovelace'],
  [actor('JOB', 'auth0|4711', 'Ada Lovelace'), 'Ada Lovelace (job)'],
  [actor('JOB', null), 'A job'],
  [actor('JOB', 'ada'), 'ada (job)'],
  [actor('IMPORT', null), 'An import'],
])('what made a change: %j is %s', (by, name) => expect(nameOf(by)).toBe(name))

describe('deeds', () => {
  const custom = changed('Vessel', 'f-text')
  test.each([
    [change(1, 'CREATED'), 'created the issue'],
    [change(2, 'DELETED'), 'moved the issue to the trash'],
    [change(2, 'UPDATED', changed('name')), 'changed Name'],
    [change(2, 'UPDATED', changed('name'), custom), 'changed Name and Vessel'],
    [change(2, 'UPDATED', changed('name'), changed('state'), custom), 'changed Name, State and Vessel'],
    [change(2, 'UPDATED', changed('name'), changed('state'), custom, changed('Seen', 'f-when')), 'changed 4 fields'],
    [change(2, 'UPDATED', changed('assignees'), changed('watchers')), 'changed Assignees and Watchers'],
    [change(2, 'UPDATED', changed('abc-123')), 'changed abc-123'],
    [change(2), 'changed nothing'],
  ])('%#: %s', (c, text) => expect(deed(c, columns)).toBe(text))

  test('a custom field that has the name of a built-in column is not that column', () => {
    expect(deed(change(2, 'UPDATED', changed('name', 'f-gone')), columns)).toBe('changed name')
  })
})

test('texts are as in the grid', () => {
  expect(textOf(changed('Safe', 'f-safe'), 'true', columns)).toBe('Yes')
  expect(textOf(changed('Seen', 'f-when'), '2026-01-31T10:00:00Z', columns)).toContain('2026')
  expect(textOf(changed('Seen', 'f-when'), 'last week', columns)).toBe('last week') // from before the type of the field changed
  expect(textOf(changed('Vessel', 'f-text'), 'Anna', columns)).toBe('Anna')
  expect(textOf(changed('Vessel', 'f-text'), '', columns)).toBeNull()
})

test('long texts are cut between words', () => {
  expect(beginning('short')).toBeNull()
  expect(beginning('word '.repeat(100))).toBe('word '.repeat(31) + 'word …')
  expect(beginning('x'.repeat(200))).toBe('x'.repeat(160) + ' …')
})

describe('pages of a history', () => {
  const known = {changes: [change(5), change(4)], after: 'c4'}
  test('new changes come before what is known', () => {
    const all = withNewest(known, {changes: [change(7), change(6), change(5)], after: 'c5'})
    expect(versions(all)).toEqual([7, 6, 5, 4])
    expect(all.after).toBe('c4')
  })
  test('a page that ends where the known ones begin', () =>
    expect(versions(withNewest(known, {changes: [change(7), change(6)], after: 'c6'}))).toEqual([7, 6, 5, 4]))
  test('after a gap, it begins again', () => {
    expect(withNewest(known, {changes: [change(9), change(8)], after: 'c8'})).toMatchObject({after: 'c8', changes: [{version: 9}, {version: 8}]})
  })
  test('the first page', () => expect(versions(withNewest(null, known))).toEqual([5, 4]))
  test('an older page', () =>
    expect(withOlder(known, {changes: [change(3)], after: null})).toMatchObject({after: null, changes: [{version: 5}, {version: 4}, {version: 3}]}))
})
