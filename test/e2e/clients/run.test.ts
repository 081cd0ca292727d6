import type {TypedDocumentNode} from '@graphql-typed-document-node/core'
import {afterAll, beforeAll, expect, inject, test, vi} from 'vitest'
import {apolloClient} from './apollo/client.ts'
import {transport, type Client} from './client.ts'
import * as documents from './generated/gql/graphql.ts'
import type {IssueFilter, IssueOrder, IssuePageQuery, ValueInput} from './generated/gql/graphql.ts'
import {houdiniClient} from './houdini/client.ts'
import {plain} from './plain.ts'
import {newProject, type Project} from './project.ts'
import {relayClient} from './relay/client.ts'
import {requestClient} from './tada/client.ts'
import {urqlClient} from './urql/client.ts'

// Twenty operations, by each client. What it gives must be what the server has answered to a plain request of the same document: a mutation
// is sent again with its idempotency key, and so answered again.

const url = inject('url')
const clients: Client[] = [relayClient, urqlClient, apolloClient, requestClient, houdiniClient].map((client) => client(url, transport()))
// Ids and cursors, found by the first steps.
let fleet: {id: string; tenant: string; states: Record<string, string>; fields: Record<string, string>; options: Record<string, string>}
const own = new Map<Client, Project & {issue: string; version: number; batch: string[]}>() // of each client, what it changes
const asked: {document: TypedDocumentNode<unknown, unknown>; variables: unknown}[] = []

// What clients and their caches complain about.
const complaints = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')]

// without takes __typename out of what a client gives, where the operation has not asked for it.
function without(got: unknown, want: unknown): unknown {
  if (Array.isArray(got)) return got.map((member, i) => without(member, (want as unknown[] | undefined)?.[i]))
  if (got === null || typeof got !== 'object') return got
  const asked = (want ?? {}) as Record<string, unknown>
  const kept = Object.entries(got).filter(([name]) => name !== '__typename' || name in asked)
  return Object.fromEntries(kept.map(([name, value]) => [name, without(value, asked[name])]))
}

function compare<T>(client: Client, got: T, want: T): T {
  expect(without(got, want), client.name).toEqual(want)
  return want
}

// same runs an operation by a client, and compares.
async function same<R, V>(client: Client, document: TypedDocumentNode<R, V>, variables: V): Promise<R> {
  const got = await client.run(document, variables)
  return compare(client, got, await plain(url, document, variables))
}

// query is `same` of what must be in the cache at the end as it is now.
async function query<R, V>(client: Client, document: TypedDocumentNode<R, V>, variables: V): Promise<R> {
  asked.push({document: document as TypedDocumentNode<unknown, unknown>, variables})
  return same(client, document, variables)
}

interface Page {
  first?: number
  after?: string | null
  last?: number
  before?: string | null
  orderBy?: IssueOrder[]
  where?: IssueFilter
}

const page = async (client: Client, variables: Page): Promise<Connection> => {
  const column = fleet.fields.Cost!
  return (await query(client, documents.IssuePageDocument, {project: fleet.id, column, ...variables})).project!.issues!
}

type Connection = NonNullable<NonNullable<IssuePageQuery['project']>['issues']>

// turn asks for the page beside another one.
async function turn(client: Client, beside: Connection, variables: Page): Promise<Connection> {
  const all = {project: fleet.id, column: fleet.fields.Cost!, ...variables}
  const got = (await client.run(documents.IssuePageDocument, all)).project!.issues!
  const next = (await plain(url, documents.IssuePageDocument, all)).project!.issues!
  const [start, end] = variables.after ? [beside, next] : [next, beside]
  const joined = {
    edges: [...start.edges, ...end.edges],
    pageInfo: {
      hasPreviousPage: start.pageInfo.hasPreviousPage,
      startCursor: start.pageInfo.startCursor,
      hasNextPage: end.pageInfo.hasNextPage,
      endCursor: end.pageInfo.endCursor,
    },
  }
  compare(client, got, client.joins ? joined : next)
  return next
}

// The outcome of an operation, for people: what must be the same of all clients.
type Step = (client: Client) => Promise<unknown>

function step(name: string, run: Step): void {
  test(name, async () => {
    const outcomes: unknown[] = []
    for (const client of clients) outcomes.push(await run(client))
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0])
    expect(outcomes[0]).toBeTruthy()
  })
}

