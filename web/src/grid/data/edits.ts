// Edits of issues. An edit is shown at once, rolled back if the server rejects it, merged with concurrent edits by others, and can be undone. See sending.ts
// for how edits are sent.
//
// Edits and conflicts are per cell. A cell is in conflict if another user has changed it since it was read; the user resolves the conflict. If another user
// changed only other cells of the issue, the edit is sent again for the new version.
import type {ApolloClient} from '@apollo/client'
import {
  CellsDocument,
  CreateIssueDocument,
  CreateIssuesDocument,
  DeleteIssuesDocument,
  RestoreIssueDocument,
  UpdateIssuesDocument,
  type IssueCreateInput,
} from '../../gql/graphql'
import {messages} from '../messages'
import {problemOf, type Problem} from './client'
import {changeOf, rowValue, type Column, type Row} from '../model/columns'
import {isUncertain, longTexts, Sender, type CellChange, type Conflict, type IssueChange, type Outcome} from './sending'
import {readRow} from './source'
import {equal, type Value} from '../model/values'
import {Store} from './store'

export type {CellChange, Conflict, IssueChange}

export interface Failure {
  id: string
  problem: Problem
}

/** An edit that can be undone and redone. Both functions return the issues that failed. */
interface Undoable {
  label: string
  undo: () => Promise<readonly Failure[]>
  redo: () => Promise<readonly Failure[]>
  /** The issues that this edit moved to the trash. */
  trashed?: readonly string[]
}

/** An edit of cells, limited to the cells that were saved. */
interface Changed extends Undoable {
  settle: (outcomes: readonly Outcome[]) => void
  isEmpty: () => boolean
}

/** Callbacks for the component that shows the grid. */
export interface EditEvents {
  failed: (problem: Problem, retry: () => void) => void
  /** Called with the IDs of issues that are gone. `restored` is called after issues were created or restored. */
  removed: (ids: ReadonlySet<string>) => void
  restored: () => void
  /** Called when values of issues in these columns have changed, so rows may be out of order. */
  changed: (columns: readonly Column[], ids: readonly string[]) => void
  /** Called when issues have moved back to the groups of a column that a move has taken them from, or there again. It follows `changed`. */
  moved: (column: Column) => void
}

const most = 100

export interface EditState {
  /** The number of edits that are queued or being sent. */
  pending: number
  conflicts: readonly Conflict[]
  undo: string | null
  redo: string | null
}

export class Edits extends Store<EditState> {
  private readonly client: ApolloClient
  private readonly project: string
  private readonly events: EditEvents
  private readonly sender: Sender
  private done: Undoable[] = []
  private undone: Undoable[] = []
  /** The last issue whose creation has an unknown outcome. */
  private uncertain: {issue: string; key: string} | null = null

  constructor(client: ApolloClient, project: string, events: EditEvents) {
    super({pending: 0, conflicts: [], undo: null, redo: null})
    this.client = client
    this.project = project
    this.events = events
    this.sender = new Sender(client, by => this.set({pending: this.state.pending + by}))
  }

  /**
   * Changes cells of issues, as one undoable edit, and returns the issues that failed. If the edit moves the issues to another group of the column `moved`, undo
   * and redo move them as well.
   */
  async change(changes: readonly IssueChange[], label: string, moved?: Column): Promise<readonly Failure[]> {
    const real = changes.map(c => ({id: c.id, cells: c.cells.filter(x => !equal(x.before, x.value))})).filter(c => c.cells.length > 0)
    if (real.length === 0) return []
    const entry = this.undoable(label, real, moved)
    this.remember(entry)
    const outcomes = await this.sendAll(real)
    entry.settle(outcomes)
    if (entry.isEmpty()) this.forget(entry)
    const failed = outcomes.filter(o => o.problem !== null)
    if (failed[0]?.problem)
      this.events.failed(
        failed[0].problem,
        () =>
          void this.change(
            failed.map(o => ({id: o.id, cells: o.left})),
            label,
            moved,
          ),
      )
    return failed.map(o => ({id: o.id, problem: o.problem!}))
  }

