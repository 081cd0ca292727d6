// Writes and reads the cells of files. Reading a written cell returns the same value.
import type {Column} from '../model/columns'
import {withGuard, withoutGuard} from './guard'
import {messages} from '../messages'
import {isEmpty, parse, PersonValue, write, written, type Domain, type Parsed, type Value} from '../model/values'

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
      if (text.length > mostOfText / 3 && new TextEncoder().encode(text).length > mostOfText) return {error: messages.files.errors.longText}
      return text === '' && column.required ? {error: messages.files.errors.required} : {value: text === '' ? null : text}
    case 'USER':
      if (text !== '') return [...text].length > mostOfUser ? {error: messages.files.errors.longName(mostOfUser)} : {value: new PersonValue(text)}
      break
    case 'SELECT':
      if (text === '' && column.builtin === 'STATE') return {value: null} // the first state
      break
    default:
  }
  const parsed = parse(column, text, written)
  return parsed.error === undefined && isEmpty(parsed.value) && column.required ? {error: messages.files.errors.required} : parsed
}

function readName(text: string): Parsed {
  if (text.trim() === '') return {error: messages.files.errors.nameRequired}
  return text.length > mostOfName && [...text].length > mostOfName ? {error: messages.files.errors.longName(mostOfName)} : {value: text}
}

/** Shortens a string for messages. */
export const short = (text: string, most = 40): string => (text.length > most ? text.slice(0, most - 1) + '…' : text)
