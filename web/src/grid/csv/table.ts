// A CSV file as a table with a header and rows. Each call of rows reads the file again, so that a file of any size needs the memory of only one piece.
// docs/import.md has the rules.

import {withoutGuard} from './guard'

/** An error in the file that prevents the import, with advice for the user. */
export class FileProblem extends Error {}

/** A record of the file. */
export interface RawRow {
  /** The row number as in spreadsheets; the header is 1. */
  row: number
  cells: readonly string[]
  /** Why the record is wrong as a whole. `short` means that only cells at its end are missing. */
  wrong?: {message: string; short: boolean}
}

/** Some rows, and the number of bytes of the file that have been read. */
export interface Batch {
  rows: readonly RawRow[]
  bytes: number
}

export interface Table {
  name: string
  /** The size of the file in bytes. */
  size: number
  header: readonly string[]
  delimiter: string
  rows(signal?: AbortSignal): AsyncGenerator<Batch, void, undefined>
}

interface Format {
  delimiter: string
  newline: '\n' | '\r'
}

/** The number of characters to parse at a time, which takes some milliseconds. */
const piece = 1 << 18
/** A longer record must have an unclosed quote. */
const longestRecord = 32 << 20
const delimiters = [',', ';', '\t', '|']

/** Opens a file and reads its header. */
export async function openTable(file: File): Promise<Table> {
  if (file.size === 0) throw new FileProblem('The file is empty.')
  const head = decode(await read(file.slice(0, 65536).arrayBuffer()), file.size <= 65536)
  if (head.includes('\0')) throw new FileProblem(notText)
  const format = formatOf(head)
  for await (const batch of records(file, format)) {
    const first = batch.rows.find(r => !isBlank(r.cells) && !isSeparatorLine(r.cells))
    if (!first) continue
    if (first.wrong) throw new FileProblem(`The first line, which should name the columns, can’t be read: ${first.wrong.message}.`)
    const header = first.cells.map((name, i) => withoutGuard(name).trim() || `column ${i + 1}`)
    return {name: file.name, size: file.size, header, delimiter: format.delimiter, rows: signal => bodyOf(file, format, first.row, header.length, signal)}
  }
  throw new FileProblem('The file has no lines but empty ones.')
}

async function* bodyOf(file: File, format: Format, headerRow: number, width: number, signal?: AbortSignal): AsyncGenerator<Batch, void, undefined> {
  for await (const {rows, bytes} of records(file, format, signal)) {
    const body = rows.filter(r => r.row > headerRow && !(r.cells.length === 1 && r.cells[0] === '')).map(r => fitted(r, width))
    yield {rows: body, bytes}
  }
}

/** Checks that a row has as many cells as the header. Extra empty cells are dropped. */
function fitted(row: RawRow, width: number): RawRow {
  const {cells} = row
  if (row.wrong || cells.length === width) return row
  if (cells.length > width) {
    if (cells.slice(width).every(c => c === '')) return {...row, cells: cells.slice(0, width)}
    return {...row, wrong: {message: `the row has ${cells.length} cells, the header ${width}`, short: false}}
  }
  return {...row, wrong: {message: `the row has only ${cells.length} of ${width} cells`, short: true}}
}

const isBlank = (cells: readonly string[]): boolean => cells.every(c => c.trim() === '')
/** Reports whether a line is a directive like `sep=;`, which Excel reads and hides. */
const isSeparatorLine = (cells: readonly string[]): boolean => /^sep=.?$/i.test(cells[0] ?? '') && isBlank(cells.slice(1))

/** Detects the format. The delimiter is the most frequent one outside quotes in the first non-empty line. Lines end with LF if the text has one. */
export function formatOf(head: string): Format {
  const newline = !head.includes('\n') && head.includes('\r') ? '\r' : '\n'
  const separator = /^sep=([,;\t|])\r?\n/i.exec(head)
  if (separator) return {delimiter: separator[1]!, newline}
  const [line = ''] = head
    .replace(/"(?:[^"]|"")*"?/g, '')
    .trimStart()
    .split(/[\r\n]/, 1)
  const counts = delimiters.map(d => line.split(d).length)
  return {delimiter: delimiters[counts.indexOf(Math.max(...counts))]!, newline}
}

/** Yields all records, including the header and empty ones. */
async function* records(file: File, {delimiter, newline}: Format, signal?: AbortSignal): AsyncGenerator<Batch, void, undefined> {
  const {Parser} = (await import('papaparse')).default
  const reader = file.stream().getReader()
  const decoder = newDecoder()
  let text = ''
  let bytes = 0
  let row = 0
  let wanted = piece
  try {
    for (;;) {
      const {done, value} = await read(reader.read())
      signal?.throwIfAborted()
      text += decode(value, done, decoder)
      bytes += value?.byteLength ?? 0
      if (!done && text.length < wanted) continue
      const rows: RawRow[] = []
      const parser = new Parser({
        delimiter,
        newline,
        step: ({data, errors: found, meta}: {data: string[][]; errors: unknown[]; meta: {cursor: number}}) => {
          for (const cells of data)
            rows.push({
              row: ++row,
              cells: newline === '\n' ? withoutReturn(cells, text, meta.cursor, delimiter) : cells,
              ...(found.length > 0 ? {wrong: badQuotes} : {}),
            })
        },
      })
      const {cursor} = (parser.parse(text, 0, !done) as {meta: {cursor: number}}).meta
      // If no record has ended, it reads twice as much before it parses again. So the work stays proportional to the size of the file.
      wanted = rows.length > 0 ? piece : text.length * 2
      text = done ? '' : text.slice(cursor)
      if (text.length > longestRecord) throw new FileProblem(`Row ${row + 1} does not end: a quote in it is never closed.`)
      if (rows.length > 0 || done) yield {rows, bytes}
      if (done) return
      await breath()
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}

const badQuotes = {message: 'a quoted cell has text behind its closing quote, or no closing quote', short: false}

/** Removes the CR of a CRLF from the last cell. A CR inside quotes is content. */
function withoutReturn(cells: string[], text: string, end: number, delimiter: string): string[] {
  const last = cells.at(-1)
  if (!last?.endsWith('\r')) return cells
  const stop = text[end - 1] === '\n' ? end - 1 : end
  const begin = stop - last.length
  const isPlain = begin === 0 || text[begin - 1] === delimiter || text[begin - 1] === '\n'
  if (isPlain && text.slice(begin, stop) === last) cells[cells.length - 1] = last.slice(0, -1)
  return cells
}

const newDecoder = (): TextDecoder => new TextDecoder('utf-8', {fatal: true})

const notText = 'The file is not UTF-8 text. Save it as “CSV UTF-8” in your spreadsheet, and choose the file that this makes.'

function decode(bytes: ArrayBuffer | Uint8Array<ArrayBuffer> | undefined, last: boolean, decoder = newDecoder()): string {
  try {
    return decoder.decode(bytes, {stream: !last})
  } catch {
    throw new FileProblem(notText)
  }
}

async function read<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch {
    throw new FileProblem('The file can no longer be read: it was changed, moved or deleted. Choose it again.')
  }
}

/** Lets the page render and handle events. */
export function breath(): Promise<void> {
  return new Promise(resolve => {
    const {port1, port2} = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}
