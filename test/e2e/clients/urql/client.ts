import {Client as Urql, CombinedError, fetchExchange, type AnyVariables} from '@urql/core'
import type {TypedDocumentNode} from '@graphql-typed-document-node/core'
import {mutates, refusal, type Client, type Transport} from '../client.ts'
import {cache} from './cache.ts'

export const urql = (url: string, transport: Transport) =>
  new Urql({url, fetch: transport.fetch, preferGetMethod: false, exchanges: [cache(), fetchExchange]})

export function urqlClient(url: string, transport: Transport): Client {
  const client = urql(url, transport)
  return {
    name: 'urql',
    joins: true,
    async run<R, V>(operation: TypedDocumentNode<R, V>, variables: V): Promise<R> {
      const answer = mutates(operation)
        ? await client.mutation(operation, variables as AnyVariables)
        : await client.query(operation, variables as AnyVariables, {requestPolicy: 'network-only'})
      if (answer.error) throw answer.error
      return answer.data as R
    },
    cached: (query, variables) => (client.readQuery(query, variables as AnyVariables)?.data as never) ?? null,
    refusals: (thrown) => (thrown instanceof CombinedError ? thrown.graphQLErrors.map((error) => refusal(error.extensions)) : []),
  }
}
