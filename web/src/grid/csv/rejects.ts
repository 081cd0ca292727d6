// Writes the file of rejected rows as described in docs/import.md: the reasons, then the cells of the row, to correct and import again.
import {withGuard, withoutGuard} from './guard'
import type {Refusal} from './importer'
import type {Table} from './table'
import {writeRecord} from './write'

const columns = ['reject_line', 'reject_column', 'reject_reason']

/**
 * Returns the file. It reads the imported file again, so that no rows are kept until then. Rows after `through` were not sent, unless it is null. With the
 * guard, each cell reads back as before and is safe to edit in a spreadsheet.
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