let keys = 0
const idempotencyKey = () => `clients ${process.pid} ${++keys}`

// Of issues that each client has made, what does not tell whose they are.
const told = (issue: documents.DetailFragment) => ({
  num: issue.num,
  name: issue.name,
  version: issue.version,
  description: issue.description,
  state: issue.state.name,
  values: issue.values!.map((value) => value && `${value.__typename} ${value.field.name}: ${value.display}`),
})

beforeAll(async () => {
  const {tenants} = await plain(url, documents.TenantsDocument, {})
  const tenant = tenants!.edges[0]!.node.id
  for (const client of clients) own.set(client, {...(await newProject(url, tenant)), issue: '', version: 0, batch: []})
})

step('1 viewer', async (client) => (await query(client, documents.ViewerDocument, {})).viewer)

step('2 tenants', async (client) => {
  const {tenants} = await query(client, documents.TenantsDocument, {first: 50})
  return tenants!.edges.map((edge) => edge.node.name)
})

step('3 projects of a tenant', async (client) => {
  const {tenants} = await client.run(documents.TenantsDocument, {first: 50})
  const tenant = tenants!.edges.find((edge) => edge.node.name === 'Northern Ferries')!.node.id
  const {tenant: found} = await query(client, documents.TenantProjectsDocument, {tenant, first: 10})
  const project = found!.projects!.edges.find((edge) => edge.node.key === 'FLEET')!.node
  fleet ??= {id: project.id, tenant, states: {}, fields: {}, options: {}}
  return project
})

step('4 a project with its fields and options', async (client) => {
  const {project} = await query(client, documents.ProjectFieldsDocument, {project: fleet.id})
  for (const state of project!.states) fleet.states[state.name] = state.id
  for (const field of project!.fields!) {
    fleet.fields[field.name] = field.id
    for (const option of field.options) fleet.options[option.name] = option.id
  }
  expect(new Set(project!.fields!.map((field) => field.type)).size).toBe(11)
  return fleet
})

step('5 the first page of a grid, 6 the next one', async (client) => {
  const first = (await same(client, documents.IssuePageDocument, {project: fleet.id, column: fleet.fields.Cost!, first: 5})).project!.issues!
  const next = await turn(client, first, {first: 5, after: first.pageInfo.endCursor})
  const rows = [first, next].map(({edges}) => edges.map((edge) => edge.node.num))
  expect(rows).toEqual([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]])
  return rows
})

step('7 the last page, and the one before it', async (client) => {
  const orderBy: IssueOrder[] = [{column: {builtin: 'CREATED_AT'}}]
  const last = (await same(client, documents.IssuePageDocument, {project: fleet.id, column: fleet.fields.Cost!, last: 4, orderBy})).project!.issues!
  const before = await turn(client, last, {last: 4, before: last.pageInfo.startCursor, orderBy})
  const rows = [...before.edges, ...last.edges].map((edge) => edge.node)
  expect(last.pageInfo.hasNextPage).toBe(false)
  expect(rows.map((row) => row.createdAt)).toEqual(rows.map((row) => row.createdAt).sort())
  return rows
})

step('8 sorted by a custom field, descending, rows without a value first', async (client) => {
  const orderBy: IssueOrder[] = [{column: {fieldId: fleet.fields.Cost!}, direction: 'DESC', nulls: 'FIRST'}]
  const {edges} = await page(client, {first: 60, orderBy, where: {num: {lte: 60}}})
  const costs = edges.map((edge) => edge.node.value && Number(edge.node.value.display))
  const valued = costs.filter((cost) => cost !== null)
  expect(valued.length).toBeGreaterThan(0)
  expect(costs).toEqual([...costs.filter((cost) => cost === null), ...valued.toSorted((a, b) => b - a)])
  return edges
})

step('9 filtered by state and option', async (client) => {
  const where: IssueFilter = {
    state: {eqId: fleet.states.Done},
    fields: [{fieldId: fleet.fields.Priority!, option: {eqId: fleet.options.Critical}}],
  }
  const {edges} = await page(client, {first: 10, where})
  expect(edges.map((edge) => edge.node.state.name)).toEqual(edges.map(() => 'Done'))
  return edges.map((edge) => edge.node.num)
})

