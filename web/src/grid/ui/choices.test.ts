import {expect, test} from 'vitest'
import {begun, matching} from './choices'

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
