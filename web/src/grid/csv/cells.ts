// Writes and reads the cells of files. Reading a written cell returns the same value.
import type {Column} from '../model/columns'
import {withGuard, withoutGuard} from './guard'
import {isEmpty, parse, splitList, write, type Domain, type Parsed, type Value} from '../model/values'

export function writeCell(domain: Domain, value: Value, guard: boolean): string {
  const text = write(domain, value)
  return guard ? withGuard(text) : text
}

const mostOfName = 1000
const mostOfUser = 200
const mostOfText = 2 << 20

/** Reads a cell. Strings are kept unchanged, including spaces; an empty cell has no value. */
export function readCell(column: Column, cell: string, guarded: boolean): Parsed {
  const text = guarded ? withoutGuard(cell) : cell
  switch (column.type) {
    case 'TEXT':
    case 'LONG_TEXT':
      if (column.builtin === 'NAME') return readName(text)
      if (text.length > mostOfText / 3 && new TextEncoder().encode(text).length > mostOfText) return {error: 'A text has at most 2 MiB'}
      return text === '' && column.required ? {error: 'A value is required'} : {value: text === '' ? null : text}
    case 'USER':
      if (text !== '') return [...text].length > mostOfUser ? {error: `A name has at most ${mostOfUser} characters`} : {value: text}
      break
    case 'NUMBER':
      if (!isExact(text)) return {error: `“${short(text)}” has more digits than a number keeps`}
      break
    case 'SELECT':
      if (text === '' && column.builtin === 'STATE') return {value: null} // the first state
      break
    default:
  }
  const parsed = parse(column, text)
  return parsed.error === undefined && isEmpty(parsed.value) && column.required ? {error: 'A value is required'} : parsed
}

function readName(text: string): Parsed {
  if (text.trim() === '') return {error: 'A name is required'}
  return text.length > mostOfName && [...text].length > mostOfName ? {error: `A name has at most ${mostOfName.toLocaleString()} characters`} : {value: text}
}

/** Reports whether a number keeps all digits of its string. With more than 15 digits, it may not. */
function isExact(text: string): boolean {
  const digits = significant(text)
  return digits.length <= 15 || !Number.isFinite(Number(text)) || significant(String(Number(text))) === digits
}

const significant = (text: string): string =>
  text
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '')

/** Returns the names of options in a cell. */
export const optionNames = (domain: Domain, text: string): string[] =>
  domain.type === 'SELECT'
    ? [text.trim()].filter(Boolean)
    : splitList(text)
        .map(n => n.trim())
        .filter(Boolean)

/** Shortens a string for messages. */
export const short = (text: string, most = 40): string => (text.length > most ? text.slice(0, most - 1) + '…' : text)
