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
