import {describe, expect, test} from 'vitest'
import {user} from '../test/fixtures'
import {Excerpt, folded, inputOf, instant, parse, PersonValue, show, splitList, valueOf, cellOf, write, equal, type Domain, type Value} from './values'

const options = [
  {id: 'o1', name: 'One', color: null},
  {id: 'o2', name: 'Two, or "2"', color: null},
  {id: 'o3', name: 'Drei', color: '#fff'},
]
const of = (type: Domain['type'], more: Partial<Domain> = {}): Domain => ({type, options: type === 'SELECT' || type === 'MULTI_SELECT' ? options : [], ...more})

test('an option is found by its name in any case and form in Unicode, and by no other word', () => {
  const many = ['Prüfung', 'Schaden', 'Schäden', 'Maße', 'ΟΔΟΣ'].map((name, i) => ({id: `o${i}`, name, color: null}))
  const found = (text: string) => {
    const parsed = parse(of('SELECT', {options: many}), text)
    return parsed.error === undefined ? parsed.value : undefined
  }
  for (const text of ['Prüfung', ' PRÜFUNG ', 'Pru\u0308fung']) expect(found(text)).toBe('o0')
  expect([found('schäden'), found('schaden'), found('οδος'), found('Masse'), found('Prufung')]).toEqual(['o2', 'o1', 'o4', undefined, undefined])
})

test('a date alone ends a range at its last instant', () => {
  const read = (text: string, endsDay: boolean) => parse(of('DATETIME', {endsDay}), text)
  const at = (text: string) => new Date(text).toISOString()
  expect(read('2026-01-31', false)).toEqual({value: at('2026-01-31T00:00:00').replace('.000', '')})
  expect(read('2026-01-31', true)).toEqual({value: at('2026-01-31T23:59:59').replace('.000', '.999999')})
  expect(read('2026-01-31 00:00', true)).toEqual({value: at('2026-01-31T00:00:00').replace('.000', '')})
})

const kept: Record<string, [Domain['type'], Value[]]> = {
  texts: ['TEXT', ['a', ' spaces ', 'a,b "c"', 'two\nlines', '😀', null]],
  'long texts': ['LONG_TEXT', ['a\n\tb', null]],
  people: ['USER', [...['Ann', 'Zoë “Z” O’Hara', 'x'.repeat(200)].map(name => new PersonValue(name)), null]],
  integers: ['INTEGER', ['0', '-1', '9223372036854775807', '-9223372036854775808', '9007199254740993', null]],
  numbers: ['NUMBER', [0, -0.5, 1e-130, 9.9e125, 1e21, 0.1 + 0.2, 5e-7, null]],
  dates: ['DATE', ['0001-01-01', '0004-02-29', '0099-12-31', '0100-01-01', '1900-02-28', '2024-02-29', '9999-12-31', null]],
  times: [
    'DATETIME',
    [
      '0001-01-01T00:00:00Z',
      '0099-06-01T12:00:00Z',
      '2026-01-31T18:30:00Z',
      '2026-01-31T18:30:00.1Z',
      '2026-01-31T18:30:00.12Z',
      '2026-01-31T18:30:59.123456Z',
      '2026-01-31T18:30:00.000001Z',
      '9999-12-31T23:59:59.999999Z',
      null,
    ],
  ],
  truths: ['BOOLEAN', [true, false, null]],
  choices: ['SELECT', ['o1', 'o2', 'o3', null]],
  'sets of choices': ['MULTI_SELECT', [['o1'], ['o2', 'o1'], ['o1', 'o2', 'o3'], null]],
  tags: ['TAGS', [['a'], ['a, b', 'c'], ['"', '""', 'x"y'], ['"quoted"', ',', ',"'], ['ä', '😀'.repeat(100)], null]],
}

describe('what is written is read back', () => {
  test.each(Object.keys(kept))('%s', name => {
    const [type, values] = kept[name]!
    for (const value of values) {
      expect(parse(of(type), write(of(type), value)), JSON.stringify(value)).toEqual({value})
      if (type !== 'LONG_TEXT') expect(equal(valueOf(cellOf(type, value)), value)).toBe(true)
      expect(inputOf(type, value) === null).toBe(value === null)
      expect(typeof show(of(type), value)).toBe('string')
    }
  })
})

