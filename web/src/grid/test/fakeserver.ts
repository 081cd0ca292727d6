// An in-memory server for tests of edits: versioned issues behind a link of the real client. It can reject requests, be unreachable, lose responses, and delay
// them.
import {ApolloClient, ApolloLink, type ApolloLink as Link} from '@apollo/client'
import {Observable} from 'rxjs'
import type {CustomFieldType, IssueCreateInput, IssueUpdateInput, UpdateIssueInput, ValueInput} from '../../gql/graphql'
import {newCache} from '../data/client'
import type {Column} from '../model/columns'
import type {User} from '../model/people'
import {cellOf, PersonValue, type Value} from '../model/values'
import {column as fixture} from './fixtures'

interface Stored {
  id: string
  num: number
  name: string
  state: string
  description: string | null
  version: number
  /** The users and the columns of its changes, the latest first. */
  changes: readonly {by: string; columns: readonly string[]}[]
  values: Record<string, Value>
  trashed: boolean
}

export interface Request {
  name: string
  variables: Record<string, unknown>
}

const column = (id: string, type: CustomFieldType, builtin?: Column['builtin']): Column => fixture(type, {id, label: id, options: [], builtin})

export const columns = {
  name: column('name', 'TEXT', 'NAME'),
  state: column('state', 'SELECT', 'STATE'),
  description: column('description', 'LONG_TEXT', 'DESCRIPTION'),
  text: column('f-text', 'TEXT'),
  count: column('f-count', 'INTEGER'),
  essay: column('f-essay', 'LONG_TEXT'),
  person: column('f-person', 'USER'),
}

const types = new Map(Object.values(columns).map(c => [c.id, c.type]))

class Refused extends Error {
  readonly code: string
  constructor(code: string, message = code) {
    super(message)
    this.code = code
  }
}

export class FakeServer {
  readonly client: ApolloClient
  readonly requests: Request[] = []
  readonly issues = new Map<string, Stored>()
  readonly users: User[] = []
  /** The outcome of a request: null runs it, `away` fails before it runs, `lost` fails after it has run, and any other string rejects it with that code. */
  fate: (request: Request) => string | null = () => null
  private held: (() => void)[] | null = null
  private readonly answers = new Map<string, unknown>()

  constructor(...names: string[]) {
    names.forEach((name, i) => this.add(name, i + 1))
    this.client = new ApolloClient({link: new ApolloLink(operation => this.answer(operation)), cache: newCache()})
  }

  /** The versions and idempotency keys of all updates, in order. */
  get updates(): {version: number | null | undefined; key: string | null | undefined}[] {
    return this.requests
      .filter(r => r.name === 'UpdateIssue')
      .map(r => r.variables.input as UpdateIssueInput)
      .map(i => ({version: i.issue.expectedVersion, key: i.idempotencyKey}))
  }

  issue(id: string): Stored {
    const issue = this.issues.get(id)
    if (!issue || issue.trashed) throw new Refused('NOT_FOUND', 'no such issue')
    return issue
  }

  /** Changes an issue as another user. */
  elsewhere(id: string, change: Partial<Pick<Stored, 'name' | 'state' | 'description'>> & {values?: Record<string, Value>}, by = 'Ann'): void {
    const issue = this.issue(id)
    const {values, ...builtin} = change
    const changes = [{by, columns: [...Object.keys(builtin), ...Object.keys(values ?? {})]}, ...issue.changes]
    this.issues.set(id, {...issue, ...change, values: {...issue.values, ...values}, version: issue.version + 1, changes})
  }

  /** Delays all requests from now on, until letGo. */
  hold(): void {
    this.held = []
  }

  /** The number of delayed requests. */
  get waiting(): number {
    return this.held?.length ?? 0
  }

  letGo(): void {
    const held = this.held ?? []
    this.held = null
    held.forEach(go => go())
  }

  private add(name: string, num: number): Stored {
    const issue = {id: `i${num}`, num, name, state: 'open', description: null, version: 1, changes: [], values: {}, trashed: false}
    this.issues.set(issue.id, issue)
    return issue
  }

  private answer(operation: Link.Operation): Observable<Link.Result> {
    const request = {name: operation.operationName ?? '', variables: operation.variables}
    return new Observable(observer => {
      void (async () => {
        if (this.held) await new Promise<void>(go => this.held!.push(go))
        this.requests.push(request)
        const fate = this.fate(request)
        try {
          if (fate === 'away') throw new TypeError('Failed to fetch')
          if (fate !== null && fate !== 'lost') throw new Refused(fate)
          const result = this.once(request)
          if (fate === 'lost') throw new TypeError('Failed to fetch')
          observer.next(result)
          observer.complete()
        } catch (error) {
          if (!(error instanceof Refused)) return observer.error(error)
          observer.next({data: null, errors: [{message: error.message, extensions: {code: error.code}}]})
          observer.complete()
        }
      })()
    })
  }

  /** Runs a request with an idempotency key only once, and returns the same response again. */
  private once(request: Request): Link.Result {
    const key = (request.variables.input as {idempotencyKey?: string} | undefined)?.idempotencyKey
    if (key !== undefined && this.answers.has(key)) return this.answers.get(key) as Link.Result
    const result = this.run(request)
    if (key !== undefined) this.answers.set(key, result)
    return result
  }

