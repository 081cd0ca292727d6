// Guesses what the columns of a file are: the columns of the project by their names, and types by their cells. docs/import.md has the rules.
import type {CustomFieldType} from '../../gql/graphql'
import type {Column} from '../model/columns'
import {parse} from '../model/values'
import names from '../../../../importer/names.json'

/** What to import a column of the file as. */
export type Target = {to: 'skip'} | {to: 'column'; id: string} | {to: 'field'; name: string; type: CustomFieldType}

export const skip: Target = {to: 'skip'}

const folded = (name: string): string => name.toLowerCase().replace(/[\s_-]+/g, '')

/** Returns a name in the form of importer/names.json: only lower-case letters and digits. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** The built-in columns that can be set, with their usual names, the best first. */
const otherNames = {name: names.name, state: names.state, description: names.description}

/** Columns of a rejects file, and columns that the server sets. They are neither mapped nor new fields. */
const never = new Set(['rejectline', 'rejectcolumn', 'rejectreason', ...names.num, ...names.createdAt, ...names.updatedAt])

const isNever = (name: string): boolean => name.trim() === '#' || never.has(plain(name))

/** Maps the columns of a file to columns of the project: first by equal names, then by usual names. No column is used twice. */
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
          !isNever(h) &&
          plain(h) === name &&
          take(
            i,
            columns.find(c => c.id === id),
          ),
      )
  return targets
}

/** Reports whether an unmapped column of a file can become a field. */
export const couldBeField = (name: string): boolean => !isNever(name)

/** Returns a name that is not taken, with a number appended if necessary. */
export function freeName(name: string, taken: Iterable<string>): string {
  const all = new Set([...taken].map(n => n.toLowerCase()))
  const base = name.slice(0, 250)
  for (let n = 1; ; n++) {
    const free = n === 1 ? base : `${base} ${n}`
    if (!all.has(free.toLowerCase())) return free
  }
}

/** Returns why the name of a new field is invalid, or null. */
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
  {type: 'NUMBER', holds: text => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) && fits('NUMBER', text) && isExact(text)},
  {type: 'DATE', holds: text => /^\d{4}-\d\d-\d\d$/.test(text) && fits('DATE', text)},
  {type: 'DATETIME', holds: text => /^\d{4}-\d\d-\d\d[T ]\d\d?:\d\d/.test(text) && fits('DATETIME', text)},
]

const fits = (type: CustomFieldType, text: string): boolean => parse({type, options: []}, text).error === undefined

/** Returns the significant digits and the exponent of a number. The result is the same for 1.50 and 15e-1. */
function decimal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  return `${digits.replace(/0+$/, '')}e${digits === '' ? 0 : Number(exponent) + digits.length - fraction.length}`
}

/** Reports whether a 64-bit number keeps all digits. */
const isExact = (text: string): boolean => decimal(text) === decimal(String(Number(text)))

/** Limits on the data that a Guess keeps of a column. */
const mostDistinct = 50
const mostOfOption = 60
const mostOfShortText = 256
const mostSamples = 3

/** Reports whether no two values differ only in case. */
const unlike = (values: Set<string>): boolean => new Set([...values].map(v => v.toLowerCase())).size === values.size

/** Examines the cells of a column and finds the narrowest type that fits them all. */
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
    if (this.distinct && text.length <= mostOfOption && !this.isLong) this.distinct.add(text)
    else this.distinct = null
    if (this.distinct && this.distinct.size > mostDistinct) this.distinct = null
  }

  type(): CustomFieldType {
    if (this.filled === 0) return 'TEXT'
    const [narrowest] = this.types
    if (narrowest) return narrowest.type
    if (this.distinct && this.filled >= 2 * this.distinct.size && unlike(this.distinct)) return 'SELECT'
    return this.isLong ? 'LONG_TEXT' : 'TEXT'
  }
}
