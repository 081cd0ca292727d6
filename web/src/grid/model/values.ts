// The values of cells: how the API returns them, how users read and write them, and how the API takes them.
//
// A value is a plain JavaScript value: a string, the digits of an integer, a number, a boolean, the ID of an option, or a list of IDs or tags; null if empty.
// That of a person is a name with the user that it refers to, if any. Of a long text, a row has only an excerpt.
import words from '../../../../internal/importer/booleans.json'
import {messages} from '../messages'
import {notTime, readDate, readTime, readsBack, type Reading} from './dates'
import {isExact, readNumber, writeNumber} from './numbers'
import {shownName, type User} from './people'
import type {CellFragment, CustomFieldType, FieldFragment, ValueInput} from '../../gql/graphql'

export type Value = string | number | boolean | readonly string[] | PersonValue | Excerpt | null

/**
 * The value of a USER column: a name, and the user that it refers to; null if it is only a name. The name is that by which the API sorts, groups and compares; a
 * while after the user was renamed, it is still the former one.
 */
export class PersonValue {
  constructor(
    readonly name: string,
    readonly user: User | null = null,
  ) {}

  /** Returns the value that refers to a user. */
  static of(user: User): PersonValue {
    return new PersonValue(user.name, user)
  }

  /** Returns the name by which the value is compared. */
  toString(): string {
    return this.name
  }
}

/** What a row has of a long text: its beginning, which is null if the server does not have it, and its length in bytes. */
export class Excerpt {
  constructor(
    readonly excerpt: string | null,
    readonly bytes: number,
  ) {}

  /** Returns the excerpt that the server has of a string. */
  static of(text: string): Excerpt {
    const encode = (s: string) => new TextEncoder().encode(s)
    const start = encode(text.trimStart() || text).subarray(0, mostOfExcerpt)
    // As a stream, the decoder leaves out a character that the end cuts.
    return new Excerpt(new TextDecoder().decode(start, {stream: true}), encode(text).length)
  }

  /** The string, if the excerpt is all of it. */
  get whole(): string | null {
    return this.excerpt !== null && new TextEncoder().encode(this.excerpt).length === this.bytes ? this.excerpt : null
  }

  /** Returns the first line, marked if it is not the whole string. */
  toString(): string {
    if (this.excerpt === null) return messages.model.bytes(bytes.format(this.bytes))
    const [line = ''] = this.excerpt.split(/[\r\n]/, 1)
    // A cut excerpt is as long as it may be, but for a part of a character.
    const isCut = this.bytes > mostOfExcerpt && new TextEncoder().encode(this.excerpt).length > mostOfExcerpt - 4
    return line.length < this.excerpt.trimEnd().length || isCut ? `${line.trimEnd()} …` : line
  }
}

/** The greatest length of an excerpt in bytes. */
const mostOfExcerpt = 256

export type Option = Pick<FieldFragment['options'][number], 'id' | 'name' | 'color'> & {
  /** Whether the option is a state in which no more work is needed. */
  isClosed?: boolean
}

/** The values that a cell can have: its type, and the options of a choice. */
export interface Domain {
  type: CustomFieldType
  options: readonly Option[]
  /** Whether the cell must have a value. */
  required?: boolean
  /** Whether a date alone, in the place of a time, is the last instant of the day instead of the first: it ends a range. */
  endsDay?: boolean
}

/** The result of parsing what a user typed or pasted. */
export type Parsed =
  | {value: Value; error?: undefined}
  | {
      error: string
      /** Whether the user is still typing the name of a choice, so that the error is not shown yet. */
      isUnfinished?: boolean
    }

const cellTypes: Record<NonNullable<CellFragment['__typename']>, CustomFieldType> = {
  TextValue: 'TEXT',
  LongTextValue: 'LONG_TEXT',
  IntegerValue: 'INTEGER',
  NumberValue: 'NUMBER',
  DateValue: 'DATE',
  DateTimeValue: 'DATETIME',
  BooleanValue: 'BOOLEAN',
  SelectValue: 'SELECT',
  MultiSelectValue: 'MULTI_SELECT',
  TagsValue: 'TAGS',
  UserValue: 'USER',
}

/** Reports whether a cell has a value of a type, or none. A cell that was read before the type of its field changed has another. */
export const isOfType = (cell: CellFragment | null, type: CustomFieldType): boolean => cell === null || cellTypes[cell.__typename] === type