  /** Sets a column of many issues to one value, as one undoable edit, and returns the issues that failed. */
  async bulk(ids: readonly string[], column: Column, value: Value, progress: (done: number) => void): Promise<Failure[]> {
    const fields = column.builtin ? [] : [column.id]
    const failures: Failure[] = []
    const changed: IssueChange[] = []
    for (let i = 0; i < ids.length; i += most) {
      const chunk = ids.slice(i, i + most)
      try {
        const before = await this.values(chunk, column)
        const {data} = await this.client.mutate({
          mutation: UpdateIssuesDocument,
          variables: {input: {issues: chunk.map(id => ({id, ...changeOf(column, value)})), idempotencyKey: crypto.randomUUID()}, fields},
        })
        data?.updateIssues?.results?.forEach((r, n) => {
          const id = chunk[n]!
          const was = before.get(id)
          const [problem] = r.errors
          if (problem) failures.push({id, problem})
          // Recorded even if the issue already had the value: otherwise, Undo after this edit would undo an earlier one.
          else if (was !== undefined) changed.push({id, cells: [{column, before: was, value}]})
        })
      } catch (error) {
        failures.push(...chunk.map(id => ({id, problem: problemOf(error)})))
      }
      progress(Math.min(i + most, ids.length))
    }
    const gone = new Set(failures.filter(f => f.problem.code === 'NOT_FOUND').map(f => f.id))
    if (gone.size > 0) this.events.removed(gone)
    if (changed.length > 0) {
      const written = new Set(changed.map(c => c.id))
      const others = this.state.conflicts.filter(c => !written.has(c.id) || c.change.column.id !== column.id)
      if (others.length < this.state.conflicts.length) this.set({conflicts: others})
      this.events.changed(
        [column],
        changed.map(c => c.id),
      )
      this.remember(this.undoable(messages.data.changeOfIssues(changed.length), changed))
    }
    return failures
  }

  /** Creates an issue. It throws the error of the server. */
  async create(issue: IssueCreateInput, fields: readonly string[]): Promise<Row> {
    const what = JSON.stringify(issue)
    const key = this.uncertain?.issue === what ? this.uncertain.key : crypto.randomUUID()
    let row: Row
    try {
      const {data} = await this.client.mutate({
        mutation: CreateIssueDocument,
        variables: {input: {projectId: this.project, issue, idempotencyKey: key}, fields: [...fields]},
      })
      row = data!.createIssue!.issue!
      this.uncertain = null
    } catch (error) {
      this.uncertain = isUncertain(problemOf(error)) ? {issue: what, key} : null
      throw error
    }
    this.remember({label: messages.data.creationOf(row.num), undo: () => this.trash([row.id]), redo: () => this.untrash([row.id])})
    this.events.restored()
    return row
  }

  /** Creates issues, as one undoable edit, and returns why others were not created. With the same key, it creates each only once. */
  async createAll(all: readonly IssueCreateInput[], key: string): Promise<Problem[]> {
    const problems: Problem[] = []
    const created: string[] = []
    for (let i = 0; i < all.length; i += most) {
      const chunk = all.slice(i, i + most)
      try {
        const {data} = await this.client.mutate({
          mutation: CreateIssuesDocument,
          variables: {input: {projectId: this.project, issues: chunk, idempotencyKey: `${key} ${i}`}},
        })
        for (const {issue, errors} of data?.createIssues?.results ?? []) {
          if (issue) created.push(issue.id)
          else problems.push(errors[0] ?? {code: 'INTERNAL', message: messages.data.noReason})
        }
      } catch (error) {
        problems.push(...chunk.map(() => problemOf(error)))
      }
    }
    if (created.length > 0) {
      this.remember({label: messages.data.creationOfIssues(created.length), undo: () => this.trash(created), redo: () => this.untrash(created)})
      this.events.restored()
    }
    return problems
  }

  /** Moves issues to the trash and returns those that failed. */
  async remove(ids: readonly string[]): Promise<Failure[]> {
    const failures = await this.trash(ids)
    const failed = new Set(failures.map(f => f.id))
    const gone = ids.filter(id => !failed.has(id))
    const label = messages.data.deletionOf(gone.length)
    if (gone.length > 0) this.remember({label, undo: () => this.untrash(gone), redo: () => this.trash(gone), trashed: gone})
    return failures
  }

