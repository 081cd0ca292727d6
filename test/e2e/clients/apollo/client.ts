import {ApolloClient, CombinedGraphQLErrors, HttpLink} from '@apollo/client'
import {loadDevMessages, loadErrorMessages} from '@apollo/client/dev'
import type {TypedDocumentNode} from '@graphql-typed-document-node/core'
import {mutates, refusal, type Client, type Transport} from '../client.ts'
import {cache} from './cache.ts'

loadDevMessages()
loadErrorMessages()

export const apollo = (url: string, transport: Transport) =>
  new ApolloClient({cache: cache(), link: new HttpLink({uri: url, fetch: transport.fetch})})

export function apolloClient(url: string, transport: Transport): Client {
  const client = apollo(url, transport)
  return {
    name: 'Apollo Client',
    joins: true,
    async run<R, V>(operation: TypedDocumentNode<R, V>, variables: V): Promise<R> {
      const answer = mutates(operation)
        ? await client.mutate({mutation: operation, variables: variables as never})
        : await client.query({query: operation, variables: variables as never, fetchPolicy: 'network-only'})
      return answer.data as R
    },
    cached: (query, variables) => client.readQuery({query, variables: variables as never}),
    refusals: (thrown) => (CombinedGraphQLErrors.is(thrown) ? thrown.errors.map((error) => refusal(error.extensions)) : []),
  }
}