/** Converts the value of a custom field from the API. */
export function valueOf(cell: CellFragment | null | undefined): Value {
  switch (cell?.__typename) {
    case 'TextValue':
      return cell.text
    case 'LongTextValue':
      return new Excerpt(cell.excerpt, cell.bytes)
    case 'IntegerValue':
      return cell.integer
    case 'NumberValue':
      return cell.number
    case 'DateValue':
      return cell.date
    case 'DateTimeValue':
      return cell.dateTime
    case 'BooleanValue':
      return cell.boolean
    case 'SelectValue':
      return cell.option.id
    case 'MultiSelectValue':
      return cell.options.map(o => o.id)
    case 'TagsValue':
      return cell.tags
    case 'UserValue':
      return new PersonValue(cell.name, cell.user ?? null)
    default:
      return null
  }
}

/** Converts a value to an input of the API. */
export function inputOf(type: CustomFieldType, value: Value): ValueInput | null {
  if (isEmpty(value)) return null
  switch (type) {
    case 'TEXT':
    case 'LONG_TEXT':
      return {text: value as string}
    case 'INTEGER':
      return {integer: value as string}
    case 'NUMBER':
      return {number: value as number}
    case 'DATE':
      return {date: value as string}
    case 'DATETIME':
      return {dateTime: value as string}
    case 'BOOLEAN':
      return {boolean: value as boolean}
    case 'SELECT':
      return {optionId: value as string}
    case 'MULTI_SELECT':
      return {optionIds: [...(value as string[])]}
    case 'TAGS':
      return {tags: [...(value as string[])]}
    case 'USER':
      return value instanceof PersonValue && value.user ? {userId: value.user.id} : {user: String(value)}
  }
}

/** Returns the cell that the API will return for a value, for optimistic updates. */
export function cellOf(type: CustomFieldType, value: Value): CellFragment | null {
  if (isEmpty(value)) return null
  switch (type) {
    case 'TEXT':
      return {__typename: 'TextValue', text: value as string}
    case 'LONG_TEXT': {
      const {excerpt, bytes} = value instanceof Excerpt ? value : Excerpt.of(value as string)
      return {__typename: 'LongTextValue', excerpt, bytes}
    }
    case 'INTEGER':
      return {__typename: 'IntegerValue', integer: value as string}
    case 'NUMBER':
      return {__typename: 'NumberValue', number: value as number}
    case 'DATE':
      return {__typename: 'DateValue', date: value as string}
    case 'DATETIME':
      return {__typename: 'DateTimeValue', dateTime: value as string}
    case 'BOOLEAN':
      return {__typename: 'BooleanValue', boolean: value as boolean}
    case 'SELECT':
      return {__typename: 'SelectValue', option: {__typename: 'Option', id: value as string}}
    case 'MULTI_SELECT':
      return {__typename: 'MultiSelectValue', options: (value as string[]).map(id => ({__typename: 'Option' as const, id}))}
    case 'TAGS':
      return {__typename: 'TagsValue', tags: [...(value as string[])]}
    case 'USER': {
      const {name, user} = value as PersonValue
      return {__typename: 'UserValue', name, user}
    }
  }
}

export function isEmpty(value: Value): value is null {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Reports whether two values are the same. Two values that refer to the same user are, even if the user had another name when one of them was set. */
export function equal(a: Value, b: Value): boolean {
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b)
  if (a instanceof PersonValue && b instanceof PersonValue) return a.user || b.user ? a.user?.id === b.user?.id : a.name === b.name
  if (a instanceof Excerpt && b instanceof Excerpt) return a.excerpt === b.excerpt && a.bytes === b.bytes
  if (Array.isArray(a) && Array.isArray(b)) {
    const other = new Set(b)
    return a.length === b.length && a.every(x => other.has(x)) // sets: the API keeps no order
  }
  return a === b
}

const numbers = new Intl.NumberFormat(undefined, {maximumFractionDigits: 10})
/** The calendar and the digits that dates are read in. */
const forms = {calendar: 'gregory', numberingSystem: 'latn'} as const
const dates = new Intl.DateTimeFormat(undefined, {...forms, dateStyle: 'medium', timeZone: 'UTC'})
const dateTimes = new Intl.DateTimeFormat(undefined, {...forms, dateStyle: 'medium', timeStyle: 'short'})
const bytes = new Intl.NumberFormat(undefined, {notation: 'compact', maximumFractionDigits: 1})

/** Uses an exponent where the formatted number would be 0 or show more digits than are known. */
function showNumber(n: number): string {
  const size = Math.abs(n)
  return n !== 0 && (size < 1e-9 || size >= 1e15) ? String(n) : numbers.format(n)
}

/** Whether dates are shown in the form of the locale; otherwise in ISO form. */
const showsDates = readsBack(Intl.DateTimeFormat().resolvedOptions().locale, dates)

