import {describe, expect, test} from 'vitest'
import {examples, type Place, variablesText} from './examples'
import {exampleOf, readGiven, refilled, writeGiven} from './filling'

const place = (id: string): Place => ({id, key: 'K', name: 'N', fields: [], rows: []})
const first = examples[0]!

describe('refilled', () => {
  const old = {FirstPage: variablesText(first, place('old'))}
  const fresh = variablesText(first, place('new'))
  test.each([
    ['an example that was never filled', first.query, variablesText(first), fresh],
    ['one that another server has filled', first.query, variablesText(first, place('old')), fresh],
    ['one that was formatted since', first.query, '{"project":"old"}', fresh],
    ['one that is right', first.query, fresh, null],
    ['variables that somebody has written', first.query, '{"project": "mine"}', null],
    ['a query that somebody has written', first.query.replace('first: 5', 'first: 6'), variablesText(first), null],
    ['an empty tab', '', '', null],
  ])('%s', (_, query, variables, want) => {
    expect(refilled(query, variables, old, place('new'))).toBe(want)
  })
})

test('what was given is known at the next visit', () => {
  const kept = new Map<string, string>()
  const storage = {getItem: (name: string) => kept.get(name) ?? null, setItem: (name: string, text: string) => void kept.set(name, text)}
  expect(readGiven(storage)).toEqual({})
  writeGiven(storage, place('P'))
  expect(readGiven(storage)).toMatchObject({FirstPage: variablesText(first, place('P'))})
  storage.setItem('issuegrid:given', 'no JSON')
  expect(readGiven(storage)).toEqual({})
})

test('an example is known by its text, however it is laid out', () => {
  expect(exampleOf(first.query.replaceAll('\n', '\n  '))).toBe(first)
  expect(exampleOf('{ viewer { role } }')).toBeUndefined()
})
