// What the columns of a file are likely to be: by their names the columns of the project, by their cells a type. The rules are those of docs/import.md.
import type {CustomFieldType} from '../../gql/graphql'
import type {Column} from '../model/columns'
import {parse} from '../model/values'

/** What becomes of a column of the file. */
export type Target = {to: 'skip'} | {to: 'column'; id: string} | {to: 'field'; name: string; type: CustomFieldType}

export const skip: Target = {to: 'skip'}

const folded = (name: string): string => name.toLowerCase().replace(/[\s_-]+/g, '')

const otherNames: Record<string, string[]> = {
  name: ['name', 'summary', 'title', 'subject'],
  state: ['state', 'status'],
  description: ['description', 'body'],
}

/** What import and export add, and what the server sets: nothing of an issue to make. */
const never = new Set(['rejectline', 'rejectcolumn', 'rejectreason', '#', 'num', 'number', 'created', 'createdat', 'updated', 'updatedat'])

/** Columns of the project for those of a file: by equal names first, then by the usual names. None is taken twice. */
export function guessTargets(header: readonly string[], columns: readonly Column[]): Target[] {
  const targets = header.map((): Target => skip)
  const taken = new Set<string>()
  const take = (i: number, column: Column | undefined) => {
    if (targets[i] !== skip || !column?.editable || taken.has(column.id)) return
    taken.add(column.id)
    targets[i] = {to: 'column', id: column.id}
  }
  const named = (same: (a: string, b: string) => boolean) =>
    header.forEach((name, i) =>
      take(
        i,
        columns.find(c => same(c.label, name) && !taken.has(c.id)),
      ),
    )
  named((a, b) => a.trim().toLowerCase() === b.toLowerCase())
  named((a, b) => folded(a) !== '' && folded(a) === folded(b))
  for (const [id, names] of Object.entries(otherNames))
    for (const name of names)
      header.forEach(
        (h, i) =>
          !never.has(folded(h)) &&
          folded(h) === name &&
          take(
            i,
            columns.find(c => c.id === id),
          ),
      )
  return targets
}

/** Whether a column of a file that the project doesn't have could become a field of it. */
export const couldBeField = (name: string): boolean => !never.has(folded(name))

/** A name that no field of the project has, nor another new one. */
export function freeName(name: string, taken: Iterable<string>): string {
  const all = new Set([...taken].map(n => n.toLowerCase()))
  const base = name.slice(0, 250)
  for (let n = 1; ; n++) {
    const free = n === 1 ? base : `${base} ${n}`
    if (!all.has(free.toLowerCase())) return free
  }
}

/** What is wrong with the name of a new field; null where nothing is. */
export function nameProblem(targets: readonly Target[], index: number, columns: readonly Column[]): string | null {
  const target = targets[index]
  if (target?.to !== 'field') return null
  const name = target.name.trim().toLowerCase()
  if (name === '') return 'A field needs a name'
  const taken =
    columns.some(c => c.label.toLowerCase() === name) || targets.some((t, i) => i !== index && t.to === 'field' && t.name.trim().toLowerCase() === name)
  return taken ? 'There is a column with this name' : null
}

const narrowing: {type: CustomFieldType; holds: (text: string) => boolean}[] = [
  {type: 'BOOLEAN', holds: text => /^(?:true|false|yes|no)$/i.test(text)},
  {type: 'INTEGER', holds: text => /^-?(?:0|[1-9]\d{0,18})$/.test(text) && fits('INTEGER', text)},
  {type: 'NUMBER', holds: text => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) && fits('NUMBER', text)},
  {type: 'DATE', holds: text => /^\d{4}-\d\d-\d\d$/.test(text) && fits('DATE', text)},
  {type: 'DATETIME', holds: text => /^\d{4}-\d\d-\d\d[T ]\d\d?:\d\d/.test(text) && fits('DATETIME', text)},
]

const fits = (type: CustomFieldType, text: string): boolean => parse({type, options: []}, text).error === undefined

/** What is kept of a column while the cells go by. */
const mostDistinct = 50
const mostOfOption = 40
const mostOfShortText = 256
const mostSamples = 3

/** Looks at the cells of a column, and tells the narrowest type that holds them all. */
export class Guess {
  readonly samples: string[] = []
  private types = narrowing
  private filled = 0
  private distinct: Set<string> | null = new Set()
  private isLong = false

  add(cell: string): void {
    const text = cell.trim()
    if (text === '') return
    this.filled++
    if (this.samples.length < mostSamples && !this.samples.includes(cell)) this.samples.push(cell)
    if (this.types.length > 0) this.types = this.types.filter(t => t.holds(text))
    this.isLong ||= cell.length > mostOfShortText || /[\r\n]/.test(text)
    if (this.distinct && text.length <= mostOfOption) this.distinct.add(text)
    else this.distinct = null
    if (this.distinct && this.distinct.size > mostDistinct) this.distinct = null
  }

  type(): CustomFieldType {
    if (this.filled === 0) return 'TEXT'
    const [narrowest] = this.types
    if (narrowest) return narrowest.type
    if (this.distinct && this.filled >= 2 * this.distinct.size) return 'SELECT'
    return this.isLong ? 'LONG_TEXT' : 'TEXT'
  }
}
