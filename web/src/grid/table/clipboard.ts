// Copies and pastes ranges of cells in the format of spreadsheets: lines of tab-separated strings.
import {newIssueOf, rowValue, type Column} from '../model/columns'
import type {Grid} from '../context/context'
import {readCell} from '../csv/cells'
import type {CellChange, IssueChange} from '../data/edits'
import {isUncertain, longTexts} from '../data/sending'
import {withGuard, withoutGuard} from '../csv/guard'
import {referring} from '../data/choices'
import type {Rectangle} from './selection'
import {readRow} from '../data/source'
import {messages} from '../messages'
import {draftOf, Excerpt, isEmpty, parse, show, write, written, type Parsed, type Value} from '../model/values'

/** The maximum number of rows in one paste. */
export const mostPasted = 1000

/** Formats a string as a cell for spreadsheets: it is quoted if it contains tabs, line breaks or quotes. */
export const quoteCell = (text: string): string => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Matches a cell that is quoted as a whole. Other quotes are plain characters. */
const quotedCell = /"([^"]*(?:""[^"]*)*)"(?=[\t\n]|$)/y

/** Reports whether two strings are equal but for white space, which HTML does not keep. */
const isLike = (a: string, b: string): boolean => a.replace(/\s+/g, '') === b.replace(/\s+/g, '')

/**
 * Parses a table that a spreadsheet put on the clipboard. Excel quotes only cells with tabs or line breaks, so that quotes around a cell can be a part of it. The
 * cells of the table as HTML, which spreadsheets put beside it, decide.
 */
export function readTable(text: string, html: readonly (readonly string[])[] = []): string[][] {
  const rows: string[][] = [[]]
  const normal = text.replace(/\r\n?/g, '\n').replace(/\n$/, '')
  for (let at = 0; ; at++) {
    quotedCell.lastIndex = at
    const quoted = quotedCell.exec(normal)
    const from = at
    while (at < normal.length && normal[at] !== '\t' && normal[at] !== '\n') at++
    const plain = normal.slice(from, at)
    const shown = html[rows.length - 1]?.[rows.at(-1)!.length]
    const inner = quoted?.[1]!.replaceAll('""', '"')
    const isPlain = inner === undefined || (shown !== undefined && isLike(shown, plain) && !isLike(shown, inner))
    if (!isPlain) at = quotedCell.lastIndex
    rows.at(-1)!.push(isPlain ? plain : inner)
    if (at >= normal.length) return rows
    if (normal[at] === '\n') rows.push([])
  }
}

/** Returns the texts of the cells of the first table in HTML. A document that is parsed runs no scripts and loads nothing. */
function readHTML(html: string): string[][] {
  const table = new DOMParser().parseFromString(html, 'text/html').querySelector('table')
  // The text of a merged cell is in the first of its columns.
  return [...(table?.rows ?? [])].map(row => [...row.cells].flatMap(c => [c.textContent, ...Array<string>(Math.min(c.colSpan, 1000) - 1).fill('')]))
}

/** Matches a text with a cell that begins with a quote. */
const beginsWithQuote = /(?:^|[\t\n\r])"/

/** The clipboard format for unchanged strings; the strings of text/plain, which other programs read, are guarded. */
const exactFormat = 'application/x-issuegrid-cells+json'

/**
 * Puts a table on the clipboard. The guard works in every program that splits the text at tabs, even if it also splits at other characters. It does not change
 * a row that begins with a negative number. `others` is the table as other programs are to read it, in the user's locale.
 */
export function writeClipboard(cells: readonly (readonly string[])[], clipboard: DataTransfer, others: readonly (readonly string[])[] = cells): void {
  const guarded = others.map(row => row.map(withGuard))
  const [[only = ''] = []] = guarded
  // One cell is also pasted into texts, where quotes around it would be wrong. No program takes it for more than a cell.
  const isText = isOne(guarded) && !/[\t\n\r]|^"/.test(only)
  clipboard.setData('text/plain', isText ? only : guarded.map(row => row.map(quoteCell).join('\t')).join('\n'))
  if (cells.length > 0) clipboard.setData(exactFormat, JSON.stringify(cells))
}

/** A pasted table. */
export interface Pasted {
  cells: readonly (readonly string[])[]
  /** Whether the cells were copied here. Strings from elsewhere may have lost or gained spaces at their ends. */
  exact: boolean
}

/** Reads a table from the clipboard; null if it has none, such as a picture. */
export function readClipboard(clipboard: DataTransfer): Pasted | null {
  const cells = readExact(clipboard.getData(exactFormat))
  if (cells) return {cells, exact: true}
  const text = clipboard.getData('text/plain')
  const html = beginsWithQuote.test(text) ? clipboard.getData('text/html') : ''
  return text === '' ? null : {cells: readTable(text, html === '' ? [] : readHTML(html)).map(row => row.map(withoutGuard)), exact: false}
}

/** Parses the format of writeClipboard; null if it is anything else. Any page can put data of this format on the clipboard. */
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
 * Pastes cells that were copied here into a text input without the guard, which the browser would include. Cells of a table are separated by tabs and line
 * breaks.
 */
export function pasteIntoInput(event: ClipboardEvent): void {
  const {target, clipboardData} = event
  if (event.defaultPrevented || !clipboardData || !(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return
  const pasted = readClipboard(clipboardData)
  if (!pasted?.exact) return
  const text = isSingle(pasted) ? pasted.cells[0]![0]! : pasted.cells.map(row => row.map(quoteCell).join('\t')).join('\n')
  // Only this command inserts text so that the browser can undo it.
  if (document.execCommand('insertText', false, text)) event.preventDefault()
}

const isSingle = ({cells}: Pasted): boolean => isOne(cells)
const isOne = (cells: readonly (readonly string[])[]): boolean => cells.length === 1 && cells[0]!.length === 1

const copied = (c: Column, value: Value): string => (value instanceof Excerpt ? (value.whole ?? show(c, value)) : write(c, value))

/** Copies what a function puts on the clipboard, and reports whether the browser allows it. Only the event of this command gives access to all formats. */
export function copyWith(fill: (clipboard: DataTransfer) => void): boolean {
  let isFilled = false
  const allow = (e: Event) => e.preventDefault() // although no text is selected
  const take = (e: ClipboardEvent) => {
    e.preventDefault()
    e.stopPropagation()
    if (!e.clipboardData) return
    fill(e.clipboardData)
    isFilled = true
  }
  document.addEventListener('beforecopy', allow, true)
  document.addEventListener('copy', take, true)
  document.execCommand('copy')
  document.removeEventListener('beforecopy', allow, true)
  document.removeEventListener('copy', take, true)
  return isFilled
}

/** A row of a range: an issue and its values. */
interface Line {
  id: string
  values: readonly (readonly [Column, Value])[]
}

/** Reports whether a value is only the beginning of a long text. */
const isCut = (value: Value): boolean => value instanceof Excerpt && value.whole === null

/** The maximum number of long texts that are loaded for one copy. */
const mostLongTexts = 100

/** Loads the long texts of which lines have only the beginnings. Returns null if they are too many, or some are gone. */
async function loadTexts({client}: Grid, lines: readonly Line[]): Promise<Line[] | null> {
  const wanted = new Map<Column, Set<string>>()
  for (const {id, values} of lines) for (const [c, value] of values) if (isCut(value)) wanted.set(c, (wanted.get(c) ?? new Set()).add(id))
  if ([...wanted.values()].reduce((n, ids) => n + ids.size, 0) > mostLongTexts) return null
  const texts = new Map(await Promise.all([...wanted].map(async ([c, ids]) => [c, await longTexts(client, [...ids], c)] as const)))
  const isLoaded = lines.every(({id, values}) => values.every(([c, value]) => !isCut(value) || typeof texts.get(c)?.get(id) === 'string'))
  return isLoaded ? lines.map(({id, values}) => ({id, values: values.map(([c, value]) => [c, isCut(value) ? texts.get(c)!.get(id)! : value] as const)})) : null
}

/** Puts lines on the clipboard. */
function writeLines(lines: readonly Line[], clipboard: DataTransfer): void {
  const cells = lines.map(({values}) => values.map(([c, value]) => copied(c, value)))
  const others = lines.map(({values}) => values.map(([c, value]) => (c.type === 'NUMBER' ? draftOf(c, value) : copied(c, value))))
  writeClipboard(cells, clipboard, others)
}

const modifiers = new Set(['Alt', 'Control', 'Meta', 'Shift'])

/** Copies lines again when their long texts are loaded, unless something else was copied, or could have been, meanwhile. */
async function copyLongTexts(grid: Grid, lines: readonly Line[]): Promise<void> {
  const waiting = new AbortController()
  let isReplaced = false
  let isLate = false
  const options = {capture: true, signal: waiting.signal}
  for (const event of ['copy', 'cut']) document.addEventListener(event, () => (isReplaced = true), options)
  document.addEventListener('keydown', e => (isLate ||= !modifiers.has(e.key)), options)
  document.addEventListener('pointerdown', () => (isLate = true), options)
  window.addEventListener('blur', () => (isLate = true), options)
  let whole: Line[] | null = null
  try {
    whole = await loadTexts(grid, lines)
  } catch {
    // said below
  }
  waiting.abort()
  if (isReplaced) return
  try {
    if (whole && !isLate) {
      const done = whole
      if (copyWith(data => writeLines(done, data))) return
      // Firefox allows the command only while it handles a key or a click.
      const data = new DataTransfer()
      writeLines(done, data)
      return await navigator.clipboard.writeText(data.getData('text/plain'))
    }
  } catch {
    // said below
  }
  grid.toasts.error(messages.table.clipboard.onlyBeginnings(lines.flatMap(l => l.values).filter(([, value]) => isCut(value)).length))
}

/** Copies the values of a range to the clipboard: at first the beginnings of long texts, and the whole texts as soon as they are loaded. */
export function copyRange(grid: Grid, range: Rectangle, clipboard: DataTransfer): void {
  const lines: Line[] = []
  let missing = 0
  for (let row = Math.max(range.top, 0); row <= range.bottom; row++) {
    if (grid.groups?.store.header(row)) continue
    const entry = grid.rows.entry(row)
    const issue = entry && readRow(grid.client.cache, entry.id, grid.fields)
    if (!issue) {
      missing++
      continue
    }
    const columns = grid.shown.slice(range.left, range.right + 1)
    lines.push({id: issue.id, values: columns.map(c => [c, rowValue(issue, c, grid.fields) ?? null] as const)})
  }
  writeLines(lines, clipboard)
  if (missing > 0) grid.toasts.error(messages.table.clipboard.notCopied(missing))
  if (lines.some(l => l.values.some(([, value]) => isCut(value)))) void copyLongTexts(grid, lines)
}

/** Reports whether cells of a column can be pasted and filled. */
const isPastable = (c: Column): boolean => c.editable && c.type !== 'LONG_TEXT'

/** Parses a pasted string. A string that was copied here is taken unchanged, even if it is blank. */
const parsePasted = (column: Column, cell: string, exact: boolean): Parsed =>
  !exact ? parse(column, cell) : column.type === 'TEXT' || column.type === 'USER' ? readCell(column, cell, false) : parse(column, cell, written)

/** Returns the indexes of the rows from the top to the bottom of a range, at most a number of them. Headers of groups are not among them. */
export function rowsOf({groups}: Grid, {top, bottom}: Pick<Rectangle, 'top' | 'bottom'>, most = Infinity): number[] {
  const out: number[] = []
  for (let row = top; row <= bottom && out.length < most; row++) if (!groups?.store.header(row)) out.push(row)
  return out
}

/** Clears the cells of a range. */
export const clearRange = (grid: Grid, range: Rectangle): Promise<void> => pasteRange(grid, range, {cells: [['']], exact: false}, 'clear')

/** Fills a range down from its first row, or right from its first column. A range of one row or column is filled from the one before it. */
export async function fillRange(grid: Grid, range: Rectangle, way: 'down' | 'right'): Promise<void> {
  const [first, last] = way === 'down' ? (['top', 'bottom'] as const) : (['left', 'right'] as const)
  const from = range[first] < range[last] ? range[first] : range[first] - 1
  if (from < 0) return
  await fillFrom(grid, {...range, [first]: from, [last]: from}, {...range, [first]: from})
}

/** Repeats the cells of a range in the rest of a larger range, which begins at the same cell. */
export async function fillFrom(grid: Grid, source: Rectangle, target: Rectangle): Promise<void> {
  const texts = messages.table.clipboard
  const isDown = target.bottom > source.bottom
  const to = isDown ? {...target, top: source.bottom + 1} : {...target, left: source.right + 1}
  if (to.top > to.bottom || to.left > to.right) return
  const lines: Line[] = []
  const [from, into] = [rowsOf(grid, source), rowsOf(grid, to)]
  const targets = grid.shown.slice(to.left, to.right + 1)
  for (let i = 0; i < into.length; i++) {
    const entry = grid.rows.entry(isDown ? from[i % from.length]! : into[i]!)
    const issue = entry && readRow(grid.client.cache, entry.id, grid.fields)
    if (!issue) return void grid.toasts.error(texts.someNotLoaded)
    const columns = targets.map((c, j) => (isDown ? c : grid.shown[source.left + (j % (source.right - source.left + 1))]!))
    lines.push({id: issue.id, values: columns.map((c, j) => [c, isPastable(targets[j]!) ? (rowValue(issue, c, grid.fields) ?? null) : null] as const)})
  }
  const before = into.map(row => grid.rows.entry(row)?.id)
  let whole: Line[] | null
  try {
    whole = await loadTexts(grid, lines)
  } catch {
    return void grid.toasts.error(texts.someNotLoaded)
  }
  if (!whole) return void grid.toasts.error(texts.nothingChanged(texts.tooManyLongTexts(mostLongTexts)))
  if (into.some((row, i) => grid.rows.entry(row)?.id !== before[i])) return void grid.toasts.error(texts.someNotLoaded)
  await pasteRange(grid, to, {cells: whole.map(l => l.values.map(([c, value]) => copied(c, value))), exact: true}, 'fill')
}

/** Pastes into a range. One cell fills the range; a table starts at the first cell of the range. If a string does not fit its column, nothing changes. */
export async function pasteRange(grid: Grid, range: Rectangle, pasted: Pasted, how: 'paste' | 'clear' | 'fill' = 'paste'): Promise<void> {
  const texts = messages.table.clipboard
  if (!grid.project.viewerCanEdit) return grid.toasts.info(texts.readOnly)
  const {cells: table, exact} = pasted
  const single = isSingle(pasted)
  const lines = rowsOf(grid, single ? range : {top: range.top, bottom: Infinity}, single ? Infinity : table.length)
  const height = lines.length
  if (range.top < 0) return
  if (height > mostPasted) return void grid.toasts.error(texts.tooManyRows(mostPasted))
  const width = single ? range.right - range.left + 1 : Math.max(...table.map(r => r.length))
  const room = grid.shown.length - range.left
  if (width > room) return void grid.toasts.error(texts.tooWide(width, room))
  const changes: IssueChange[] = []
  const added: CellChange[][] = []
  const wrong: string[] = []
  const skipped = new Set<string>()
  const refer = new Map(grid.shown.map(c => [c, referring(grid.client, grid.rows, c, grid.fields)]))
  for (let i = 0; i < height; i++) {
    const line = lines[i]!
    const entry = grid.rows.entry(line)
    const issue = entry && readRow(grid.client.cache, entry.id, grid.fields)
    const isBelow = !issue && grid.rows.snapshot().exact && line >= grid.rows.snapshot().height
    if (!issue && !isBelow) {
      wrong.push(texts.notLoaded(line + 1))
      continue
    }
    const cells: CellChange[] = []
    for (let j = 0; j < width; j++) {
      const column = grid.shown[range.left + j]
      const cell = single ? table[0]![0]! : table[i]?.[j]
      if (!column || cell === undefined) continue
      if (!isPastable(column)) {
        skipped.add(column.label)
        continue
      }
      const before = issue ? (rowValue(issue, column, grid.fields) ?? null) : null
      const parsed = parsePasted(column, cell, exact)
      if (parsed.error !== undefined) {
        if (how === 'clear' && isEmpty(before)) continue
        wrong.push(issue ? texts.wrong(column.label, issue.num, parsed.error) : texts.wrongInNew(column.label, added.length + 1, parsed.error))
      } else cells.push({column, before, value: refer.get(column)!(parsed.value)})
    }
    if (!issue) added.push(cells)
    else if (cells.length > 0) changes.push({id: issue.id, cells})
  }
  const [first, ...others] = wrong
  if (first !== undefined) return void grid.toasts.error(others.length > 0 ? texts.nothingChangedMore(first, others.length) : texts.nothingChanged(first))
  if (skipped.size > 0) grid.toasts.info(texts.readOnlyColumns([...skipped].join(', ')))
  if (added.length > 0) offer(grid, added)
  const {steps} = messages.table
  await grid.edits.change(changes, how === 'clear' ? steps.clear : steps[how](changes.length))
}

/** Offers to create the issues of the rows that were pasted below the last one. */
function offer({columns, edits, toasts}: Grid, added: readonly (readonly CellChange[])[]): void {
  const texts = messages.table.clipboard
  // A new issue has a state without one being given.
  const missing = columns.find(c => c.required && c.builtin !== 'STATE' && added.some(cells => cells.every(x => x.column.id !== c.id || isEmpty(x.value))))
  if (missing) return void toasts.error(texts.belowWithout(added.length, missing.label))
  const key = crypto.randomUUID()
  const create = async () => {
    const problems = await edits.createAll(added.map(newIssueOf), key)
    const undo = edits.undoing()
    if (problems[0]) {
      const again = problems.some(isUncertain) ? {label: messages.ui.tryAgain, run: () => void create()} : undefined
      toasts.error(texts.notCreated(problems.length, added.length, problems[0].message), again)
    } else toasts.info(texts.created(added.length), {label: messages.ui.undo, run: () => void undo()})
  }
  const id = toasts.error(texts.below(added.length), {label: texts.create(added.length), run: () => void create()})
  // Whoever undoes the paste does not want its other rows either.
  const {redo: before} = edits.snapshot()
  const stop = edits.subscribe(() => {
    const {redo} = edits.snapshot()
    if (redo === null || redo === before) return
    toasts.close(id)
    stop()
  })
}
