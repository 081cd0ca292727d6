import {describe, expect, test} from 'vitest'
import type {Entry} from './EntryList'
import {failureOf} from './jobs'
import {freshColor, palette} from '../model/colors'
import {inMemory} from './entries'
import {keyOf} from './keys'
import type {Job} from '../data/jobs'

test.each([
  ['Fleet', 'FLEET'],
  ['fleet repairs', 'FLEET'],
  ['Titanium Mobile SDK', 'TMS'],
  ['Überführung', 'UBERFUHRUN'],
  ['2026 roadmap', ''],
  ['R2 D2 and friends', 'RDAF'],
  ['日本', ''],
  ['  ', ''],
])('the key of %j is %j', (name, key) => {
  expect(keyOf(name)).toBe(key)
  expect(key === '' || /^[A-Z][A-Z0-9_]{0,9}$/.test(key)).toBe(true)
})

test('a new entry has a color that no other has', () => {
  const used: (string | null)[] = []
  for (const {color} of palette) {
    expect(freshColor(used)).toBe(color)
    used.push(color)
  }
  expect(freshColor(used)).toBe(null)
})

describe('a list in memory', () => {
  const list = (names: string) => {
    let entries: readonly Entry[] = [...names].map(name => ({id: name, name, color: null}))
    const act = () => inMemory(entries, next => (entries = next))
    return {act, names: () => entries.map(e => e.name).join('')}
  }

  test.each([
    ['a', 'c', 'bac'],
    ['a', null, 'bca'],
    ['c', 'a', 'cab'],
    ['b', 'b', 'abc'],
  ])('%s is moved before %s', (id, before, expected) => {
    const {act, names} = list('abc')
    act().onMove(id, before)
    expect(names()).toBe(expected)
  })

  test('entries are added, changed and removed', async () => {
    const {act, names} = list('ab')
    expect(await act().onAdd({name: 'c', color: null})).toBe(true)
    expect(await act().onChange('a', {name: 'A'})).toBe(true)
    act().onRemove('b')
    expect(names()).toBe('Ac')
  })
})

test('a failed job says which values are the reason', () => {
  const problems = [1, 2, 3, 4, 5, 6].map(num => ({__typename: 'JobProblem' as const, issue: `${num}`, num, reason: `“${num}” is no date`}))
  const job = {kind: 'CHANGE_FIELD_TYPE', status: 'FAILED', fieldName: 'Due', reason: null, problems, problemCount: 1200} as unknown as Job
  expect(failureOf(job, 'FLEET')).toBe(
    'Nothing was changed. Changing the type of “Due” failed: FLEET-1: “1” is no date; FLEET-2: “2” is no date; FLEET-3: “3” is no date; FLEET-4: “4” is no date; FLEET-5: “5” is no date; and 1,195 more.',
  )
  expect(failureOf({...job, status: 'DONE'}, 'FLEET')).toBe(null)
})
