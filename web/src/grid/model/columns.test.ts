import {expect, test} from 'vitest'
import {textColumn} from '../test/fixtures'
import {found} from './columns'

test('columns are found by a part of their labels, and that of exactly this label first', () => {
  const columns = ['Assignees', 'Assignee', 'Name'].map(id => textColumn(id))
  const labels = (text: string) => found(columns, text).map(c => c.label)
  expect(labels('')).toEqual(['Assignees', 'Assignee', 'Name'])
  expect(labels('SIGN')).toEqual(['Assignees', 'Assignee'])
  expect(labels('assignee')).toEqual(['Assignee', 'Assignees'])
})
