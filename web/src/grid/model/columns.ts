// The columns of the grid: the built-in ones and the custom fields of the project.
import type {
  BuiltinColumn,
  CustomFieldType,
  CustomValueChangeInput,
  GridRowFragment,
  IssueColumn,
  IssueCreateInput,
  IssueUpdateInput,
  ProjectQuery,
  ValueInput,
} from '../../gql/graphql'
import {messages} from '../messages'
import {folded, inputOf, isEmpty, isOfType, PersonValue, valueOf, type Domain, type Value} from './values'

export type Project = NonNullable<ProjectQuery['project']>

/** A row from the API, with the values of the requested fields in their order. */
export type Row = GridRowFragment

/** The built-in columns that only filters have: the grid neither shows them nor sorts by them. */
type FilterColumn = 'DESCRIPTION' | 'ASSIGNEES' | 'WATCHERS'

export interface Column extends Domain {
  /** The ID of a field, or the name of a built-in column in lower case. */
  id: string
  label: string
  description: string
  builtin?: BuiltinColumn | FilterColumn
  sortable: boolean
  editable: boolean
  /** Whether the grid can show the column. */
  showable: boolean
  /** The default width in pixels. */
  width: number
}

const widths: Record<CustomFieldType, number> = {
  TEXT: 180,
  LONG_TEXT: 240,
  INTEGER: 130,
  NUMBER: 130,
  DATE: 130,
  DATETIME: 200,
  BOOLEAN: 110,
  SELECT: 140,
  MULTI_SELECT: 180,
  TAGS: 180,
  USER: 150,
}

const builtin = (id: string, label: string, column: Column['builtin'], type: CustomFieldType, width: number, more: Partial<Column> = {}): Column => ({
  id,
  label,
  description: '',
  builtin: column,
  type,
  options: [],
  sortable: true,
  editable: false,
  showable: true,
  width,
  ...more,
})

export const numColumn = builtin('num', '#', 'NUM', 'INTEGER', 90)

/** Returns all columns of a project, the built-in ones first. */
export function columnsOf(project: Project): Column[] {
  const edit = project.viewerCanEdit
  const {columns: names, numberDescription} = messages.model
  const hidden = {sortable: false, showable: false}
  return [
    {...numColumn, description: numberDescription},
    builtin('name', names.name, 'NAME', 'TEXT', 320, {editable: edit, required: true}),
    builtin('state', names.state, 'STATE', 'SELECT', 130, {
      editable: edit,
      required: true,
      options: project.states.map(s => ({id: s.id, name: s.name, color: s.color, isClosed: !s.open})),
    }),
    builtin('description', names.description, 'DESCRIPTION', 'LONG_TEXT', 120, {...hidden, editable: edit}),
    builtin('created', names.created, 'CREATED_AT', 'DATETIME', 200),
    builtin('updated', names.updated, 'UPDATED_AT', 'DATETIME', 200),
    builtin('createdby', names.createdby, 'CREATED_BY', 'USER', 150),
    builtin('updatedby', names.updatedby, 'UPDATED_BY', 'USER', 150),
    builtin('assignees', messages.people.assignees.title, 'ASSIGNEES', 'MULTI_SELECT', 180, hidden),
    builtin('watchers', messages.people.watchers.title, 'WATCHERS', 'MULTI_SELECT', 180, hidden),
    ...project
      .fields!.filter(f => !f.archived)
      .map(f => ({
        id: f.id,
        label: f.name,
        description: f.description ?? '',
        type: f.type,
        options: f.options,
        required: f.required,
        sortable: f.sortable,
        editable: edit,
        showable: true,
        width: widths[f.type],
      })),
  ]
}

export const isField = (c: Column): boolean => c.builtin === undefined

/** Reports whether the values of a column are sets of users and teams. Their IDs are those of options that the definition of the project does not have. */
export const hasPeople = (c: Column): boolean => c.builtin === 'ASSIGNEES' || c.builtin === 'WATCHERS'

