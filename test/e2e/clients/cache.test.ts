import {afterEach, beforeAll, describe, expect, inject, test, vi} from 'vitest'
import {open as openApollo} from './apollo/grid.ts'
import {apolloClient} from './apollo/client.ts'
import {transport, type Client} from './client.ts'
import * as documents from './generated/gql/graphql.ts'
import {plain, post} from './plain.ts'
import {newProject, type Project} from './project.ts'
import {open as openRelay} from './relay/grid.ts'
import {relayClient} from './relay/client.ts'
import {open as openUrql} from './urql/grid.ts'
import {urqlClient} from './urql/client.ts'

const url = inject('url')
const complaints = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')]
let tenant: string

beforeAll(async () => {
  tenant = (await plain(url, documents.TenantsDocument, {})).tenants!.edges[0]!.node.id
})

afterEach(() => {
  for (const complaint of complaints) expect(complaint.mock.calls).toEqual([])
})

// filled makes a project with five issues.
async function filled(): Promise<Project> {
  const project = await newProject(url, tenant)
  const issues = ['One', 'Two', 'Three', 'Four', 'Five'].map((name) => ({
    name,
    values: [{fieldId: project.fields.Priority!, value: {optionId: project.options.High!}}],
  }))
  await plain(url, documents.CreateIssuesDocument, {input: {projectId: project.id, issues}})
  return project
}

