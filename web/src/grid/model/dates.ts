// Reads dates and times as people write them: in ISO form, in the form of a locale, and, while they type, as words such as tomorrow. A date that could be two
// days is refused, not guessed.
import {language, messages} from '../messages'

/** How to read: the locale of forms and names, and the moment from which words count; without one, words are not dates. */
export interface Reading {
  locale: string
  now?: Date
}

/** The date in ISO form, or why the text is none. */
export type ReadDate = {date: string; error?: undefined} | {date?: undefined; error: string}

/** The local date and time; the time has the form hh:mm:ss, with a fraction if it was given. */
/** A time of the day, or a date alone (isDay), whose time is midnight. */
export type ReadTime = {date: string; time: string; isDay?: boolean; error?: undefined} | {error: string}

const day = 86_400_000

/** Returns a text without differences that are not seen: full-width digits, marks of direction, and kinds of spaces. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\u200e\u200f\u061c]/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** How a locale writes dates. */
interface Form {
  /** Whether the day comes before the month. */
  dayFirst: boolean
  yearFirst: boolean
  separator: string
  /** An example in digits. */
  example: string
  /** The names of months and weekdays in lower case, with their index: those of the locale and the English ones, long and short. */
  months: ReadonlyMap<string, number>
  /** What the locale writes around the figures of a date, by month: the name of the month, and perhaps a word for the year. */
  frames: ReadonlyMap<string, number>
  weekdays: ReadonlyMap<string, number>
}

const forms = {calendar: 'gregory', numberingSystem: 'latn', timeZone: 'UTC'} as const
const known = new Map<string, Form>()

/** Returns the form of a locale. It is made once, because that takes longer than to read a thousand dates. */
function formOf(locale: string): Form {
  let form = known.get(locale)
  if (!form) known.set(locale, (form = newForm(locale)))
  return form
}

function newForm(locale: string): Form {
  const format = new Intl.DateTimeFormat(locale, {...forms, year: 'numeric', month: '2-digit', day: '2-digit'})
  const parts = format.formatToParts(0)
  const at = (type: Intl.DateTimeFormatPartTypes) => parts.findIndex(p => p.type === type)
  return {
    dayFirst: at('day') < at('month'),
    yearFirst: at('year') < at('month'),
    separator: plain(parts.find(p => p.type === 'literal')?.value ?? ''),
    example: format.format(Date.UTC(2026, 11, 24)),
    months: namesOf(locale, 'month', 12, i => Date.UTC(2001, i, 3)),
    frames: new Map(
      Array.from({length: 12}, (_, i) => i).flatMap(i =>
        (['medium', 'long'] as const).map(
          dateStyle => [frameOf(plain(new Intl.DateTimeFormat(locale, {...forms, dateStyle}).format(Date.UTC(2026, i, 24)))), i] as const,
        ),
      ),
    ),
    weekdays: namesOf(locale, 'weekday', 7, i => Date.UTC(2001, 3, 1 + i)), // from a Sunday
  }
}

const isoOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Returns the ISO form of a day that there is. */
function realDate(year: number, month: number, date: number): ReadDate {
  if (year < 1) return {error: messages.model.firstYear}
  if (month < 1 || month > 12) return {error: messages.model.notMonth(month)}
  const at = new Date(0)
  at.setUTCFullYear(year, month, 0)
  const days = at.getUTCDate()
  if (date < 1 || date > days) {
    const name = new Intl.DateTimeFormat(language, {...forms, month: 'long'}).format(at)
    return {error: messages.model.daysOfMonth(name, year, days)}
  }
  return {date: `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`}
}

function namesOf(locale: string, of: 'month' | 'weekday', count: number, at: (index: number) => number): Map<string, number> {
  const names = new Map<string, number>()
  for (const language of ['en', locale])
    for (const form of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(language, {...forms, [of]: form, ...(of === 'month' ? {day: 'numeric'} : {})})
      for (let i = 0; i < count; i++) {
        const name = format.formatToParts(at(i)).find(p => p.type === of)?.value ?? ''
        if (/\p{L}/u.test(name) && !/\d/.test(name)) names.set(folded(name), i)
      }
    }
  return names
}

