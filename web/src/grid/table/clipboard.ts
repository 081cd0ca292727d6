// Ranges of cells to and from the clipboard, as spreadsheets have them: lines of texts with tabs between.
import {rowValue, type Column} from '../model/columns'
import type {Grid} from '../context/context'
import {readCell} from '../csv/cells'
import type {CellChange, IssueChange} from '../data/edits'
import {withGuard, withoutGuard} from '../csv/guard'
import type {Rectangle} from './selection'
import {readRow} from '../data/source'
import {isEmpty, parse, show, write, type Parsed, type Value} from '../model/values'

/** The most rows that are pasted at once. */
export const mostPasted = 1000

/** Writes a text as a cell of a table that spreadsheets read: quoted where it has tabs, line ends or quotes. */
export const quoteCell = (text: string): string => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A cell that is quoted as a whole; a quote elsewhere is a character like any other. */
const quotedCell = /"([^"]*(?:""[^"]*)*)"(?=[\t\n]|$)/y

/** Reads what a spreadsheet has put on the clipboard. */
export function readTable(text: string): string[][] {
  const rows: string[][] = [[]]
  const normal = text.replace(/\r\n?/g, '\n').replace(/\n$/, '')
  for (let at = 0; ; at++) {
    quotedCell.lastIndex = at
    const quoted = quotedCell.exec(normal)
    const from = at
    if (quoted) at = quotedCell.lastIndex
    else while (at < normal.length && normal[at] !== '\t' && normal[at] !== '\n') at++
    rows.at(-1)!.push(quoted ? quoted[1]!.replaceAll('""', '"') : normal.slice(from, at))
    if (at >= normal.length) return rows
    if (normal[at] === '\n') rows.push([])
  }
}

/** Where copies keep their texts as they are: text/plain, which other programs read, has them with the guard. */
const exactFormat = 'application/x-issuegrid-cells+json'

/**
 * Puts a table on the clipboard. The guard of its text holds in every program that splits the text at its tabs, whatever else it splits it at: a row that
 * begins with a negative number is not altered.
 */
export function writeClipboard(cells: readonly (readonly string[])[], clipboard: DataTransfer): void {
  clipboard.setData('text/plain', cells.map(row => row.map(c => quoteCell(withGuard(c))).join('\t')).join('\n'))
  if (cells.length > 0) clipboard.setData(exactFormat, JSON.stringify(cells))
}

/** A table that is pasted. */
export interface Pasted {
  cells: readonly (readonly string[])[]
  /** Whether it was copied here. A text from elsewhere may have lost the blanks at its ends, or gained some. */
  exact: boolean
}

/** Reads a table from the clipboard; null where there is none, but a picture, for example. */
export function readClipboard(clipboard: DataTransfer): Pasted | null {
  const cells = readExact(clipboard.getData(exactFormat))
  if (cells) return {cells, exact: true}
  const text = clipboard.getData('text/plain')
  return text === '' ? null : {cells: readTable(text).map(row => row.map(withoutGuard)), exact: false}
}

/** Reads what writeClipboard has written; null where it is nothing of that kind. Any page could have put it there. */
function readExact(json: string): string[][] | null {
  try {
    const table: unknown = JSON.parse(json)
    return isListOf(table, row => isListOf(row, cell => typeof cell === 'string')) ? (table as string[][]) : null
  } catch {
    return null
  }
}

const isListOf = (list: unknown, is: (item: unknown) => boolean): boolean => Array.isArray(list) && list.length > 0 && list.every(is)

/**
 * Pastes cells that were copied here into a text input as they are, where the browser would paste them with the guard. Cells of a table have tabs and line
 * ends between them.
 */
export function pasteIntoInput(event: ClipboardEvent): void {
  const {target, clipboardData} = event
  if (event.defaultPrevented || !clipboardData || !(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return
  const pasted = readClipboard(clipboardData)
  if (!pasted?.exact) return
  const text = isSingle(pasted) ? pasted.cells[0]![0]! : pasted.cells.map(row => row.map(quoteCell).join('\t')).join('\n')
  // The only way that a text can be inserted and undone by the browser.
  if (document.execCommand('insertText', false, text)) event.preventDefault()
}

const isSingle = ({cells}: Pasted): boolean => cells.length === 1 && cells[0]!.length === 1

/** Of a long text, a row has its size alone. */
const copied = (c: Column, value: Value): string => (c.type === 'LONG_TEXT' ? show(c, value) : write(c, value))

/** Puts the values of a range on the clipboard. */
export function copyRange(grid: Grid, range: Rectangle, clipboard: DataTransfer): void {
  const cells: string[][] = []
  let missing = 0
  for (let row = Math.max(range.top, 0); row <= range.bottom; row++) {
    const entry = grid.rows.entry(row)
    const issue = entry && readRow(grid.client.cache, entry.id, grid.fields)
    if (!issue) {
      missing++
      continue
    }
    const columns = grid.shown.slice(range.left, range.right + 1)
    cells.push(columns.map(c => copied(c, rowValue(issue, c, grid.fields) ?? null)))
  }
  writeClipboard(cells, clipboard)
  if (missing > 0) grid.toasts.error(`${missing} of the rows are not loaded and were not copied.`)
}

/** Reads a text that is pasted. One that was copied here is a value as it is, even where it is nothing but blanks. */
const parsePasted = (column: Column, cell: string, exact: boolean): Parsed =>
  exact && (column.type === 'TEXT' || column.type === 'USER') ? readCell(column, cell, false) : parse(column, cell)

/** Empties the cells of a range. */
export const clearRange = (grid: Grid, range: Rectangle): Promise<void> => pasteRange(grid, range, {cells: [['']], exact: false}, true)

/**
 * Changes the cells of a range to what is pasted. One cell fills the range; a table is laid down from its first cell. Nothing is changed when
 * one of the texts doesn't fit its column.
 */
export async function pasteRange(grid: Grid, range: Rectangle, pasted: Pasted, clear = false): Promise<void> {
  if (!grid.project.viewerCanEdit) return grid.toasts.info('You may only read this project.')
  const {cells: table, exact} = pasted
  const single = isSingle(pasted)
  const height = single ? range.bottom - range.top + 1 : table.length
  if (range.top < 0) return
  if (height > mostPasted) return grid.toasts.error(`At most ${mostPasted} rows can be changed at once; import a CSV file for more.`)
  const width = single ? range.right - range.left + 1 : Math.max(...table.map(r => r.length))
  const changes: IssueChange[] = []
  const wrong: string[] = []
  const skipped = new Set<string>()
  for (let i = 0; i < height; i++) {
    const entry = grid.rows.entry(range.top + i)
    const issue = entry && readRow(grid.client.cache, entry.id, grid.fields)
    if (!issue) {
      if (range.top + i < grid.rows.snapshot().height) wrong.push(`Row ${range.top + i + 1} is not loaded`)
      continue
    }
    const cells: CellChange[] = []
    for (let j = 0; j < width; j++) {
      const column = grid.shown[range.left + j]
      const cell = single ? table[0]![0]! : table[i]?.[j]
      if (!column || cell === undefined) continue
      if (!column.editable || column.type === 'LONG_TEXT') {
        skipped.add(column.label)
        continue
      }
      const before = rowValue(issue, column, grid.fields) ?? null
      const parsed = parsePasted(column, cell, exact)
      if (parsed.error !== undefined) {
        if (!(clear && isEmpty(before))) wrong.push(`${label(column)} of ${issue.num}: ${parsed.error}`)
      } else cells.push({column, before, value: parsed.value})
    }
    if (cells.length > 0) changes.push({id: issue.id, cells})
  }
  if (wrong.length > 0) {
    const more = wrong.length > 1 ? ` (and ${wrong.length - 1} more)` : ''
    return grid.toasts.error(`Nothing was changed. ${wrong[0]}${more}.`)
  }
  if (skipped.size > 0) grid.toasts.info(`${[...skipped].join(', ')} can’t be changed here.`)
  const count = changes.length
  await grid.edits.change(changes, clear ? 'clearing of cells' : `pasting into ${count} ${count === 1 ? 'row' : 'rows'}`)
}

const label = (c: Column) => c.label
