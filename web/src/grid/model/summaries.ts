// The summaries of columns in the footer of the grid: which ones a column has, which are chosen, and how they are shown.
import type {SummaryPart} from '../../gql/graphql'
import {messages} from '../messages'
import type {Column} from './columns'
import {show} from './values'

/** The parts of a summary, in the order of menus. They have the names of the API. */
export const parts = ['filled', 'empty', 'distinct', 'sum', 'average', 'median', 'min', 'max', 'checked', 'percentChecked'] as const
export type Part = (typeof parts)[number]

/** The chosen parts by the IDs of their columns. */
export type Chosen = Readonly<Record<string, Part>>

/** What the API says about a column. Only the requested parts are there. */
export type Summary = {readonly [P in Part]?: (P extends 'min' | 'max' ? string : number) | null} & {readonly precision: 'EXACT' | 'AT_LEAST'}

/** A summary, or why there is none. */
export interface Figure {
  summary: Summary | null
  problem: string | null
}

/** Reports whether the API has a part of a column. */
export function hasPart(column: Column, part: Part): boolean {
  const isNumber = column.type === 'INTEGER' || column.type === 'NUMBER'
  switch (part) {
    case 'filled':
    case 'empty':
      return column.showable
    case 'distinct':
      return column.sortable
    case 'sum':
    case 'average':
    case 'median':
      return isNumber && column.builtin === undefined
    case 'min':
    case 'max':
      return isNumber || column.type === 'DATE' || column.type === 'DATETIME'
    case 'checked':
    case 'percentChecked':
      return column.type === 'BOOLEAN'
  }
}

export const partsOf = (column: Column): Part[] => parts.filter(p => hasPart(column, p))

/** Returns the parts to request for the chosen one. With a mean comes the sum, which is null only if the mean is unknown, and not if there are no numbers. */
export const neededFor = (part: Part): readonly Part[] => (part === 'average' || part === 'median' ? [part, 'sum'] : [part])

/** Reads the choice from a URL, such as `state:filled,cost:sum`. Invalid entries are ignored. */
export function readChosen(text: string | null): Chosen {
  const chosen = new Map<string, Part>()
  for (const entry of (text ?? '').split(',')) {
    const [, column, name] = /^([^:]+):(\w+)$/.exec(entry) ?? []
    const part = parts.find(p => p === name)
    if (column && part) chosen.set(column, part)
  }
  return Object.fromEntries(chosen)
}

/** Writes the choice for a URL; null if nothing is chosen. */
export const writeChosen = (chosen: Chosen): string | null =>
  Object.entries(chosen)
    .map(([column, part]) => `${column}:${part}`)
    .join(',') || null

/** Chooses a part of a column, or none. */
export function choose(chosen: Chosen, column: string, part: Part | null): Chosen {
  const others = Object.fromEntries(Object.entries(chosen).filter(([id]) => id !== column))
  return part === null ? others : {...others, [column]: part}
}

/** Returns the columns whose chosen part they have, with it. A field whose type has changed may have it no longer. */
export const chosenOf = (chosen: Chosen, columns: readonly Column[]): readonly (readonly [Column, Part])[] =>
  columns.flatMap(c => {
    const part = chosen[c.id]
    return part && hasPart(c, part) ? [[c, part] as const] : []
  })

/** Returns a part by its name in views of the API, and the name. */
export const partOf = (name: SummaryPart): Part | undefined => parts.find(p => nameOf(p) === name)
export const nameOf = (part: Part): SummaryPart => part.replace(/[A-Z]/, '_$&').toUpperCase() as SummaryPart

/** A figure for display. */
export interface Shown {
  text: string
  /** The text as it is read out. */
  spoken: string
  /** Why there is no value; null if there is one. */
  reason: string | null
}

const counts = new Set<Part>(['filled', 'empty', 'distinct', 'checked'])

/** Formats a part of a summary. What is not known is a dash with a reason. */
export function shownFigure(column: Column, part: Part, {summary, problem}: Figure, locale?: string): Shown {
  const texts = messages.table.figures
  if (problem !== null || !summary) return {text: '!', spoken: texts.failed(problem ?? ''), reason: texts.failed(problem ?? '')}
  const value = summary[part]
  if (value === null || value === undefined) {
    const reason = reasonOf(part, summary)
    return {text: '–', spoken: reason, reason}
  }
  if (counts.has(part)) {
    const n = (value as number).toLocaleString(locale)
    return summary.precision === 'AT_LEAST' ? {text: `≥ ${n}`, spoken: texts.atLeast(n), reason: null} : {text: n, spoken: n, reason: null}
  }
  const text = part === 'min' || part === 'max' ? bound(column, value as string, locale) : number(part, value as number, locale)
  return {text, spoken: text, reason: null}
}

function reasonOf(part: Part, summary: Summary): string {
  const texts = messages.table.figures
  switch (part) {
    case 'sum':
      return texts.tooMany
    case 'average':
    case 'median':
      return summary.sum === null ? texts.tooMany : texts.noValues
    case 'percentChecked':
      return texts.noIssuesOrTooMany
    default:
      return texts.noValuesOrTooMany
  }
}

/** Formats the least or greatest value, which the API sends as a string. */
function bound(column: Column, text: string, locale?: string): string {
  if (column.type === 'INTEGER') return new Intl.NumberFormat(locale).format(BigInt(text))
  return show(column, column.type === 'NUMBER' ? Number(text) : text)
}

function number(part: Part, n: number, locale?: string): string {
  if (part === 'percentChecked') return new Intl.NumberFormat(locale, {style: 'unit', unit: 'percent', maximumFractionDigits: 1}).format(n)
  if (part !== 'sum')
    return new Intl.NumberFormat(locale, {maximumFractionDigits: 2, maximumSignificantDigits: 15, roundingPriority: 'lessPrecision'}).format(n)
  return new Intl.NumberFormat(locale, {maximumSignificantDigits: 15}).format(n)
}
