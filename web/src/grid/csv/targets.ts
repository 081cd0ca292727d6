// Edits the mapping of an import: what each column of the file becomes.
import type {CustomFieldType} from '../../gql/graphql'
import type {Column} from '../model/columns'
import {builtins, type Builtin, type Choice, type FileColumn, type MappedColumn, type Mapping} from './imports'
import {browserZone} from '../model/dates'

/** The fields of the project that a column can become. */
export const fieldsOf = (columns: readonly Column[]): readonly Column[] => columns.filter(c => !c.builtin && c.editable)

/** Returns the choice for a column: `skip`, `new`, a built-in column, or the ID of a field. */
export function choiceOf({to, name}: MappedColumn, columns: readonly Column[]): string {
  if (to !== 'field') return to ?? 'skip'
  return columns.find(c => !c.builtin && c.label === name)?.id ?? 'new'
}

const isBuiltin = (choice: string): choice is Builtin => (builtins as readonly string[]).includes(choice)

/** What the server has found out about the cells of a column. */
export type Cells = Pick<FileColumn, 'type' | 'decimal' | 'formats' | 'choices'>

const isList = (type: CustomFieldType): boolean => type === 'TAGS' || type === 'MULTI_SELECT'
const isNumber = (type: CustomFieldType | undefined): boolean => type === 'INTEGER' || type === 'NUMBER'

/** Reports whether a column becomes a time, or perhaps a date without one. */
const isTime = ({to, type}: MappedColumn): boolean => to === 'createdAt' || to === 'updatedAt' || type === 'DATETIME'

/** Returns the zone of times in these formats: files that people write have the times of their place. */
const zoned = (entry: MappedColumn, formats: readonly string[] = []): Pick<MappedColumn, 'zone'> =>
  isTime(entry) && formats.some(f => f.includes(':')) ? {zone: browserZone()} : {}

/** Returns a mapping in which times without a zone, which the server takes for UTC, have that of the browser; null if it has none. */
export function withZone(mapping: Mapping): Mapping | null {
  const zone = browserZone()
  const assumed = (c: MappedColumn) => c.zone !== undefined && c.zone !== zone
  return mapping.columns.some(assumed) ? {...mapping, columns: mapping.columns.map(c => (assumed(c) ? {...c, zone} : c))} : null
}

/** Returns a column with the decimal separator or the formats that its cells need. A date has none with a time, which it would lose. */
function fitted(entry: MappedColumn, {decimal, formats = []}: Partial<Cells>): MappedColumn {
  if (isNumber(entry.type)) return decimal ? {...entry, decimal} : entry
  const own = isTime(entry) ? formats : entry.type === 'DATE' ? formats.filter(f => !f.includes(':')) : []
  return own.length > 0 ? {...entry, formats: own, ...zoned(entry, own)} : entry
}

/** Returns a field with another type, without the settings of the former one. */
export const withType = ({column, to, name}: MappedColumn, type: CustomFieldType, cells: Partial<Cells> = {}): MappedColumn =>
  fitted({column, to, name, type, ...(isList(type) ? {separator: ',', quotes: true} : {})}, cells)

/** Returns a mapping in which a column becomes something else. What only one column can become is taken from the others. */
export function withChoice(mapping: Mapping, index: number, choice: string, columns: readonly Column[], cells: Cells = {type: 'TEXT'}): Mapping {
  const {column} = mapping.columns[index]!
  const field = columns.find(c => c.id === choice)
  const chosen: MappedColumn =
    choice === 'new'
      ? withType({column, to: 'field', name: column}, cells.type, cells)
      : field && !field.builtin
        ? withType({column, to: 'field', name: field.label}, field.type, cells)
        : fitted({column, to: isBuiltin(choice) ? choice : 'skip'}, cells)
  const joins = field && !field.builtin && isList(field.type) // several columns have members of the field
  return withColumns(mapping, (c, i) =>
    i === index ? chosen : choice !== 'new' && choice !== 'skip' && !joins && choiceOf(c, columns) === choice ? {column: c.column, to: 'skip'} : c,
  )
}

/**
 * Returns a mapping whose columns are changed. Rows that have no key or number any more are told apart by their contents. A mapping in which
 * nothing identifies the rows is left so: those of the project have keys, and the user says what is one.
 */
export function withColumns(mapping: Mapping, change: (column: MappedColumn, index: number) => MappedColumn): Mapping {
  const columns = mapping.columns.map(change)
  const identifies = (c: MappedColumn) => c.to === 'rowKey' || c.to === 'num'
  const rowKey = columns.some(identifies) ? undefined : mapping.columns.some(identifies) ? 'CONTENT' : mapping.rowKey
  return {...mapping, columns, rowKey}
}

/** Returns a mapping without new fields, for users that may not create them; null if it has none. */
export function withoutNewFields(mapping: Mapping, columns: readonly Column[]): Mapping | null {
  const isNew = (c: MappedColumn) => choiceOf(c, columns) === 'new'
  return mapping.columns.some(isNew) ? withColumns(mapping, c => (isNew(c) ? {column: c.column, to: 'skip'} : c)) : null
}

/** Reports which settings a column has. */
export const settingsOf = (entry: MappedColumn): {list: boolean; decimal: boolean; formats: boolean; zone: boolean} => {
  const {type} = entry
  const time = isTime(entry)
  return {list: type !== undefined && isList(type), decimal: isNumber(type), formats: time || type === 'DATE', zone: time}
}

/** Returns what the cells of a column can be, if it is not clear: of a new field anything, of another column what it can have. */
export const choicesOf = (entry: MappedColumn, columns: readonly Column[], {choices = []}: Partial<Cells>): readonly Choice[] =>
  choiceOf(entry, columns) === 'new'
    ? choices
    : choices.filter(c => (c.decimal ? isNumber(entry.type) : isTime(entry) || (entry.type === 'DATE' && c.type === 'DATE')))

type Forms = Pick<MappedColumn, 'decimal' | 'formats'>

/** Reports whether two columns, or a column and a choice, have the same decimal separator and the same formats. */
export const isReadAs = (a: Forms, b: Forms): boolean => a.decimal === b.decimal && a.formats?.join('\n') === b.formats?.join('\n')

/** Returns a column that is read as a choice says. A new field gets its type too. */
export function withAnswer(entry: MappedColumn, {type, decimal, formats}: Choice, columns: readonly Column[]): MappedColumn {
  const answered = choiceOf(entry, columns) === 'new' ? withType(entry, type) : entry
  return {...answered, decimal, formats, ...zoned(answered, formats)}
}

/** Returns the index of the column in the path of an error, such as `mapping.columns[3].name`; null if it names none. */
export function columnAt(argument: string | undefined): number | null {
  const [, index] = /(?:^|\.)columns\[(\d+)\]/.exec(argument ?? '') ?? []
  return index === undefined ? null : Number(index)
}
