import type {TypedDocumentNode} from '@graphql-typed-document-node/core'
import {getOperationAST, type DocumentNode} from 'graphql'

// What the server has refused something for, as a client's own type of error shows it.
export interface Refusal {
  code: string
  currentVersion: number | undefined
  // The columns of extensions.conflict: the values of the version that the change was based on, and the current ones.
  columns: Record<string, string | null>[] | undefined
}

// A GraphQL client with its cache, as an application would have it.
export interface Client {
  name: string
  // Whether a page that is asked for behind or before another one comes as one list with it.
  joins: boolean
  // Sends the operation, and gives what the client shows of the answer.
  run<R, V>(operation: TypedDocumentNode<R, V>, variables: V): Promise<R>
  // What the cache has of it without a request; null when it has not all of it. A client without a cache lacks it.
  cached?<R, V>(operation: TypedDocumentNode<R, V>, variables: V): R | null
  // The refusals in what `run` has thrown.
  refusals(thrown: unknown): Refusal[]
}

// How the applications ask the server: by fetch, and counted.
export interface Transport {
  fetch: typeof fetch
  requests: number
}

export function transport(): Transport {
  const counted: Transport = {
    requests: 0,
    fetch: (...request) => {
      counted.requests++
      return fetch(...request)
    },
  }
  return counted
}

// The part of `extensions` that the schema promises; to clients it is a map of anything.
export function refusal(extensions: Record<string, unknown> | undefined): Refusal {
  const {code, conflict} = extensions ?? {}
  const {currentVersion, columns} = (conflict ?? {}) as Partial<Refusal>
  return {code: String(code), currentVersion, columns}
}

export const mutates = (document: DocumentNode): boolean => getOperationAST(document)?.operation === 'mutation'
