// Sends edits of cells to the server. An edit is shown at once. Edits of one issue are sent one after the other, and sent again for a later version if another
// user has changed another cell.
//
// Each unsent edit is an optimistic layer over the cache. Removing the layer rolls the edit back. It is also removed after the edit is saved, because the cache
// then has the response.
import {CombinedGraphQLErrors, type ApolloClient, type Reference} from '@apollo/client'
import {CellsDocument, LastChangesDocument, LongTextsDocument, UpdateIssueDocument, type IssueUpdateInput} from '../../gql/graphql'
import {messages} from '../messages'
import {problemOf, type Problem} from './client'
import {changeOf, rowValue, type Column, type Row} from '../model/columns'
import {readRow} from './source'
import {cellOf, equal, type Value} from '../model/values'

export interface CellChange {
  column: Column
  /** The value that the user saw when editing. */
  before: Value
  value: Value
}

/** An edit of cells of one issue. */
export interface IssueChange {
  id: string
  cells: readonly CellChange[]
}

/** A cell that another user has changed, too. */
export interface Conflict {
  id: string
  num: number
  name: string
  change: CellChange
  theirs: Value
  /** The user that has changed the cell last, and the time of that change; null if not known. */
  by: string | null
  at: string | null
}

/** The result of an edit. Each of its cells is in one of the lists. */
export interface Outcome {
  id: string
  saved: readonly CellChange[]
  conflicts: readonly Conflict[]
  left: readonly CellChange[]
  /** Why cells are in `left`. */
  problem: Problem | null
}

interface Job {
  id: string
  cells: readonly CellChange[]
  layer: string
  ended: Promise<Outcome>
}

/** The number of edits sent in parallel: as many as a browser opens connections. */
const atOnce = 6
/** How often an edit is sent if the version of the issue has changed each time. */
const mostTries = 5

export class Sender {
  private readonly client: ApolloClient
  private readonly pending: (by: number) => void
  private readonly queues = new Map<string, Job[]>()
  private readonly waiting: (() => void)[] = []
  /** The idempotency keys of edits with unknown outcomes, by their inputs. */
  private readonly keys = new Map<string, string>()
  private running = 0
  private layers = 0

  /** `pending` receives the change of the number of unfinished edits. */
  constructor(client: ApolloClient, pending: (by: number) => void) {
    this.client = client
    this.pending = pending
  }

  /** Sends an edit after the earlier ones of the same issue. The promise never rejects. */
  send({id, cells}: IssueChange): Promise<Outcome> {
    const queue = this.queues.get(id) ?? []
    const before = queue.at(-1)?.ended
    const job: Job = {id, cells, layer: `change-${++this.layers}`, ended: undefined as never}
    this.queues.set(id, queue)
    queue.push(job)
    this.paint(job)
    this.pending(1)
    const turn = () => this.slot(() => this.attempt(job)).then(outcome => this.end(job, outcome))
    job.ended = before ? before.then(turn) : turn()
    return job.ended
  }

