// Shared fixtures of the tests.
import Papa from 'papaparse'
import type {CustomFieldType} from '../../gql/graphql'
import type {Column} from '../model/columns'
import type {Option} from '../model/values'

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

/** Returns the cells of a CSV file, the header first. */
export async function readCSV(parts: BlobPart[]): Promise<string[][]> {
  // text() removes the byte order mark.
  const {data, errors} = Papa.parse<string[]>(await new Blob(parts).text(), {delimiter: ',', newline: '\r\n', skipEmptyLines: false})
  if (errors.length > 0) throw new Error(errors[0]!.message)
  return data.slice(0, -1) // the last line has an end
}
