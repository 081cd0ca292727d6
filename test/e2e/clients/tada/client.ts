import type {TypedDocumentNode} from '@graphql-typed-document-node/core'
import {ClientError, GraphQLClient} from 'graphql-request'
import {buildSchema, getOperationAST} from 'graphql'
import {readFileSync} from 'node:fs'
import {refusal, type Client, type Transport} from '../client.ts'
import * as operations from '../generated/tada.ts'
import {schemaFile} from '../tools.ts'
import {nulled} from './nulled.ts'

// graphql-request, with the documents and the types of gql.tada. It sends null for all that is optional and not given.
export function requestClient(url: string, transport: Transport): Client {
  const client = new GraphQLClient(url, {fetch: transport.fetch})
  const schema = buildSchema(readFileSync(schemaFile, 'utf8'))
  return {
    name: 'graphql-request',
    joins: false,
    async run<R, V>(operation: TypedDocumentNode<R, V>, variables: V): Promise<R> {
      const name = getOperationAST(operation)!.name!.value as keyof typeof operations
      const document = operations[name] as TypedDocumentNode<R, Record<string, unknown>>
      return client.request(document, nulled(schema, document, variables as Record<string, unknown>))
    },
    refusals: (thrown) => (thrown instanceof ClientError ? (thrown.response.errors ?? []).map((error) => refusal(error.extensions)) : []),
  }
}
