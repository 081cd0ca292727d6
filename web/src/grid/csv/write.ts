// Writes CSV as in RFC 4180, with CRLF. It also quotes cells with other separators, for programs that split at several.
const special = /[",;|\t\r\n]|^\s|\s$/

const quoteCell = (text: string): string => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Writes a record with its line end. A single empty cell is quoted, because an empty line is not a record. */
export function writeRecord(cells: readonly string[]): string {
  const [first, ...others] = cells
  return (first === '' && others.length === 0 ? '""' : cells.map(quoteCell).join(',')) + '\r\n'
}

/** Marks the file as UTF-8 for Excel and other programs. */
export const byteOrderMark = '\uFEFF'

/** Downloads a file. */
export function save(name: string, parts: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(parts, {type: 'text/csv;charset=utf-8'}))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000) // some browsers read it only after the click
}

/** Returns the name of a file with today's date. */
export function fileName(key: string, what: string, now = new Date()): string {
  const date = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map(n => String(n).padStart(2, '0')).join('-')
  return `${key}-${what && what + '-'}${date}.csv`
}
