import {describe, expect, test} from 'vitest'
import {PersonValue} from '../model/values'
import {user} from '../test/fixtures'
import {begun, matching, peopleChoices, usersNamed} from './choices'

const entries = ['Medium', 'High', 'Not medium', 'Älter', 'mediation', 'In progress'].map(name => ({id: name, name}))

test.each<[string, string[]]>([
  ['', entries.map(e => e.name)],
  ['  ', entries.map(e => e.name)],
  ['med', ['Medium', 'mediation', 'Not medium']],
  [' MEDIUM', ['Medium', 'Not medium']],
  ['alt', ['Älter']],
  ['ÄLT', ['Älter']],
  ['prog', ['In progress']],
  ['rogr', ['In progress']],
  ['high!', []],
])('%j finds %j', (text, names) => expect(matching(entries, text).map(e => e.name)).toEqual(names))

const words = ['Schaden', 'Schäden', 'Café', 'Masse'].map(name => ({id: name, name}))

test.each<[string, string | null]>([
  ['schäden', 'Schäden'],
  ['SCHADEN', 'Schaden'],
  ['Scha\u0308den', 'Schäden'],
  ['scha', 'Schaden'],
  ['cafe', 'Café'],
  ['ｃａｆｅ', 'Café'],
  ['Cafè', null],
  ['Mässe', null],
])('Enter after %j chooses %j', (text, name) => {
  const found = matching(words, text)
  expect(found[begun(found, text)]?.name ?? null).toBe(name)
})

describe('people', () => {
  const zoe = user('Zoë')
  const name = (name: string) => new PersonValue(name)
  const listed = (...args: Parameters<typeof peopleChoices>) => peopleChoices(...args).map(c => (c.user ? `user ${c.name}` : c.name))

  test('are the found users in their order, and then the known ones', () => {
    expect(listed([zoe, user('Ann')], [name('Bea'), PersonValue.of(user('Carl'))])).toEqual(['user Zoë', 'user Ann', 'Bea', 'user Carl'])
  })
  test('are each one choice: a user by any name of a value, and a name that is that of a user', () => {
    expect(listed([zoe], [new PersonValue('Zoe Old', zoe), PersonValue.of(zoe)])).toEqual(['user Zoë'])
    expect(listed([zoe], [name('zoe'), name('ZOË'), name('Zoe B')])).toEqual(['user Zoë', 'Zoe B'])
    expect(listed([], [name('zoe'), PersonValue.of(zoe)])).toEqual(['user Zoë'])
    expect(listed([], [name('zoe'), name('Zoe')])).toEqual(['zoe', 'Zoe'])
  })
  test('are not those who are deactivated, and two users with one name are two', () => {
    expect(listed([], [PersonValue.of({...zoe, active: false})])).toEqual([])
    expect(listed([zoe, user('Zoe')], [])).toEqual(['user Zoë', 'user Zoe'])
  })
  test('are named by a text without regard to case and accents, if they are users', () => {
    const choices = peopleChoices([zoe, user('Zoe'), user('Ann')], [name('Bea')])
    const named = (text: string) => usersNamed(choices, text).map(c => c.name)
    expect([named(' ZOE '), named('ann'), named('an'), named('bea')]).toEqual([['Zoë', 'Zoe'], ['Ann'], [], []])
  })
})
