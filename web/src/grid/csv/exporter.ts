// Rows as the records of a CSV file.
import type {ExportRowFragment} from '../../gql/graphql'
import {builtinValue, numColumn, type Column} from '../model/columns'
import {withGuard} from './guard'
import {valueOf, type Value} from '../model/values'
import {writeCell} from './cells'
import {byteOrderMark, writeRecord} from './write'

export interface ExportSettings {
  /** Keeps spreadsheets from running texts as formulas. */
  guard: boolean
  byteOrderMark: boolean
}

/** The value of a column, long texts in full. The row's values are those of the columns that are fields, in their order. */
function exported(row: ExportRowFragment, column: Column, at: number): Value {
  if (column.builtin) return builtinValue(row, column.builtin) ?? null
  const cell = row.values[at]
  return cell?.__typename === 'LongTextValue' ? cell.text : valueOf(cell)
}

/** Whether neither the name of a column nor one of its values begins with a sign. */
const isUnsigned = ({builtin, type, label}: Column): boolean =>
  builtin === 'NUM' || ((type === 'DATE' || type === 'DATETIME' || type === 'BOOLEAN') && !/^[+-]/.test(label))

/**
 * The columns of the file. A plain number has no guard. At the beginning of a record it would be the beginning of a formula for a program that splits at
 * another separator: `-5,5+A1` is one where the comma is the decimal point. So a guarded record begins with the number if it could begin with a sign.
 */
export const writtenColumns = (columns: readonly Column[], {guard}: Pick<ExportSettings, 'guard'>): readonly Column[] =>
  !guard || !columns[0] || isUnsigned(columns[0]) ? columns : [numColumn, ...columns.filter(c => c.builtin !== 'NUM')]

export const headerRecord = (columns: readonly Column[], {guard, byteOrderMark: mark}: ExportSettings): string =>
  (mark ? byteOrderMark : '') + writeRecord(columns.map(c => (guard ? withGuard(c.label) : c.label)))

export function records(rows: readonly ExportRowFragment[], columns: readonly Column[], {guard}: ExportSettings): string {
  let text = ''
  for (const row of rows) {
    let field = 0
    text += writeRecord(columns.map(c => writeCell(c, exported(row, c, c.builtin ? 0 : field++), guard)))
  }
  return text
}

/** The whole file, as what a Blob is made of: each page is one, so that no text of all is ever held. */
export async function exportFile(
  pages: AsyncIterable<readonly ExportRowFragment[]>,
  columns: readonly Column[],
  settings: ExportSettings,
  progress: (rows: number) => void,
): Promise<Blob[]> {
  const written = writtenColumns(columns, settings)
  const parts = [new Blob([headerRecord(written, settings)])]
  let rows = 0
  for await (const page of pages) {
    parts.push(new Blob([records(page, written, settings)]))
    rows += page.length
    progress(rows)
  }
  return parts
}
