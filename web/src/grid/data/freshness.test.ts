import {ApolloClient, ApolloLink} from '@apollo/client'
import {of} from 'rxjs'
import {expect, test} from 'vitest'
import {GridRowFragmentDoc} from '../../gql/graphql'
import type {Row} from '../model/columns'
import {newCache} from './client'
import {differences, Freshness} from './freshness'
import {readRow} from './source'

const row = (id: string, version: number, text: string, name = 'A name'): Row => ({
  __typename: 'Issue',
  id,
  num: 1,
  name,
  version,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: `2026-01-01T00:00:0${version}Z`,
  createdByName: null,
  updatedByName: null,
  state: {__typename: 'State', id: 's'},
  values: [{__typename: 'TextValue', text}],
})

/** Returns what is read again of two cached issues, and what the cache has then. */
async function read(nodes: readonly (Row | null)[]) {
  const errors = nodes.includes(null) ? [{message: 'there is no such issue', extensions: {code: 'NOT_FOUND'}}] : undefined
  const client = new ApolloClient({cache: newCache(), link: new ApolloLink(() => of<ApolloLink.Result>({data: {nodes}, errors}))})
  for (const id of ['a', 'b'])
    client.cache.writeFragment({
      id: `Issue:${id}`,
      fragment: GridRowFragmentDoc,
      fragmentName: 'GridRow',
      variables: {fields: ['f']},
      data: row(id, 2, 'before'),
    })
  const freshness = new Freshness(client)
  const {gone, changed} = await freshness.read(['a', 'b'], ['f'])
  const texts = ['a', 'b'].map(id => (readRow(client.cache, id, ['f'])?.values?.[0] as {text: string}).text)
  return {gone: [...gone], changed, texts, fresh: Object.fromEntries(freshness.snapshot())}
}

test('a newer version replaces the row, and its changed columns are told', async () => {
  expect(await read([row('a', 3, 'after'), row('b', 2, 'before')])).toEqual({
    gone: [],
    changed: ['updated', 'f'],
    texts: ['after', 'before'],
    fresh: {a: ['updated', 'f']},
  })
})

test('an older response changes nothing', async () => {
  expect(await read([row('a', 1, 'older'), row('b', 2, 'before')])).toEqual({gone: [], changed: [], texts: ['before', 'before'], fresh: {}})
})

test('the same version replaces cells that the cache has from before', async () => {
  expect(await read([row('a', 2, 'after'), row('b', 2, 'before')])).toMatchObject({changed: ['f'], texts: ['after', 'before'], fresh: {a: ['f']}})
})

test('an issue that is gone does not hide the change of another', async () => {
  expect(await read([null, row('b', 3, 'after')])).toMatchObject({gone: ['a'], texts: ['before', 'after']})
})

test('another error is an error', async () => {
  const client = new ApolloClient({
    cache: newCache(),
    link: new ApolloLink(() => of<ApolloLink.Result>({data: {nodes: [null]}, errors: [{message: 'busy', extensions: {code: 'UNAVAILABLE'}}]})),
  })
  await expect(new Freshness(client).read(['a'], [])).rejects.toThrow('busy')
})

test('the differences of two versions are columns', () => {
  expect(differences(row('a', 1, 'x'), {...row('a', 1, 'x', 'New'), state: {__typename: 'State', id: 't'}}, ['f'])).toEqual(['name', 'state'])
})
