import {expect, test} from 'vitest'
import {namesakes} from './names'
import {user} from '../test/fixtures'

const found = (names: string[], ...users: ReturnType<typeof user>[]) => Object.fromEntries([...namesakes(names, users)].map(([name, {id}]) => [name, id]))

test.each([
  ['a name is that of the user who has it', ['Ann', 'Bob'], {Ann: 'u-Ann'}],
  ['but for case and accents', ['ÄNN', ' ann '], {ÄNN: 'u-Ann', ' ann ': 'u-Ann'}],
  ['but not of one whose name begins with it', ['An', 'Ann Lee', ''], {}],
])('%s', (_, names, expected) => expect(found(names, user('Ann'))).toEqual(expected))

test('a name that several users have is that of none', () => {
  expect(found(['Ann', 'Bob'], user('Ann'), user('änn'), user('ANN'), user('Bob'))).toEqual({Bob: 'u-Bob'})
})

test('a user who was found for several names is one', () => {
  expect(found(['Ann', 'ann'], user('Ann'), user('Ann'))).toEqual({Ann: 'u-Ann', ann: 'u-Ann'})
})

test('a deactivated user is not chosen', () => {
  expect(found(['Ann'], user('Ann', {active: false}))).toEqual({})
})
