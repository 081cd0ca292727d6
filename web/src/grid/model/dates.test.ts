import {describe, expect, test} from 'vitest'
import {readsBack, readDate, readTime, type Reading} from './dates'

const now = new Date(2026, 10, 25, 9, 5, 7) // a Wednesday
const typing = (locale: string): Reading => ({locale, now})

const shown = (text: string, reading: Reading): string => {
  const read = readDate(text, reading)
  return read.error === undefined ? read.date : `!${read.error}`
}

describe.each<[string, Record<string, string>]>([
  [
    'en-US',
    {
      '2026-12-24': '2026-12-24',
      '2026-1-2': '2026-01-02',
      ' 2026-12-24 ': '2026-12-24',
      '12/24/2026': '2026-12-24',
      '1/2/2026': '2026-01-02',
      '24/12/2026': '!24 is not a month: write dates like 12/24/2026 or 2026-12-24',
      '24.12.2026': '2026-12-24',
      '1.2.2026': '2026-02-01',
      '2/29/2026': '!February 2026 has 28 days: write dates like 12/24/2026 or 2026-12-24',
      '2024-02-29': '2024-02-29',
      '2026-02-29': '!February 2026 has 28 days',
      '2026-13-01': '!13 is not a month',
      '12/24/26': '!Write the year with four digits',
      '2026/12/24': '2026-12-24',
      '3-4-2026': '!“3-4-2026” could be two dates: write 2026-04-03 or 2026-03-04',
      '24-12-2026': '2026-12-24',
      'Feb 2, 2024': '2024-02-02',
      'February 2nd, 2024': '2024-02-02',
      '2 Feb 2024': '2024-02-02',
      'Feb 2, 24': '!Write the year with four digits',
      'dec 24': '2026-12-24',
      '12/24': '2026-12-24',
      today: '2026-11-25',
      Tomorrow: '2026-11-26',
      yesterday: '2026-11-24',
      '+3d': '2026-11-28',
      '+3': '2026-11-28',
      '-2w': '2026-11-11',
      '+1m': '2026-12-25',
      '+1y': '2027-11-25',
      friday: '2026-11-27',
      'next friday': '2026-11-27',
      'next Wed': '2026-12-02',
      '2026-1': '!“2026-1” is not a date (example: 2026-01-31)',
      '12242026': '!“12242026” is not a date (example: 2026-01-31)',
      '2026': '!“2026” is not a date (example: 2026-01-31)',
      'next month': '!“next month” is not a date (example: 2026-01-31)',
      '0000-01-01': '!Years start at 0001',
      '0001-01-01': '0001-01-01',
      '9999-12-31': '9999-12-31',
      '20266-12-24': '!“20266-12-24” is not a date (example: 2026-01-31)',
    },
  ],
  [
    'de-DE',
    {
      '2026-12-24': '2026-12-24',
      '24.12.2026': '2026-12-24',
      '1.2.2026': '2026-02-01',
      '24. 12. 2026': '2026-12-24',
      '12/24/2026': '2026-12-24',
      '3/4/2026': '!“3/4/2026” could be two dates: write 2026-04-03 or 2026-03-04',
      '4/4/2026': '2026-04-04',
      '24.12.': '2026-12-24',
      '12.24.2026': '!24 is not a month: write dates like 24.12.2026 or 2026-12-24',
      '2. Februar 2024': '2024-02-02',
      '2. Feb. 2024': '2024-02-02',
      '24. Dezember': '2026-12-24',
      heute: '2026-11-25',
      morgen: '2026-11-26',
      today: '2026-11-25',
      Freitag: '2026-11-27',
      Fr: '2026-11-27',
    },
  ],
  [
    'en-GB',
    {
      '24/12/2026': '2026-12-24',
      '3/4/2026': '2026-04-03',
      '12/24/2026': '!24 is not a month: write dates like 24/12/2026 or 2026-12-24',
      '24 Dec 2026': '2026-12-24',
    },
  ],
  [
    'ja-JP',
    {
      '2026/12/24': '2026-12-24',
      '2026年12月24日': '2026-12-24',
      '２０２６－１２－２４': '2026-12-24',
      '2026-12-24': '2026-12-24',
      '12/24': '2026-12-24',
      明日: '2026-11-26',
      金曜日: '2026-11-27',
    },
  ],
  [
    'hu-HU',
    {
      '2026. 12. 24.': '2026-12-24',
      '12.24.': '2026-12-24',
      '3.4.': '2026-03-04',
      '24.12.': '!24 is not a month: write dates like 2026. 12. 24. or 2026-12-24',
    },
  ],
])('a date that is typed in %s', (locale, cases) => {
  test.each(Object.entries(cases))('%j', (text, want) => expect(shown(text, typing(locale))).toBe(want))
})

