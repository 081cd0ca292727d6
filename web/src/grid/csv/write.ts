// Writing of CSV: RFC 4180, with CRLF. A cell with another separator is in quotes, too, for programs that split at several.
const special = /[",;|\t\r\n]|^\s|\s$/

const quoteCell = (text: string): string => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Writes a record with its line end. A lone empty cell is in quotes, because an empty line is no record. */
export function writeRecord(cells: readonly string[]): string {
  const [first, ...others] = cells
  return (first === '' && others.length === 0 ? '""' : cells.map(quoteCell).join(',')) + '\r\n'
}

/** What some programs, Excel among them, know UTF-8 by. */
export const byteOrderMark = '\uFEFF'

/** Hands a file to the person: the browser asks where to, or puts it among the downloads. */
export function save(name: string, parts: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(parts, {type: 'text/csv;charset=utf-8'}))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000) // some browsers read it only then
}

/** The name of a file that is made today. */
export function fileName(key: string, what: string, now = new Date()): string {
  const date = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map(n => String(n).padStart(2, '0')).join('-')
  return `${key}-${what && what + '-'}${date}.csv`
}
