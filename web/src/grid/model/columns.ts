// Columns of the grid: those that every issue has, and the custom fields of the project.
import type {BuiltinColumn, CustomFieldType, GridRowFragment, IssueColumn, ProjectQuery, UpdateIssueInput} from '../../gql/graphql'
import {inputOf, valueOf, type Domain, type Value} from './values'

export type Project = NonNullable<ProjectQuery['project']>

/** A row as the API tells it: the values of the fields that were asked for, in their order. */
export type Row = GridRowFragment

export interface Column extends Domain {
  /** A field's id, or the name of a built-in column in lower case. */
  id: string
  label: string
  description: string
  builtin?: BuiltinColumn | 'DESCRIPTION'
  sortable: boolean
  editable: boolean
  /** Whether the grid can show it. */
  showable: boolean
  /** Pixels, unless somebody has chosen others. */
  width: number
}

const widths: Record<CustomFieldType, number> = {
  TEXT: 180,
  LONG_TEXT: 120,
  INTEGER: 110,
  NUMBER: 120,
  DATE: 120,
  DATETIME: 180,
  BOOLEAN: 90,
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

export const numColumn = builtin('num', '#', 'NUM', 'INTEGER', 90, {description: 'The issue’s number'})

/** All columns of a project, the built-in ones first. */
export function columnsOf(project: Project): Column[] {
  const edit = project.viewerCanEdit
  return [
    numColumn,
    builtin('name', 'Name', 'NAME', 'TEXT', 320, {editable: edit, required: true}),
    builtin('state', 'State', 'STATE', 'SELECT', 130, {
      editable: edit,
      required: true,
      options: project.states.map(s => ({id: s.id, name: s.name, color: null})),
    }),
    builtin('description', 'Description', 'DESCRIPTION', 'LONG_TEXT', 120, {editable: edit, sortable: false, showable: false}),
    builtin('created', 'Created', 'CREATED_AT', 'DATETIME', 180),
    builtin('updated', 'Updated', 'UPDATED_AT', 'DATETIME', 180),
    ...project.fields.map(f => ({
      id: f.id,
      label: f.name,
      description: f.description,
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

/** The column as `orderBy` takes it. */
export const orderColumn = (c: Column): IssueColumn => (c.builtin && c.builtin !== 'DESCRIPTION' ? {builtin: c.builtin} : {field: c.id})

/** What an issue has in a built-in column; undefined where the row is without it. */
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
    case 'DESCRIPTION':
      return row.description
  }
}

/** The value of a row in a column; undefined where it was not asked for. The row is of the cache, whose values are by field. */
export function rowValue(row: Row, column: Column, fields: readonly string[]): Value | undefined {
  if (column.builtin) return builtinValue(row, column.builtin)
  const at = fields.indexOf(column.id)
  return at < 0 || row.values[at] === undefined ? undefined : valueOf(row.values[at])
}

/** What to change of an issue for a column to have a value. */
export function changeOf(column: Column, value: Value): Pick<UpdateIssueInput, 'name' | 'state' | 'description' | 'values'> {
  switch (column.builtin) {
    case 'NAME':
      return {name: value as string}
    case 'STATE':
      return {state: value as string}
    case 'DESCRIPTION':
      return {description: (value as string | null) ?? ''}
    case undefined:
      return {values: [{field: column.id, value: inputOf(column.type, value)}]}
    default:
      throw new Error(`${column.label} can't be changed`)
  }
}

/** The columns whose names have a text in them, without regard to case and accents. */
export function found(columns: readonly Column[], text: string): Column[] {
  const wanted = folded(text)
  return columns.filter(c => folded(c.label).includes(wanted))
}

const folded = (text: string): string => text.trim().normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** The number of an issue, written with the key of its project or without; null where a text is none. */
export function parseNumber({key}: Pick<Project, 'key'>, text: string): number | null {
  const [, prefix, digits] = /^\s*(?:(\w+)-|#)?(\d{1,10})\s*$/.exec(text) ?? []
  const num = Number(digits)
  if (!digits || num < 1 || num > 2 ** 31 - 1) return null
  return prefix === undefined || prefix.toUpperCase() === key ? num : null
}
