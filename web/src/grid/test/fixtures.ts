// Shared fixtures of the tests.
import Papa from 'papaparse'
import type {CustomFieldType} from '../../gql/graphql'
import type {Ask, Page, Source} from '../data/rows'
import type {SavedView} from '../data/savedViews'
import type {Column} from '../model/columns'
import type {Group} from '../model/groups'
import type {User} from '../model/people'
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

export const user = (name: string, more: Partial<User> = {}): User => ({
  __typename: 'User',
  id: `u-${name}`,
  name,
  initials: name.slice(0, 1),
  color: '#123456',
  active: true,
  ...more,
})

/** Returns a text column. */
export const textColumn = (id: string, more: Partial<Column> = {}): Column => column('TEXT', {id, label: id, ...more})

export const nameColumn = column('TEXT', {id: 'name', label: 'Name', builtin: 'NAME', required: true})

/** Assignees and watchers, whose values are sets of users and teams. */
export const peopleColumns = (['Assignees', 'Watchers'] as const).map(label =>
  column('MULTI_SELECT', {
    id: label.toLowerCase(),
    label,
    builtin: label === 'Assignees' ? 'ASSIGNEES' : 'WATCHERS',
    options: [],
    editable: false,
    sortable: false,
    showable: false,
  }),
)

export const types = ['TEXT', 'LONG_TEXT', 'INTEGER', 'NUMBER', 'DATE', 'DATETIME', 'BOOLEAN', 'SELECT', 'MULTI_SELECT', 'TAGS', 'USER'] as const

/** Two operands of conditions for each type. */
export const operands: Record<CustomFieldType, [string | number | boolean, string | number | boolean]> = {
  TEXT: ['a “b”', '12'],
  LONG_TEXT: ['a', 'b'],
  USER: ['Ann', 'Bob'],
  INTEGER: ['-7', '9007199254740993'],
  NUMBER: [-0.5, 2e30],
  DATE: ['0001-01-01', '2026-02-28'],
  DATETIME: ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000001Z'],
  BOOLEAN: [true, false],
  SELECT: ['o1', 'o2'],
  MULTI_SELECT: ['o1', 'o2'],
  TAGS: ['red', 'a, b'],
}

/** Returns a group; without changes, it is that of the issues without a value. */
export const group = (more: Partial<Group> = {}): Group => ({
  key: 'k',
  name: null,
  option: null,
  boolean: null,
  text: null,
  from: null,
  to: null,
  total: 1,
  exact: true,
  ...more,
})

/** Returns a page of a list of IDs, which are the cursors as well. */
export function pageOf(ids: readonly string[], {first, after, last, before}: Ask, group: string): Page {
  const begin = after === undefined ? 0 : ids.indexOf(after) + 1
  const end = before === undefined ? ids.length : ids.indexOf(before)
  const [from, to] = first !== undefined ? [begin, Math.min(end, begin + first)] : [Math.max(begin, end - last!), end]
  const entries = ids.slice(from, to).map(id => ({id, cursor: id, group}))
  return {entries, hasNext: to < ids.length, hasPrevious: from > 0, start: entries[0]?.cursor ?? null, end: entries.at(-1)?.cursor ?? null}
}

/** Returns the rows of a group in memory, which tell what is asked for. */
export function rowsOf(ids: () => readonly string[], group: string, asked: (what: 'page' | 'skip', ask: Ask) => void): Source {
  const page = (what: 'page' | 'skip') => (ask: Ask) => {
    asked(what, ask)
    return Promise.resolve(pageOf(ids(), ask, group))
  }
  return {
    page: page('page'),
    skip: page('skip'),
    count: () => Promise.resolve({total: ids().length, exact: true}),
    place: () => Promise.resolve(null),
    near: () => Promise.resolve(null),
    forget: () => undefined,
    refuses: () => false,
  }
}

/** Waits until promises in memory are settled. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 500; i++) await Promise.resolve()
}

export const savedView = (more: Partial<SavedView> = {}): SavedView => ({
  __typename: 'View',
  id: 'v1',
  name: 'One',
  shared: true,
  isDefault: false,
  columns: [],
  filter: null,
  orderBy: [],
  groupBy: [],
  summaries: [],
  layout: 'GRID',
  problems: [],
  version: 1,
  ...more,
})

/** Returns the cells of a CSV file, the header first. */
export async function readCSV(parts: BlobPart[]): Promise<string[][]> {
  // text() removes the byte order mark.
  const {data, errors} = Papa.parse<string[]>(await new Blob(parts).text(), {delimiter: ',', newline: '\r\n', skipEmptyLines: false})
  if (errors.length > 0) throw new Error(errors[0]!.message)
  return data.slice(0, -1) // the last line has an end
}
