// A plain client of the API. The tests compare the pages with its results.

export interface Field {
  id: string
  name: string
  type: string
  sortable: boolean
  options: {id: string; name: string}[]
}

export interface Issue {
  id: string
  num: number
  name: string
  version: number
  createdAt: string
  updatedAt: string
  state: {name: string}
  values: ({field: {id: string}; display: string} | null)[]
}

export class API {
  /** `token` is the bearer token of a user; without one, the server must not require it. */
  constructor(
    readonly url: string,
    private readonly token?: string,
  ) {}

  async ask<Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> {
    const response = await fetch(`${this.url}/graphql`, {
      method: 'POST',
      headers: {'Content-Type': 'application/json', ...(this.token === undefined ? {} : {Authorization: `Bearer ${this.token}`})},
      body: JSON.stringify({query, variables}),
    })
    const {data, errors} = (await response.json()) as {data?: Data; errors?: {message: string}[]}
    if (errors || !data) throw new Error(errors?.map(e => e.message).join('; ') ?? `no data, status ${response.status}`)
    return data
  }

  async fields(project: string): Promise<Field[]> {
    const data = await this.ask<{project: {fields: Field[]}}>('query ($p: ID!) { project(id: $p) { fields { id name type sortable options { id name } } } }', {
      p: project,
    })
    return data.project.fields
  }

  /** Returns the IDs of states by their names. */
  async states(project: string): Promise<Record<string, string>> {
    const data = await this.ask<{project: {states: {id: string; name: string}[]}}>('query ($p: ID!) { project(id: $p) { states { id name } } }', {p: project})
    return Object.fromEntries(data.project.states.map(s => [s.name, s.id]))
  }

  async issue(project: string, num: number): Promise<Issue> {
    const data = await this.ask<{project: {issueByNum: Issue}}>(
      'query ($p: ID!, $n: Int!) { project(id: $p) { issueByNum(num: $n) { id num name version createdAt updatedAt state { name } values { field { id } display } } } }',
      {p: project, n: num},
    )
    return data.project.issueByNum
  }

  /** Returns the value of a field as a string; empty if there is none. */
  async value(project: string, num: number, field: string): Promise<string> {
    const {values} = await this.issue(project, num)
    return values.find(v => v?.field.id === field)?.display ?? ''
  }

  /** Returns all rows of a grid in order, in pages of 500. */
  async walk(project: string, orderBy: unknown = null, where: unknown = null, values: readonly string[] = [], timeZone = 'UTC'): Promise<Issue[]> {
    const query = `query ($p: ID!, $after: String, $orderBy: [IssueOrder!], $where: IssueFilter, $values: [ID!], $zone: TimeZone!) {
      project(id: $p) { issues(first: 500, after: $after, orderBy: $orderBy, where: $where, timeZone: $zone) {
        nodes { id num name version createdAt updatedAt state { name } values(fieldIds: $values) { field { id } display } }
        pageInfo { hasNextPage endCursor }
      } }
    }`
    const out: Issue[] = []
    for (let after: string | null = null; ;) {
      const {project: p}: {project: {issues: {nodes: Issue[]; pageInfo: {hasNextPage: boolean; endCursor: string}}}} = await this.ask(query, {
        p: project,
        after,
        orderBy,
        where,
        values,
        zone: timeZone,
      })
      out.push(...p.issues.nodes)
      if (!p.issues.pageInfo.hasNextPage) return out
      after = p.issues.pageInfo.endCursor
    }
  }

  update(id: string, change: Record<string, unknown>): Promise<unknown> {
    return this.ask('mutation ($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { version } } }', {i: {issue: {id, ...change}}})
  }
}
