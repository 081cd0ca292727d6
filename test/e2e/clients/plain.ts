import {print} from 'graphql'
import type {TypedDocumentNode} from '@graphql-typed-document-node/core'

export interface Answer {
  data?: unknown
  errors?: {message: string; extensions: {code: string}}[]
}

// post is what a client does in the end: one request, one answer, and nothing between.
export async function post(url: string, query: string, variables: unknown = {}): Promise<Answer> {
  const answer = await fetch(url, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({query, variables})})
  return answer.json() as Promise<Answer>
}

// plain is the oracle: the answer of the server as it came.
export async function plain<R, V>(url: string, document: TypedDocumentNode<R, V>, variables: V): Promise<R> {
  const {data, errors} = await post(url, print(document), variables)
  if (errors) throw new Error(JSON.stringify(errors))
  return data as R
}
