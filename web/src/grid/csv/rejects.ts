// The file of the rows that were not imported, as docs/import.md has it: why, and then the row's own cells, to be put right and imported again.
import {withGuard, withoutGuard} from './guard'
import type {Refusal} from './importer'
import type {Table} from './table'
import {writeRecord} from './write'

const columns = ['reject_line', 'reject_column', 'reject_reason']

/**
 * Makes the file from the imported one, which is read again, so that no row has to be kept until then. Rows behind `through`
 * were not sent, unless it is null. With the guard, a cell is written so that it is read as before and is no formula in a spreadsheet, in which people put
 * it right.
 */
export async function rejectsFile(table: Table, refusals: ReadonlyMap<number, Refusal>, through: number | null, guarded: boolean): Promise<Blob[]> {
  const write = (cells: readonly string[]) => writeRecord(guarded ? cells.map(c => withGuard(withoutGuard(c))) : cells)
  const parts = [new Blob([write([...columns, ...table.header.map(withGuard)])])]
  for await (const {rows} of table.rows()) {
    let text = ''
    for (const {row, cells} of rows) {
      const reasons = refusals.get(row)?.reasons ?? (through !== null && row > through ? [{column: '', message: 'not sent'}] : null)
      if (reasons)
        text += write([
          String(row),
          reasons
            .map(r => r.column)
            .filter(Boolean)
            .join('; '),
          reasons.map(r => (r.column && reasons.length > 1 ? `${r.column}: ${r.message}` : r.message)).join('; '),
          ...cells,
        ])
    }
    if (text) parts.push(new Blob([text]))
  }
  return parts
}
