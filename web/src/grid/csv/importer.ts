// Imports the rows of a file as issues, in chunks. Every row is accounted for: created, rejected, not sent, or unknown if the response was lost for good.
//
// Only one chunk is sent at a time, while the next one is being prepared. So the numbers of the issues follow the order of the file, which parallel requests
// could not guarantee; the server writes the issues of a chunk in parallel anyway. The file is read no faster than it is sent.
//
// Importer calls a Send function and depends on neither React nor GraphQL. Begin with run.
import type {CreateIssuesMutation, NewIssueInput} from '../../gql/graphql'
import {problemOf, type Problem} from '../data/client'
import {Chunker, halves, type Chunk} from './chunks'
import {issueOf, type Mapped, type Reason, type Settings} from './mapping'
import {isPassing, Pauses, type Pause} from './pauses'
import type {Table} from './table'
import {Store} from '../data/store'

export type Outcome = Pick<NonNullable<CreateIssuesMutation['createIssues']>['results'][number], 'errors'> & {issue?: {num: number} | null}

/** Sends new issues and returns their outcomes, in order. It throws if the request failed. */
export type Send = (issues: NewIssueInput[], idempotencyKey: string) => Promise<readonly Outcome[]>

export interface ImportState {
  phase: 'running' | 'done'
  /** The number of bytes of the file that are done. */
  bytes: number
  made: number
  refused: number
  /** Recent rows per second. */
  rate: number
  pause: Pause | null
  cancelled: boolean
  /** Why the import ended before the end of the file. */
  failure: Problem | null
  /** The numbers of the first and last created issue. */
  first: number | null
  last: number | null
}

/** Why a row created no issue. If `unknown`, it may have created one. */
export interface Refusal {
  reasons: readonly Reason[]
  unknown?: boolean
}

const rateOver = 5_000

export class Importer extends Store<ImportState> {
  /** The rows that created no issue, by row number. */
  readonly refusals = new Map<number, Refusal>()
  /** The last row up to which all rows were created or rejected; null if that holds for the whole file. */
  through: number | null = 0
  private readonly table: Table
  private readonly mapped: readonly Mapped[]
  readonly settings: Settings
  private readonly key: string
  private readonly send: Send
  private readonly now: () => number
  private readonly pauses = new Pauses(() => this.set({pause: this.pauses.pause}))
  private readonly stop = new AbortController()
  private refusedWhole = 0
  private passed: {at: number; rows: number}[] = []

  constructor(table: Table, mapped: readonly Mapped[], settings: Settings, key: string, send: Send, now: () => number = () => performance.now()) {
    super({phase: 'running', bytes: 0, made: 0, refused: 0, rate: 0, pause: null, cancelled: false, failure: null, first: null, last: null})
    this.table = table
    this.mapped = mapped
    this.settings = settings
    this.key = key
    this.send = send
    this.now = now
  }

  resume = (): void => this.pauses.resume()

  /** Sends no more requests and waits for the current one. */
  cancel = (): void => {
    if (this.state.phase !== 'running' || this.state.cancelled) return
    this.set({cancelled: true})
    this.stop.abort()
    this.pauses.resume()
  }

  /** Imports the whole file. */
  async run(): Promise<void> {
    this.passed = [{at: this.now(), rows: 0}]
    const chunks = this.chunks()
    try {
      let next = chunks.next()
      for (;;) {
        const {done, value} = await next
        if (done) {
          this.through = null
          break
        }
        if (this.stopped()) break
        next = chunks.next()
        next.catch(() => undefined) // awaited after this chunk
        await this.sendWhole(value.chunk)
        this.pass(value)
      }
    } catch (error) {
      if (!this.state.cancelled) this.set({failure: problemOf(error)})
    } finally {
      void chunks.return(undefined).catch(() => undefined)
      this.set({phase: 'done', pause: null})
    }
  }

  private stopped = (): boolean => this.state.cancelled || this.state.failure !== null

