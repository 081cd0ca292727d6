import {copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {minifyIntrospectionQuery} from '@urql/introspection'
import {moduleOf} from './relay/copy.ts'
import {here, quiet, schemaFile} from './tools.ts'

export const operationFiles = readdirSync(`${here}/operations`).map((name) => `${here}/operations/${name}`)

// generate writes what the clients are compiled with.
export async function generate(): Promise<void> {
  for (const folder of ['generated', 'relay/__generated__']) {
    rmSync(`${here}/${folder}`, {recursive: true, force: true})
    mkdirSync(`${here}/${folder}`)
  }
  // Relay's compiler takes a schema for one only when its name ends in .graphql.
  copyFileSync(schemaFile, `${here}/generated/schema.graphql`)
  writeFileSync(`${here}/relay/operations.ts`, moduleOf(operationFiles.map((file) => readFileSync(file, 'utf8')).join('\n')))
  await Promise.all([quiet('graphql-codegen', []), quiet('relay-compiler', [])])
  const introspection = JSON.parse(readFileSync(`${here}/generated/introspection.json`, 'utf8'))
  writeFileSync(`${here}/generated/schema.json`, JSON.stringify(minifyIntrospectionQuery(introspection)))
}
