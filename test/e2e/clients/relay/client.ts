import type {TypedDocumentNode} from '@graphql-typed-document-node/core'
import {getOperationAST} from 'graphql'
import {
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  getRequest,
  Network,
  RecordSource,
  Store,
  type GraphQLResponse,
  type GraphQLTaggedNode,
  type Variables,
} from 'relay-runtime'
import {mutates, refusal, type Client, type Transport} from '../client.ts'
import * as operations from './operations.ts'

export const relay = (url: string, transport: Transport) =>
  new Environment({
    network: Network.create(async ({text: query}, variables) => {
      const answer = await transport.fetch(url, {
        method: 'POST',
        headers: {'Content-Type': 'application/json', Accept: 'application/graphql-response+json'},
        body: JSON.stringify({query, variables}),
      })
      return (await answer.json()) as GraphQLResponse
    }),
    store: new Store(new RecordSource()),
  })

// Relay's copy of a shared operation.
function copyOf(document: TypedDocumentNode<never, never>): GraphQLTaggedNode {
  const name = `operations${getOperationAST(document)!.name!.value}${mutates(document) ? 'Mutation' : 'Query'}`
  return operations[name as keyof typeof operations]
}

export function relayClient(url: string, transport: Transport): Client {
  const environment = relay(url, transport)
  return {
    name: 'Relay',
    joins: false,
    run<R, V>(document: TypedDocumentNode<R, V>, variables: V): Promise<R> {
      const operation = copyOf(document as never)
      if (mutates(document)) {
        return new Promise((resolve, reject) => {
          commitMutation(environment, {
            mutation: operation,
            variables: variables as Variables,
            onCompleted: (data, errors) => (errors ? reject(Object.assign(new Error(), {source: {errors}})) : resolve(data as R)),
            onError: reject,
          })
        })
      }
      environment.retain(createOperationDescriptor(getRequest(operation), variables as Variables))
      return fetchQuery(environment, operation, variables as Variables).toPromise() as Promise<R>
    },
    cached<R, V>(document: TypedDocumentNode<R, V>, variables: V): R | null {
      const operation = createOperationDescriptor(getRequest(copyOf(document as never)), variables as Variables)
      return environment.check(operation).status === 'available' ? (environment.lookup(operation.fragment).data as R) : null
    },
    refusals: (thrown) => {
      const {source} = thrown as {source?: {errors?: {extensions?: Record<string, unknown>}[]}}
      return (source?.errors ?? []).map((error) => refusal(error.extensions))
    },
  }
}
