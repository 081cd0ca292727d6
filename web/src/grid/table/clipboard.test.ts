import {describe, expect, test} from 'vitest'
import {quoteCell, readTable} from './clipboard'

test.each<[string, string[][]]>([
  ['', [['']]],
  ['a', [['a']]],
  [
    'a\tb\nc\td',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['a\r\nb\r\n', [['a'], ['b']]],
  ['a\rb', [['a'], ['b']]],
  ['a\n\nb', [['a'], [''], ['b']]],
  ['a\t', [['a', '']]],
  [
    '\t\n\t',
    [
      ['', ''],
      ['', ''],
    ],
  ],
  ['"a\tb"\tc', [['a\tb', 'c']]],
  ['"a\nb"\nc', [['a\nb'], ['c']]],
  ['"say ""hi"""', [['say "hi"']]],
  ['""', [['']]],
  ['""\t""', [['', '']]],
  ['""""', [['"']]],
  ['5" pipe', [['5" pipe']]],
  ['"quoted" and more\tx', [['"quoted" and more', 'x']]],
  ['"open\tb\nc', [['"open', 'b'], ['c']]],
])('%j is read', (text, table) => expect(readTable(text)).toEqual(table))

// Excel's clipboard, whose HTML shows what quotes mean.
test.each<[string, string[][], string[][]]>([
  ['"around"\t3\r\n', [['"around"', '3']], [['"around"', '3']]],
  [
    '"begins\t1\r\nends"\t2\r\n',
    [
      ['"begins', '1'],
      ['ends"', '2'],
    ],
    [
      ['"begins', '1'],
      ['ends"', '2'],
    ],
  ],
  ['"two\nlines"\t3\r\n', [['two lines', '3']], [['two\nlines', '3']]],
  ['"a ""b""\nc"\r\n', [['a "b"  c']], [['a "b"\nc']]],
  ['"""a""\nb"\r\n', [['"a"b']], [['"a"\nb']]],
  ['"a\tb"\tc\r\n', [['another', 'table']], [['a\tb', 'c']]],
])('%j is read as its HTML shows it', (text, html, table) => expect(readTable(text, html)).toEqual(table))

describe('what is written is read back', () => {
  const alphabet = ['a', '"', '\t', '\n', ',', ' ', '😀']
  test('of every text of up to four characters', () => {
    const texts = ['']
    for (let from = 0; texts.length < 1 + 7 + 49 + 343 + 2401; from++) texts.push(...alphabet.map(c => texts[from] + c))
    for (const text of texts) {
      const row = [text, 'x', text]
      expect(readTable(row.map(quoteCell).join('\t') + '\n')).toEqual([row])
      expect(readTable([quoteCell(text), 'x'].join('\n'))).toEqual([[text], ['x']])
    }
  })
  test('of a long text', () => {
    const text = 'a "b"\n'.repeat(300_000)
    expect(readTable(quoteCell(text))).toEqual([[text]])
  })
})