  /** Runs `work` as soon as fewer than atOnce others are running. */
  async slot<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= atOnce) await new Promise<void>(resolve => this.waiting.push(resolve))
    else this.running++
    try {
      return await work()
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.running--
    }
  }

  private end(job: Job, outcome: Outcome): Outcome {
    const queue = this.queues.get(job.id)!
    queue.shift()
    if (queue.length === 0) this.queues.delete(job.id)
    for (const cell of [...outcome.left, ...outcome.conflicts.map(c => c.change)]) rebase(queue, cell)
    this.client.cache.removeOptimistic(job.layer)
    this.pending(-1)
    return outcome
  }

  private async attempt(job: Job): Promise<Outcome> {
    const {id} = job
    const saved: CellChange[] = []
    const conflicts: Conflict[] = []
    const outcome = (problem: Problem | null): Outcome => ({id, saved, conflicts, left: problem ? job.cells : [], problem})
    const fields = job.cells.filter(c => !c.column.builtin).map(c => c.column.id)
    try {
      for (let attempt = 0; attempt < mostTries; attempt++) {
        if (attempt > 0 || !this.row(id, fields)) await this.fetch(id, fields)
        const row = this.row(id, fields)
        if (!row) return outcome({code: 'NOT_FOUND', message: messages.data.issueGone})
        const theirs = new Map<CellChange, Value>()
        for (const c of job.cells) theirs.set(c, c.column.type === 'LONG_TEXT' ? await this.longText(id, c.column) : (rowValue(row, c.column, fields) ?? null))
        const left: CellChange[] = []
        for (const [change, now] of theirs) {
          if (equal(now, change.value)) saved.push(change)
          else if (equal(now, change.before)) left.push(change)
          else conflicts.push({id, num: row.num, name: row.name, change, theirs: now, by: null, at: null})
        }
        if (left.length < job.cells.length) {
          if (conflicts.some(c => c.at === null)) await this.attribute(id, conflicts)
          job.cells = left
          this.paint(job)
        }
        if (left.length === 0) return outcome(null)
        try {
          await this.mutate(row, left)
          saved.push(...left)
          job.cells = []
          return outcome(null)
        } catch (error) {
          if (!isConflict(error)) throw error
        }
      }
      return outcome({code: 'CONFLICT', message: messages.data.changedTooOften})
    } catch (error) {
      return outcome(problemOf(error))
    }
  }

  private row(id: string, fields: readonly string[]): Row | null {
    return readRow(this.client.cache, id, fields, false)
  }

  /** Reads an issue again. The cache keeps an issue that no longer exists. */
  private async fetch(id: string, fields: readonly string[]): Promise<void> {
    const {error} = await this.client.query({
      query: CellsDocument,
      variables: {ids: [id], fields: [...fields]},
      fetchPolicy: 'network-only',
      errorPolicy: 'all',
    })
    if (error && problemOf(error).code !== 'NOT_FOUND') throw error as Error
  }

  /** Adds the users and the times of the changes to conflicts of an issue. The conflicts are told without them, too. */
  private async attribute(id: string, conflicts: Conflict[]): Promise<void> {
    try {
      const {data} = await this.client.query({query: LastChangesDocument, variables: {id}, fetchPolicy: 'no-cache'})
      const changes = data?.issue?.history?.nodes ?? []
      for (const c of conflicts) {
        const {column} = c.change
        const last = changes.find(x => x.columns.some(of => (column.builtin ? !of.field && of.name === column.id : of.field?.id === column.id)))
        c.by = last?.by?.user?.name ?? last?.by?.name ?? null
        c.at = last?.at ?? null
      }
    } catch {
      // without them
    }
  }

  private async longText(id: string, column: Column): Promise<Value> {
    return (await longTexts(this.client, [id], column)).get(id) ?? null
  }

  /** Shows the cells of an edit over the cached values. */
  private paint(job: Job): void {
    const {cache} = this.client
    cache.removeOptimistic(job.layer)
    if (job.cells.length === 0) return
    cache.batch({
      optimistic: job.layer,
      update: layer => {
        for (const {column, value} of job.cells) {
          layer.modify({
            id: `Issue:${job.id}`,
            fields: {
              name: (now: string) => (column.builtin === 'NAME' ? (value as string) : now),
              state: (now: Reference, {toReference}) => (column.builtin === 'STATE' ? toReference({__typename: 'State', id: value as string}, true) : now),
              values: (now: object) => (column.builtin ? now : {...now, [column.id]: cellOf(column.type, value)}),
            },
          })
        }
      },
    })
  }

  private async mutate(row: Row, cells: readonly CellChange[]): Promise<void> {
    const issue: IssueUpdateInput = {id: row.id, expectedVersion: row.version}
    for (const {column, value} of cells) {
      const {values, ...part} = changeOf(column, value)
      Object.assign(issue, part)
      if (values) issue.values = [...(issue.values ?? []), ...values]
    }
    // An edit whose response was lost may have been saved. With the same version and key, the server applies it only once.
    const what = JSON.stringify(issue)
    const idempotencyKey = this.keys.get(what) ?? crypto.randomUUID()
    this.keys.set(what, idempotencyKey)
    try {
      await this.client.mutate({
        mutation: UpdateIssueDocument,
        variables: {input: {issue, idempotencyKey}, fields: cells.filter(c => !c.column.builtin).map(c => c.column.id)},
      })
      this.keys.delete(what)
    } catch (error) {
      if (!isUncertain(problemOf(error))) this.keys.delete(what)
      throw error
    }
  }
}

/**
 * Reads the current strings of issues in a long text column: the cache has only their lengths, which cannot tell two strings apart. Deleted issues are missing.
 */
export async function longTexts(client: ApolloClient, ids: readonly string[], column: Column): Promise<Map<string, string | null>> {
  const isDescription = column.builtin === 'DESCRIPTION'
  const {data, error} = await client.query({
    query: LongTextsDocument,
    variables: {ids: [...ids], field: isDescription ? '' : column.id, isDescription},
    fetchPolicy: 'no-cache',
    errorPolicy: 'all',
  })
  if (error && problemOf(error).code !== 'NOT_FOUND') throw error as Error
  // eslint-disable-next-line no-restricted-syntax -- only developers see it
  if (!data) throw new Error('the answer has no data')
  return new Map(data.nodes!.flatMap(n => (n?.__typename === 'Issue' ? [[n.id, (isDescription ? n.description : n.value?.display) ?? null]] : [])))
}

/** Reports whether a request that failed with this problem may have taken effect. */
export const isUncertain = (problem: Problem): boolean => problem.code === 'OFFLINE' || problem.code === 'UNAVAILABLE'

/** Later edits of the cell must not build on an edit that was not saved: they get the value before it. */
function rebase(queue: readonly Job[], gone: CellChange): void {
  for (const job of queue) {
    const at = job.cells.findIndex(c => c.column.id === gone.column.id)
    if (at < 0) continue
    const cell = job.cells[at]!
    if (equal(cell.before, gone.value)) job.cells = job.cells.with(at, {...cell, before: gone.before})
    return
  }
}

const isConflict = (error: unknown): boolean => CombinedGraphQLErrors.is(error) && error.errors.some(e => e.extensions?.code === 'CONFLICT')