/** Reports whether an issue may have no value in the column. */
export const mayBeEmpty = (c: Column): boolean => isField(c) || c.builtin === 'DESCRIPTION' || c.type === 'USER' || hasPeople(c)

const isOrdered = (b: NonNullable<Column['builtin']>): b is BuiltinColumn => b !== 'DESCRIPTION' && b !== 'ASSIGNEES' && b !== 'WATCHERS'

/** Returns the column as an argument of `orderBy`. */
export const orderColumn = (c: Column): IssueColumn => (c.builtin && isOrdered(c.builtin) ? {builtin: c.builtin} : {fieldId: c.id})

const named = (name: string | null | undefined): PersonValue | null => (name ? new PersonValue(name) : null)

/** Returns the value of a built-in column; undefined if the row does not have it. */
export function builtinValue(row: Omit<Row, 'values'> & {description?: string | null}, column: NonNullable<Column['builtin']>): Value | undefined {
  switch (column) {
    case 'NUM':
      return String(row.num)
    case 'NAME':
      return row.name
    case 'STATE':
      return row.state.id
    case 'CREATED_AT':
      return row.createdAt
    case 'UPDATED_AT':
      return row.updatedAt
    case 'CREATED_BY':
      return named(row.createdByName)
    case 'UPDATED_BY':
      return named(row.updatedByName)
    case 'DESCRIPTION':
      return row.description
    case 'ASSIGNEES':
    case 'WATCHERS':
      return undefined
  }
}

/** Returns the value of a row in a column; undefined if it was not read, or as a value of another type. `fields` are the fields of row.values. */
export function rowValue(row: Row, column: Column, fields: readonly string[]): Value | undefined {
  if (column.builtin) return builtinValue(row, column.builtin)
  const at = fields.indexOf(column.id)
  const cell = at < 0 ? undefined : row.values?.[at]
  return cell === undefined || !isOfType(cell, column.type) ? undefined : valueOf(cell)
}

const valueChange = (fieldId: string, value: ValueInput | null): CustomValueChangeInput => (value ? {fieldId, value} : {fieldId, clear: true})

/** Returns the part of an update that sets the column to a value. */
export function changeOf(column: Column, value: Value): Pick<IssueUpdateInput, 'name' | 'stateId' | 'description' | 'values'> {
  switch (column.builtin) {
    case 'NAME':
      return {name: value as string}
    case 'STATE':
      return {stateId: value as string}
    case 'DESCRIPTION':
      return {description: (value as string | null) ?? ''}
    case undefined:
      return {values: [valueChange(column.id, inputOf(column.type, value))]}
    default:
      // eslint-disable-next-line no-restricted-syntax -- only developers see it
      throw new Error(`${column.label} can't be changed`)
  }
}

/** Returns the columns whose labels contain a string, ignoring case and accents. Those with exactly this label come first, such as Assignee before Assignees. */
export function found(columns: readonly Column[], text: string): Column[] {
  const wanted = folded(text)
  const isWanted = (c: Column) => Number(folded(c.label) === wanted)
  return columns.filter(c => folded(c.label).includes(wanted)).sort((a, b) => isWanted(b) - isWanted(a))
}

/** Parses the number of an issue, with or without the key of its project; null if the string is not one. */
export function parseNumber({key}: Pick<Project, 'key'>, text: string): number | null {
  const [, prefix, digits] = /^\s*(?:(\w+)-|#)?(\d{1,10})\s*$/.exec(text) ?? []
  const num = Number(digits)
  if (!digits || num < 1 || num > 2 ** 31 - 1) return null
  return prefix === undefined || prefix.toUpperCase() === key ? num : null
}

/** Converts the values of a new issue to an input of the API. */
export function newIssueOf(cells: readonly {column: Column; value: Value}[]): IssueCreateInput {
  const issue: IssueCreateInput = {name: ''}
  for (const {column, value} of cells) {
    if (isEmpty(value)) continue
    if (column.builtin) Object.assign(issue, changeOf(column, value))
    else issue.values = [...(issue.values ?? []), {fieldId: column.id, value: inputOf(column.type, value)!}]
  }
  return issue
}