test.each(['today', '+3d', 'friday', '12/24', 'dec 24', 'now'])('%j is not a date in a file', text => {
  expect(shown(text, {locale: 'en-US'})).toMatch(/^!/)
  expect(readTime(text, {locale: 'en-US'}).error).toBeDefined()
})

test('one month after the end of a month', () => {
  expect(shown('+1m', {locale: 'en', now: new Date(2026, 0, 31)})).toBe('2026-02-28')
  expect(shown('-1y', {locale: 'en', now: new Date(2024, 1, 29)})).toBe('2023-02-28')
})

test('what a locale shows, it reads', () => {
  for (const locale of ['en-US', 'en-GB', 'de-DE', 'de-CH', 'fr-FR', 'es-ES', 'it-IT', 'nl-NL', 'sv-SE', 'pl-PL', 'pt-BR', 'ja-JP', 'zh-CN', 'ko-KR'])
    for (const at of [Date.UTC(2024, 1, 29), Date.UTC(2026, 11, 24), Date.UTC(2026, 3, 3), Date.UTC(2026, 4, 12)])
      for (const options of [{dateStyle: 'short'}, {dateStyle: 'medium'}, {dateStyle: 'long'}, {year: 'numeric', month: '2-digit', day: '2-digit'}] as const) {
        const text = new Intl.DateTimeFormat(locale, {...options, timeZone: 'UTC'}).format(at)
        if (!/\d{4}/.test(text)) continue // a year of two digits is refused
        expect(shown(text, {locale}), `${locale} ${text}`).toBe(new Date(at).toISOString().slice(0, 10))
      }
})

describe('a time', () => {
  const time = (text: string, locale = 'en-US') => {
    const read = readTime(text, typing(locale))
    return read.error === undefined ? `${read.date} ${read.time}` : '!'
  }
  test.each([
    ['2026-12-24 18:30', '2026-12-24 18:30:00'],
    ['2026-12-24T18:30:05.25', '2026-12-24 18:30:05.25'],
    ['12/24/2026 6:30 PM', '2026-12-24 18:30:00'],
    ['12/24/2026, 12:05 am', '2026-12-24 00:05:00'],
    ['Feb 2, 2024, 12:41 PM', '2024-02-02 12:41:00'],
    ['tomorrow 18:30', '2026-11-26 18:30:00'],
    ['tomorrow at 6pm', '2026-11-26 18:00:00'],
    ['18:30', '2026-11-25 18:30:00'],
    ['now', '2026-11-25 09:05:07'],
    ['today', '2026-11-25 00:00:00'],
    ['2026-12-24', '2026-12-24 00:00:00'],
    ['2026-12-24 25:00', '!'],
    ['2026-12-24 18:60', '!'],
    ['13:00 pm', '!'],
    ['18', '!'],
    ['Item 1', '!'],
  ])('%j', (text, want) => expect(time(text)).toBe(want))
  test('in German', () => {
    expect(time('24.12.2026, 18:30', 'de-DE')).toBe('2026-12-24 18:30:00')
    expect(time('24.12.2026 um 18:30 Uhr', 'de-DE')).toBe('2026-12-24 18:30:00')
    expect(time('02.02.2024, 12:41:00', 'de-DE')).toBe('2024-02-02 12:41:00')
  })
})

// What a cell shows in its locale, it also reads.
const shownIn =
  'en-US en-GB en-IN en-CA de-DE de-CH fr-FR fr-CA es-ES es-MX pt-BR pt-PT it-IT nl-NL pl-PL cs-CZ sv-SE fi-FI hu-HU ru-RU uk-UA tr-TR ja-JP zh-CN zh-TW ko-KR he-IL ar-EG fa-IR hi-IN th-TH vi-VN'.split(
    ' ',
  )
test.each(shownIn)('a cell reads the dates that it shows in %s', locale => {
  const format = new Intl.DateTimeFormat(locale, {calendar: 'gregory', numberingSystem: 'latn', dateStyle: 'medium', timeZone: 'UTC'})
  if (locale === 'vi-VN') return expect(readsBack(locale, format)).toBe(false) // cells show the ISO form
  expect(readsBack(locale, format)).toBe(true)
  const wrong: string[] = []
  for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 86_400_000) {
    const text = format.format(at)
    const read = readDate(text, {locale})
    if (read.date !== new Date(at).toISOString().slice(0, 10)) wrong.push(`${text}: ${read.date ?? read.error}`)
  }
  expect(wrong).toEqual([])
})
