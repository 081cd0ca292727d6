import {cacheExchange, type Cache} from '@urql/exchange-graphcache'
import {relayPagination} from '@urql/exchange-graphcache/extras'
import {embedded} from '../embedded.js'
import schema from '../generated/schema.json'

// Takes an issue out of all lists of its project that are in the cache, so that none is fetched again.
function remove(cache: Cache, project: string, issue: string): void {
  for (const {fieldName, fieldKey} of cache.inspectFields({__typename: 'Project', id: project})) {
    if (fieldName !== 'issues') continue
    const list = cache.resolve({__typename: 'Project', id: project}, fieldKey) as string
    const edges = (cache.resolve(list, 'edges') ?? []) as string[]
    const node = cache.keyOfEntity({__typename: 'Issue', id: issue})
    cache.link(list, 'edges', edges.filter((edge) => cache.resolve(edge, 'node') !== node))
  }
  cache.invalidate({__typename: 'Issue', id: issue})
}

export const cache = () =>
  cacheExchange({
    schema,
    // What has no id is a part of what it came in.
    keys: Object.fromEntries(embedded.map((type) => [type, () => null])),
    // Pages are joined; grids of another order or filter are other lists.
    resolvers: {
      Query: {tenants: relayPagination()},
      Tenant: {projects: relayPagination(), deletedProjects: relayPagination()},
      Project: {issues: relayPagination(), history: relayPagination(), deletedIssues: relayPagination()},
      Issue: {history: relayPagination()},
    },
    updates: {
      Mutation: {
        deleteIssue: (result, _, cache) => {
          const {deletedIssueId, project} = result.deleteIssue as {deletedIssueId: string | null; project: {id: string} | null}
          if (project && deletedIssueId) remove(cache, project.id, deletedIssueId) // otherwise the payload has errors
        },
      },
    },
  })
