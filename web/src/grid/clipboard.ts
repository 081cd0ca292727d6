// Ranges of cells to and from the clipboard, as spreadsheets have them: lines of texts with tabs between.
import {rowValue, type Column} from './columns'
import type {Grid} from './context'
import type {CellChange, IssueChange} from './edits'
import type {Rectangle} from './selection'
import {readRow} from './source'
import {isEmpty, parse, show, write, type Value} from './values'

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

/** Of a long text, a row has its size alone. */
const copied = (c: Column, value: Value): string => (c.type === 'LONG_TEXT' ? show(c, value) : write(c, value))

/** Puts the values of a range on the clipboard. */
export function copyRange(grid: Grid, range: Rectangle, clipboard: DataTransfer): void {
  const lines: string[] = []
  let missing = 0
  for (let row = Math.max(range.top, 0); row <= range.bottom; row++) {
    const entry = grid.rows.entry(row)
    const issue = entry && readRow(grid.client.cache, entry.id, grid.fields)
    if (!issue) {
      missing++
      continue
    }
    const columns = grid.shown.slice(range.left, range.right + 1)
    lines.push(columns.map(c => quoteCell(copied(c, rowValue(issue, c, grid.fields) ?? null))).join('\t'))
  }
  clipboard.setData('text/plain', lines.join('\n'))
  if (missing > 0) grid.toasts.error(`${missing} of the rows are not loaded and were not copied.`)
}

/**
 * Changes the cells of a range to what is on the clipboard. One cell fills the range; a table is laid down from its first cell. Nothing is changed when
 * one of the texts doesn't fit its column.
 */
export async function pasteRange(grid: Grid, range: Rectangle, text: string | string[][], clear = false): Promise<void> {
  if (!grid.project.viewerCanEdit) return grid.toasts.info('You may only read this project.')
  if (text === '') return // a picture, for example: it is no reason to clear cells
  const table = typeof text === 'string' ? readTable(text) : text
  const single = table.length === 1 && table[0]!.length === 1
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
      const parsed = parse(column, cell)
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
