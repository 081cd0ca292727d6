import {expect, test} from 'vitest'
import {choose} from './place'

const project = (id: string, issues: number, ...types: string[]) => ({
  id,
  fields: types.map(type => ({type, sortable: type !== 'TAGS'})),
  issues: {nodes: Array.from({length: issues}, (_, n) => ({id: `${n}`}))},
})

const tenant = (...nodes: ReturnType<typeof project>[]) => ({projects: {nodes}})

test.each([
  ['none', [], undefined],
  ['tenants without projects', [tenant()], undefined],
  ['an empty one, if there is no other', [tenant(project('a', 0))], 'a'],
  ['one with issues before one with fields', [tenant(project('a', 0, 'SELECT')), tenant(project('b', 1))], 'b'],
  ['one with options', [tenant(project('a', 1, 'DATE'), project('b', 1, 'SELECT'))], 'b'],
  ['one with a field to sort by', [tenant(project('a', 1, 'TAGS'), project('b', 1, 'DATE'))], 'b'],
  ['the first of those that are as good', [tenant(project('a', 1, 'SELECT'), project('b', 1, 'SELECT'))], 'a'],
])('%s', (_, tenants, want) => {
  expect(choose(tenants)?.id).toBe(want)
})
