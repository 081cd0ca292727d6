import {copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {minifyIntrospectionQuery} from '@urql/introspection'
import {moduleOf} from './relay/copy.ts'
import {inlined} from './houdini/copy.ts'
import {tadaOf} from './tada/copy.ts'
import {here, quiet, schemaFile} from './tools.ts'

export const operationFiles = readdirSync(`${here}/operations`).map((name) => `${here}/operations/${name}`)

// generate writes what the clients are compiled with.
export async function generate(): Promise<void> {
  for (const folder of ['generated', 'relay/__generated__', 'generated/houdini-operations']) {
    rmSync(`${here}/${folder}`, {recursive: true, force: true})
    mkdirSync(`${here}/${folder}`)
  }
  // Relay's compiler takes a schema for one only when its name ends in .graphql.
  copyFileSync(schemaFile, `${here}/generated/schema.graphql`)
  const text = operationFiles.map((file) => readFileSync(file, 'utf8')).join('\n')
  writeFileSync(`${here}/relay/operations.ts`, moduleOf(text))
  const tada = tadaOf(text)
  writeFileSync(`${here}/generated/tada.ts`, tada.operations)
  writeFileSync(`${here}/generated/tada.types.ts`, tada.types)
  for (const [name, operation] of inlined(text)) writeFileSync(`${here}/generated/houdini-operations/${name}.graphql`, operation)
  await Promise.all([quiet('graphql-codegen', []), quiet('relay-compiler', []), quiet('gql.tada', ['generate-output']), quiet('houdini', ['generate'])])
  const introspection = JSON.parse(readFileSync(`${here}/generated/introspection.json`, 'utf8'))
  writeFileSync(`${here}/generated/schema.json`, JSON.stringify(minifyIntrospectionQuery(introspection)))
}
