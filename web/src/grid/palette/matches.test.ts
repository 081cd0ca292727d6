import {expect, test} from 'vitest'
import {matches, type Command} from './matches'

const command = (kind: Command['kind'], label: string): Command => ({kind, label, run: () => undefined})
const all = [
  command('column', 'Due date'),
  command('action', 'Undo changing Due date'),
  command('action', 'New issue'),
  command('view', 'My überfällige'),
  command('column', 'Updated'),
  command('action', 'Edit field: Due date'),
]

test.each([
  ['due', ['Undo changing Due date', 'Edit field: Due date', 'Due date']],
  ['date du', ['Undo changing Due date', 'Edit field: Due date', 'Due date']],
  ['UP', ['Updated']],
  ['uber', ['My überfällige']],
  ['ue', []],
  ['und', ['Undo changing Due date']],
  ['new', ['New issue']],
])('%j finds %j', (text, labels) => expect(matches(all, text).map(c => c.label)).toEqual(labels))

test.each(['due', 'feld', 'bearb'])('%j finds a label with German quotes', text => {
  expect(matches([command('action', 'Feld „Due date“ bearbeiten')], text)).toHaveLength(1)
})

test('without a text everything is found, by kind', () => {
  expect(matches(all, '').map(c => c.kind)).toEqual(['action', 'action', 'action', 'view', 'column', 'column'])
})
