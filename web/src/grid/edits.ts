// Changes of issues: shown at once, rolled back when the server refuses, merged when somebody else was faster, and undone.
//
// A change is of cells, and so are conflicts: a cell that somebody else has changed since it was seen is a conflict, and a choice for people. That another
// cell of the issue was changed is none: the change is sent again for the new version.
import {CombinedGraphQLErrors, type ApolloClient} from '@apollo/client'
import {CellsDocument, CreateIssueDocument, DeleteIssuesDocument, LongTextDocument, RestoreIssueDocument, UpdateIssueDocument, UpdateIssuesDocument, type CellFragment, type NewIssueInput, type UpdateIssueInput} from '../gql/graphql'
import {problemOf, type Problem} from './client'
import {changeOf, rowValue, type Column, type Row} from './columns'
import {ask, readRow} from './source'
import {cellOf, equal, type Value} from './values'

export interface CellChange {
  column: Column
  /** What was there when it was decided. */
  before: Value
  value: Value
}

/** A change of cells of one issue. */
export interface IssueChange {
  id: string
  cells: readonly CellChange[]
}

/** A cell that somebody else has changed, too. */
export interface Conflict {
  id: string
  num: number
  name: string
  change: CellChange
  theirs: Value
}

export interface Failure {
  id: string
  problem: Problem
}

interface Undoable {
  label: string
  undo: () => Promise<void>
  redo: () => Promise<void>
}

/** What whoever shows the grid has to do about changes. */
export interface EditEvents {
  failed: (problem: Problem, retry: () => void) => void
  /** Issues that are gone, and those that are there (again). */
  removed: (ids: ReadonlySet<string>) => void
  restored: () => void
  /** Columns have other values now, so that rows may not be in their places any more. */
  changed: (columns: readonly Column[]) => void
}

/** How many changes are on their way at a time: as many as a browser opens connections. */
const atOnce = 6
const most = 100

export interface EditState {
  /** How many changes are on their way. */
  pending: number
  conflicts: readonly Conflict[]
  undo: string | null
  redo: string | null
}

export class Edits {
  private readonly client: ApolloClient
  private readonly project: string
  private readonly events: EditEvents
  private readonly listeners = new Set<() => void>()
  private readonly queues = new Map<string, Promise<unknown>>()
  private readonly waiting: (() => void)[] = []
  private running = 0
  private done: Undoable[] = []
  private undone: Undoable[] = []
  private state: EditState = {pending: 0, conflicts: [], undo: null, redo: null}

