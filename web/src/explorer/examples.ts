// The examples: operations that run unchanged. Their queries are constant. Their variables depend on the server and come from a Place, a project of the server.

export interface Field {
  id: string
  name: string
  type: string
  sortable: boolean
  required: boolean
  options: {id: string}[]
}

export interface Row {
  cursor: string
  node: {id: string; name: string; version: number; state: {id: string}; values: {field: {id: string}; option?: {id: string}}[]}
}

/** A project with the data that the examples need: its fields, and its first rows by number. */
export interface Place {
  id: string
  key: string
  name: string
  fields: Field[]
  rows: Row[]
}

export interface Example {
  name: string
  about: string
  query: string
  /** Returns the variables for a project, or empty ones if no project is known. */
  variables: (place?: Place) => Record<string, unknown>
}

const pageSize = 5

export const examples: Example[] = [
  {
    name: 'FirstPage',
    about: 'The first page of a grid',
    query: `# The first page of a grid: a project's issues by number,
# with their values of all custom fields.
#
# Ctrl-Enter runs it, and Ctrl-Space completes names. The
# book on the left explains the schema. The cost is shown
# below the response, and in full under "Cost and plan".
query FirstPage($project: ID!) {
  project(id: $project) {
    name
    issues(first: ${pageSize}) {
      nodes {
        num
        name
        state { name }
        values { field { name } display }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}
`,
    variables: place => ({project: place?.id ?? ''}),
  },
  {
    name: 'SortedByField',
    about: 'Sorted by a custom field',
    query: `# A grid sorted by a custom field, the greatest value first
# and the rows without a value last. A page costs the same
# in any order and at any depth: one Query for its keys and
# one BatchGetItem for its rows.
query SortedByField(
  $project: ID!
  $orderBy: [IssueOrder!]
  $columns: [ID!]
) {
  project(id: $project) {
    issues(first: 10, orderBy: $orderBy) {
      nodes {
        num
        name
        values(fieldIds: $columns) { field { name } display }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}
`,
    variables: place => {
      const field = sorting(place)
      return {project: place?.id ?? '', orderBy: [order(field)], columns: field ? [field.id] : []}
    },
  },
  {
    name: 'Filtered',
    about: 'Filtered by two conditions',
    query: `# Only the issues that match two conditions, and their
# number. States and options are named by their ids, from
# the project's "states" and the "options" of its fields.
query Filtered($project: ID!, $where: IssueFilter!) {
  project(id: $project) {
    issues(first: 10, where: $where) {
      nodes {
        num
        name
        state { name }
        values { field { name } display }
      }
      pageInfo { hasNextPage endCursor }
      totalCount
      totalCountPrecision
    }
  }
}
`,
    variables: place => ({project: place?.id ?? '', where: conditions(place)}),
  },
  {
    name: 'Explained',
    about: 'How a page was found',
    query: `# How a page was found: the plan, as text and as a tree,
# with estimated and actual costs. "Cost and plan" on the
# left displays it. Another order or another condition
# leads to another plan.
query Explained(
  $project: ID!
  $where: IssueFilter!
  $orderBy: [IssueOrder!]
) {
  project(id: $project) {
    issues(first: 20, where: $where, orderBy: $orderBy) {
      nodes { num name }
      explain {
        text
        root {
          ...Step
          children {
            ...Step
            children { ...Step children { ...Step } }
          }
        }
        rejected {
          label
          reason
          estimatedKeys
          estimatedDocuments
          estimatedRcu
          estimatedSequentialCalls
        }
      }
    }
  }
}

fragment Step on PlanNode {
  kind
  label
  estimatedKeys
  estimatedDocuments
  estimatedRcu
  estimatedSequentialCalls
  keys
  documents
  calls
  rcu
  milliseconds
  notes
}
`,
    variables: place => ({
      project: place?.id ?? '',
      where: conditions(place),
      orderBy: [{column: {builtin: 'CREATED_AT'}, direction: 'DESC'}],
    }),
  },
  {
    name: 'NextPage',
    about: 'The next page, by cursor',
    query: `# The page after a cursor, which is the "endCursor" of the
# previous page. A cursor is a position in an order, and
# stays valid when issues are added or deleted.
query NextPage($project: ID!, $after: String) {
  project(id: $project) {
    issues(first: ${pageSize}, after: $after) {
      edges { cursor node { num name } }
      pageInfo { hasPreviousPage hasNextPage endCursor }
    }
  }
}
`,
    variables: place => ({project: place?.id ?? '', after: place?.rows.slice(0, pageSize).at(-1)?.cursor ?? null}),
  },
  {
    name: 'CreateIssue',
    about: 'Create an issue',
    query: `# Creates an issue, with a value for each field that the
# project requires. It needs the role EDITOR. With an
# "idempotencyKey" in the input, sending it again would not
# create another one.
mutation CreateIssue($input: CreateIssueInput!) {
  createIssue(input: $input) {
    issue {
      id
      num
      name
      version
      state { name }
      values { field { name } display }
    }
  }
}
`,
    variables: place => ({input: {projectId: place?.id ?? '', issue: {name: 'Created in the playground', values: requiredValues(place)}}}),
  },
  {
    name: 'UpdateIssue',
    about: 'Update an issue, unless it has changed',
    query: `# Updates an issue if it still has the expected version;
# otherwise it is a CONFLICT, and nothing is written. This
# example keeps the name. Enter another name and run it
# twice: the second run is a CONFLICT.
mutation UpdateIssue($input: UpdateIssueInput!) {
  updateIssue(input: $input) {
    issue { id num name version updatedAt }
  }
}
`,
    variables: place => {
      const issue = place?.rows[0]?.node
      return {input: {issue: {id: issue?.id ?? '', expectedVersion: issue?.version ?? null, name: issue?.name ?? ''}}}
    },
  },
  {
    name: 'DeleteAndRestore',
    about: 'Delete an issue, and restore it',
    query: `# Moves an issue to the trash and restores it; only its
# version changes. The fields of a mutation run one after
# the other.
mutation DeleteAndRestore($issue: ID!) {
  deleteIssue(input: {issue: {id: $issue}}) {
    project {
      deletedIssues(first: 3) { nodes { num name deletedAt } }
    }
  }
  restoreIssue(input: {id: $issue}) {
    issue { num name version }
  }
}
`,
    variables: place => ({issue: (place?.rows[1] ?? place?.rows[0])?.node.id ?? ''}),
  },
]