step('10 filtered by or, not and contains', async (client) => {
  const where: IssueFilter = {
    or: [{name: {contains: 'hinge'}}, {num: {between: {from: 3, to: 4}}}],
    not: {state: {in: ['Done', 'In Review']}},
  }
  const {edges} = await page(client, {first: 10, where})
  for (const {node} of edges) {
    expect(/hinge/i.test(node.name) || [3, 4].includes(node.num)).toBe(true)
    expect(['Done', 'In Review']).not.toContain(node.state.name)
  }
  return edges.map((edge) => edge.node.name)
})

step('11 how many there are, and how exactly', async (client) => {
  const {project} = await query(client, documents.IssueCountDocument, {project: fleet.id, where: {state: {eqId: fleet.states.Done}}})
  expect(project!.issues!.totalCountPrecision).toBe('EXACT')
  return project!.issues!.totalCount
})

step('12 a cursor at an issue and one at a number, and the page there', async (client) => {
  const orderBy: IssueOrder[] = [{column: {builtin: 'NUM'}, direction: 'DESC'}]
  const {project} = await query(client, documents.CursorAtIssueDocument, {project: fleet.id, orderBy, num: 1000})
  const at = await query(client, documents.CursorAtDocument, {project: fleet.id, orderBy, value: {integer: '1000'}})
  const of = async (after: string) => (await plain(url, documents.IssuePageDocument, {project: fleet.id, column: fleet.fields.Cost!, first: 3, after, orderBy})).project
  expect(await of(at.project!.cursorAt!)).toEqual(await of(project!.cursorAtIssue!))
  const there = {project: fleet.id, column: fleet.fields.Cost!, first: 3, after: project!.cursorAtIssue, orderBy}
  const got = (await client.run(documents.IssuePageDocument, there)).project!.issues!
  const want = (await plain(url, documents.IssuePageDocument, there)).project!.issues!
  // Not what is before it: of a list that begins behind a cursor, urql's relayPagination says that there is nothing.
  const behind = ({edges, pageInfo: {hasNextPage, endCursor}}: Connection) => ({edges, hasNextPage, endCursor})
  compare(client, behind(got), behind(want))
  expect(want.edges.map((edge) => edge.node.num)).toEqual([1000, 999, 998])
  return project!.cursorAtIssue
})

step('13 how a page was found', async (client) => {
  const where: IssueFilter = {fields: [{fieldId: fleet.fields.Priority!, option: {eq: 'Critical'}}]}
  const {project} = await query(client, documents.ExplainDocument, {project: fleet.id, where})
  return project!.issues!.explain!.root.children.map((node) => node.kind)
})

const values = (project: Project): {fieldId: string; value: ValueInput}[] => {
  const of = (field: string, value: ValueInput) => ({fieldId: project.fields[field]!, value})
  return [
    of('Text', {text: 'Héllo'}),
    of('Report', {text: 'long '.repeat(100)}),
    of('Hours', {integer: '9007199254740993'}),
    of('Cost', {number: 12.5}),
    of('Due', {date: '2026-02-28'}),
    of('Inspected', {dateTime: '2026-02-28T12:00:00.123456Z'}),
    of('Safety', {boolean: true}),
    of('Priority', {optionId: project.options.High!}),
    of('Systems', {options: ['Engine', 'Hull']}),
    of('Tags', {tags: ['a', 'b']}),
    of('Assignee', {user: 'Ann'}),
  ]
}

step('17 an issue is made, with values of all types', async (client) => {
  const mine = own.get(client)!
  const issue = {name: 'One', description: 'First', values: values(mine)}
  const made = await same(client, documents.CreateIssueDocument, {input: {projectId: mine.id, issue, idempotencyKey: idempotencyKey()}})
  mine.issue = made.createIssue!.issue!.id
  mine.version = made.createIssue!.issue!.version
  return told(made.createIssue!.issue!)
})

step('14 an issue with values of all types', async (client) => {
  const {issue} = await same(client, documents.IssueDetailDocument, {id: own.get(client)!.issue})
  const integer = issue!.values!.find((value) => value?.__typename === 'IntegerValue')
  expect(integer).toMatchObject({integer: '9007199254740993'})
  expect(new Set(issue!.values!.map((value) => value!.__typename)).size).toBe(11)
  return told(issue!)
})

step('15 objects of all kinds by their ids', async (client) => {
  const {edges} = await page(client, {where: {num: {in: [1, 3]}}})
  const ids = [edges[1]!.node.id, fleet.fields.Cost!, fleet.id, fleet.tenant, edges[0]!.node.id]
  const {nodes} = await query(client, documents.NodesDocument, {ids})
  expect(nodes!.map((node) => node?.id)).toEqual(ids)
  return nodes
})

