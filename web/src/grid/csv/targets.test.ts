import {describe, expect, test, vi} from 'vitest'
import {numColumn} from '../model/columns'
import {column, nameColumn} from '../test/fixtures'
import {builtins, type Choice, type MappedColumn, type Mapping} from './imports'
import {choiceOf, choicesOf, columnAt, fieldsOf, isReadAs, settingsOf, withAnswer, withChoice, withType, withoutNewFields, withZone} from './targets'

const columns = [numColumn, nameColumn, column('DATE', {id: 'due', label: 'Due'}), column('TAGS', {id: 'tags', label: 'Tags'})]
const mapping: Mapping = {
  rowKey: 'CONTENT',
  columns: [
    {column: 'Title', to: 'name'},
    {column: 'When', to: 'field', name: 'Due', type: 'DATE', formats: ['DD.MM.YYYY']},
    {column: 'Size', to: 'field', name: 'Size', type: 'INTEGER'},
    {column: 'Id', to: 'skip'},
  ],
}
const choices = (m: Mapping) => m.columns.map(c => choiceOf(c, columns))

test('the choices of a mapping', () => {
  expect(choices(mapping)).toEqual(['name', 'due', 'new', 'skip'])
  expect(fieldsOf(columns).map(c => c.id)).toEqual(['due', 'tags'])
})

describe('a choice', () => {
  test.each(builtins)('can be the built-in column %s, which only one column becomes', choice => {
    const once = withChoice(mapping, 3, choice, columns)
    expect(once.columns[3]).toEqual({column: 'Id', to: choice})
    expect(once.rowKey).toBe(choice === 'rowKey' || choice === 'num' ? undefined : 'CONTENT')
    const twice = withChoice(once, 2, choice, columns)
    expect(choices(twice)).toEqual([choice === 'name' ? 'skip' : 'name', 'due', choice, 'skip'])
  })

  test('can be a field with members, which several columns have', () => {
    expect(choices(withChoice(withChoice(mapping, 2, 'tags', columns), 3, 'tags', columns))).toEqual(['name', 'due', 'tags', 'tags'])
  })

  test('keeps how the file is read', () => {
    expect(withChoice({...mapping, delimiter: ';', header: 0}, 2, 'due', columns)).toMatchObject({delimiter: ';', header: 0})
  })

  test('can be a field, with its type, taken from another column', () => {
    const next = withChoice(mapping, 2, 'due', columns, {type: 'INTEGER'})
    expect(choices(next)).toEqual(['name', 'skip', 'due', 'skip'])
    expect(next.columns[2]).toEqual({column: 'Size', to: 'field', name: 'Due', type: 'DATE'})
    expect(withChoice(mapping, 3, 'tags', columns).columns[3]).toEqual({
      column: 'Id',
      to: 'field',
      name: 'Tags',
      type: 'TAGS',
      separator: ',',
      quotes: true,
    })
  })

  test('can be a new field, of which there may be several, or nothing', () => {
    const next = withChoice(mapping, 3, 'new', columns, {type: 'NUMBER'})
    expect(choices(next)).toEqual(['name', 'due', 'new', 'new'])
    expect(next.columns[3]).toEqual({column: 'Id', to: 'field', name: 'Id', type: 'NUMBER'})
    const none = withChoice(withChoice(next, 3, 'rowKey', columns), 3, 'skip', columns)
    expect(none.rowKey).toBe('CONTENT')
    const unknown = {...mapping, rowKey: undefined, columns: mapping.columns.map(c => (c.to === 'num' || c.to === 'rowKey' ? {...c, to: 'skip' as const} : c))}
    expect(withChoice(unknown, 0, 'skip', columns).rowKey).toBeUndefined()
    expect(choices(none)).toEqual(['name', 'due', 'new', 'skip'])
  })

  test('does not change the mapping that it is made from', () => {
    const before = structuredClone(mapping)
    withChoice(mapping, 3, 'name', columns)
    withoutNewFields(mapping, columns)
    expect(mapping).toEqual(before)
  })
})

test('another type drops the settings of the former one', () => {
  const dates: MappedColumn = {column: 'a', to: 'field', name: 'A', type: 'DATETIME', formats: ['UNIX'], zone: 'UTC'}
  expect(withType(dates, 'TEXT')).toEqual({column: 'a', to: 'field', name: 'A', type: 'TEXT'})
  expect(withType(dates, 'MULTI_SELECT')).toMatchObject({separator: ',', quotes: true})
})

test('a column keeps the forms that its cells need', () => {
  const cells = {type: 'TEXT', decimal: ',', formats: ['D.M.YYYY', 'D.M.YYYY hh:mm', 'ISO']} as const
  const at = (choice: string) => withChoice(mapping, 3, choice, columns, {...cells, formats: [...cells.formats]}).columns[3]!
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  expect(at('createdAt')).toEqual({column: 'Id', to: 'createdAt', formats: cells.formats, zone})
  expect(at('due')).toEqual({column: 'Id', to: 'field', name: 'Due', type: 'DATE', formats: ['D.M.YYYY', 'ISO']})
  expect(at('new')).toEqual({column: 'Id', to: 'field', name: 'Id', type: 'TEXT'})
  expect(at('name')).toEqual({column: 'Id', to: 'name'})
  expect(withType(at('new'), 'NUMBER', {decimal: ','})).toEqual({column: 'Id', to: 'field', name: 'Id', type: 'NUMBER', decimal: ','})
})

