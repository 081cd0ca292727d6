// Edits the mapping of an import: what each column of the file becomes.
import type {CustomFieldType} from '../../gql/graphql'
import type {Column} from '../model/columns'
import {builtins, type Builtin, type MappedColumn, type Mapping} from './imports'

/** The fields of the project that a column can become. */
export const fieldsOf = (columns: readonly Column[]): readonly Column[] => columns.filter(c => !c.builtin && c.editable)

/** Returns the choice for a column: `skip`, `new`, a built-in column, or the ID of a field. */
export function choiceOf({to, name}: MappedColumn, columns: readonly Column[]): string {
  if (to !== 'field') return to ?? 'skip'
  return columns.find(c => !c.builtin && c.label === name)?.id ?? 'new'
}

const isBuiltin = (choice: string): choice is Builtin => (builtins as readonly string[]).includes(choice)

/** Returns a new field for a column. Its cells may have any of the types, so TEXT is the default. */
const newField = (column: string, type: CustomFieldType): MappedColumn => withType({column, to: 'field', name: column}, type)

const isList = (type: CustomFieldType): boolean => type === 'TAGS' || type === 'MULTI_SELECT'

/** Returns a field with another type, without the settings of the former one. */
export const withType = ({column, to, name}: MappedColumn, type: CustomFieldType): MappedColumn => ({
  column,
  to,
  name,
  type,
  ...(isList(type) ? {separator: ',', quotes: true} : {}),
})

/** Returns a mapping in which a column becomes something else. What only one column can become is taken from the others. */
export function withChoice(mapping: Mapping, index: number, choice: string, columns: readonly Column[], type: CustomFieldType): Mapping {
  const {column} = mapping.columns[index]!
  const field = columns.find(c => c.id === choice)
  const chosen: MappedColumn =
    choice === 'new'
      ? newField(column, type)
      : field && !field.builtin
        ? withType({column, to: 'field', name: field.label}, field.type)
        : {column, to: isBuiltin(choice) ? choice : 'skip'}
  return identified(
    mapping.columns.map((c, i) =>
      i === index ? chosen : choice !== 'new' && choice !== 'skip' && choiceOf(c, columns) === choice ? {column: c.column, to: 'skip'} : c,
    ),
  )
}

/** Returns the mapping of these columns. Rows without a key or a number are told apart by their contents. */
export const identified = (columns: MappedColumn[]): Mapping => ({
  columns,
  ...(columns.some(c => c.to === 'rowKey' || c.to === 'num') ? {} : {rowKey: 'CONTENT'}),
})

/** Returns a mapping without new fields, for users that may not create them; null if it has none. */
export function withoutNewFields(mapping: Mapping, columns: readonly Column[]): Mapping | null {
  const isNew = (c: MappedColumn) => choiceOf(c, columns) === 'new'
  return mapping.columns.some(isNew) ? identified(mapping.columns.map(c => (isNew(c) ? {column: c.column, to: 'skip'} : c))) : null
}

/** Reports which settings a column has. */
export const settingsOf = ({to, type}: MappedColumn): {list: boolean; formats: boolean; zone: boolean} => {
  const time = to === 'createdAt' || to === 'updatedAt' || (to === 'field' && type === 'DATETIME')
  return {list: to === 'field' && type !== undefined && isList(type), formats: time || (to === 'field' && type === 'DATE'), zone: time}
}

/** Returns the index of the column in the path of an error, such as `mapping.columns[3].name`; null if it names none. */
export function columnAt(argument: string | undefined): number | null {
  const [, index] = /(?:^|\.)columns\[(\d+)\]/.exec(argument ?? '') ?? []
  return index === undefined ? null : Number(index)
}