step('18 issues are made together, and one is refused', async (client) => {
  const mine = own.get(client)!
  const issues = [{name: 'Two'}, {name: ''}, {name: 'Three', state: 'Closed'}]
  const input = {projectId: mine.id, issues, idempotencyKey: idempotencyKey()}
  const created = (await same(client, documents.CreateIssuesDocument, {input})).createIssues!
  const results = created.results!
  mine.batch = results.flatMap(({issue}) => issue?.id ?? [])
  expect(mine.batch).toHaveLength(2)
  return results.map(({issue, errors}) => issue ? told(issue) : errors.map(({code, argument}) => ({code, argument})))
})

step('19 an issue is changed, and a change of what is no longer so is refused', async (client) => {
  const {issue, version, fields} = own.get(client)!
  const input = {
    issue: {
      id: issue,
      expectedVersion: version,
      name: 'One, changed',
      values: [
        {fieldId: fields.Hours!, value: {integer: '-1'}},
        {fieldId: fields.Tags!, clear: true},
      ],
    },
  }
  const {updateIssue} = await same(client, documents.UpdateIssueDocument, {input: {...input, idempotencyKey: idempotencyKey()}})
  const thrown = await client.run(documents.UpdateIssueDocument, {input}).then(() => null, (error: unknown) => error)
  expect(client.refusals(thrown)).toEqual([{code: 'CONFLICT', currentVersion: version + 1, columns: [
    {name: 'name', fieldId: null, before: 'One', after: 'One, changed'},
    {name: 'Hours', fieldId: fields.Hours, before: '9007199254740993', after: '-1'},
    {name: 'Tags', fieldId: fields.Tags, before: 'a, b', after: null},
  ]}])
  const tried = (await same(client, documents.TryUpdateIssueDocument, {input})).updateIssue!
  expect(tried.issue).toBeNull()
  expect(tried.errors.map(({code, argument, conflict}) => ({code, argument, version: conflict?.currentVersion}))).toEqual([
    {code: 'CONFLICT', argument: 'input.issue.expectedVersion', version: version + 1},
  ])
  return told(updateIssue!.issue!)
})

step('16 the history of an issue', async (client) => {
  const {issue} = await same(client, documents.HistoryDocument, {id: own.get(client)!.issue, first: 10})
  const changes = issue!.history!.edges.map((edge) => edge.node)
  expect(changes.map((change) => change.kind)).toEqual(['UPDATED', 'CREATED'])
  // Sorted, as the server's order is that of the fields' ids.
  return changes[0]!.columns.map(({name, before, after}) => `${name}: ${before} -> ${after}`).sort()
})

step('20 issues are changed together, deleted, seen in the trash, and restored', async (client) => {
  const mine = own.get(client)!
  const input = {issues: mine.batch.map((id) => ({id, stateId: mine.states.Closed})), idempotencyKey: idempotencyKey()}
  const results = (await same(client, documents.UpdateIssuesDocument, {input})).updateIssues!.results!
  expect(results.map(({issueId}) => issueId)).toEqual(mine.batch)
  const {deleteIssue} = await same(client, documents.DeleteIssueDocument, {input: {issue: {id: mine.issue}, idempotencyKey: idempotencyKey()}})
  expect(deleteIssue!.deletedIssueId).toBe(mine.issue)
  const {project} = await same(client, documents.TrashDocument, {project: mine.id, first: 10})
  expect(project!.deletedIssues!.edges.map((edge) => edge.node.issueId)).toEqual([mine.issue])
  const {restoreIssue} = await same(client, documents.RestoreIssueDocument, {input: {id: mine.issue, idempotencyKey: idempotencyKey()}})
  await same(client, documents.IssueDetailDocument, {id: mine.issue})
  return [...results.map(({issue}) => issue && told(issue)), told(restoreIssue!.issue!)]
})

step('all that was read is in the cache as the server has it', async (client) => {
  for (const {document, variables} of asked) {
    if (!client.cached) continue
    const cached = client.cached(document, variables)
    compare(client, cached, await plain(url, document, variables))
  }
  return asked.length
})

afterAll(() => {
  for (const complaint of complaints) expect(complaint.mock.calls).toEqual([])
})