test('times without a zone are those of the browser', () => {
  const zone = vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({timeZone: 'Asia/Tokyo'} as Intl.ResolvedDateTimeFormatOptions)
  const seen: MappedColumn = {column: 'Seen', to: 'field', name: 'Seen', type: 'DATETIME', formats: ['D.M.YYYY hh:mm'], zone: 'UTC'}
  expect(withZone(mapping)).toBeNull()
  expect(withZone({columns: [mapping.columns[0]!, seen]})).toEqual({columns: [mapping.columns[0], {...seen, zone: 'Asia/Tokyo'}]})
  const choice: Choice = {type: 'DATETIME', formats: ['M/D/YYYY hh:mm'], cell: '1/2/2026 10:00', value: '2026-01-02T10:00:00Z'}
  expect(withAnswer(mapping.columns[2]!, choice, columns)).toMatchObject({type: 'DATETIME', formats: choice.formats, zone: 'Asia/Tokyo'})
  expect(withAnswer({column: 'a', to: 'createdAt'}, {...choice, type: 'DATE', formats: ['M/D/YYYY']}, columns)).not.toHaveProperty('zone')
  zone.mockReturnValue({timeZone: 'UTC'} as Intl.ResolvedDateTimeFormatOptions)
  expect(withZone({columns: [seen]})).toBeNull()
  zone.mockRestore()
})

describe('what is not clear', () => {
  const dates: Choice[] = ['M/D/YYYY', 'D/M/YYYY'].map(format => ({type: 'DATE', formats: [format], cell: '1/2/2026', value: '2026-01-02'}))
  const numbers: Choice[] = [
    {type: 'INTEGER', decimal: '.', cell: '1,234', value: '1234'},
    {type: 'NUMBER', decimal: ',', cell: '1,234', value: '1.234'},
  ]
  const [title, due, size] = mapping.columns as [MappedColumn, MappedColumn, MappedColumn]

  test('is asked about where the column can have it', () => {
    expect(choicesOf(size, columns, {choices: dates})).toEqual(dates)
    expect(choicesOf(size, columns, {choices: numbers})).toEqual(numbers)
    expect(choicesOf(due, columns, {choices: dates})).toEqual(dates)
    expect(choicesOf(due, columns, {choices: numbers})).toEqual([])
    expect(choicesOf(title, columns, {choices: dates})).toEqual([])
    expect(choicesOf({column: 'a', to: 'createdAt'}, columns, {choices: dates})).toEqual(dates)
    expect(choicesOf(size, columns, {})).toEqual([])
  })

  test('is settled by an answer, which gives a new field its type', () => {
    const answered = withAnswer(size, numbers[1]!, columns)
    expect(answered).toEqual({column: 'Size', to: 'field', name: 'Size', type: 'NUMBER', decimal: ','})
    expect(numbers.map(c => isReadAs(answered, c))).toEqual([false, true])
    expect(withAnswer(answered, dates[0]!, columns)).toEqual({column: 'Size', to: 'field', name: 'Size', type: 'DATE', formats: ['M/D/YYYY']})
    expect(withAnswer(due, dates[1]!, columns)).toEqual({...due, formats: ['D/M/YYYY']})
    expect(dates.map(c => isReadAs(due, c))).toEqual([false, false])
  })
})

test('users that may not create fields get a mapping without new ones', () => {
  expect(choices(withoutNewFields(mapping, columns)!)).toEqual(['name', 'due', 'skip', 'skip'])
  expect(withoutNewFields({columns: [mapping.columns[0]!]}, columns)).toBeNull()
})

test('the settings of a column', () => {
  const set = (c: Partial<MappedColumn>) =>
    Object.entries(settingsOf({column: 'a', ...c}))
      .filter(([, on]) => on)
      .map(([name]) => name)
  expect(set({to: 'createdAt'})).toEqual(['formats', 'zone'])
  expect(set({to: 'field', type: 'DATETIME'})).toEqual(['formats', 'zone'])
  expect(set({to: 'field', type: 'DATE'})).toEqual(['formats'])
  expect(set({to: 'field', type: 'TAGS'})).toEqual(['list'])
  expect(set({to: 'field', type: 'INTEGER'})).toEqual(['decimal'])
  expect(set({to: 'field', type: 'NUMBER'})).toEqual(['decimal'])
  expect(set({to: 'field', type: 'TEXT'})).toEqual([])
  expect(set({to: 'skip'})).toEqual([])
})

test.each([
  ['mapping.columns[3].name', 3],
  ['columns[0]', 0],
  ['mapping.columns', null],
  ['mapping.rowKey', null],
  [undefined, null],
] as const)('the column of %s', (argument, index) => expect(columnAt(argument)).toBe(index))
