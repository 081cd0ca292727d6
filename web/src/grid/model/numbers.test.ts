import {describe, expect, test} from 'vitest'
import shared from '../../../../internal/importer/testdata/numbers.json'
import {fractionOf, readNumber, writeNumber} from './numbers'

/** What is typed, and what it means in each locale: a number, or a part of the message. */
const unclear = /is not clear/
const none = /is not a number/
const locales = ['en-US', 'de-DE', 'fr-FR', 'de-CH'] as const
const cases: [string, ...(string | RegExp)[]][] = [
  ['1234', '1234', '1234', '1234', '1234'],
  ['1.234', '1.234', '1234', unclear, '1.234'],
  ['1,234', '1234', '1.234', '1.234', unclear],
  ['1,234.5', '1234.5', '1234.5', '1234.5', '1234.5'],
  ['1.234,5', '1234.5', '1234.5', '1234.5', '1234.5'],
  ['1.5', '1.5', unclear, '1.5', '1.5'],
  ['1,5', unclear, '1.5', '1.5', '1.5'],
  ['0.123', '0.123', unclear, '0.123', '0.123'],
  ['0,123', unclear, '0.123', '0.123', '0.123'],
  ['1234.567', '1234.567', unclear, '1234.567', '1234.567'],
  ['1.234.567', '1234567', '1234567', '1234567', '1234567'],
  ['1,234,567', '1234567', '1234567', '1234567', '1234567'],
  ['1,234,567.89', '1234567.89', '1234567.89', '1234567.89', '1234567.89'],
  ['1 234,567', '1234.567', '1234.567', '1234.567', '1234.567'],
  ['1\u202f234\u00a0567', '1234567', '1234567', '1234567', '1234567'],
  ['1’234.5', '1234.5', '1234.5', '1234.5', '1234.5'],
  ["1'234'567", '1234567', '1234567', '1234567', '1234567'],
  ['12,34,567', '1234567', '1234567', '1234567', '1234567'],
  ['1_000_000', '1000000', '1000000', '1000000', '1000000'],
  ['.5', '.5', '.5', '.5', '.5'],
  ['5.', '5.', '5.', '5.', '5.'],
  [',5', '.5', '.5', '.5', '.5'],
  ['1.234e5', '1.234e5', '1.234e5', '1.234e5', '1.234e5'],
  ['1,234E-5', '1.234e-5', '1.234e-5', '1.234e-5', '1.234e-5'],
  ['$12', '12', '12', '12', '12'],
  ['12 €', '12', '12', '12', '12'],
  ['-$12', '-12', '-12', '-12', '-12'],
  ['$-12', '-12', '-12', '-12', '-12'],
  ['US$ 12', '12', '12', '12', '12'],
  ['EUR 12', '12', '12', '12', '12'],
  ['12 CHF', '12', '12', '12', '12'],
  ['(12)', '-12', '-12', '-12', '-12'],
  ['($1,234.50)', '-1234.50', '-1234.50', '-1234.50', '-1234.50'],
  ['45 %', '45', '45', '45', '45'],
  ['45%', '45', '45', '45', '45'],
  ['−5', '-5', '-5', '-5', '-5'],
  ['+5', '+5', '+5', '+5', '+5'],
  ['１２３．５', '123.5', unclear, '123.5', '123.5'],
  ['￥1,200', '1200', '1.200', '1.200', unclear],
  ['', none, none, none, none],
  ['many', none, none, none, none],
  ['12 kg', none, none, none, none],
  ['12 ABC', none, none, none, none],
  ['10²', none, none, none, none],
  ['½', none, none, none, none],
  ['1 2', none, none, none, none],
  ['2026-12-24', none, none, none, none],
  ['24.12.2026', none, none, none, none],
  ['1.2.3', none, none, none, none],
  ['1,234.567,8', none, none, none, none],
  ['1.234,567.8', none, none, none, none],
  ['1 234 56', none, none, none, none],
  ["1'234,567'8", none, none, none, none],
  ['--5', none, none, none, none],
  ['-$-12', none, none, none, none],
  ['(-12)', none, none, none, none],
  ['$12 €', none, none, none, none],
  ['.', none, none, none, none],
  ['e5', none, none, none, none],
  ['1e', none, none, none, none],
  ['0x10', none, none, none, none],
  ['Infinity', none, none, none, none],
]

describe.each(locales)('in %s', locale => {
  test.each(cases.map(([text, ...want]) => [text, want[locales.indexOf(locale)]!] as const))('%j', (text, want) => {
    const read = readNumber(text, locale)
    if (typeof want === 'string') expect(read).toEqual({number: want})
    else expect(read.error).toMatch(want)
  })
})

// Imports read numbers with a decimal separator alone, so they refuse more: what the page reads nevertheless has the other separator, as an import reads it.
describe.each([
  ['en-US', 1],
  ['de-DE', 2],
] as const)('as an import, in %s', (locale, at) => {
  test.each(shared)('%j', (...row) => {
    const [text, want, other] = [row[0]!, row[at], row[3 - at]]
    const read = readNumber(text, locale)
    if (want !== null) expect(read.number).toBe(want)
    else if (read.error === undefined) expect(read.number).toBe(other)
  })
})

test('a message says what to write instead', () => {
  expect(readNumber('1,5', 'en-US').error).toBe('“1,5” is not clear: write 1.5 or 15')
  expect(readNumber('1.5', 'de-DE').error).toBe('“1.5” is not clear: write 1,5 or 15')
  expect(readNumber('-1.234', 'fr-FR').error).toBe('“-1.234” is not clear: write -1,234 or -1234')
})

// What the grid shows, and what its editors begin with, it reads.
const all = 'en-US en-IN de-DE de-AT de-CH fr-FR fr-CH es-ES pt-BR pt-PT it-CH pl-PL sv-SE ja-JP hi-IN ar-EG fa-IR mr-IN my-MM nb-NO et-EE bg-BG'.split(' ')
const values = [
  0, 1, -1, 12, 123, 1234, -1234, 12345, 123456, 1234567, 123456789012, 0.5, -0.25, 0.123, 1.5, 1.234, 12.345, 123.456, 1234.5, 1234.567, -98765.4321, 1e-9,
  999999999999.125,
]
test.each(all)('reads what is written in %s', locale => {
  const shown = new Intl.NumberFormat(locale, {maximumFractionDigits: 10})
  for (const value of values) {
    const money = new Intl.NumberFormat(locale, {maximumFractionDigits: 10, style: 'currency', currency: 'EUR'}).format(value)
    // fr-CH writes money, and only money, with a point, and de-CH writes EUR-1.00, which looks like a key such as CAD-12.
    const isOdd = locale === 'fr-CH' || /[A-Z]{3}-/.test(money)
    for (const text of [shown.format(value), writeNumber(value, locale), ...(isOdd ? [] : [money])]) {
      const read = readNumber(text, locale)
      expect(read.error, text).toBeUndefined()
      expect(Number(read.number), text).toBe(Number(value.toFixed(10)))
    }
  }
  for (const value of [1e-130, 9.9e125, 1.5e21, 0.1 + 0.2, -5e-7]) expect(Number(readNumber(writeNumber(value, locale), locale).number), locale).toBe(value)
})

test.each([
  ['1,234.50', 'en-US', '.50'],
  ['1,234', 'en-US', ''],
  ['1.234,5', 'de-DE', ',5'],
  ['1.234', 'de-DE', ''],
])('the fraction of %s in %s', (formatted, locale, fraction) => expect(fractionOf(formatted, locale)).toBe(fraction))
