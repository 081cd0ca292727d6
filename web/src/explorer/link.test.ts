import {expect, test} from 'vitest'
import type {IssueOrder} from '../gql/graphql'
import {explainURL} from '../grid/data/explain'
import {linked} from './link'

test('the link of a view is read back', () => {
  const orderBy: IssueOrder[] = [
    {column: {builtin: 'STATE'}, direction: 'ASC', nulls: 'LAST'},
    {column: {fieldId: 'f1'}, direction: 'DESC', nulls: 'FIRST'},
  ]
  const view = {project: 'p 1', orderBy, where: {name: {contains: '100 % & #1 + ü'}}, timeZone: 'Europe/Berlin'}
  const found = linked(new URL(explainURL(view), 'http://grid.example').hash)!
  expect(JSON.parse(found.variables)).toEqual(view)
  expect(found.query).toMatch(/explain \{\s+text/)
})

test.each(['', '#', '#variables=1', '#anything'])('%j has no query', hash => expect(linked(hash)).toBe(undefined))