  /** Yields the chunks of the file and the rejected rows between them, each with the position where it ends. */
  private async *chunks(): AsyncGenerator<Step, void, undefined> {
    const chunker = new Chunker(this.key)
    let refused: [number, Refusal][] = []
    let bytes = 0
    for await (const batch of this.table.rows(this.stop.signal)) {
      for (const row of batch.rows) {
        const made = issueOf(row, this.mapped, this.settings)
        if ('reasons' in made) refused.push([row.row, made])
        else {
          const chunk = chunker.add({row: row.row, issue: made.issue})
          if (chunk) {
            yield {chunk, refused, bytes}
            refused = []
          }
        }
      }
      ;({bytes} = batch)
      if (refused.length >= mostRefusedAtOnce) {
        yield {chunk: null, refused, bytes}
        refused = []
      }
    }
    yield {chunk: chunker.end(), refused, bytes: this.table.size}
  }

  private pass({chunk, refused, bytes}: Step): void {
    this.through = chunk?.rows.at(-1)?.row ?? this.through
    for (const [row, refusal] of refused) this.refusals.set(row, refusal)
    const rows = this.state.made + this.refusals.size
    const at = this.now()
    this.passed = [...this.passed.filter(p => at - p.at < rateOver), {at, rows}]
    const [from] = this.passed
    this.set({bytes, refused: this.refusals.size, rate: from && at > from.at ? ((rows - from.rows) * 1000) / (at - from.at) : this.state.rate})
  }

  private async sendWhole(chunk: Chunk | null): Promise<void> {
    if (!chunk) return
    let outcomes: readonly Outcome[]
    try {
      outcomes = await this.pauses.through(
        () =>
          this.send(
            chunk.rows.map(r => r.issue),
            chunk.key,
          ),
        this.stopped,
      )
    } catch (error) {
      return this.failed(chunk, problemOf(error))
    }
    let {made, first, last} = this.state
    outcomes.forEach((o, i) => {
      const {row, issue} = chunk.rows[i]!
      if (o.issue) {
        made++
        first ??= o.issue.num
        last = o.issue.num
      } else this.refusals.set(row, {reasons: o.errors.map(e => ({column: this.columnAt(issue, e.path), message: e.message}))})
    })
    this.set({made, first, last, refused: this.refusals.size})
  }

  private async failed(chunk: Chunk, problem: Problem): Promise<void> {
    if (problem.code === 'BAD_USER_INPUT') {
      // One of the issues, or all together, exceed the server's limit for a request.
      if (chunk.rows.length > 1) {
        for (const half of halves(chunk)) {
          if (this.stopped()) this.leave(half, 'not sent', false)
          else await this.sendWhole(half)
        }
        return
      }
      this.leave(chunk, problem.message, false)
      if (++this.refusedWhole >= mostRefusedWhole && this.state.made === 0) this.set({failure: problem})
      return
    }
    const unknown = isPassing(problem)
    this.leave(chunk, unknown ? `it is not known whether this row was imported: ${problem.message}` : problem.message, unknown)
    if (!this.state.cancelled) this.set({failure: problem})
  }

  private leave(chunk: Chunk, message: string, unknown: boolean): void {
    for (const {row} of chunk.rows) this.refusals.set(row, {reasons: [{column: '', message}], ...(unknown ? {unknown} : {})})
  }

  /** Returns the column of the file for the path of an error, such as `issues[3].values[0].value`. */
  private columnAt(issue: NewIssueInput, path: string | null | undefined): string {
    const [, part, index] = /(name|state|description|values)(?:\[(\d+)\])?/.exec(path?.replace(/^.*?issues\[\d+\]\.?/, '') ?? '') ?? []
    if (!part) return ''
    const field = index === undefined ? undefined : issue.values?.[Number(index)]?.field
    return this.mapped.find(m => (part === 'values' ? m.column.id === field : m.column.id === part))?.name ?? ''
  }

  private set(change: Partial<ImportState>): void {
    this.replaceState({...this.state, ...change})
  }
}

/** A chunk, the rows rejected since the previous one, and the position in the file. */
interface Step {
  chunk: Chunk | null
  refused: [number, Refusal][]
  bytes: number
}

const mostRefusedAtOnce = 1000
/** After so many rejected single rows and no created one, the server seems to reject all such requests. */
const mostRefusedWhole = 100
