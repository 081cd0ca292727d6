import {ChangeRowDocument, DeleteIssueDocument, IssuePageDocument, type IssuePageQuery} from '../generated/gql/graphql.ts'
import type {Opens} from '../grid.ts'
import {urql} from './client.ts'

export const open: Opens = async (url, transport, project, column, first) => {
  const client = urql(url, transport)
  const query = client.query(IssuePageDocument, {project, column, first})
  let shown: IssuePageQuery | undefined
  await new Promise((resolve) => query.subscribe(({data}) => resolve((shown = data))))
  const list = () => shown!.project!.issues
  return {
    rows: () => list()!.edges.map((edge) => edge.node),
    async next() {
      await client.query(IssuePageDocument, {project, column, first, after: list()!.pageInfo.endCursor})
    },
    async change(id, name, text) {
      await client.mutation(ChangeRowDocument, {column, input: {issue: {id, name, values: [{fieldId: column, value: {text}}]}}})
    },
    async remove(id) {
      await client.mutation(DeleteIssueDocument, {input: {issue: {id}}})
    },
  }
}
