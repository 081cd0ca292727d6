// The API client. It uses Apollo Client because its cache can merge one field requested with different arguments. The cache stores `values(fieldIds: ...)` of an
// issue by field, so adding or removing a column, editing a cell, and the side panel all read and write the same values.
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
import {messages} from '../messages'
import possible from '../../gql/possibleTypes'
import {currentOnly} from './current'
import {persistentFetch} from './fetch'

/** The DynamoDB cost of an operation, as the server reports it when a request has the header X-Show-Cost. */
export interface Cost {
  calls: Record<string, number>
  items: number
  rcu: number
  wcu: number
}

/** The cost and duration of one response. */
export interface Answered {
  operation: string
  cost: Cost
  milliseconds: number
}

/** The known values of an issue, by field ID. */
type Cells = Readonly<Record<string, StoreObject | null>>

const values = {
  keyArgs: false,
  merge: (existing: Cells | undefined, incoming: readonly (StoreObject | null)[], {args}: FieldFunctionOptions) => {
    const fields = args?.fieldIds as string[]
    return {...existing, ...Object.fromEntries(fields.map((id, i) => [id, incoming[i] ?? null]))}
  },
  read: (existing: Cells | undefined, {args}: FieldFunctionOptions) => {
    const fields = args?.fieldIds as string[]
    const cells = fields.map(id => existing?.[id])
    return cells.includes(undefined) ? undefined : (cells as (StoreObject | null)[])
  },
} as FieldPolicy

const tokenKey = 'issuegrid:token'

/** The bearer token of requests, kept until the tab closes. It is null in development mode, which has no sign-in. */
export const token = {
  get: (): string | null => sessionStorage.getItem(tokenKey),
  set: (text: string | null): void => {
    if (text) sessionStorage.setItem(tokenKey, text)
    else sessionStorage.removeItem(tokenKey)
  },
}

/** Returns the headers of requests that carry the token. */
export const authorization = (): Record<string, string> => {
  const bearer = token.get()
  return bearer ? {Authorization: `Bearer ${bearer}`} : {}
}

/** Returns an empty cache with the type policies of the API. */
export function newCache(): InMemoryCache {
  return new InMemoryCache({
    possibleTypes: possible.possibleTypes,
    typePolicies: {
      Issue: {fields: {values}},
      // Resolves project(id) to the cached project.
      Query: {
        fields: {project: {read: (known: Reference | undefined, {args, toReference}) => known ?? toReference({__typename: 'Project', id: args?.id as string})}},
      },
    },
  })
}

/** Returns a client that calls `answered` for each response with a cost, and `expired` when the server rejects the token. */
export function newClient(answered: (a: Answered) => void, expired: (problem: Problem) => void): ApolloClient {
  const headers = new ApolloLink((operation, forward) => {
    operation.setContext(({headers}: {headers?: Record<string, string>}) => ({
      headers: {...headers, 'X-Show-Cost': '1', ...authorization()},
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
  const cache = newCache()
  return new ApolloClient({link: currentOnly(cache).concat(headers).concat(http), cache})
}

/** Returns the key by which the server recognizes a mutation that is sent again. */
export const once = () => ({idempotencyKey: crypto.randomUUID()})

/** Why a request failed. */
export interface Problem {
  /** The server's error code, or OFFLINE if the server was not reached. */
  code: string
  message: string
  /** The path of the invalid argument in the input. */
  argument?: string
}

/** An error as the server sends it. */
export interface ErrorBody {
  message: string
  extensions?: {code?: string; argument?: string}
}

/** Returns the first problem of an error. */
export function problemOf(error: unknown): Problem {
  return problemsOf(error)[0]!
}

/** Returns all problems of an error, at least one. */
export function problemsOf(error: unknown): Problem[] {
  if (CombinedGraphQLErrors.is(error)) return ofBodies(error.errors)
  if (ServerError.is(error)) {
    try {
      return ofBodies((JSON.parse(error.bodyText) as {errors?: ErrorBody[]}).errors)
    } catch {
      return [{code: 'UNAVAILABLE', message: messages.data.badStatus(error.statusCode)}]
    }
  }
  // A response that is not JSON comes from a proxy between the server and the page.
  if (ServerParseError.is(error) || error instanceof SyntaxError) return [{code: 'UNAVAILABLE', message: messages.data.notFromServer}]
  if (error instanceof TypeError && /fetch|network|load/i.test(error.message)) return [{code: 'OFFLINE', message: messages.data.offline}]
  return [{code: 'INTERNAL', message: error instanceof Error ? error.message : String(error)}]
}

/** Returns the problems of a response's errors, at least one. */
export const ofBodies = (bodies: readonly ErrorBody[] | undefined): Problem[] => (bodies?.length ? bodies.map(ofBody) : [ofBody(undefined)])

function ofBody(e: ErrorBody | undefined): Problem {
  return {code: e?.extensions?.code ?? 'INTERNAL', message: e?.message ?? messages.data.noReason, argument: e?.extensions?.argument}
}