/** Formats a value for display. */
export function show(domain: Domain, value: Value): string {
  if (isEmpty(value)) return ''
  switch (domain.type) {
    case 'NUMBER':
      return showNumber(value as unknown as number)
    case 'DATE': {
      const at = new Date(`${value as string}T00:00Z`)
      // A year before 1000 would be read as one without its century.
      return !showsDates || Number.isNaN(at.getTime()) || at.getUTCFullYear() < 1000 ? String(value) : dates.format(at)
    }
    case 'DATETIME': {
      const at = new Date(value as string)
      return Number.isNaN(at.getTime()) ? String(value) : dateTimes.format(at) // a URL may hold an invalid time
    }
    case 'BOOLEAN':
      return value ? messages.model.yes : messages.model.no
    case 'USER':
      return value instanceof PersonValue && value.user ? shownName(value.user) : String(value)
    case 'LONG_TEXT':
      return String(value)
    default:
      return write(domain, value)
  }
}

const fullDates = new Intl.DateTimeFormat(undefined, {...forms, dateStyle: 'full', timeZone: 'UTC'})
const fullTimes = new Intl.DateTimeFormat(undefined, {...forms, dateStyle: 'full', timeStyle: 'short'})

/** Formats a date or a time with the day of the week, so that a user sees which day was understood. */
export const showInFull = (type: 'DATE' | 'DATETIME', value: string): string =>
  type === 'DATE' ? fullDates.format(new Date(`${value}T00:00Z`)) : fullTimes.format(new Date(value))

/** Formats a value as a string that parse reads back, for editors, clipboards and files. */
export function write(domain: Domain, value: Value): string {
  if (isEmpty(value)) return ''
  switch (domain.type) {
    case 'SELECT':
      return nameOf(domain, value as string)
    case 'MULTI_SELECT':
      return (value as unknown as readonly string[]).map(id => quoted(nameOf(domain, id))).join(', ')
    case 'TAGS':
      return (value as unknown as readonly string[]).map(quoted).join(', ')
    default:
      return String(value)
  }
}

/** Formats a value as a string that parse reads back in the user's locale, for editors. Times are in the browser's time zone. */
export function draftOf(domain: Domain, value: Value): string {
  if (domain.type === 'DATETIME' && typeof value === 'string') return localTime(value).replace('T', ' ')
  return typeof value === 'number' ? writeNumber(value, here.locale) : write(domain, value)
}

/** Formats an instant for an input of type datetime-local. */
export function localTime(instant: string): string {
  const at = new Date(instant)
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return local
    .toISOString()
    .replace(/(:00)?(\.0*)?Z$/, '')
    .replace('Z', '')
}

/** Returns the name of an option, or its ID if the field no longer has the option. */
export function nameOf(domain: Domain, id: string): string {
  return domain.options.find(o => o.id === id)?.name ?? id
}