/** Returns a date without its figures, punctuation and spaces. */
const frameOf = (text: string): string => text.replace(/[\p{N}\p{P}\p{Z}]/gu, '').toLowerCase()

const folded = (name: string): string => name.toLowerCase().replace(/\.$/, '')

/** Reads a date. */
export function readDate(text: string, reading: Reading): ReadDate {
  const given = plain(text)
  return inFigures(given, reading) ?? withMonthName(given, reading) ?? inWords(given, reading) ?? {error: messages.model.notDate(text.trim())}
}

const figures = /^(\d{1,4}) ?([-./年년]) ?(\d{1,2}) ?([-./月월]) ?(\d{1,4}) ?[.日일]?$/
const withoutYear = /^(\d{1,2}) ?([-./]) ?(\d{1,2})(\.?)$/

/** Reports whether the dates of a locale, as they are shown in cells, are read back. */
export const readsBack = (locale: string, format: Intl.DateTimeFormat): boolean =>
  Array.from({length: 12}, (_, i) => Date.UTC(2026, i, 1 + ((i + 5) % 12))).every(at => readDate(format.format(at), {locale}).date === isoOf(at))

/** Reads a date of three numbers, or of two while it is typed; null if it is something else. */
function inFigures(text: string, {locale, now}: Reading): ReadDate | null {
  const [, a, by, b, by2, c] = figures.exec(text) ?? []
  if (a !== undefined && b !== undefined && c !== undefined) {
    if (by !== by2 && !['年月', '년월'].includes(by! + by2!)) return null
    if (a.length > 2) return a.length === 4 && c.length <= 2 ? realDate(Number(a), Number(b), Number(c)) : {error: messages.model.yearDigits}
    if (c.length !== 4) return {error: messages.model.yearDigits}
    return ofTwo(text, Number(a), Number(b), Number(c), by!, formOf(locale))
  }
  const [, first, sign, second, dot] = withoutYear.exec(text) ?? []
  if (!now || first === undefined || second === undefined) return null
  const form = formOf(locale)
  // A dot at the end says that the day comes first, in every language.
  return sign === form.separator || (sign === '.' && dot) ? ofTwo(text, Number(first), Number(second), now.getFullYear(), sign, form) : null
}

/** Reads a day and a month in the order of the locale, or in the only possible one. */
function ofTwo(text: string, a: number, b: number, year: number, by: string, form: Form): ReadDate {
  const dayFirst = isDayFirst(a, b, by, form)
  if (dayFirst === null) return {error: messages.model.unclearDate(text, isoOf(Date.UTC(year, b - 1, a)), isoOf(Date.UTC(year, a - 1, b)))}
  const read = dayFirst ? realDate(year, b, a) : realDate(year, a, b)
  return read.error === undefined ? read : {error: messages.model.dateForm(read.error, form.example)}
}

/** Reports whether the first of two numbers is the day; null if both could be. */
function isDayFirst(a: number, b: number, by: string, {dayFirst, yearFirst, separator}: Form): boolean | null {
  // Dots follow the day wherever the year comes last.
  if (by === '.' && !yearFirst) return true
  // Another separator does not tell the order.
  if (by === separator) return dayFirst
  if (a > 12 || a === b) return true
  return b > 12 ? false : null
}

/** Reads a date with the name of its month, such as Feb 2, 2024 or 2. Februar 2024; null if it has none. */
function withMonthName(text: string, {locale, now}: Reading): ReadDate | null {
  const frame = frameOf(text)
  const framed = frame === '' ? undefined : formOf(locale).frames.get(frame)
  const figures = text.match(/\d+/g) ?? []
  if (framed !== undefined && figures.length === 2) {
    const [year, date] = figures[0].length === 4 ? figures : figures.toReversed()
    if (year!.length === 4 && date!.length <= 2) return realDate(Number(year), framed + 1, Number(date))
  }
  const tokens = text.replace(/(\d)(?:st|nd|rd|th)\b/gi, '$1').match(/\p{L}+|\d+|[^\p{L}\d\s.,]/gu) ?? []
  const {months} = formOf(locale)
  const numbers: string[] = []
  let month: number | null = null
  for (const token of tokens) {
    const named = months.get(folded(token))
    if (/^\d+$/.test(token)) numbers.push(token)
    else if (named !== undefined && month === null) month = named
    else if (folded(token) !== 'de' && folded(token) !== 'of') return null
  }
  if (month === null || numbers.length === 0 || numbers.length > 2) return null
  const year = numbers.find(n => n.length === 4)
  const date = numbers.find(n => n.length <= 2)
  if (date === undefined || (numbers.length === 2 && year === undefined)) return {error: messages.model.yearDigits}
  if (year === undefined && !now) return null
  return realDate(year === undefined ? now!.getFullYear() : Number(year), month + 1, Number(date))
}