test.each<[Domain['type'], string, Value]>([
  ['INTEGER', ' +1 000 ', '1000'],
  ['INTEGER', "1'000'000", '1000000'],
  ['INTEGER', '-0', '0'],
  ['INTEGER', '007', '7'],
  ['INTEGER', '45 %', '45'],
  ['INTEGER', '12.00 €', '12'],
  ['NUMBER', ' .5 ', 0.5],
  ['NUMBER', '5.', 5],
  ['NUMBER', '-0', 0],
  ['NUMBER', '1E3', 1000],
  ['NUMBER', '0e0', 0],
  ['NUMBER', '0.000', 0],
  ['DATE', ' 2026-1-2 ', '2026-01-02'],
  ['DATE', '31.1.2026', '2026-01-31'],
  ['DATE', '1/31/2026', '2026-01-31'],
  ['DATE', 'Jan 31, 2026', '2026-01-31'],
  ['DATETIME', 'Jan 31, 2026, 6:30 PM', instant(new Date(2026, 0, 31, 18, 30))],
  ['DATETIME', '2026-01-31T18:30:00+02:00', '2026-01-31T16:30:00Z'],
  ['DATETIME', '2026-01-31 18:30:00.120000z', '2026-01-31T18:30:00.12Z'],
  ['DATETIME', '2026-01-31 18:30 -0130', '2026-01-31T20:00:00Z'],
  ['DATETIME', '2026-01-31T18:30:00.1234567Z', '2026-01-31T18:30:00.123456Z'],
  ['DATETIME', '2026-01-31 18:30 UTC', '2026-01-31T18:30:00Z'],
  ['DATETIME', '2026-01-31 9:05', instant(new Date(2026, 0, 31, 9, 5))],
  ['DATETIME', '2026-01-31', instant(new Date(2026, 0, 31))],
  ['BOOLEAN', ' YES ', true],
  ['BOOLEAN', '0', false],
  ['BOOLEAN', 'x', true],
  ['BOOLEAN', 'ja', true],
  ['BOOLEAN', 'non', false],
  ['BOOLEAN', 'sí', true],
  ['BOOLEAN', 'はい', true],
  ['BOOLEAN', '✓', true],
  ['SELECT', ' one ', 'o1'],
  ['SELECT', 'o3', 'o3'],
  ['MULTI_SELECT', 'drei, ONE, Drei', ['o3', 'o1']],
  ['TAGS', ' a ,, b , a ', ['a', 'b']],
  ['TAGS', ', ,', null],
  ['TEXT', '   ', null],
])('%s takes %j', (type, text, value) => expect(parse(of(type), text)).toEqual({value}))

test.each<[Domain['type'], string]>([
  ['INTEGER', '1.5'],
  ['INTEGER', '1e3'],
  ['INTEGER', '٣'],
  ['INTEGER', '9223372036854775808'],
  ['INTEGER', '-9223372036854775809'],
  ['INTEGER', '9'.repeat(100_000)],
  ['INTEGER', '_'],
  ['INTEGER', '12 bottles'],
  ['INTEGER', '2026-12-24'],
  ['NUMBER', '_'],
  ['NUMBER', '.'],
  ['NUMBER', '1,5'],
  ['NUMBER', '0x10'],
  ['NUMBER', 'Infinity'],
  ['NUMBER', 'NaN'],
  ['NUMBER', '1e126'],
  ['NUMBER', '1e-131'],
  ['NUMBER', '1e-999'],
  ['DATE', '2026-02-29'],
  ['DATE', '1900-02-29'],
  ['DATE', '0000-01-01'],
  ['DATE', '2026-13-01'],
  ['DATE', '2026-00-10'],
  ['DATE', '31/1/2026'],
  ['DATE', 'tomorrow'],
  ['DATE', '10000-01-01'],
  ['DATETIME', '5'],
  ['DATETIME', 'hello 1'],
  ['DATETIME', '2026-02-30T10:00:00Z'],
  ['DATETIME', '2026-01-01T25:00:00Z'],
  ['DATETIME', '2026-01-01T10:61:00Z'],
  ['DATETIME', '0000-06-01T00:00:00Z'],
  ['DATETIME', '0001-01-01T00:00:00+01:00'],
  ['DATETIME', '9999-12-31T23:59:59-01:00'],
  ['DATETIME', '+010000-01-01T00:00:00Z'],
  ['BOOLEAN', 'maybe'],
  ['BOOLEAN', '2'],
  ['BOOLEAN', 'constructor'],
  ['BOOLEAN', '__proto__'],
  ['SELECT', 'Four'],
  ['SELECT', 'One!'],
  ['MULTI_SELECT', 'One, Four'],
  ['TAGS', 'x'.repeat(101)],
  ['TAGS', Array.from({length: 101}, (_, i) => i).join()],
  ['USER', 'x'.repeat(201)],
])('%s refuses %.30s', (type, text) => expect(parse(of(type), text).error).toBeTypeOf('string'))

test('a value that is required', () => {
  for (const type of ['TEXT', 'INTEGER', 'DATE', 'SELECT', 'TAGS', 'BOOLEAN'] as const)
    expect(parse(of(type, {required: true}), ' ').error).toBe('A value is required')
})

