import {describe, expect, test} from 'vitest'
import {FileProblem, formatOf, openTable, type RawRow} from './table'

const file = (...parts: BlobPart[]) => new File(parts, 'issues.csv')

async function rowsOf(f: File): Promise<RawRow[]> {
  const rows: RawRow[] = []
  for await (const batch of (await openTable(f)).rows()) rows.push(...batch.rows)
  return rows
}
const cellsOf = async (text: string) => (await rowsOf(file(text))).map(r => r.cells)

describe('reading', () => {
  const cases: [string, string, string[][]][] = [
    [
      'LF',
      'a,b\n1,2\n3,4',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['CRLF', 'a,b\r\n1,2\r\n', [['1', '2']]],
    ['lone CR', 'a,b\r1,2\r', [['1', '2']]],
    [
      'LF and CRLF mixed',
      'a,b\r\n1,2\n"3","4"\r\n5,6',
      [
        ['1', '2'],
        ['3', '4'],
        ['5', '6'],
      ],
    ],
    ['line ends in quotes', 'a,b\r\n"1\r\n2","3\n"\r\n', [['1\r\n2', '3\n']]],
    [
      'a CR that is text at the end of a quoted cell',
      'a,b\r\n1,"2\r"\r\n3,"4\r"\n',
      [
        ['1', '2\r'],
        ['3', '4\r'],
      ],
    ],
    ['quotes in quotes', 'a\n"say ""no"""\n', [['say "no"']]],
    ['a quote in a cell that does not begin with one', 'a,b\n5" pipe,x\n', [['5" pipe', 'x']]],
    ['blanks are text', 'a,b\n 1 ,\t\n', [[' 1 ', '\t']]],
    ['empty lines are nothing', '\n\na,b\n\n1,2\n\n', [['1', '2']]],
    ['a byte order mark', '\uFEFFa,b\n1,2', [['1', '2']]],
    ['semicolons', 'a;b\n1,5;2', [['1,5', '2']]],
    ['tabs', 'a\tb\n"1"\t\n', [['1', '']]],
    ['a line that names the delimiter', 'sep=;\r\na;b\r\n1;2', [['1', '2']]],
    ['empty cells beyond the header', 'a,b\n1,2,,\n', [['1', '2']]],
  ]
  for (const [name, text, rows] of cases) test(name, async () => expect(await cellsOf(text)).toEqual(rows))

  test('rows are counted as spreadsheets do', async () => {
    expect((await rowsOf(file('a\n\n1\n"2\n2"\n3'))).map(r => r.row)).toEqual([3, 4, 5])
  })

  test('the header', async () => {
    expect((await openTable(file('\uFEFF Name ,,"x\ny",\'=z\n1,2,3,4'))).header).toEqual(['Name', 'column 2', 'x\ny', '=z'])
  })

  test('a row with other cells than the header is told', async () => {
    const rows = await rowsOf(file('a,b\n1\n1,2,3\n1,2\n"x"y,2\n'))
    expect(rows.map(r => r.wrong && [r.wrong.short, r.wrong.message])).toEqual([
      [true, 'the row has only 1 of 2 cells'],
      [false, 'the row has 3 cells, the header 2'],
      undefined,
      [false, 'a quoted cell has text behind its closing quote, or no closing quote'],
    ])
  })
})

describe('large files', () => {
  const line = (i: number) => `${i},"é ${'x'.repeat(i % 50)}\r\n""${i}""",ü\r\n`
  test('pieces end anywhere', async () => {
    const count = 30_000
    const text = 'n,text,end\r\n' + Array.from({length: count}, (_, i) => line(i)).join('')
    const rows = await rowsOf(file(text))
    expect(rows).toHaveLength(count)
    rows.forEach(({row, cells}, i) => {
      if (row !== i + 2 || cells[0] !== String(i) || cells[1] !== `é ${'x'.repeat(i % 50)}\r\n"${i}"` || cells[2] !== 'ü')
        expect.unreachable(`row ${i}: ${JSON.stringify(cells)}`)
    })
  })

  test('a quote that is never closed', async () => {
    const text = 'a,b\n1,2\n3,"' + 'x,y\n'.repeat(300_000)
    const rows = await rowsOf(file(text))
    expect(rows).toHaveLength(2)
    expect(rows[1]!.wrong).toMatchObject({short: false})
  })

  test('the bytes that are read are told', async () => {
    const f = file('a\n' + '12345678\n'.repeat(200_000))
    const bytes: number[] = []
    for await (const batch of (await openTable(f)).rows()) bytes.push(batch.bytes)
    expect(bytes.length).toBeGreaterThan(1)
    expect(bytes).toEqual([...bytes].sort((a, b) => a - b))
    expect(bytes.at(-1)).toBe(f.size)
  })

  test('reading stops when it is told to', async () => {
    const stop = new AbortController()
    const table = await openTable(file('a\n' + '12345678\n'.repeat(200_000)))
    const read = async () => {
      for await (const batch of table.rows(stop.signal)) if (batch.rows.length > 0) stop.abort()
    }
    await expect(read()).rejects.toThrow(/abort/i)
  })
})

describe('what is no CSV file', () => {
  const cases: [string, File, RegExp][] = [
    ['empty', file(''), /is empty/],
    ['only empty lines', file('\n\r\n'), /no lines/],
    ['Latin-1', file(new Uint8Array([0x61, 0x2c, 0xe9, 0x0a])), /UTF-8/],
    ['binary', file('PK\u0003\u0004\0\0'), /UTF-8/],
  ]
  for (const [name, f, message] of cases)
    test(name, async () => {
      await expect(openTable(f)).rejects.toThrow(FileProblem)
      await expect(openTable(f)).rejects.toThrow(message)
    })

  test('another encoding further on', async () => {
    const f = file('a\n' + 'x\n'.repeat(100_000), new Uint8Array([0xe9, 0x0a]))
    const read = async () => {
      const table = await openTable(f)
      for await (const batch of table.rows()) void batch
    }
    await expect(read()).rejects.toThrow(/UTF-8/)
  })
})

test('the delimiter is the most frequent one of the first line, outside of quotes', () => {
  expect(formatOf('"a,b,c";d\n1,2,3').delimiter).toBe(';')
  expect(formatOf('a\tb,c\td').delimiter).toBe('\t')
  expect(formatOf('one').delimiter).toBe(',')
})
