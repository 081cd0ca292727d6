// Reads numbers as people of a locale write them, with separators of groups, a currency or a percent sign. A number whose separator could be of both kinds is
// refused, not guessed.
import {messages} from '../messages'

/** The digits of a number with a decimal point and perhaps an exponent, or why the text is none. */
export type ReadNumber = {number: string; error?: undefined} | {number?: undefined; error: string}

/** How a locale writes numbers. */
interface Form {
  decimal: string
  group: string
  /** The digits from 0 to 9. */
  digits: readonly string[]
}

const known = new Map<string, Form>()

/** Returns the form of a locale. It is made once, because that takes longer than to read a thousand numbers. */
function formOf(locale: string): Form {
  let form = known.get(locale)
  if (!form) known.set(locale, (form = newForm(locale)))
  return form
}

function newForm(locale: string): Form {
  const parts = new Intl.NumberFormat(locale).formatToParts(-1234567.5)
  const of = (type: Intl.NumberFormatPartTypes, otherwise: string) => parts.find(p => p.type === type)?.value ?? otherwise
  const digit = new Intl.NumberFormat(locale, {useGrouping: false})
  return {decimal: plain(of('decimal', '.')), group: plain(of('group', ',')), digits: Array.from({length: 10}, (_, i) => digit.format(i))}
}

/** Returns a text without differences that are not seen: forms of full width, marks of direction, and kinds of spaces, apostrophes and minus signs. */
const plain = (text: string): string =>
  text
    .replace(/[！-～]/g, c => String.fromCharCode(c.charCodeAt(0) - 0xfee0))
    .replace('￥', '¥')
    .replace(/[\u200e\u200f\u061c]/g, '')
    .replace(/[−–‐]/g, '-')
    .replace(/[’‘]/g, "'")
    .replace(/\s/g, ' ')

const currencies = new Set(Intl.supportedValuesOf('currency'))

/** Matches a sign and a unit before the digits, the digits, an exponent, and a unit after them. */
const shape = /^([+-]?) ?((?:[A-Z]{0,3}\p{Sc}|[A-Z]{3}) ?)?([+-]?)([\d., '_]+?)(e[+-]?\d+)?(?: ?(\p{Sc}|[A-Z]{3}|%))?$/iu

/** Reads a number. The unit is dropped, so that 45 % is 45. `problem` returns why a text is none. */
export function readNumber(text: string, locale: string, problem = messages.model.notNumber): ReadNumber {
  const trimmed = text.trim()
  const fault: ReadNumber = {error: problem(trimmed.length > 40 ? `${trimmed.slice(0, 39)}…` : trimmed)}
  if (trimmed.length > 400) return fault
  const form = formOf(locale)
  let ascii = plain(trimmed)
  form.digits.forEach((digit, i) => (ascii = ascii.replaceAll(digit, String(i))))
  ascii = ascii.replaceAll('٫', '.').replaceAll('٬', "'")
  const [, inside] = /^\((.*)\)$/.exec(ascii) ?? []
  const [, sign = '', before = '', inner = '', digits = '', exponent = '', after = ''] = shape.exec(inside ?? ascii) ?? []
  const signs = (inside === undefined ? '' : '-') + sign + inner
  if (signs.length > 1 || (before && after) || (inner && isCode(before)) || ![before, after].every(isUnit)) return fault
  const {number, options} = readDigits(digits, exponent !== '', form)
  if (number !== undefined) return {number: signs + number + exponent.toLowerCase()}
  if (!options) return fault
  const [a, b] = options.map(o => signs + o.replace('.', form.decimal))
  return {error: messages.model.unclearNumber(trimmed, a!, b!)}
}

/** Reports whether a unit is a currency code without a space: with a sign, it is rather a key such as CAD-12. */
const isCode = (unit: string): boolean => /^[A-Z]{3}$/i.test(unit)

const isUnit = (unit: string): boolean => (/^[A-Z]{3} ?$/i.test(unit) ? currencies.has(unit.trim().toUpperCase()) : true)

/** Reads digits with separators. If the only separator could be of both kinds, it returns the two numbers. */
function readDigits(text: string, hasExponent: boolean, form: Form): {number?: string; options?: [string, string]} {
  const marks = [...text.matchAll(/[.,]/g)].map(m => m[0])
  const last = marks.at(-1)
  const others = marks.slice(0, -1)
  const spaced = /[ '_]/.test(text)
  const number = (decimal: string | undefined) => {
    const at = decimal === undefined ? text.length : text.lastIndexOf(decimal)
    const whole = ungrouped(text.slice(0, at))
    const fraction = text.slice(at + 1)
    return whole === null || !/^\d*$/.test(fraction) || whole + fraction === '' ? {} : {number: whole + (at < text.length ? `.${fraction}` : '')}
  }
  if (last === undefined) return number(undefined)
  if (others.length > 0) return number(others.includes(last) ? undefined : last)
  const [whole = '', fraction = ''] = text.split(last)
  if (last === plainMark(form.decimal) || hasExponent || spaced || whole === '' || fraction === '') return number(last)
  if (last === form.group && isGrouped(text)) return number(undefined)
  if (last !== form.group && !isGrouped(text)) return number(last)
  return {options: [`${whole}.${fraction}`, whole.replace(/^0+/, '') + fraction]}
}

const plainMark = (decimal: string): string => (decimal === '٫' ? '.' : decimal)

/** Reports whether digits are in groups of three, or from the second group on of two as in India, with one kind of separator. */
const isGrouped = (text: string): boolean => /^[1-9]\d{0,2}(?:([., '_])\d{3})(?:\1\d{3})*$|^[1-9]\d?(?:([., '_])\d{2})(?:\2\d{2})*\2\d{3}$/.test(text)

/** Returns digits without the separators of groups; null if these are not where groups end. */
const ungrouped = (text: string): string | null => (/^\d*$/.test(text) ? text : isGrouped(text) ? text.replace(/\D/g, '') : null)

/** Writes a number with all of its digits and the decimal separator of a locale, for an editor. */
export const writeNumber = (value: number, locale: string): string => String(value).replace('.', plainMark(formOf(locale).decimal))

/** Returns the fraction of a formatted number with its separator; empty if it has none. */
export function fractionOf(formatted: string, locale: string): string {
  const at = formatted.lastIndexOf(formOf(locale).decimal)
  return at < 0 ? '' : formatted.slice(at)
}

/** Reports whether a number keeps all digits of its string. With more than 15 digits, it may not. */
export function isExact(number: string): boolean {
  const digits = significant(number)
  return digits.length <= 15 || !Number.isFinite(Number(number)) || significant(String(Number(number))) === digits
}

const significant = (number: string): string => number.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '').replace(/0+$/, '')