describe.each([
  {name: 'Relay', open: openRelay, make: relayClient},
  {name: 'urql', open: openUrql, make: urqlClient},
  {name: 'Apollo Client', open: openApollo, make: apolloClient},
])('$name', ({open, make}) => {
  test('two pages are one list, a change is seen in it, and what is deleted leaves it, all without another request', async () => {
    const project = await filled()
    const counted = transport()
    const grid = await open(url, counted, project.id, project.fields.Text!, 2)
    const names = () => grid.rows().map((row) => row.name)
    expect(names()).toEqual(['One', 'Two'])
    await grid.next()
    await expect.poll(names).toEqual(['One', 'Two', 'Three', 'Four'])
    await grid.next()
    await expect.poll(names).toEqual(['One', 'Two', 'Three', 'Four', 'Five'])
    expect(counted.requests).toBe(3)

    const [, second, , fourth] = grid.rows()
    await grid.change(second!.id, 'Second', 'text')
    await expect.poll(names).toEqual(['One', 'Second', 'Three', 'Four', 'Five'])
    expect(grid.rows()[1]).toMatchObject({version: 2, value: {display: 'text'}})
    await grid.remove(fourth!.id)
    await expect.poll(names).toEqual(['One', 'Second', 'Three', 'Five'])
    expect(counted.requests).toBe(5)
  })

  test('pages of other lists are joined where the client joins pages', async () => {
    const project = await filled()
    const {edges} = (await plain(url, documents.IssuePageDocument, {project: project.id, first: 3, column: project.fields.Text!})).project!.issues!
    const [one, two, three] = edges.map((edge) => edge.node.id) as [string, string, string]
    await plain(url, documents.UpdateIssueDocument, {input: {issue: {id: one, name: 'First'}}})
    for (const id of [two, three]) await plain(url, documents.DeleteIssueDocument, {input: {issue: {id}}})
    const client: Client = make(url, transport())

    const {TenantsDocument, TenantProjectsDocument, TrashDocument, HistoryDocument} = documents
    type Variables = {first: number; after?: string | null}
    const tenants = async (page: Variables) => (await client.run(TenantsDocument, page)).tenants
    const projects = async (page: Variables) => (await client.run(TenantProjectsDocument, {tenant, ...page})).tenant!.projects
    const trash = async (page: Variables) => (await client.run(TrashDocument, {project: project.id, ...page})).project!.deletedIssues
    const history = async (page: Variables) => (await client.run(HistoryDocument, {id: one, ...page})).issue!.history
    for (const list of [tenants, projects, trash, history]) {
      const first = await list({first: 1})
      const next = await list({first: 1, after: first!.pageInfo.endCursor})
      const cursors = [first, next].map((page) => page!.edges.at(-1)!.cursor)
      expect(new Set(cursors).size).toBe(2)
      expect(next!.edges.map((edge) => edge.cursor)).toEqual(client.joins ? cursors : cursors.slice(1))
    }
  })

  test('what operations ask of the same thing is kept of each', async () => {
    const project = await filled()
    const client: Client = make(url, transport())
    const page = {project: project.id, first: 5, column: project.fields.Priority!}
    const rows = (await client.run(documents.IssuePageDocument, page)).project!.issues!.edges
    await client.run(documents.ViewerDocument, {})
    await client.run(documents.CellDocument, {id: rows[0]!.node.id, column: project.fields.Priority!})
    expect(client.cached!(documents.IssuePageDocument, page)?.project?.issues!.edges).toHaveLength(5)
    expect(client.cached!(documents.ViewerDocument, {})).toMatchObject({viewer: {role: 'OPERATOR', canEdit: true}})
  })

  test('lists of the same filter in other time zones are other lists', async () => {
    const project = await filled()
    // Somewhere it is always a later day than elsewhere.
    const [east, west] = ['Pacific/Kiritimati', 'Etc/GMT+12']
    const due = new Intl.DateTimeFormat('en-CA', {timeZone: east}).format(new Date())
    const {edges} = (await plain(url, documents.IssuePageDocument, {project: project.id, first: 1, column: project.fields.Due!})).project!.issues!
    const values = [{fieldId: project.fields.Due!, value: {date: due}}]
    await plain(url, documents.UpdateIssueDocument, {input: {issue: {id: edges[0]!.node.id, values}}})
    const client: Client = make(url, transport())
    const where = {fields: [{fieldId: project.fields.Due!, date: {relative: {lte: {base: 'START_OF_DAY' as const}}}}]}
    const page = (timeZone: string) => ({project: project.id, first: 2, column: project.fields.Due!, where, timeZone})
    for (const timeZone of [east, west]) await client.run(documents.IssuePageDocument, page(timeZone))
    const rows = (timeZone: string) => client.cached!(documents.IssuePageDocument, page(timeZone))?.project?.issues!.edges.length
    expect([rows(east), rows(west)]).toEqual([1, 0])
  })

  test('projects whose states and options have the same names do not mix', async () => {
    const twins = await Promise.all([filled(), filled()])
    expect(twins[0].states).not.toEqual(twins[1].states)
    expect(twins[0].options).not.toEqual(twins[1].options)
    const client: Client = make(url, transport())
    const reads = twins.flatMap(({id, fields}) => [
      {document: documents.ProjectFieldsDocument, variables: {project: id}},
      {document: documents.IssuePageDocument, variables: {project: id, first: 5, column: fields.Priority!}},
    ]) as {document: typeof documents.ProjectFieldsDocument; variables: {project: string}}[]
    const read = async () => {
      for (const {document, variables} of reads) await client.run(document, variables)
    }
    await read()
    // The second one's become different in all that is not their names.
    const changed = await post(
      url,
      `mutation ($open: ID!, $closed: ID!, $low: ID!, $high: ID!) {
        closed: updateState(input: {id: $closed, open: true}) { state { id } }
        open: updateState(input: {id: $open, open: false}) { state { id } }
        low: updateOption(input: {id: $low, color: "red"}) { option { id } }
        high: updateOption(input: {id: $high, color: "blue"}) { option { id } }
      }`,
      {open: twins[1].states.Open, closed: twins[1].states.Closed, low: twins[1].options.Low, high: twins[1].options.High},
    )
    expect(changed.errors).toBeUndefined()
    await read()
    const open = new Set<boolean>()
    for (const {document, variables} of reads) {
      const cached = client.cached!(document, variables)
      expect(cached).toMatchObject(await plain(url, document, variables))
      for (const state of cached?.project?.states ?? []) if (state.name === 'Open') open.add(state.open)
    }
    expect(open).toEqual(new Set([true, false]))
  })
})