  /** Restores issues from the trash and returns those that failed. If they are the issues of one deletion, this counts as undoing it. */
  async restore(ids: readonly string[]): Promise<Failure[]> {
    const deletion = this.done.find(u => u.trashed && u.trashed.length === ids.length && u.trashed.every(id => ids.includes(id)))
    const failures = await this.untrash(ids)
    const failed = new Set(failures.map(f => f.id))
    const back = ids.filter(id => !failed.has(id))
    if (back.length === 0) return failures
    if (deletion && failures.length === 0) {
      this.done = this.done.filter(u => u !== deletion)
      this.undone.push(deletion)
      this.tell()
    } else this.remember({label: messages.data.restoringOf(back.length), undo: () => this.trash(back), redo: () => this.untrash(back)})
    return failures
  }

  undo(): Promise<void> {
    return this.step(this.done.at(-1), 'undo')
  }

  /** Returns a function that undoes the latest edit, even after later edits. It does nothing if that edit is already undone. */
  undoing(): () => Promise<void> {
    const last = this.done.at(-1)
    return () => (last && this.done.includes(last) ? this.step(last, 'undo') : Promise.resolve())
  }

  redo(): Promise<void> {
    return this.step(this.undone.at(-1), 'redo')
  }

  /** Resolves a conflict with the user's value, the other user's value, or a new value. */
  async resolve(conflict: Conflict, value: Value): Promise<void> {
    const others = () => this.state.conflicts.filter(c => c.id !== conflict.id || c.change.column.id !== conflict.change.column.id)
    this.set({conflicts: this.state.conflicts.filter(c => c !== conflict)})
    const {change, theirs} = conflict
    if (equal(value, theirs)) return
    const failed = await this.change([{id: conflict.id, cells: [{...change, before: theirs, value}]}], messages.data.changeOf(change.column.label))
    // The user's value is kept until it is saved, unless the issue is gone.
    if (failed.some(f => f.problem.code !== 'NOT_FOUND')) this.set({conflicts: [...others(), conflict]})
  }

  private async step(entry: Undoable | undefined, way: 'undo' | 'redo'): Promise<void> {
    const [from, to] = way === 'undo' ? [this.done, this.undone] : [this.undone, this.done]
    if (!entry || !from.includes(entry)) return
    from.splice(from.indexOf(entry), 1)
    to.push(entry)
    this.tell()
    const [failure] = await entry[way]()
    if (!failure) return
    // If undo fails, the edit can be undone again, even if something else has changed meanwhile.
    this.forget(entry)
    if (way === 'undo') this.done.push(entry)
    else this.undone.push(entry)
    this.tell()
    this.events.failed(failure.problem, () => void this.step(entry, way))
  }

  private undoable(label: string, changes: readonly IssueChange[], moved?: Column): Changed {
    let current = changes
    const run = async (changes: readonly IssueChange[]) => {
      const outcomes = await this.sendAll(changes)
      if (moved && outcomes.some(o => o.problem === null)) this.events.moved(moved)
      // A cell in conflict leaves this edit: resolving the conflict is a separate edit.
      const left = new Map(outcomes.map(o => [o.id, new Set(o.conflicts.map(c => c.change.column.id))]))
      current = current.map(c => ({id: c.id, cells: c.cells.filter(x => !left.get(c.id)?.has(x.column.id))})).filter(c => c.cells.length > 0)
      return outcomes.flatMap(o => (o.problem ? [{id: o.id, problem: o.problem}] : []))
    }
    return {
      label,
      undo: () => run(current.map(c => ({id: c.id, cells: c.cells.map(x => ({column: x.column, before: x.value, value: x.before}))}))),
      redo: () => run(current),
      settle: outcomes => {
        current = outcomes.map(o => ({id: o.id, cells: o.saved})).filter(c => c.cells.length > 0)
      },
      isEmpty: () => current.length === 0,
    }
  }