describe('a person who is a user', () => {
  const type = of('USER')
  const ann = user('Ann')
  const renamed = new PersonValue('Ann', {...ann, name: 'Ann Lee'})
  test('keeps the reference on the way through the API, and is set by it', () => {
    for (const value of [PersonValue.of(ann), renamed]) {
      expect(valueOf(cellOf('USER', value))).toEqual(value)
      expect(inputOf('USER', value)).toEqual({userId: ann.id})
    }
    expect(inputOf('USER', new PersonValue('Ann'))).toEqual({user: 'Ann'})
  })
  test('is shown by the current name, and written by the name that is compared', () => {
    expect([show(type, renamed), write(type, renamed)]).toEqual(['Ann Lee', 'Ann'])
    expect(show(type, PersonValue.of({...ann, active: false}))).toBe('Ann (deactivated)')
    expect(parse(type, write(type, renamed))).toEqual({value: new PersonValue('Ann')})
  })
  test('is equal to the same user by any name, and to nothing else', () => {
    expect(equal(renamed, PersonValue.of({...ann, name: 'Ann Lee'}))).toBe(true)
    expect(equal(renamed, PersonValue.of(user('Ann', {id: 'another'})))).toBe(false)
    expect(equal(PersonValue.of(ann), new PersonValue('Ann'))).toBe(false)
    expect(equal(new PersonValue('Ann'), new PersonValue('Ann'))).toBe(true)
    expect(equal(new PersonValue('Ann'), new PersonValue('ann'))).toBe(false)
  })
})

test('lists with quotes and commas', () => {
  expect(splitList('a, "b, c" ,"d ""e""", f "g" h,')).toEqual(['a', 'b, c', 'd "e"', 'f "g" h'])
  expect(splitList('"open, b')).toEqual(['"open', 'b'])
  expect(splitList('')).toEqual([])
})

test('what can’t be shown well is shown as it is', () => {
  expect(show(of('NUMBER'), 1e-20)).toBe('1e-20')
  expect(show(of('NUMBER'), 1e100)).toBe('1e+100')
  expect(show(of('DATETIME'), 'garbage')).toBe('garbage')
  expect(show(of('SELECT'), 'gone')).toBe('gone')
})

test.each([
  ['one line', 'one line', 'one line'],
  ['  \n Title\r\n\r\nBody', 'Title\r\n\r\nBody', 'Title …'],
  ['Title  \n ', 'Title  \n ', 'Title  '],
  ['x'.repeat(300), 'x'.repeat(256), `${'x'.repeat(256)} …`],
  [`${' '.repeat(300)}all`, 'all', 'all'],
  [' '.repeat(300), ' '.repeat(256), ' …'],
  [`${'x'.repeat(255)}é`, 'x'.repeat(255), `${'x'.repeat(255)} …`],
  ['😀'.repeat(70), '😀'.repeat(64), `${'😀'.repeat(64)} …`],
])('the excerpt of %.20j is that of the server, and its first line is shown', (text, excerpt, line) => {
  const value = Excerpt.of(text)
  expect(value.excerpt).toBe(excerpt)
  expect(value.bytes).toBe(new TextEncoder().encode(text).length)
  expect(show(of('LONG_TEXT'), value)).toBe(line)
  expect(valueOf(cellOf('LONG_TEXT', text))).toEqual(value)
  expect(equal(value, valueOf(cellOf('LONG_TEXT', value)))).toBe(true)
  expect(equal(value, Excerpt.of(`${text}.`))).toBe(false)
})

test('a long text whose excerpt the server does not have is shown by its size', () => {
  expect(show(of('LONG_TEXT'), new Excerpt(null, 2000))).toBe('2K bytes')
})

describe('folded texts', () => {
  test.each([
    ['バス', 'パス'],
    ['か', 'が'],
    ['ข้าว', 'ขาว'],
    ['कुल', 'कल'],
    ['мой', 'мои'],
    ['її', 'іі'],
    ['أن', 'إن'],
  ])('%s and %s differ', (a, b) => expect(folded(a)).not.toBe(folded(b)))

  test.each([
    ['Schäden ', 'SCHADEN'],
    ['за́мок', 'замок'],
    ['Ёлка', 'елка'],
    ['שָׁלוֹם', 'שלום'],
    ['كَتَبَ', 'كتب'],
    ['バス', 'ﾊﾞｽ'],
    ['МОЙ', 'мои\u0306'],
    ['❤️', '❤'],
    ['ﻷ', 'لأ'],
    ['Acme™', 'ACMETM'],
    ['Ｈｉｇｈ', 'high'],
    ['か\u3099', 'が'],
  ])('%s and %s are equal', (a, b) => expect(folded(a)).toBe(folded(b)))

  test('a syllable of Hangul begins with its first letters', () => expect(folded('한국').startsWith(folded('하'))).toBe(true))
})