/** Formats the variables of an example for the editor. */
export function variablesText(example: Example, place?: Place): string {
  return JSON.stringify(example.variables(place), null, 2)
}

/** Returns the field to sort by. It prefers a date or a number to a string, because their order is easy to see. */
function sorting(place: Place | undefined): Field | undefined {
  const sortable = place?.fields.filter(f => f.sortable) ?? []
  return sortable.find(f => ['DATE', 'DATETIME', 'INTEGER', 'NUMBER'].includes(f.type)) ?? sortable[0]
}

function order(field: Field | undefined) {
  return {column: field ? {fieldId: field.id} : {builtin: 'UPDATED_AT'}, direction: 'DESC', nulls: 'LAST'}
}

/** Returns two conditions that one of the rows satisfies: its state, and the option of a field; without such a field, its creation time. */
function conditions(place: Place | undefined) {
  for (const {node} of place?.rows ?? []) {
    const chosen = node.values.find(v => v.option)
    if (chosen?.option) return {state: {eqId: node.state.id}, fields: [{fieldId: chosen.field.id, option: {eqId: chosen.option.id}}]}
  }
  const state = place?.rows[0]?.node.state.id
  return {...(state !== undefined && {state: {eqId: state}}), createdAt: {gte: '2000-01-01T00:00:00Z'}}
}

function requiredValues(place: Place | undefined) {
  return place?.fields.filter(f => f.required).map(f => ({fieldId: f.id, value: anyValue(f)})) ?? []
}

/** Returns a ValueInput that a field accepts. */
function anyValue(field: Field): Record<string, unknown> {
  const option = field.options[0]?.id ?? ''
  switch (field.type) {
    case 'INTEGER':
      return {integer: '1'}
    case 'NUMBER':
      return {number: 1}
    case 'DATE':
      return {date: '2026-01-01'}
    case 'DATETIME':
      return {dateTime: '2026-01-01T00:00:00Z'}
    case 'BOOLEAN':
      return {boolean: true}
    case 'SELECT':
      return {optionId: option}
    case 'MULTI_SELECT':
      return {optionIds: [option]}
    case 'TAGS':
      return {tags: ['example']}
    case 'USER':
      return {user: 'Somebody'}
    default:
      return {text: 'Example'}
  }
}