  private async sendAll(changes: readonly IssueChange[]): Promise<readonly Outcome[]> {
    const outcomes = await Promise.all(changes.map(c => this.sender.send(c)))
    const conflicts = outcomes.flatMap(o => o.conflicts)
    // A later edit of the cell replaces the value that is in conflict.
    const edited = new Set(outcomes.flatMap(o => [...o.saved, ...o.conflicts.map(c => c.change)].map(c => `${o.id} ${c.column.id}`)))
    const gone = new Set(outcomes.filter(o => o.problem?.code === 'NOT_FOUND').map(o => o.id))
    const others = this.state.conflicts.filter(c => !edited.has(`${c.id} ${c.change.column.id}`) && !gone.has(c.id))
    if (conflicts.length > 0 || others.length < this.state.conflicts.length) this.set({conflicts: [...others, ...conflicts]})
    const saved = outcomes.filter(o => o.saved.length > 0)
    const columns = new Set(saved.flatMap(o => o.saved.map(c => c.column)))
    if (columns.size > 0)
      this.events.changed(
        [...columns],
        saved.map(o => o.id),
      )
    if (gone.size > 0) this.events.removed(gone)
    return outcomes
  }

  /** Returns the values of issues in a column, without deleted issues. */
  private async values(ids: readonly string[], column: Column): Promise<Map<string, Value>> {
    if (column.type === 'LONG_TEXT') return longTexts(this.client, ids, column)
    const fields = column.builtin ? [] : [column.id]
    // With errorPolicy "all", a deleted issue is an error next to the values of the others.
    const {error} = await this.client.query({query: CellsDocument, variables: {ids: [...ids], fields}, fetchPolicy: 'network-only', errorPolicy: 'all'})
    if (error && problemOf(error).code !== 'NOT_FOUND') throw error as Error // without fresh values, undo would restore stale ones
    return new Map(
      ids.flatMap(id => {
        const row = readRow(this.client.cache, id, fields, false)
        const value = row ? rowValue(row, column, fields) : undefined
        return value === undefined ? [] : [[id, value]]
      }),
    )
  }

  private async trash(ids: readonly string[]): Promise<Failure[]> {
    const failures: Failure[] = []
    const gone = new Set<string>()
    for (let i = 0; i < ids.length; i += most) {
      const chunk = ids.slice(i, i + most)
      try {
        const {data} = await this.client.mutate({
          mutation: DeleteIssuesDocument,
          variables: {input: {issues: chunk.map(id => ({id})), idempotencyKey: crypto.randomUUID()}},
        })
        data?.deleteIssues?.results?.forEach((r, n) => {
          const [problem] = r.errors
          if (problem && problem.code !== 'NOT_FOUND') failures.push({id: chunk[n]!, problem})
          else gone.add(chunk[n]!)
        })
      } catch (error) {
        failures.push(...chunk.map(id => ({id, problem: problemOf(error)})))
      }
    }
    if (gone.size > 0) this.events.removed(gone)
    return failures
  }

  private async untrash(ids: readonly string[]): Promise<Failure[]> {
    const failures: Failure[] = []
    await Promise.all(
      ids.map(id =>
        this.sender.slot(async () => {
          try {
            await this.client.mutate({mutation: RestoreIssueDocument, variables: {input: {id, idempotencyKey: crypto.randomUUID()}}})
          } catch (error) {
            failures.push({id, problem: problemOf(error)})
          }
        }),
      ),
    )
    if (failures.length < ids.length) this.events.restored()
    return failures
  }

  private remember(u: Undoable): void {
    this.done = [...this.done.slice(-99), u]
    this.undone = []
    this.tell()
  }

  private forget(u: Undoable): void {
    this.done = this.done.filter(x => x !== u)
    this.undone = this.undone.filter(x => x !== u)
    this.tell()
  }

  private tell(): void {
    this.set({undo: this.done.at(-1)?.label ?? null, redo: this.undone.at(-1)?.label ?? null})
  }

  private set(change: Partial<EditState>): void {
    this.replaceState({...this.state, ...change})
  }
}
