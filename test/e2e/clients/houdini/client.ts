import type {TypedDocumentNode} from '@graphql-typed-document-node/core'
import {buildSchema, getOperationAST} from 'graphql'
import {readFileSync} from 'node:fs'
import {refusal, type Client, type Transport} from '../client.ts'
import * as artifacts from '../generated/houdini/artifacts/index.js'
import {HoudiniClient} from '../generated/houdini/runtime/index.js'
import {nulled} from '../tada/nulled.ts'
import {schemaFile} from '../tools.ts'

interface Answered {
  data: unknown
  errors: {extensions?: Record<string, unknown>}[] | null
}

class Refused extends Error {
  constructor(readonly errors: Answered['errors']) {
    super(JSON.stringify(errors))
  }
}

// Houdini's client. It sends null for all that is optional and not given.
export function houdiniClient(url: string, transport: Transport): Client {
  const client = new HoudiniClient({url})
  const schema = buildSchema(readFileSync(schemaFile, 'utf8'))
  return {
    name: 'Houdini',
    joins: false,
    async run<R, V>(operation: TypedDocumentNode<R, V>, variables: V): Promise<R> {
      const artifact = artifacts[getOperationAST(operation)!.name!.value as keyof typeof artifacts]
      const {data, errors} = (await client.observe({artifact: artifact as never, enableCache: false}).send({
        variables: nulled(schema, operation, variables as Record<string, unknown>),
        fetch: transport.fetch,
      })) as Answered
      if (errors?.length) throw new Refused(errors)
      return data as R
    },
    refusals: (thrown) => (thrown instanceof Refused ? (thrown.errors ?? []).map((error) => refusal(error.extensions)) : []),
  }
}
