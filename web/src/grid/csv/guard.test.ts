import {describe, expect, test} from 'vitest'
import type {ExportRowFragment} from '../../gql/later/graphql'
import {quoteCell, readClipboard, readTable, writeClipboard} from '../table/clipboard'
import {numColumn, type Column} from '../model/columns'
import {PersonValue} from '../model/values'
import {readCell} from './cells'
import {exportFile} from './exporter'
import cases from '../../../../internal/importer/testdata/guard.json'
import {column, readCSV} from '../test/fixtures'
import {withGuard, withoutGuard} from './guard'

const number = /^[+-]?(?:\d+(?:[.,]\d+)*|[.,]\d+)(?:[eE][+-]?\d+)?$/
const stripped = /^["\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*/u

/** Reports whether a program could take a cell for a formula, by law G1. It does not depend on how the guard works. */
function isFormula(cell: string): boolean {
  if (/^(?:\t|\r(?!\n))/.test(cell)) return true
  const text = cell.replace(stripped, '')
  return /^[=+\-@＝＋－＠﹦﹢﹣﹫]/.test(text) && !number.test(text.replace(/["\s]*$/, ''))
}

type Reader = (text: string) => string[][]

/** Splits at any of the separators and at line ends, ignoring quotes. */
const naive =
  (separators: RegExp, lineEnds = /\r\n|\r|\n/): Reader =>
  text =>
    text.split(lineEnds).map(line => line.split(separators))

/** Reads RFC 4180 with any separators. Text after a closing quote belongs to the cell, as in Excel; an unclosed quote ends with the text. */
const quoting =
  (separators: string): Reader =>
  text => {
    const rows: string[][] = [[]]
    for (let at = 0; ; at++) {
      let cell = ''
      if (text[at] === '"') {
        for (at++; at < text.length; at++) {
          if (text[at] !== '"') cell += text[at]
          else if (text[at + 1] === '"') cell += text[at++]
          else break
        }
        at++
      }
      for (; at < text.length && !(separators + '\r\n').includes(text[at]!); at++) cell += text[at]
      rows.at(-1)!.push(cell)
      if (at >= text.length) return rows
      if (text[at] === '\r' && text[at + 1] === '\n') at++
      if (text[at] === '\n' || text[at] === '\r') rows.push([])
    }
  }

/** Every quote starts or ends a quotation, wherever it is, and is dropped. */
const toggling =
  (separators: string): Reader =>
  text => {
    const rows = [['']]
    let inQuotes = false
    for (const c of text) {
      if (c === '"') inQuotes = !inQuotes
      else if (!inQuotes && separators.includes(c)) rows.at(-1)!.push('')
      else if (!inQuotes && (c === '\n' || c === '\r')) rows.push([''])
      else rows.at(-1)!.push(rows.at(-1)!.pop()! + c)
    }
    return rows
  }

const readers: Record<string, Reader> = {
  'RFC 4180': quoting(','),
  'RFC 4180, semicolons': quoting(';'),
  'RFC 4180, tabs': quoting('\t'),
  'RFC 4180, bars': quoting('|'),
  'RFC 4180, several separators': quoting(',;\t|'),
  'no quotes': naive(/,/),
  'no quotes, semicolons': naive(/;/),
  'no quotes, tabs': naive(/\t/),
  'no quotes, bars': naive(/\|/),
  'no quotes, several separators': naive(/[,;\t|]/),
  'no quotes, lines alone': naive(/(?!)/),
  'no quotes, lines that end with LF': naive(/;/, /\r?\n/),
  'no quotes, lines of Unicode': naive(/;/, /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/),
  'quotes that toggle': toggling(','),
  'quotes that toggle, semicolons': toggling(';'),
  'quotes that toggle, several separators': toggling(',;\t|'),
}
const splittingAtTabs: Record<string, Reader> = {
  'RFC 4180': quoting('\t'),
  'RFC 4180, several separators': quoting(',;\t|'),
  'no quotes': naive(/\t/),
  'no quotes, several separators': naive(/[,;\t|]/),
  'quotes that toggle': toggling('\t'),
}

const formulas = (text: string, by: Record<string, Reader> = readers): string[] =>
  Object.entries(by).flatMap(([name, read]) =>
    read(text)
      .flat()
      .filter(isFormula)
      .map(cell => `${name}: ${JSON.stringify(cell)}`),
  )

/** Returns a generator of the same pseudorandom numbers in each run. */
function random(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const nasty = [
  ...'=+-@,;|\t\r\n"\'a5. ＝＋－＠﹣\u00a0\ufeff\u200b\u2060\u3164\u2800\u00ad\ufff9\0\v\x1e\x85\u2028',
  ...['\r\n', '-5', '+3.2e4', '-1,5', '5+1', "=cmd|' /C calc'!A0", ';=', '\t=', '|=', '\n=', '"=1+1"', '""', "''", '🎉'],
]

function* texts(count: number, seed: number): Generator<string> {
  const below = random(seed)
  for (let i = 0; i < count; i++) yield Array.from({length: below(9)}, () => nasty[below(nasty.length)]).join('')
}

/** Yields every string of up to `most` of these characters. */
function* short(alphabet: readonly string[], most = 4, text = ''): Generator<string> {
  yield text
  if (most > 0) for (const c of alphabet) yield* short(alphabet, most - 1, text + c)
}

test('the readers see what the guard is for', () => {
  for (const [cell, by] of [
    ["x;=cmd|' /C calc'!A0", 'RFC 4180, semicolons'],
    ['"x\t=1+1"', 'no quotes, tabs'],
    ['x|\ufeff＝1', 'RFC 4180, bars'],
    ['a,"x;""=1"""', 'RFC 4180, semicolons'],
    ['"x\n-a"', 'no quotes, lines alone'],
    ['"""=1"""', 'quotes that toggle'],
    ['-5,5+A1', 'no quotes, semicolons'],
  ] as const)
    expect(
      formulas(cell).some(f => f.startsWith(`${by}: `)),
      cell,
    ).toBe(true)
  expect(formulas('-5,+3.2e4,"-1,5"\r\n', {rfc: quoting(','), naive: naive(/,/)})).toEqual([])
})

test.each([
  ['=1', "'=1"],
  ['-1+1', "'-1+1"],
  ["'=1", "''=1"],
  ["''@", "'''@"],
  ['＝1', "'＝1"],
  [' =1', "' =1"],
  ['\ufeff=1', "'\ufeff=1"],
  ['"=1+1"', '\'"=1+1"'],
  ['\ttab', "'\ttab"],
  ['\t=1', "'\t'=1"],
  ['\r=1', "'\r'=1"],
  ['\n=1', "'\n'=1"],
  [';=1', "';'=1"],
  ["x;=cmd|' /C calc'!A0", "'x;'=cmd|' /C calc'!A0"],
  ["x;'=1", "'x;''=1"],
  ['x|"=1', "'x|'\"=1"],
  ['a, -b', "'a,' -b"],
  ['- a\n- b\r\n\tc', "'- a\n'- b\r\n'\tc"],
  ['1;-5', "'1;'-5"],
  ['+49 30 1234', "'+49 30 1234"],
])('%j is guarded', (text, guarded) => {
  expect(withGuard(text)).toBe(guarded)
  expect(withoutGuard(guarded)).toBe(text)
})

test.each([
  '',
  'a=1',
  '0=1',
  '-5',
  '+5',
  '-1.5e-3',
  '-1,5',
  '+3.2e4',
  "'",
  "'a",
  "it's",
  "'-5",
  "a ,'b'",
  'a - b',
  'a: -b',
  'a;\r\n\r\nb',
  'a;b\t\tc',
  'x;',
  '5;5',
])('%j needs no guard', text => {
  expect(withGuard(text)).toBe(text)
  expect(withoutGuard(text)).toBe(text)
})

test.each([
  ["x;'=1", "x;'=1"], // not written by this program
  ["cut -d',' -f1", "cut -d',' -f1"],
  ["'- a\n- b", '- a\n- b'], // with only a leading apostrophe, as in files of older versions
  ["'x;=1", 'x;=1'], // edited
])('%j is read as %j', (text, read) => expect(withoutGuard(text)).toBe(read))

test('the importer guards texts in the same way', () => {
  for (const [text, guarded] of cases as [string, string][]) {
    expect(withGuard(text)).toBe(guarded)
    expect(withoutGuard(guarded)).toBe(text)
  }
  expect(cases.length).toBeGreaterThan(400)
})

describe('a guarded text', () => {
  const check = (text: string) => {
    const guarded = withGuard(text)
    if (withoutGuard(guarded) !== text) expect(withoutGuard(guarded)).toBe(text)
    for (const cell of [guarded, quoteCell(guarded), `x,${guarded},5+A1`]) {
      const found = number.test(text) ? [] : formulas(cell)
      if (found.length > 0) expect(found, JSON.stringify(text)).toEqual([])
    }
  }
  test('of up to four characters', () => {
    let count = 0
    for (const text of short(['=', '-', '5', ';', '\t', '\r', '\n', '"', "'"], 4)) {
      check(text)
      count++
    }
    expect(count).toBe(1 + 9 + 9 ** 2 + 9 ** 3 + 9 ** 4)
  })
  test('of a nasty alphabet', () => {
    for (const text of texts(5000, 1)) check(text)
  })
  test('is made and read in linear time', () => {
    for (const part of ['\t', ' ', "'", '"', ';', '\t ', '\r', "\t'", '\r"', '\u200b', ", '", '=\n'])
      for (const end of ['', 'a', '=']) {
        const text = part.repeat((1 << 18) / part.length) + end
        expect(withoutGuard(withGuard(text)) === text).toBe(true)
      }
  })
})

describe('a file', () => {
  const name = column('TEXT', {id: 'name', label: '=name;=1', builtin: 'NAME', required: true})
  const cases: [string, Column[]][] = [
    ['with the number first', [numColumn, name, column('TEXT'), column('USER')]],
    ['with a text first', [name, column('TEXT', {label: '-5'}), numColumn, column('USER')]],
    ['with a number first', [column('INTEGER', {label: '-5'}), column('TEXT', {label: '5+A1'}), column('USER')]],
    ['with a date first', [column('DATE', {label: '-5'}), column('TEXT', {label: '5+A1'})]],
    ['with lists', [column('TAGS'), column('TEXT'), column('TAGS', {label: 'More'})]],
    ['with one column', [column('TEXT')]],
  ]
  test.each(cases)('%s has no formulas, and is read as it was written', async (_, columns) => {
    const values = [...texts(4000, 2)].map(text => text.replaceAll('\0', '')) // a file with NUL is not text
    const below = random(3)
    const valueOf = (c: Column): unknown => {
      const text = values[below(values.length)] || '-5'
      switch (c.type) {
        case 'INTEGER':
          return {__typename: 'IntegerValue', integer: String(below(100) - 50)}
        case 'DATE':
          return {__typename: 'DateValue', date: '2026-01-31'}
        case 'TAGS':
          return {__typename: 'TagsValue', tags: [...new Set([text, '-2', '=x'])]}
        case 'USER':
          return {__typename: 'UserValue', name: text, user: null}
        default:
          return {__typename: 'TextValue', text}
      }
    }
    const rows = Array.from({length: 1000}, (_, i) => ({
      num: i + 1,
      name: values[i] || '-5',
      values: columns.filter(c => !c.builtin).map(valueOf),
    }))
    const pages = (async function* () {
      await Promise.resolve()
      yield rows as unknown as ExportRowFragment[]
    })()
    const parts = await exportFile(pages, columns, {guard: true, byteOrderMark: false}, () => undefined)
    expect(formulas(await new Blob(parts).text())).toEqual([])

    const [header, ...read] = await readCSV(parts)
    expect(read).toHaveLength(rows.length)
    for (const c of columns) {
      const at = header!.map(withoutGuard).indexOf(c.label)
      const field = columns.filter(c => !c.builtin).indexOf(c)
      rows.forEach((row, i) => {
        const cell = row.values[field] as Record<string, unknown> | undefined
        const given = c.builtin === 'NUM' ? String(row.num) : c.builtin ? row.name : Object.values(cell!)[1]
        const value = c.type === 'USER' ? new PersonValue(given as string) : given
        const parsed = readCell(c, read[i]![at]!, true)
        if (c.builtin === 'NAME' && row.name.trim() === '') return
        if (JSON.stringify(parsed) !== JSON.stringify({value})) expect(parsed).toEqual({value})
      })
    }
  })

  test('begins with the number unless the first column has no signs', async () => {
    const header = async (columns: Column[], guard = true) =>
      (await readCSV(await exportFile((async function* () {})(), columns, {guard, byteOrderMark: false}, () => undefined)))[0]!.map(withoutGuard)
    expect(await header([name, numColumn])).toEqual(['#', '=name;=1'])
    expect(await header([column('NUMBER'), column('TEXT')])).toEqual(['#', 'NUMBER', 'TEXT'])
    expect(await header([column('DATETIME'), column('TEXT')])).toEqual(['DATETIME', 'TEXT'])
    expect(await header([column('TEXT')])).toEqual(['#', 'TEXT'])
    expect(await header([column('NUMBER'), column('TEXT')], false)).toEqual(['NUMBER', 'TEXT'])
  })
})

describe('the clipboard', () => {
  const clipboard = (data: Record<string, string> = {}): DataTransfer & {data: Record<string, string>} =>
    ({
      data,
      getData: (type: string) => data[type] ?? '',
      setData: (type: string, text: string) => void (data[type] = text),
    }) as unknown as DataTransfer & {data: Record<string, string>}
  const below = random(4)
  const tables = Array.from({length: 500}, (_, i) => {
    const cells = [...texts(12, 100 + i)]
    const width = 1 + below(4)
    return Array.from({length: 12 / width}, (_, r) => cells.slice(r * width, (r + 1) * width))
  })

  test('has no formulas for other programs, and the exact cells for the grid', () => {
    for (const cells of tables) {
      const c = clipboard()
      writeClipboard(cells, c)
      expect(formulas(c.data['text/plain']!, splittingAtTabs)).toEqual([])
      expect(readClipboard(c)).toEqual({cells, exact: true})
    }
  })

  test('that has kept its text alone is read as it was, but for the kind of its line ends', () => {
    let count = 0
    for (const cells of tables) {
      const c = clipboard()
      writeClipboard(cells, c)
      // The text loses lone CRs, and an empty last line reads as a line end.
      if (/\r(?!\n)/.test(c.data['text/plain']!) || cells.at(-1)!.join() === '') continue
      const read = readClipboard(clipboard({'text/plain': c.data['text/plain']!}))
      expect(read).toEqual({cells: cells.map(r => r.map(x => x.replaceAll('\r\n', '\n'))), exact: false})
      count++
    }
    expect(count).toBeGreaterThan(20)
  })

  test('has one cell as it is, if no program takes it for more', () => {
    for (const [text, want] of [
      ['5" pipe', '5" pipe'],
      ['"a"', '"""a"""'],
      ['a\tb"', '"a\tb"""'],
      ['=1+1', "'=1+1"],
    ] as const) {
      const c = clipboard()
      writeClipboard([[text]], c)
      expect(c.data['text/plain']).toBe(want)
      expect(readClipboard(c)).toEqual({cells: [[text]], exact: true})
    }
  })

  test('has numbers as they are', () => {
    const c = clipboard()
    writeClipboard([['-5', '+3.2e4', '-1,5']], c)
    expect(c.data['text/plain']).toBe('-5\t+3.2e4\t-1,5')
  })

  test.each(['', '{', 'null', '[]', '[[]]', '[["a"],[1]]', '{"length":1}', '["a"]'])('exact cells that are none are not read: %s', json => {
    expect(readClipboard(clipboard({'application/x-issuegrid-cells+json': json, 'text/plain': 'b\tc'}))).toEqual({cells: [['b', 'c']], exact: false})
  })

  test('without a text has nothing to paste', () => expect(readClipboard(clipboard())).toBeNull())

  test('a cell that a spreadsheet has copied', () => expect(readTable('"=1+1"\t\'x')).toEqual([['=1+1', "'x"]]))
})
