// The summaries in the footer. They are read in an operation of their own, because they can take much longer than a page of rows.
import type {ApolloClient} from '@apollo/client'
import type {IssueColumn, IssueFilter} from '../../gql/graphql'
import {messages} from '../messages'
import {orderColumn, type Column} from '../model/columns'
import {neededFor, type Figure, type Part, type Summary} from '../model/summaries'
import {problemOf} from './client'
import {Store} from './store'
import {GridSummariesDocument, slots} from './summaryDocuments'

export interface SummaryQuery {
  project: string
  where: IssueFilter | undefined
  timeZone: string | undefined
}

/** Columns with the part of each. */
export type Requested = readonly (readonly [Column, Part])[]

/** Returns the variables that fill the slots of an operation with columns, at most as many as there are slots. */
export function slotVariables(requested: Requested): Record<string, IssueColumn | boolean> {
  const out: Record<string, IssueColumn | boolean> = {}
  requested.forEach(([column, part], i) => {
    out[`c${i}`] = orderColumn(column)
    out[`on${i}`] = true
    for (const p of neededFor(part)) out[`${p}${i}`] = true
  })
  return out
}

/** Returns the figures of columns from a response, by their IDs. An error concerns the column whose alias is in its path, or all. */
export function figuresOf(
  requested: Requested,
  from: Readonly<Record<string, unknown>> | null | undefined,
  errors: readonly {message: string; path?: readonly (string | number)[] | undefined}[],
): Map<string, Figure> {
  return new Map(
    requested.map(([column, part], i) => {
      const alias = `c${i}`
      const own = errors.find(e => e.path?.includes(alias) && neededFor(part).some(p => e.path?.at(-1) === p || e.path?.at(-1) === alias))
      const summary = (from?.[alias] as Summary | null | undefined) ?? null
      const problem = own?.message ?? (summary ? null : (errors.find(e => !e.path?.some(p => /^c\d+$/.test(String(p))))?.message ?? messages.data.noReason))
      return [column.id, {summary: problem === null ? summary : null, problem}]
    }),
  )
}

/** Reads summaries of a grid. It never throws: a figure has the problem instead. */
export async function readSummaries(client: ApolloClient, query: SummaryQuery, requested: Requested): Promise<Map<string, Figure>> {
  const out = new Map<string, Figure>()
  for (let i = 0; i < requested.length; i += slots) {
    const some = requested.slice(i, i + slots)
    let figures: Map<string, Figure>
    try {
      const {data, error} = await client.query({
        query: GridSummariesDocument,
        variables: {...query, ...slotVariables(some)},
        fetchPolicy: 'no-cache',
        errorPolicy: 'all',
      })
      figures = figuresOf(some, data?.project?.issues, error ? errorsOf(error) : [])
    } catch (error) {
      figures = figuresOf(some, null, [{message: problemOf(error).message}])
    }
    for (const [id, figure] of figures) out.set(id, figure)
  }
  return out
}

/** Returns the errors of a response with their paths; one without a path for any other error. */
export const errorsOf = (error: object): readonly {message: string; path?: readonly (string | number)[]}[] =>
  'errors' in error ? (error.errors as {message: string; path?: (string | number)[]}[]) : [{message: problemOf(error).message}]

export interface Figures {
  /** The figures by the IDs of their columns and parts; without those that have not been read yet. */
  known: ReadonlyMap<string, Figure>
  /** Whether they are being read, so that the known ones may be old. */
  reading: boolean
}

/** The key of a figure. */
export const keyOf = (column: Column, part: Part): string => `${column.id}:${part}`

/** How long requests wait for further changes of the grid, in milliseconds. */
export const patience = 400

/** The figures of the footer. Old ones stay until the new ones are there. */
export class SummaryStore extends Store<Figures> {
  private timer: ReturnType<typeof setTimeout> | undefined
  private turn = 0
  private of = ''

  constructor(private readonly read: (query: SummaryQuery, requested: Requested) => Promise<Map<string, Figure>>) {
    super({known: new Map(), reading: false})
  }

  /** Requests the figures that are not known; all of them if the query has changed, or if `again` is true. */
  request(query: SummaryQuery, requested: Requested, again = false): void {
    const of = JSON.stringify(query)
    const isOther = of !== this.of
    this.of = of
    const all = isOther || again || this.state.reading
    const missing = requested.filter(([c, p]) => all || !this.state.known.has(keyOf(c, p)))
    clearTimeout(this.timer)
    const turn = ++this.turn
    // Figures of another grid would be wrong, not only old.
    const known = isOther ? new Map<string, Figure>() : this.state.known
    if (missing.length === 0) return this.replaceState({known, reading: false})
    this.replaceState({known, reading: true})
    this.timer = setTimeout(() => void this.readNow(query, missing, turn), patience)
  }

  /** Forgets what was requested. */
  stop = (): void => {
    clearTimeout(this.timer)
    this.turn++
  }

  private async readNow(query: SummaryQuery, requested: Requested, turn: number): Promise<void> {
    const figures = await this.read(query, requested)
    if (turn !== this.turn) return // requested again meanwhile
    const known = new Map(this.state.known)
    for (const [column, part] of requested) known.set(keyOf(column, part), figures.get(column.id)!)
    this.replaceState({known, reading: false})
  }
}
