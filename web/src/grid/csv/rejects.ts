// The file of the rows that were not imported, as docs/import.md has it: why, and then the row's own cells, to be put right and imported again.
import type {Refusal} from './importer'
import type {Table} from './table'
import {writeRecord} from './write'

const columns = ['reject_line', 'reject_column', 'reject_reason']

/**
 * Makes the file from the imported one, which is read again, so that no row has to be kept until then. Rows behind `through`
 * were not sent, unless it is null.
 */
export async function rejectsFile(table: Table, refusals: ReadonlyMap<number, Refusal>, through: number | null): Promise<Blob[]> {
  const parts = [new Blob([writeRecord([...columns, ...table.header])])]
  for await (const {rows} of table.rows()) {
    let text = ''
    for (const {row, cells} of rows) {
      const reasons = refusals.get(row)?.reasons ?? (through !== null && row > through ? [{column: '', message: 'not sent'}] : null)
      if (reasons)
        text += writeRecord([
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
