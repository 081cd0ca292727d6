// Requests a page again whose response is older than an edit that the cache has.
import {ApolloLink, type ApolloCache} from '@apollo/client'
import {OperationTypeNode} from 'graphql'
import {of, switchMap, tap, timer, type Observable} from 'rxjs'
import {IssueVersionFragmentDoc} from '../../gql/graphql'

/** How often a query is sent again, after how many milliseconds. The last response is accepted as it is. */
const pauses = [0, 700]

/** How long after a mutation pages may be without it, in milliseconds: the server reads them eventually consistently, usually within a second. */
const lag = 5000

/**
 * Returns a link that sends a query again if its response has an older version of an issue than the cache. Responses are compared only if a mutation was
 * answered since the query was sent, or shortly before.
 */
export function currentOnly(cache: ApolloCache): ApolloLink {
  let answered = -Infinity // when the last mutation was
  const send = (operation: ApolloLink.Operation, forward: ApolloLink.ForwardFunction, repeated: number): Observable<ApolloLink.Result> => {
    const since = performance.now() - lag
    return forward(operation).pipe(
      switchMap(result =>
        repeated < pauses.length && answered > since && hasOlder(cache, result.data)
          ? timer(pauses[repeated]!).pipe(switchMap(() => send(operation, forward, repeated + 1)))
          : of(result),
      ),
    )
  }
  return new ApolloLink((operation, forward) =>
    operation.operationType === OperationTypeNode.QUERY ? send(operation, forward, 0) : forward(operation).pipe(tap(() => (answered = performance.now()))),
  )
}

/** Reports whether a part of a response is an issue with an older version than that of the cache. */
function hasOlder(cache: ApolloCache, part: unknown): boolean {
  if (Array.isArray(part)) return part.some(p => hasOlder(cache, p))
  if (part === null || typeof part !== 'object') return false
  const {__typename, id, version} = part as {__typename?: unknown; id?: unknown; version?: unknown}
  if (__typename === 'Issue' && typeof id === 'string' && typeof version === 'number') {
    const known = cache.readFragment({id: `Issue:${id}`, fragment: IssueVersionFragmentDoc})
    if (known && known.version > version) return true
  }
  return Object.values(part).some(p => hasOlder(cache, p))
}
