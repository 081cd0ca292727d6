import {describe, expect, test} from 'vitest'
import shared from '../../../../importer/testdata/types.json'
import {column} from '../test/fixtures'
import {couldBeField, freeName, Guess, guessTargets, nameProblem, type Target} from './guess'

const columns = [
  column('INTEGER', {id: 'num', label: '#', builtin: 'NUM', editable: false}),
  column('TEXT', {id: 'name', label: 'Name', builtin: 'NAME', required: true}),
  column('SELECT', {id: 'state', label: 'State', builtin: 'STATE', required: true}),
  column('LONG_TEXT', {id: 'description', label: 'Description', builtin: 'DESCRIPTION'}),
  column('DATETIME', {id: 'created', label: 'Created', builtin: 'CREATED_AT', editable: false}),
  column('DATE', {id: 'f1', label: 'Due date'}),
  column('TEXT', {id: 'f2', label: 'Status'}),
  column('TEXT', {id: 'f3', label: 'Name'}),
]

const targets = (...header: string[]) => guessTargets(header, columns).map((t: Target) => (t.to === 'column' ? t.id : t.to))

describe('targets', () => {
  const cases: [string, string[], string[]][] = [
    ['equal names in any case', ['NAME', 'due DATE'], ['name', 'f1']],
    ['blanks, dashes and underscores do not count', ['due_date', 'Due-Date'], ['f1', 'skip']],
    ['the usual names of what every issue has', ['Summary', 'Body', 'State'], ['name', 'description', 'state']],
    ['a field of the project comes before the usual names', ['status', 'title'], ['f2', 'name']],
    ['two columns of one name', ['Name', 'Name', 'Name'], ['name', 'f3', 'skip']],
    ['what the server sets is not imported', ['#', 'Created', 'Number', 'reject_reason'], ['skip', 'skip', 'skip', 'skip']],
    ['anything else is not imported', ['Mood', 'column 2'], ['skip', 'skip']],
  ]
  for (const [name, header, want] of cases) test(name, () => expect(targets(...header)).toEqual(want))
})

test('what could be a field', () => {
  expect(['Mood', '#', 'created_at', 'reject_line'].map(couldBeField)).toEqual([true, false, false, false])
})

test('the names of new fields', () => {
  const field = (name: string): Target => ({to: 'field', name, type: 'TEXT'})
  const all = [field('Mood'), field('mood '), field(' '), field('due DATE'), field('Other'), {to: 'skip'} as Target]
  expect(all.map((_, i) => nameProblem(all, i, columns) !== null)).toEqual([true, true, true, true, false, false])
})

test('a free name', () => {
  expect(freeName('Mood', ['mood', 'Mood 2'])).toBe('Mood 3')
  expect(freeName('x'.repeat(300), []).length).toBeLessThanOrEqual(255)
})

describe('types', () => {
  const many = (...cells: string[]) => Array.from({length: 5}, () => cells).flat()
  const cases: [string, string[], string][] = [
    ['truths', ['yes', 'No', ''], 'BOOLEAN'],
    ['times', ['2026-01-31T10:00:00Z', '2026-01-31 10:00'], 'DATETIME'],
    ['few short words', many('Low', 'High'), 'SELECT'],
    ['every cell its own', ['a', 'b', 'c'], 'TEXT'],
    ['line ends', ['a', 'b\nc'], 'LONG_TEXT'],
    ['long texts', ['x'.repeat(300)], 'LONG_TEXT'],
  ]
  const guessed = (cells: readonly string[]) => {
    const guess = new Guess()
    cells.forEach(c => guess.add(c))
    return guess.type()
  }
  for (const [name, cells, want] of cases) test(name, () => expect(guessed(cells)).toBe(want))

  test('the cases that the import command must meet as well', () => {
    expect(shared.length).toBeGreaterThan(0)
    expect(shared.map(({cells}) => ({cells, type: guessed(cells)}))).toEqual(shared)
  })

  test('samples are the first cells that differ', () => {
    const guess = new Guess()
    ;['', 'a', 'a', 'b', 'c', 'd'].forEach(c => guess.add(c))
    expect(guess.samples).toEqual(['a', 'b', 'c'])
  })
})
