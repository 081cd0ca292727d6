import {expect, test} from 'vitest'
import {openTab, secretless, withoutSecrets} from './storage'

const token = '{"Authorization": "Bearer secret"}'

test.each([
  ['the headers of the editor', 'graphiql:headers', token],
  ['headers of tabs', 'graphiql:tabState', JSON.stringify({tabs: [{query: '{ a }', headers: token}], activeTabIndex: 0})],
  ['headers of the history', 'graphiql:queries', JSON.stringify({queries: [{query: '{ a }', headers: token}]})],
  ['headers of favorites', 'graphiql:favorites', JSON.stringify({favorites: [{query: '{ a }', headers: token}]})],
])('%s are not written', (_, name, value) => {
  expect(withoutSecrets(name, value) ?? '').not.toContain('secret')
})

test('a tab is still one', () => {
  expect(withoutSecrets('graphiql:tabState', '{"tabs":[{"query":"{ a }","headers":"{}"}]}')).toBe('{"tabs":[{"query":"{ a }","headers":null}]}')
})

test('everything else is written as it is', () => {
  const query = JSON.stringify({queries: [{query: '{ headers }', variables: '{ "headers": "a variable of this name" }'}]})
  expect(withoutSecrets('graphiql:queries', query)).toBe(query)
  expect(withoutSecrets('graphiql:theme', 'dark')).toBe('dark')
})

test('where the browser keeps nothing, the page does', () => {
  const storage = secretless(undefined)
  storage.setItem('graphiql:theme', 'dark')
  storage.setItem('issuegrid:given', '{}')
  expect([storage.getItem('graphiql:theme'), storage.length]).toEqual(['dark', 1])
  storage.clear()
  expect([storage.getItem('graphiql:theme'), storage.getItem('issuegrid:given'), storage.length]).toEqual([null, '{}', 0])
})

test.each([
  ['nothing', null, undefined],
  ['no tabs', '{"tabs":[],"activeTabIndex":0}', undefined],
  ['no JSON', 'x', undefined],
  ['the second of two', '{"tabs":[{"query":"a"},{"query":"b","variables":"{}"}],"activeTabIndex":1}', {query: 'b', variables: '{}'}],
  ['an empty one', '{"tabs":[{"query":null,"variables":null}],"activeTabIndex":0}', {query: '', variables: ''}],
])('the tab that was open, of %s', (_, stored, want) => {
  expect(openTab({getItem: () => stored})).toEqual(want)
})
