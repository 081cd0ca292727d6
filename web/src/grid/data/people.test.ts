import {describe, expect, test} from 'vitest'
import {found} from './people'
import type {Person} from '../model/people'
import {user as fixture} from '../test/fixtures'

const user = (name: string) => fixture(name, {id: name})
const team = (name: string): Person => ({__typename: 'Team', id: name, name, active: true})
const people = [user('Ada'), user('Änne'), user('Bob'), team('Admins')]
const names = (wanted: Partial<Parameters<typeof found>[1]>) =>
  found(people, {text: '', self: null, without: new Set(), teams: true, ...wanted}).map(p => p.name)

describe('the people that a picker offers', () => {
  test('all that the server found, in its order', () => {
    expect(names({})).toEqual(['Ada', 'Änne', 'Bob', 'Admins'])
  })
  test('the caller first, once', () => {
    expect(names({self: user('Bob')})).toEqual(['Bob', 'Ada', 'Änne', 'Admins'])
    expect(names({self: user('Zoe')})).toEqual(['Zoe', 'Ada', 'Änne', 'Bob', 'Admins'])
    expect(names({self: user('Zoe'), text: 'a'})).toEqual(['Ada', 'Änne', 'Admins'])
  })
  test('of an older answer, only those that begin with what is typed now, without regard to case and accents', () => {
    expect(names({text: 'AN'})).toEqual(['Änne'])
    expect(names({text: 'ad'})).toEqual(['Ada', 'Admins'])
  })
  test('not those that are chosen, and teams only where they can be chosen', () => {
    expect(names({without: new Set(['Ada']), teams: false})).toEqual(['Änne', 'Bob'])
  })
})
