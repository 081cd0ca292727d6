// Maps rows of a file to new issues, and finds the cells that do not fit their columns.
import type {NewIssueInput} from '../../gql/graphql'
import {changeOf, type Column} from '../model/columns'
import {withoutGuard} from './guard'
import {isEmpty, type Value} from '../model/values'
import {optionNames, readCell, short} from './cells'
import {Guess, type Target} from './guess'
import {breath, type RawRow, type Table} from './table'

/** A column of the file and the column of the project that it is imported into. */
export interface Mapped {
  index: number
  /** The name in the file. */
  name: string
  column: Column
  /** Whether to create missing options. */
  addOptions: boolean
}

/** Settings for all cells. */
export interface Settings {
  /** Whether a cell that does not fit is left empty, instead of rejecting its row. */
  leaveEmpty: boolean
  /** Whether cells are guarded against formulas, so that the guard must be removed. */
  guarded: boolean
}

export interface Reason {
  /** The column of the file; empty if the whole row is wrong. */
  column: string
  message: string
}

/** Returns the column of a target; null if it is not imported. */
export function columnOf(target: Target, columns: readonly Column[]): Column | null {
  switch (target.to) {
    case 'skip':
      return null
    case 'column':
      return columns.find(c => c.id === target.id) ?? null
    case 'field':
      return {id: '', label: target.name, description: '', type: target.type, options: [], sortable: false, editable: true, showable: true, width: 0}
  }
}

export const hasOptions = ({type}: Pick<Column, 'type'>): boolean => type === 'SELECT' || type === 'MULTI_SELECT'

/** The result of checking all cells of a column. Rows are given by their numbers. */
export interface Checked {
  /** The number of cells that are not empty. */
  filled: number
  /** Rows whose cells do not fit, except for missing options. */
  wrong: number[]
  /** Rows with missing options, and the names of these options by their lower-case forms. */
  wanting: number[]
  missing: Map<string, string>
  examples: {row: number; text: string; message: string}[]
}

const mostExamples = 3
export const mostOptions = 500
const mostOfOption = 255

/** Reports whether a field would get more options than it can have. */
export const hasTooManyOptions = ({column, addOptions, checked}: {column: Column; addOptions: boolean; checked: Checked}): boolean =>
  addOptions && column.options.length + checked.missing.size > mostOptions

export const newChecked = (): Checked => ({filled: 0, wrong: [], wanting: [], missing: new Map(), examples: []})

export function checkCell(checked: Checked, column: Column, row: number, cell: string, guarded: boolean): void {
  const parsed = readCell(column, cell, guarded)
  if (cell.trim() !== '') checked.filled++
  if (parsed.error === undefined) return
  const names = hasOptions(column) && column.builtin === undefined && cell.trim() !== '' ? optionNames(column, guarded ? withoutGuard(cell) : cell) : []
  const unknown = names.filter(n => readCell({...column, type: 'SELECT'}, n, false).error !== undefined)
  const canBeMade = unknown.length > 0 && unknown.every(n => [...n].length <= mostOfOption)
  if (canBeMade) {
    checked.wanting.push(row)
    for (const n of unknown) if (!checked.missing.has(n.toLowerCase()) && checked.missing.size <= mostOptions) checked.missing.set(n.toLowerCase(), n)
  } else checked.wrong.push(row)
  if (checked.examples.length < mostExamples) checked.examples.push({row, text: short(cell), message: parsed.error})
}

/** The result of the first pass over a file. */
export interface Analysis {
  rows: number
  /** Rows that are wrong as a whole, without their cells. */
  broken: RawRow[]
  guesses: Guess[]
}

export async function analyse(table: Table, progress: (bytes: number) => void, signal: AbortSignal): Promise<Analysis> {
  const analysis: Analysis = {rows: 0, broken: [], guesses: table.header.map(() => new Guess())}
  for await (const {rows, bytes} of table.rows(signal)) {
    analysis.rows += rows.length
    await inTurns(rows, row => {
      if (row.wrong) analysis.broken.push({...row, cells: []})
      if (!row.wrong || row.wrong.short) row.cells.forEach((cell, i) => analysis.guesses[i]?.add(cell))
    })
    progress(bytes)
  }
  return analysis
}

/** How long to block rendering at most, in milliseconds. */
const slice = 12

/** Calls a function for each row, and lets the page render in between. */
async function inTurns(rows: readonly RawRow[], act: (row: RawRow) => void): Promise<void> {
  let since = performance.now()
  for (const row of rows) {
    act(row)
    if (performance.now() - since <= slice) continue
    await breath()
    since = performance.now()
  }
}

/** Checks all cells of some columns, and returns the results by key. */
export async function check<Key>(
  table: Table,
  columns: ReadonlyMap<Key, {index: number; column: Column}>,
  guarded: boolean,
  progress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Map<Key, Checked>> {
  const results = new Map([...columns.keys()].map(k => [k, newChecked()]))
  for await (const {rows, bytes} of table.rows(signal)) {
    await inTurns(rows, ({row, cells, wrong}) => {
      if (wrong && !wrong.short) return
      for (const [key, {index, column}] of columns) if (index < cells.length) checkCell(results.get(key)!, column, row, cells[index]!, guarded)
    })
    progress(bytes)
  }
  return results
}

/** Returns how many rows will be rejected, as far as is known before the import. */
export function refusedRows(parts: readonly {column: Column; addOptions: boolean; checked: Checked}[], broken: readonly RawRow[], leaveEmpty: boolean): number {
  const rows = new Set<number>()
  for (const {row, wrong} of broken) if (!leaveEmpty || !wrong?.short) rows.add(row)
  for (const {column, addOptions, checked} of parts) {
    if (leaveEmpty && !(column.required && column.builtin !== 'STATE')) continue
    for (const row of checked.wrong) rows.add(row)
    if (!addOptions) for (const row of checked.wanting) rows.add(row)
  }
  return rows.size
}

/** Returns the issue of a row, or why it has none. */
export function issueOf({cells, wrong}: RawRow, mapped: readonly Mapped[], {leaveEmpty, guarded}: Settings): {issue: NewIssueInput} | {reasons: Reason[]} {
  if (wrong && !(wrong.short && leaveEmpty)) return {reasons: [{column: '', message: wrong.message}]}
  const issue: NewIssueInput = {name: ''}
  const values: NonNullable<NewIssueInput['values']> = []
  const reasons: Reason[] = []
  for (const {index, name, column} of mapped) {
    const parsed = readCell(column, cells[index] ?? '', guarded)
    let value: Value = null
    if (parsed.error === undefined) ({value} = parsed)
    else if (!leaveEmpty || (column.required && column.builtin !== 'STATE')) reasons.push({column: name, message: parsed.error})
    if (isEmpty(value)) continue
    const part = changeOf(column, value)
    if (part.name != null) issue.name = part.name
    if (part.state != null) issue.state = part.state
    if (part.description != null) issue.description = part.description
    values.push(...(part.values ?? []))
  }
  if (reasons.length > 0) return {reasons}
  if (values.length > 0) issue.values = values
  return {issue}
}

/** Returns the labels of required columns that are not mapped. They prevent the import. */
export function missingColumns(columns: readonly Column[], mapped: readonly {column: Column}[]): string[] {
  const given = new Set(mapped.map(m => m.column.id))
  return columns.filter(c => c.required && c.editable && c.builtin !== 'STATE' && !given.has(c.id)).map(c => c.label)
}
