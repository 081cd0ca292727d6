// Rows as the records of a CSV file.
import type {ExportRowFragment} from '../../gql/graphql'
import {builtinValue, type Column} from '../columns'
import {valueOf, type Value} from '../values'
import {withGuard, writeCell} from './cells'
import {byteOrderMark, writeRecord} from './write'

export interface ExportSettings {
  /** Texts that a spreadsheet would take for a formula get an apostrophe. */
  guard: boolean
  byteOrderMark: boolean
}

/** The value of a column, long texts in full. The row's values are those of the columns that are fields, in their order. */
function exported(row: ExportRowFragment, column: Column, at: number): Value {
  if (column.builtin) return builtinValue(row, column.builtin) ?? null
  const cell = row.values[at]
  return cell?.__typename === 'LongTextValue' ? cell.text : valueOf(cell)
}

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
  const parts = [new Blob([headerRecord(columns, settings)])]
  let rows = 0
  for await (const page of pages) {
    parts.push(new Blob([records(page, columns, settings)]))
    rows += page.length
    progress(rows)
  }
  return parts
}
