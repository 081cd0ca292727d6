import {expect, test} from 'vitest'
import {explainURL} from '../grid/data/explain'
import {linked} from './link'

test('the link of a view is read back', () => {
  const view = {project: 'p 1', orderBy: undefined, where: {name: {contains: '100 % & #1 + ü'}}}
  const found = linked(new URL(explainURL(view), 'http://grid.example').hash)!
  expect(JSON.parse(found.variables)).toEqual({project: 'p 1', where: view.where})
  expect(found.query).toMatch(/explain \{\s+text/)
})

test.each(['', '#', '#variables=1', '#anything'])('%j has no query', hash => expect(linked(hash)).toBe(undefined))
