// What the grid shows, in en-US, of what the API returns.
import type {Field, Issue} from './api'

/** Returns the string that a cell must show, by the type of its column. */
export function text(field: Field, display: string): string {
  if (display === '') return ''
  switch (field.type) {
    case 'NUMBER':
      return new Intl.NumberFormat('en-US', {maximumFractionDigits: 10}).format(Number(display))
    case 'DATE':
      return new Intl.DateTimeFormat('en-US', {dateStyle: 'medium', timeZone: 'UTC'}).format(new Date(display))
    case 'DATETIME':
      return time(display)
    case 'BOOLEAN':
      return display === 'true' ? 'Yes' : 'No'
    default:
      return display
  }
}

const time = (instant: string) => new Intl.DateTimeFormat('en-US', {dateStyle: 'medium', timeStyle: 'short'}).format(new Date(instant))

/** Returns the strings of a row by column. */
export function expected(issue: Issue, fields: readonly Field[]): Record<string, string> {
  const values = new Map(issue.values.flatMap(v => (v ? [[v.field.id, v.display]] : [])))
  return {
    num: String(issue.num),
    name: issue.name,
    state: issue.state.name,
    created: time(issue.createdAt),
    updated: time(issue.updatedAt),
    ...Object.fromEntries(fields.map(f => [f.id, text(f, values.get(f.id) ?? '')])),
  }
}