  private run({name, variables}: Request): Link.Result {
    const input = variables.input as Record<string, unknown>
    const fields = variables.fields as string[]
    switch (name) {
      case 'Cells':
        return this.nodes(variables.ids as string[], i => this.row(i, fields))
      case 'LongTexts':
        return this.nodes(variables.ids as string[], i => {
          if (variables.isDescription) return {__typename: 'Issue', id: i.id, description: i.description}
          const text = i.values[variables.field as string]
          return {__typename: 'Issue', id: i.id, value: text == null ? null : {__typename: 'LongTextValue', display: text}}
        })
      case 'LastChanges': {
        const issue = this.issue(variables.id as string)
        const nodes = issue.changes.map(({by, columns}) => ({
          __typename: 'IssueChange',
          at: '2026-01-01T00:00:00Z',
          by: {__typename: 'Actor', name: by, user: null},
          columns: columns.map(c => ({
            __typename: 'ColumnChange',
            name: c,
            field: ['name', 'state', 'description'].includes(c) ? null : {__typename: 'CustomField', id: c},
          })),
        }))
        return {data: {issue: {__typename: 'Issue', id: issue.id, history: {__typename: 'IssueChangeConnection', nodes}}}}
      }
      case 'UpdateIssue':
        return {data: {updateIssue: {__typename: 'UpdateIssuePayload', issue: this.row(this.update(input.issue as IssueUpdateInput), fields)}}}
      case 'UpdateIssues':
        return {
          data: {
            updateIssues: {
              __typename: 'UpdateIssuesPayload',
              results: this.each(
                (input.issues as IssueUpdateInput[]).map(i => i.id),
                'UpdateIssueResult',
                id => ({issue: this.row(this.update((input.issues as IssueUpdateInput[]).find(i => i.id === id)!), fields)}),
                {issue: null},
              ),
            },
          },
        }
      case 'CreateIssue': {
        const {name, values} = input.issue as IssueCreateInput
        const issue = this.add(name, this.issues.size + 1)
        for (const v of values ?? []) issue.values[v.fieldId] = this.valueOf(v.value, null)
        return {data: {createIssue: {__typename: 'CreateIssuePayload', issue: this.row(issue, fields)}}}
      }
      case 'DeleteIssues':
        return {
          data: {
            deleteIssues: {
              __typename: 'DeleteIssuesPayload',
              results: this.each(
                (input.issues as {id: string}[]).map(i => i.id),
                'DeleteIssueResult',
                id => void (this.issue(id).trashed = true),
                {},
              ),
            },
          },
        }
      case 'RestoreIssue': {
        const issue = this.issues.get(input.id as string)
        if (!issue?.trashed) throw new Refused('NOT_FOUND')
        issue.trashed = false
        issue.version++
        return {data: {restoreIssue: {__typename: 'RestoreIssuePayload', issue: {__typename: 'Issue', id: issue.id, num: issue.num, version: issue.version}}}}
      }
      default:
        throw new Error(`the server has no ${name}`)
    }
  }

  private update(change: IssueUpdateInput): Stored {
    const issue = this.issue(change.id)
    if (this.fate({name: `update ${change.id}`, variables: {}}) !== null) throw new Refused('BAD_USER_INPUT', 'refused')
    if (change.expectedVersion != null && change.expectedVersion !== issue.version) throw new Refused('CONFLICT')
    if (change.values?.some(v => !v.value === !v.clear)) throw new Refused('BAD_USER_INPUT', 'no value is given')
    const values = Object.fromEntries((change.values ?? []).map(v => [v.fieldId, this.valueOf(v.value ?? null, issue.values[v.fieldId] ?? null)]))
    const description = change.description === undefined ? issue.description : change.description || null
    const builtin = {name: change.name, state: change.stateId, description: change.description}
    const written = Object.entries(builtin).flatMap(([column, value]) => (value === undefined ? [] : [column]))
    const next = {
      ...issue,
      name: change.name ?? issue.name,
      state: change.stateId ?? issue.state,
      description,
      values: {...issue.values, ...values},
      version: issue.version + 1,
      changes: [{by: 'me', columns: [...written, ...Object.keys(values)]}, ...issue.changes],
    }
    this.issues.set(change.id, next)
    return next
  }

  /** Returns the value of an input. Only the name of the stored value keeps a reference. */
  private valueOf(input: ValueInput | null, stored: Value): Value {
    if (!input) return null
    if (input.user != null) return stored instanceof PersonValue && stored.name === input.user ? stored : new PersonValue(input.user)
    if (input.userId == null) return Object.values(input)[0] as Value
    const user = this.users.find(u => u.id === input.userId)
    if (!user?.active) throw new Refused('BAD_USER_INPUT', 'no active user')
    return PersonValue.of(user)
  }

  private nodes(ids: readonly string[], tell: (issue: Stored) => unknown): Link.Result {
    const errors: {message: string; extensions: {code: string}}[] = []
    const nodes = ids.map(id => {
      const issue = this.issues.get(id)
      if (issue && !issue.trashed) return tell(issue)
      errors.push({message: 'no such issue', extensions: {code: 'NOT_FOUND'}})
      return null
    })
    return {data: {nodes} as Record<string, unknown>, ...(errors.length > 0 ? {errors} : {})}
  }

  private each(ids: readonly string[], type: string, work: (id: string) => object | void, nothing: object): object[] {
    return ids.map(id => {
      try {
        return {__typename: type, ...nothing, ...work(id), errors: []}
      } catch (error) {
        const {code, message} = error as Refused
        return {__typename: type, ...nothing, errors: [{__typename: 'UserError', code, message}]}
      }
    })
  }

  private row(i: Stored, fields: readonly string[]): object {
    return {
      __typename: 'Issue',
      id: i.id,
      num: i.num,
      name: i.name,
      version: i.version,
      createdAt: '2026-01-01T00:00:00Z',
      updatedAt: '2026-01-01T00:00:00Z',
      createdByName: 'Ann',
      updatedByName: i.changes[0]?.by ?? null,
      state: {__typename: 'State', id: i.state},
      values: fields.map(f => cellOf(types.get(f)!, i.values[f] ?? null)),
    }
  }
}
