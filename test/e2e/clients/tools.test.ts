import {expect, inject, test} from 'vitest'
import {readFileSync, writeFileSync} from 'node:fs'
import {buildClientSchema, buildSchema, getIntrospectionQuery, isObjectType, Kind, parse, print, printSchema, visit} from 'graphql'
import {embedded} from './embedded.js'
import {operationFiles} from './generate.ts'
import {moduleOf, shared} from './relay/copy.ts'
import {post} from './plain.ts'
import {here, quiet, root, run, schemaFile} from './tools.ts'

test('tsc finds nothing in what was generated and in what uses it', async () => {
  expect(await quiet('tsc', [])).toBe('')
})

test('graphql-eslint finds nothing in the schema and the operations', async () => {
  const files = ['schema.graphqls', 'test/e2e/clients/operations/*.graphql']
  expect(await quiet('eslint', ['--config', `${here}/eslint.config.js`, '--max-warnings', '0', ...files], root)).toBe('')
})

test('the types without an id are those that the caches are told of', () => {
  const schema = buildSchema(readFileSync(schemaFile, 'utf8'))
  const without = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.getFields().id)
  const names = without.map(({name}) => name).filter((name) => !/^__|^Query$|^Mutation$|(Connection|Edge|Payload)$/.test(name))
  expect(names.sort()).toEqual(embedded.toSorted())
})

test('graphql-inspector finds the operations valid, and nothing deprecated in them', async () => {
  const limits = ['--deprecated', '--maxDepth', '10', '--maxAliasCount', '1', '--maxDirectiveCount', '1']
  const output = await quiet('graphql-inspector', ['validate', 'operations/*.graphql', schemaFile, ...limits])
  expect(output).toBe('[success] All documents are valid\n')
})

test('the running server tells the schema that the file has', async () => {
  const {data} = await post(inject('url'), getIntrospectionQuery({specifiedByUrl: true, directiveIsRepeatable: true, inputValueDeprecation: true, oneOf: true}))
  writeFileSync(`${here}/generated/server.graphql`, printSchema(buildClientSchema(data as never)))
  const output = await quiet('graphql-inspector', ['diff', schemaFile, 'generated/server.graphql', '--rule', './inspector.rule.mjs'])
  expect(output).toBe('[success] No changes detected\n')
})

test('graphql-inspector would find a difference', async () => {
  const text = readFileSync(schemaFile, 'utf8')
  const without = text.replace('input ValueInput @oneOf {', 'input ValueInput {')
  expect(without).not.toBe(text)
  writeFileSync(`${here}/generated/other.graphql`, without)
  const {output} = await run(`${here}/node_modules/.bin/graphql-inspector`, ['diff', schemaFile, 'generated/other.graphql', '--rule', './inspector.rule.mjs'], here)
  expect(output).toContain('Directive oneOf was removed from input object ValueInput')
})

test("Relay's connections are of all arguments that choose their rows", () => {
  let connections = 0
  for (const [, text] of readFileSync(`${here}/relay/grid.ts`, 'utf8').matchAll(/graphql`([^`]*)`/g)) {
    visit(parse(text!), {
      Field: ({arguments: given, directives}) => {
        const connection = directives?.find((directive) => directive.name.value === 'connection')
        if (!connection) return
        connections++
        const filters = connection.arguments!.find((argument) => argument.name.value === 'filters')!.value
        const names = given!.map((argument) => argument.name.value).filter((name) => !['first', 'after', 'last', 'before'].includes(name))
        expect(filters.kind === Kind.LIST && filters.values.map((value) => value.kind === Kind.STRING && value.value)).toEqual(names)
      },
    })
  }
  expect(connections).toBe(1)
})

test("Relay's operations are the shared ones", () => {
  const text = operationFiles.map((file) => readFileSync(file, 'utf8')).join('\n')
  const copy = [...moduleOf(text).matchAll(/graphql`([^`]*)`/g)].map((match) => match[1]).join('\n')
  expect(readFileSync(`${here}/relay/operations.ts`, 'utf8')).toBe(moduleOf(text))
  expect(print(shared(parse(copy)))).toBe(print(parse(text)))
})
