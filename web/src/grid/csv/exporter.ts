// Writes rows as the records of a CSV file.
import type {ExportRowFragment} from '../../gql/later/graphql'
import {builtinValue, numColumn, type Column} from '../model/columns'
import {withGuard} from './guard'
import {valueOf, type Value} from '../model/values'
import {writeCell} from './cells'
import {byteOrderMark, writeRecord} from './write'

export interface ExportSettings {
  /** Whether to guard against formulas in spreadsheets. */
  guard: boolean
  byteOrderMark: boolean
}

/** Returns the value of a column, with the full string of a long text. `at` is the index of the column in the row's values. */
function exported(row: ExportRowFragment, column: Column, at: number): Value {
  if (column.builtin) return builtinValue(row, column.builtin) ?? null
  const cell = row.values![at]
  return cell?.__typename === 'LongTextValue' ? cell.text : valueOf(cell)
}

/** Reports whether neither the name of a column nor any of its values begins with a sign. */
const isUnsigned = ({builtin, type, label}: Column): boolean =>
  builtin === 'NUM' || ((type === 'DATE' || type === 'DATETIME' || type === 'BOOLEAN') && !/^[+-]/.test(label))

/**
 * Returns the columns of the file. A plain number has no guard. At the beginning of a record, it would start a formula in a program that splits at another
 * separator: with a decimal comma, `-5,5+A1` is a formula. So if a guarded record could begin with a sign, it begins with the number instead.
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

/** Returns the parts of a Blob with the whole file. Each page is one part, so that no string ever holds the whole file. */
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
