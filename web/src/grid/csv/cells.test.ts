import {expect, test} from 'vitest'
import type {CustomFieldType} from '../../gql/graphql'
import type {ExportRowFragment} from '../../gql/later/graphql'
import {numColumn, type Column} from '../model/columns'
import {cellOf, equal, PersonValue, type Value} from '../model/values'
import {readCell, writeCell} from './cells'
import {exportFile} from './exporter'
import {column, nameColumn, options, readCSV, user} from '../test/fixtures'

const texts = [
  'plain',
  ' blanks ',
  '   ',
  'a,b;c\td',
  '"quoted"',
  'two\nlines',
  'two\r\nlines\r\n',
  '\ttab',
  '=1+1',
  "x;=cmd|' /C calc'!A0",
  'x\t=1+1',
  "x;'=1",
  '- a\n- b\r\n\tc',
  '\ufeff=1',
  "'=1+1",
  "''=1",
  '+49 30 1234',
  '-5',
  '-cmd|x',
  '@SUM(A1)',
  "'",
  "it's",
  '＝1',
  'naïve — 漢字 🎉',
  '\r',
  'ends in a return\r',
  '0012',
  'true',
]

const values: Record<CustomFieldType, Value[]> = {
  TEXT: texts,
  LONG_TEXT: [...texts, '=\n'.repeat(5000)],
  USER: ['Ada', ' Ada ', '=Ada', '🎉'.repeat(200)].map(name => new PersonValue(name)),
  INTEGER: ['0', '-5', '9223372036854775807', '-9223372036854775808'],
  NUMBER: [0, -5, -0.1, 1.5e-7, 1e21, -1.7976931348623157e125, 0.1 + 0.2, 123456789012345.67],
  DATE: ['2026-01-31', '0001-01-01', '9999-12-31'],
  DATETIME: [
    '2026-01-31T18:30:00Z',
    '2026-01-31T18:30:00.5Z',
    '2026-01-31T18:30:00.123456Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999Z',
    '1899-06-01T00:00:07Z',
  ],
  BOOLEAN: [true, false],
  SELECT: options.map(o => o.id),
  MULTI_SELECT: [['o0'], ['o2', 'o1'], ['o3', 'o4', 'o5', 'o6'], ['o6']],
  TAGS: [['one'], ['a, b', 'c'], [' blank ', '"q"', 'x\ny'], ['=1', '-2'], ['-2'], ['A', 'a'], ['🎉'.repeat(100)]],
}

for (const [type, all] of Object.entries(values) as [CustomFieldType, Value[]][]) {
  for (const guard of [true, false]) {
    test(`${type} comes back as it was, ${guard ? 'with' : 'without'} the guard`, async () => {
      const columns = [numColumn, nameColumn, column(type)]
      const rows = [...all, null].map((value, i) => ({
        __typename: 'Issue',
        id: `i${i}`,
        num: i + 1,
        name: `=issue ${i}`,
        values: [type === 'LONG_TEXT' && value !== null ? {__typename: 'LongTextValue', text: value, bytes: 1} : cellOf(type, value)],
      })) as unknown as ExportRowFragment[]
      const pages = (async function* () {
        await Promise.resolve()
        yield rows.slice(0, 2)
        yield rows.slice(2)
      })()
      const parts = await exportFile(pages, columns, {guard, byteOrderMark: guard}, () => undefined)
      const [header, ...read] = await readCSV(parts)
      expect(header).toEqual(['#', 'Name', type])
      expect(read).toHaveLength(rows.length)
      ;[...all, null].forEach((value, i) => {
        const [name, back] = columns.slice(1).map((c, n) => readCell(c, read[i]![n + 1]!, guard))
        expect(name).toEqual({value: `=issue ${i}`})
        if (back!.error !== undefined) throw new Error(back!.error)
        if (!equal(back!.value, value)) expect(back!.value).toEqual(value)
      })
    })
  }
}

test('a user is written by the name that the value has, which keeps the reference when it is imported', () => {
  const renamed = new PersonValue('Ada', user('Ada Byron'))
  expect(writeCell(column('USER'), renamed, true)).toBe('Ada')
})

test('numbers, dates and truths are never guarded', () => {
  expect(writeCell(column('NUMBER'), -5, true)).toBe('-5')
  expect(writeCell(column('INTEGER'), '-5', true)).toBe('-5')
  expect(writeCell(column('TEXT'), '-x', true)).toBe("'-x")
  expect(writeCell(column('TEXT'), '-x', false)).toBe('-x')
})

test('cells that do not fit, besides those that no editor takes', () => {
  const error = (type: CustomFieldType, cell: string, more: Partial<Column> = {}) => readCell(column(type, more), cell, true).error
  expect(error('INTEGER', '1.5')).toMatch(/not an integer/)
  expect(error('NUMBER', '0.12345678901234567891')).toMatch(/more digits/)
  expect(error('NUMBER', '100000000000000000000')).toBeUndefined()
  expect(error('MULTI_SELECT', 'Low, Middle')).toMatch(/“Middle”/)
  expect(error('TAGS', Array.from({length: 101}, (_, i) => i).join())).toMatch(/100 tags/)
  expect(error('USER', 'x'.repeat(201))).toMatch(/200/)
  expect(error('TEXT', ' ', {builtin: 'NAME', required: true})).toMatch(/name is required/)
  expect(error('TEXT', 'x'.repeat(1001), {builtin: 'NAME', required: true})).toMatch(/1,?000/)
  expect(error('LONG_TEXT', 'é'.repeat(1 << 20) + 'x')).toMatch(/2 MiB/)
  expect(error('TEXT', '', {required: true})).toMatch(/required/)
  expect(error('SELECT', '', {builtin: 'STATE', required: true})).toBeUndefined()
})