  constructor(client: ApolloClient, project: string, events: EditEvents) {
    this.client = client
    this.project = project
    this.events = events
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  snapshot = (): EditState => this.state

  /** Changes cells of issues. It can be undone as a whole. */
  async change(changes: readonly IssueChange[], label: string): Promise<void> {
    const real = changes.map(c => ({id: c.id, cells: c.cells.filter(x => !equal(x.before, x.value))})).filter(c => c.cells.length > 0)
    if (real.length === 0) return
    const back = real.map(c => ({id: c.id, cells: c.cells.map(x => ({column: x.column, before: x.value, value: x.before}))}))
    this.remember({label, undo: () => this.sendAll(back), redo: () => this.sendAll(real)})
    await this.sendAll(real)
  }

  /** Gives many issues the same value, and tells which could not be changed. That of long texts can't be undone: what they were is not read. */
  async bulk(ids: readonly string[], column: Column, value: Value, progress: (done: number) => void): Promise<Failure[]> {
    const fields = column.builtin ? [] : [column.id]
    const failures: Failure[] = []
    const changed: IssueChange[] = []
    for (let i = 0; i < ids.length; i += most) {
      const chunk = ids.slice(i, i + most)
      await ask(this.client, CellsDocument, {ids: chunk, fields}).catch(() => undefined) // what is not there any more is refused below
      const before = new Map(chunk.map(id => [id, this.value(id, column)]))
      try {
        const {data} = await this.client.mutate({
          mutation: UpdateIssuesDocument,
          variables: {input: {ids: chunk, change: changeOf(column, value), idempotencyKey: crypto.randomUUID()}, fields},
        })
        data?.updateIssues.results.forEach((r, n) => {
          const id = chunk[n]!
          const was = before.get(id)
          if (r.error) failures.push({id, problem: r.error})
          else if (was !== undefined) changed.push({id, cells: [{column, before: was, value}]})
        })
      } catch (error) {
        failures.push(...chunk.map(id => ({id, problem: problemOf(error)})))
      }
      progress(Math.min(i + most, ids.length))
    }
    const back = column.type === 'LONG_TEXT' ? [] : changed.map(c => ({id: c.id, cells: c.cells.map(x => ({column, before: x.value, value: x.before}))}))
    if (changed.length > 0) this.events.changed([column])
    if (back.length > 0) this.remember({label: `change of ${changed.length} issues`, undo: () => this.sendAll(back), redo: () => this.sendAll(changed)})
    return failures
  }

  /** Makes an issue; throws what the server says. */
  async create(issue: NewIssueInput, fields: readonly string[]): Promise<Row> {
    const {data} = await this.client.mutate({
      mutation: CreateIssueDocument,
      variables: {input: {project: this.project, issue, idempotencyKey: crypto.randomUUID()}, fields: [...fields]},
    })
    const row = data!.createIssue.issue
    this.remember({label: `creation of ${row.num}`, undo: () => this.trash([row.id]).then(f => this.report(f)), redo: () => this.untrash([row.id])})
    this.events.restored()
    return row
  }

  /** Puts issues into the trash, and tells which are still there. */
  async remove(ids: readonly string[]): Promise<Failure[]> {
    const failures = await this.trash(ids)
    const failed = new Set(failures.map(f => f.id))
    const gone = ids.filter(id => !failed.has(id))
    if (gone.length > 0)
      this.remember({
        label: gone.length === 1 ? 'deletion of an issue' : `deletion of ${gone.length} issues`,
        undo: () => this.untrash(gone),
        redo: () => this.trash(gone).then(f => this.report(f)),
      })
    return failures
  }

  async undo(): Promise<void> {
    const last = this.done.pop()
    if (!last) return
    this.undone.push(last)
    this.tell()
    await last.undo()
  }

  async redo(): Promise<void> {
    const last = this.undone.pop()
    if (!last) return
    this.done.push(last)
    this.tell()
    await last.redo()
  }

  /** Ends a conflict: by one's own value, by the other's, or by a third one. */
  async resolve(conflict: Conflict, value: Value): Promise<void> {
    this.set({conflicts: this.state.conflicts.filter(c => c !== conflict)})
    if (!equal(value, conflict.theirs)) await this.sendAll([{id: conflict.id, cells: [{...conflict.change, before: conflict.theirs, value}]}])
  }

  private async trash(ids: readonly string[]): Promise<Failure[]> {
    const failures: Failure[] = []
    const gone = new Set<string>()
    for (let i = 0; i < ids.length; i += most) {
      const chunk = ids.slice(i, i + most)
      try {
        const {data} = await this.client.mutate({mutation: DeleteIssuesDocument, variables: {input: {ids: chunk, idempotencyKey: crypto.randomUUID()}}})
        data?.deleteIssues.results.forEach((r, n) => {
          if (r.error && r.error.code !== 'NOT_FOUND') failures.push({id: chunk[n]!, problem: r.error})
          else gone.add(chunk[n]!)
        })
      } catch (error) {
        failures.push(...chunk.map(id => ({id, problem: problemOf(error)})))
      }
    }
    if (gone.size > 0) this.events.removed(gone)
    return failures
  }

  private async untrash(ids: readonly string[]): Promise<void> {
    const failures: Failure[] = []
    await Promise.all(
      ids.map(id =>
        this.slot(async () => {
          try {
            await this.client.mutate({mutation: RestoreIssueDocument, variables: {input: {id, idempotencyKey: crypto.randomUUID()}}})
          } catch (error) {
            failures.push({id, problem: problemOf(error)})
          }
        }),
      ),
    )
    this.events.restored()
    this.report(failures)
  }

  private report(failures: readonly Failure[]): void {
    const [first] = failures
    if (first) this.events.failed(first.problem, () => undefined)
  }

  private async sendAll(changes: readonly IssueChange[]): Promise<void> {
    await Promise.all(changes.map(c => this.send(c)))
  }

  /** Sends a change behind those of the same issue that are on their way. */
  private send(change: IssueChange): Promise<void> {
    this.set({pending: this.state.pending + 1})
    const turn = (this.queues.get(change.id) ?? Promise.resolve()).then(() => this.slot(() => this.attempt(change)))
    const ended = turn.finally(() => {
      this.set({pending: this.state.pending - 1})
      if (this.queues.get(change.id) === ended) this.queues.delete(change.id)
    })
    this.queues.set(change.id, ended)
    return ended
  }

  /** Waits until few enough are on their way. */
  private async slot<T>(work: () => Promise<T>): Promise<T> {
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

  private async attempt(change: IssueChange): Promise<void> {
    let cells = change.cells
    const idempotencyKeyOf = new Map<number, string>()
    for (let tries = 0; tries < 5; tries++) {
      const fields = cells.filter(c => !c.column.builtin).map(c => c.column.id)
      const row = readRow(this.client.cache, change.id, fields, false)
      if (!row) {
        await this.fetch(change.id, fields)
        if (!readRow(this.client.cache, change.id, fields, false)) return this.events.removed(new Set([change.id]))
        continue
      }
      const now = new Map<CellChange, Value>()
      for (const c of cells) now.set(c, c.column.type === 'LONG_TEXT' ? await this.longText(row.id, c.column) : (rowValue(row, c.column, fields) ?? null))
      const theirs = (c: CellChange) => now.get(c) ?? null
      const clash = cells.filter(c => !equal(theirs(c), c.before) && !equal(theirs(c), c.value))
      if (clash.length > 0) {
        const conflicts = clash.map(c => ({id: row.id, num: row.num, name: row.name, change: c, theirs: theirs(c)}))
        this.set({conflicts: [...this.state.conflicts, ...conflicts]})
      }
      cells = cells.filter(c => !clash.includes(c) && !equal(theirs(c), c.value))
      if (cells.length === 0) return
      const key = idempotencyKeyOf.get(row.version) ?? crypto.randomUUID()
      idempotencyKeyOf.set(row.version, key)
      try {
        await this.mutate(row, cells, key)
        this.events.changed(cells.map(c => c.column))
        return
      } catch (error) {
        if (!isConflict(error)) {
          const {problem, left} = {problem: problemOf(error), left: cells}
          if (problem.code === 'NOT_FOUND') this.events.removed(new Set([change.id]))
          this.events.failed(problem, () => void this.sendAll([{id: change.id, cells: left}]))
          return
        }
        await this.fetch(change.id, fields)
      }
    }
    this.events.failed({code: 'CONFLICT', message: 'The issue is being changed again and again; nothing was saved.'}, () => void this.sendAll([{id: change.id, cells}]))
  }

  private async fetch(id: string, fields: readonly string[]): Promise<void> {
    try {
      await ask(this.client, CellsDocument, {ids: [id], fields: [...fields]})
    } catch (error) {
      if (problemOf(error).code !== 'NOT_FOUND') throw error
    }
  }

  private async longText(issue: string, column: Column): Promise<Value> {
    const isDescription = column.builtin === 'DESCRIPTION'
    const {data} = await this.client.query({
      query: LongTextDocument,
      variables: {issue, field: isDescription ? '' : column.id, isDescription},
      fetchPolicy: 'no-cache', // two texts of the same length are one value in the cache
    })
    return (isDescription ? data?.issue?.description : data?.issue?.value?.display) ?? null
  }

  private async mutate(row: Row, cells: readonly CellChange[], idempotencyKey: string): Promise<void> {
    const input: UpdateIssueInput = {id: row.id, expectedVersion: row.version, idempotencyKey}
    const optimistic: Row = {...row}
    const fields: string[] = []
    const values: (CellFragment | null)[] = []
    for (const {column, value} of cells) {
      const part = changeOf(column, value)
      if (part.name != null) input.name = optimistic.name = part.name
      if (part.state != null) {
        input.state = part.state
        optimistic.state = {__typename: 'State', id: part.state}
      }
      if (part.description != null) input.description = part.description
      if (part.values) {
        input.values = [...(input.values ?? []), ...part.values]
        fields.push(column.id)
        values.push(cellOf(column.type, value))
      }
    }
    await this.client.mutate({
      mutation: UpdateIssueDocument,
      variables: {input, fields},
      optimisticResponse: {updateIssue: {__typename: 'UpdateIssuePayload', issue: {...optimistic, values}}},
    })
  }

  private value(id: string, column: Column): Value | undefined {
    const fields = column.builtin ? [] : [column.id]
    const row = readRow(this.client.cache, id, fields, false)
    return row ? rowValue(row, column, fields) : undefined
  }

  private remember(u: Undoable): void {
    this.done = [...this.done.slice(-99), u]
    this.undone = []
    this.tell()
  }

  private tell(): void {
    this.set({undo: this.done.at(-1)?.label ?? null, redo: this.undone.at(-1)?.label ?? null})
  }

  private set(change: Partial<EditState>): void {
    this.state = {...this.state, ...change}
    for (const listener of this.listeners) listener()
  }
}

const isConflict = (error: unknown): boolean => CombinedGraphQLErrors.is(error) && error.errors.some(e => e.extensions?.code === 'CONFLICT')
