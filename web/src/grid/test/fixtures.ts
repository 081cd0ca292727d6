// Shared fixtures of the tests.
import type {CustomFieldType} from '../../gql/graphql'
import type {Column} from '../model/columns'
import type {Option} from '../model/values'
import type {RawRow, Table} from '../csv/table'

export const options: Option[] = ['Low', 'High, really', '=risky', ' spaced ', 'say "no"', 'low ', '-'].map((name, i) => ({id: `o${i}`, name, color: null}))

export const column = (type: CustomFieldType, more: Partial<Column> = {}): Column => ({
  id: `f-${type}`,
  label: type,
  description: '',
  type,
  options: type === 'SELECT' || type === 'MULTI_SELECT' ? options : [],
  sortable: true,
  editable: true,
  showable: true,
  width: 100,
  ...more,
})

/** Returns a text column. */
export const textColumn = (id: string, more: Partial<Column> = {}): Column => column('TEXT', {id, label: id, ...more})

export const nameColumn = column('TEXT', {id: 'name', label: 'Name', builtin: 'NAME', required: true})

/** Returns an in-memory table. Its first row has number 2. */
export function tableOf(header: string[], rows: (string[] | Omit<RawRow, 'row'>)[], batch = 100): Table {
  const all = rows.map((r, i): RawRow => ({row: i + 2, ...(Array.isArray(r) ? {cells: r} : r)}))
  return {
    name: 'issues.csv',
    size: all.length,
    header,
    delimiter: ',',
    async *rows(signal) {
      for (let i = 0; i < all.length; i += batch) {
        await Promise.resolve()
        signal?.throwIfAborted()
        yield {rows: all.slice(i, i + batch), bytes: Math.min(i + batch, all.length)}
      }
    },
  }
}
