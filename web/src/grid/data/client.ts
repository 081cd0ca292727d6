// The client of the API: Apollo Client, because its cache can merge a field that is asked for with changing arguments. A row's `values(fields: ...)` is
// kept by field, so that a column that comes or goes, an edit of one cell, and the side panel all read and write the same values.
import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  HttpLink,
  InMemoryCache,
  ServerError,
  ServerParseError,
  type FieldFunctionOptions,
  type FieldPolicy,
  type Reference,
  type StoreObject,
} from '@apollo/client'
import {tap} from 'rxjs'
import possible from '../../gql/possibleTypes'
import {persistentFetch} from './fetch'

/** What an operation cost in DynamoDB, as the server tells it for the header X-Show-Cost. */
export interface Cost {
  calls: Record<string, number>
  items: number
  rcu: number
  wcu: number
}

/** The last answers, for whoever wants to show what they cost. */
export interface Answered {
  operation: string
  cost: Cost
  milliseconds: number
}

/** The values of an issue that are known, by field. */
type Cells = Readonly<Record<string, StoreObject | null>>

const values = {
  keyArgs: false,
  merge: (existing: Cells | undefined, incoming: readonly (StoreObject | null)[], {args}: FieldFunctionOptions) => {
    const fields = args?.fields as string[]
    return {...existing, ...Object.fromEntries(fields.map((id, i) => [id, incoming[i] ?? null]))}
  },
  read: (existing: Cells | undefined, {args}: FieldFunctionOptions) => {
    const fields = args?.fields as string[]
    const cells = fields.map(id => existing?.[id])
    return cells.includes(undefined) ? undefined : (cells as (StoreObject | null)[])
  },
} as FieldPolicy

const tokenKey = 'issuegrid:token'

/** The token that requests carry, kept until the tab closes; null in development mode, where nobody signs in. */
export const token = {
  get: (): string | null => sessionStorage.getItem(tokenKey),
  set: (text: string | null): void => {
    if (text) sessionStorage.setItem(tokenKey, text)
    else sessionStorage.removeItem(tokenKey)
  },
}

/** What is known of the server's objects. */
export function newCache(): InMemoryCache {
  return new InMemoryCache({
    possibleTypes: possible.possibleTypes,
    typePolicies: {
      Issue: {fields: {values}},
      // A page of a grid is kept until the rows are forgotten; see rows.ts.
      Query: {
        fields: {project: {read: (known: Reference | undefined, {args, toReference}) => known ?? toReference({__typename: 'Project', id: args?.id as string})}},
      },
    },
  })
}

/** A client that tells of each answer, and when the token counts no more. */
export function newClient(answered: (a: Answered) => void, expired: (problem: Problem) => void): ApolloClient {
  const headers = new ApolloLink((operation, forward) => {
    const bearer = token.get()
    operation.setContext(({headers}: {headers?: Record<string, string>}) => ({
      headers: {...headers, 'X-Show-Cost': '1', ...(bearer ? {Authorization: `Bearer ${bearer}`} : {})},
    }))
    const begun = performance.now()
    const look = (problem: Problem | undefined) => {
      if (problem?.code === 'UNAUTHENTICATED') expired(problem)
    }
    return forward(operation).pipe(
      tap({
        next: result => {
          const cost = result.extensions?.cost as Cost | undefined
          if (cost) answered({operation: operation.operationName ?? '', cost, milliseconds: performance.now() - begun})
          look(result.errors && ofBody(result.errors[0]))
        },
        error: error => look(problemOf(error)),
      }),
    )
  })
  const http = new HttpLink({uri: '/graphql', fetch: persistentFetch()})
  return new ApolloClient({link: headers.concat(http), cache: newCache()})
}

/** Why a request failed. */
export interface Problem {
  /** The server's code; OFFLINE where it was not reached. */
  code: string
  message: string
  /** Where in the input. */
  argument?: string
}

interface ErrorBody {
  message: string
  extensions?: {code?: string; argument?: string}
}

/** What to tell of an error. */
export function problemOf(error: unknown): Problem {
  return problemsOf(error)[0]!
}

/** All that an error says, which is at least one problem. */
export function problemsOf(error: unknown): Problem[] {
  if (CombinedGraphQLErrors.is(error)) return ofBodies(error.errors)
  if (ServerError.is(error)) {
    try {
      return ofBodies((JSON.parse(error.bodyText) as {errors?: ErrorBody[]}).errors)
    } catch {
      return [{code: 'UNAVAILABLE', message: `The server answered with status ${error.statusCode}.`}]
    }
  }
  // What is no JSON comes from something between the server and the page.
  if (ServerParseError.is(error) || error instanceof SyntaxError)
    return [{code: 'UNAVAILABLE', message: 'What answered is not the server, or it is not ready.'}]
  if (error instanceof TypeError && /fetch|network|load/i.test(error.message)) return [{code: 'OFFLINE', message: 'The server can’t be reached.'}]
  return [{code: 'INTERNAL', message: error instanceof Error ? error.message : String(error)}]
}

const ofBodies = (bodies: readonly ErrorBody[] | undefined): Problem[] => (bodies?.length ? bodies.map(ofBody) : [ofBody(undefined)])

function ofBody(e: ErrorBody | undefined): Problem {
  return {code: e?.extensions?.code ?? 'INTERNAL', message: e?.message ?? 'The server gave no reason.', argument: e?.extensions?.argument}
}
