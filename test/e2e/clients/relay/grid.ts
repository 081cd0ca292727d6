import {
  commitMutation,
  createOperationDescriptor,
  fetchQuery,
  getFragment,
  getRequest,
  getSingularSelector,
  graphql,
  type GraphQLTaggedNode,
  type Variables,
} from 'relay-runtime'
import type {RowFragment} from '../generated/gql/graphql.ts'
import type {Opens} from '../grid.ts'
import {relay} from './client.ts'
import type {gridNextQuery} from './__generated__/gridNextQuery.graphql.ts'
import type {gridQuery} from './__generated__/gridQuery.graphql.ts'
import type {grid_rows$data, grid_rows$key} from './__generated__/grid_rows.graphql.ts'

const query = graphql`
  query gridQuery($project: ID!, $column: ID!, $first: Int!) {
    project(id: $project) {
      ...grid_rows @arguments(first: $first)
    }
  }
`

const rows = graphql`
  fragment grid_rows on Project
  @refetchable(queryName: "gridNextQuery")
  @argumentDefinitions(
    first: {type: "Int!"}
    after: {type: "String"}
    orderBy: {type: "[IssueOrder!]"}
    where: {type: "IssueFilter"}
    timeZone: {type: "TimeZone", defaultValue: "UTC"}
  ) {
    issues(first: $first, after: $after, orderBy: $orderBy, where: $where, timeZone: $timeZone)
      @connection(key: "grid_issues", filters: ["orderBy", "where", "timeZone"]) {
      edges {
        node {
          ...operations_Row @relay(mask: false)
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`

const change = graphql`
  mutation gridChangeMutation($input: UpdateIssueInput!, $column: ID!) {
    updateIssue(input: $input) {
      issue {
        ...operations_Row @relay(mask: false)
      }
    }
  }
`

const remove = graphql`
  mutation gridDeleteMutation($input: DeleteIssueInput!) {
    deleteIssue(input: $input) {
      deletedIssueId @deleteRecord
    }
  }
`

export const open: Opens = async (url, transport, project, column, first) => {
  const environment = relay(url, transport)
  const operation = createOperationDescriptor(getRequest(query), {project, column, first})
  environment.retain(operation)
  await fetchQuery<gridQuery>(environment, query, {project, column, first}).toPromise()
  const shown = () => {
    const {data} = environment.lookup(operation.fragment) as unknown as {data: gridQuery['response']}
    const selector = getSingularSelector(getFragment(rows), data.project as grid_rows$key)
    return environment.lookup(selector!).data as unknown as grid_rows$data
  }
  const commit = (mutation: GraphQLTaggedNode, variables: Variables) =>
    new Promise<void>((resolve, reject) => commitMutation(environment, {mutation, variables, onCompleted: () => resolve(), onError: reject}))
  // What the compiler has made of @refetchable, and usePaginationFragment would send.
  const next = getFragment(rows).metadata!.refetch!.operation as never as GraphQLTaggedNode
  return {
    // A list keeps the edge of a record that was deleted, with null for the node, whatever the schema says.
    rows: () => shown().issues!.edges.flatMap(({node}) => node ?? []) as RowFragment[],
    async next() {
      await fetchQuery<gridNextQuery>(environment, next, {id: project, column, first, after: shown().issues!.pageInfo.endCursor}).toPromise()
    },
    change: (id, name, text) => commit(change, {column, input: {issue: {id, name, values: [{fieldId: column, value: {text}}]}}}),
    remove: (id) => commit(remove, {input: {issue: {id}}}),
  }
}