/** Reads a date that depends on today, such as tomorrow, +3d or next Friday; null if it is none. */
function inWords(text: string, {locale, now}: Reading): ReadDate | null {
  if (!now) return null
  const word = text.toLowerCase()
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())
  for (const language of ['en', locale]) {
    const relative = new Intl.RelativeTimeFormat(language, {numeric: 'auto'})
    for (const days of [-1, 0, 1]) if (relative.format(days, 'day').toLowerCase() === word) return {date: isoOf(today + days * day)}
  }
  const [, sign, count, unit = 'd'] = /^([+-]) ?(\d{1,4}) ?([dwmy])?$/.exec(word) ?? []
  if (count !== undefined) return {date: isoOf(later(today, Number(sign + count), unit))}
  const weekday = formOf(locale).weekdays.get(folded(word.replace(/^next /, '')))
  if (weekday === undefined) return null
  const ahead = (weekday - new Date(today).getUTCDay() + 7) % 7
  return {date: isoOf(today + (ahead || 7) * day)}
}

/** Returns the day so many units later. A month ends with its last day: one month after January 31 is the end of February. */
function later(at: number, count: number, unit: string): number {
  if (unit === 'd' || unit === 'w') return at + count * (unit === 'w' ? 7 : 1) * day
  const from = new Date(at)
  const months = count * (unit === 'y' ? 12 : 1)
  const last = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months + 1, 0)).getUTCDate()
  return Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, Math.min(from.getUTCDate(), last))
}

const clock = /(?:^|[ T,]|, )(\d{1,2})(?::(\d\d))?(?::(\d\d)(?:[.,](\d+))?)? ?(am|pm|a\.m\.|p\.m\.|uhr)?$/i

/** Reads a date and a time of day, in the zone of the reader. Without a time it is midnight; while it is typed, a time alone is today's. */
export function readTime(text: string, reading: Reading): ReadTime {
  const given = plain(text)
  const {now} = reading
  if (now && given.toLowerCase() === 'now') return {date: localDate(now), time: now.toTimeString().slice(0, 8)}
  const found = clock.exec(given)
  // A number alone is the end of a date.
  if (found && (found[2] !== undefined || found[5] !== undefined)) {
    const [whole, hours, minutes = '00', seconds = '00', fraction, half] = found
    const before = given
      .slice(0, given.length - whole.length)
      .replace(/[, ]+$/, '')
      .replace(/ (?:at|um)$/i, '')
    const read = before === '' && now ? {date: localDate(now)} : readDate(before, reading)
    if (read.date === undefined) return {error: notTime(text)}
    let hour = Number(hours)
    if (half && /^[ap]/i.test(half)) {
      if (hour < 1 || hour > 12) return {error: notTime(text)}
      hour = (hour % 12) + (/^p/i.test(half) ? 12 : 0)
    }
    if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return {error: notTime(text)}
    return {date: read.date, time: `${String(hour).padStart(2, '0')}:${minutes}:${seconds}${fraction ? `.${fraction}` : ''}`}
  }
  const read = readDate(given, reading)
  return read.date === undefined ? {error: notTime(text)} : {date: read.date, time: '00:00:00', isDay: true}
}

/** Returns why a text is no time. */
export const notTime = (text: string): string => messages.model.notTime(text.trim())

const localDate = (at: Date): string => isoOf(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()))

/** Returns the time zone of the browser. One that does not know its own counts in UTC. */
export function browserZone(): string {
  const {timeZone} = Intl.DateTimeFormat().resolvedOptions()
  return timeZone === undefined || timeZone === 'Etc/Unknown' ? 'UTC' : timeZone
}
