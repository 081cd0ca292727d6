import {firstValueFrom, filter} from 'rxjs'
import {ChangeRowDocument, DeleteIssueDocument, IssuePageDocument} from '../generated/gql/graphql.ts'
import type {Opens} from '../grid.ts'
import {apollo} from './client.ts'

export const open: Opens = async (url, transport, project, column, first) => {
  const client = apollo(url, transport)
  const list = client.watchQuery({query: IssuePageDocument, variables: {project, column, first}})
  list.subscribe({})
  await firstValueFrom(list.pipe(filter((result) => result.dataState === 'complete')))
  const shown = () => {
    const {data, dataState} = list.getCurrentResult()
    if (dataState !== 'complete') throw new Error(`the list is ${dataState}`)
    return data.project!.issues
  }
  return {
    rows: () => shown()!.edges.map((edge) => edge.node),
    async next() {
      await list.fetchMore({variables: {after: shown()!.pageInfo.endCursor}})
    },
    async change(id, name, text) {
      await client.mutate({mutation: ChangeRowDocument, variables: {column, input: {issue: {id, name, values: [{fieldId: column, value: {text}}]}}}})
    },
    async remove(id) {
      await client.mutate({
        mutation: DeleteIssueDocument,
        variables: {input: {issue: {id}}},
        update(cache, {data}) {
          cache.evict({id: cache.identify({__typename: 'Issue', id: data!.deleteIssue!.deletedIssueId})!})
          cache.gc()
        },
      })
    },
  }
}