const quoted = (name: string) => (/[,"]|^\s|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)

/** Parses a list of names separated by commas. A name that contains a comma, or that begins or ends with a space, is in quotes. */
export function splitList(text: string): string[] {
  const names: string[] = []
  for (const [, inQuotes, plain] of text.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g)) {
    const name = inQuotes?.replaceAll('""', '"') ?? (plain ?? '').trim()
    if (name && !names.includes(name)) names.push(name)
  }
  return names
}

const maxInt64 = 2n ** 63n - 1n
const truths = new Map<string, boolean>([...words.true.map(t => [t, true] as const), ...words.false.map(t => [t, false] as const)])

/** How the user's browser writes dates and numbers. */
export const here: Reading = {locale: Intl.DateTimeFormat().resolvedOptions().locale}

/** How `write` writes dates and numbers. */
export const written: Reading = {locale: 'en-US'}

/** Parses what a user typed or pasted, or, with `written`, what `write` returned. Only with the current time in `reading` are words such as tomorrow dates. */
export function parse(domain: Domain, text: string, reading: Reading = here): Parsed {
  const trimmed = text.trim()
  if (trimmed === '') return domain.required ? {error: messages.model.required} : {value: null}
  switch (domain.type) {
    case 'TEXT':
    case 'LONG_TEXT':
      return {value: text}
    case 'USER':
      return characters(trimmed) > 200 ? {error: messages.model.nameLength} : {value: new PersonValue(trimmed)}
    case 'INTEGER':
      return parseInteger(trimmed, reading)
    case 'NUMBER':
      return parseNumber(trimmed, reading)
    case 'DATE':
      return parseDate(trimmed, reading)
    case 'DATETIME':
      return parseDateTime(trimmed, reading, domain.endsDay ?? false)
    case 'BOOLEAN': {
      const truth = truths.get(trimmed.toLowerCase())
      return truth === undefined ? {error: messages.model.neitherYesNorNo(trimmed)} : {value: truth}
    }
    case 'SELECT':
      return parseOption(domain, text)
    case 'MULTI_SELECT': {
      const ids: string[] = []
      for (const name of splitList(text)) {
        const option = parseOption(domain, name)
        if (option.error !== undefined) return option
        if (!ids.includes(option.value as string)) ids.push(option.value as string)
      }
      return {value: ids.length ? ids : null}
    }
    case 'TAGS': {
      const tags = splitList(text)
      if (tags.length > 100) return {error: messages.model.tagCount}
      const long = tags.find(t => characters(t) > 100)
      return long ? {error: messages.model.tagLength(long.slice(0, 20))} : {value: tags.length ? tags : null}
    }
  }
}

/** Returns the length of a string in code points, as the API counts it. A string of at most 100 UTF-16 units is within every limit and is not counted. */
const characters = (text: string): number => (text.length <= 100 ? text.length : [...text].length)

function parseInteger(text: string, {locale}: Reading): Parsed {
  const read = readNumber(text, locale, messages.model.notInteger)
  if (read.error !== undefined) return {error: read.error}
  const [, sign = '', digits = ''] = /^([+-]?)(\d+)(?:\.0*)?$/.exec(read.number) ?? []
  if (!digits) return {error: messages.model.notInteger(text)}
  if (digits.length > 100) return {error: messages.model.integerRange}
  const n = BigInt(digits) * (sign === '-' ? -1n : 1n)
  return n > maxInt64 || n < -maxInt64 - 1n ? {error: messages.model.integerRange} : {value: n.toString()}
}

function parseNumber(text: string, {locale}: Reading): Parsed {
  const read = readNumber(text, locale)
  if (read.error !== undefined) return {error: read.error}
  const n = Number(read.number)
  const size = Math.abs(n)
  if (size > 9.9e125 || (size < 1e-130 && /[1-9]/.test(read.number.replace(/e.*/, '')))) return {error: messages.model.numberRange}
  if (!isExact(read.number)) return {error: messages.model.numberDigits(text.length > 40 ? `${text.slice(0, 39)}…` : text)}
  return {value: n === 0 ? 0 : n} // no negative zero
}

function parseDate(text: string, reading: Reading): Parsed {
  const read = readDate(text, reading)
  return read.error === undefined ? {value: read.date} : {error: read.error}
}

const withZone = /^(.+?)\s*(Z|UTC|[+-]\d\d:?\d\d)$/i

/** Parses a time in the zone that it names, or else in the browser's. Date has milliseconds, but the API microseconds. */
function parseDateTime(text: string, reading: Reading, endsDay: boolean): Parsed {
  const [, local, zone = ''] = withZone.exec(text) ?? []
  // Of 2026-01-31 -0130, the end is a zone; the end of 2026-01-31 is not.
  const zoned = local !== undefined && /\d:\d/.test(local)
  const read = readTime(zoned ? local : text, reading)
  if (read.error !== undefined) return {error: notTime(text)}
  const [time, fraction = ''] = (read.isDay && endsDay ? '23:59:59.999999' : read.time).split('.')
  const offset = zoned
    ? zone
        .toUpperCase()
        .replace('UTC', 'Z')
        .replace(/^([+-]\d\d):?/, '$1:')
    : ''
  const at = new Date(`${read.date}T${time}${offset}`)
  if (Number.isNaN(at.getTime())) return {error: notTime(text)}
  const year = at.getUTCFullYear()
  if (year < 1 || year > 9999) return {error: messages.model.timeRange}
  const micros = fraction.slice(0, 6).replace(/0+$/, '')
  return {value: instant(at).replace('Z', micros ? `.${micros}Z` : 'Z')}
}

/** Returns a form of a name that is equal for names that the API takes for the same: those that differ only in case, in white space at their ends or in the form in Unicode. */
export const nameKey = (name: string): string => name.trim().normalize('NFD').toLowerCase().replaceAll('ς', 'σ')

// As in the package fold of the server: the marks that are removed, and the letters that keep theirs.
const accents = /(?![\u3099\u309a])(?=\p{Mn})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Variation_Selector}]/gu
const composed = /[ѓїќўйѷӑӓӗӛӝӟӥӧӫӭӱӳӵӹآأؤإئ\u3041-\u30ff]/u

/** Returns a text without differences of case, accents, compatibility forms and white space at its ends. Marks that make another letter or word stay. */
export const folded = (text: string): string =>
  [...text.trim().normalize('NFKC').toLowerCase().normalize('NFC')].map(c => (composed.test(c) ? c : c.normalize('NFKD').replace(accents, ''))).join('')

function parseOption(domain: Domain, name: string): Parsed {
  const key = nameKey(name)
  const {options} = domain
  const option = options.find(o => o.name === name) ?? options.find(o => nameKey(o.name) === key) ?? options.find(o => o.id === name.trim())
  return option ? {value: option.id} : {error: messages.model.notOption(name.trim())}
}

/** Formats an instant like the API, without trailing zeros. */
export function instant(at: Date): string {
  return at.toISOString().replace(/\.?0*Z$/, 'Z')
}
