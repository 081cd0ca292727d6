import {Kind, parse, print, visit, type DefinitionNode} from 'graphql'

// The module of all operations with gql.tada's tags, and one that compares its types with those of graphql-codegen.
export function tadaOf(text: string): {operations: string; types: string} {
  const {definitions} = parse(text)
  const fragments = definitions.flatMap((definition) => (definition.kind === Kind.FRAGMENT_DEFINITION ? [definition] : []))
  const written = new Map<string, string>()
  const tag = (definition: DefinitionNode): string => {
    const spread = new Set<string>()
    visit(definition, {FragmentSpread: (node) => void spread.add(node.name.value)})
    for (const name of spread) write(name)
    return 'graphql(`' + print(definition) + '`, [' + [...spread].map((name) => `${name}Parts`).join(', ') + '])'
  }
  const write = (name: string): void => {
    if (!written.has(name)) written.set(name, `const ${name}Parts = ${tag(fragments.find((fragment) => fragment.name.value === name)!)}`)
  }
  const exported: string[] = []
  const types: string[] = []
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const name = definition.name!.value
    const ending = definition.operation === 'query' ? 'Query' : 'Mutation'
    exported.push(`export const ${name} = ${tag(definition)}`)
    types.push(`export const result${name} = (got: ResultOf<typeof tada.${name}>): codegen.${name}${ending} => got`)
    types.push(`export const variables${name} = (given: VariablesOf<typeof tada.${name}>): codegen.${name}${ending}Variables => given`)
  }
  return {
    operations: ["import {graphql} from '../tada/graphql.ts'", ...written.values(), ...exported].join('\n\n') + '\n',
    types: ["import type {ResultOf, VariablesOf} from 'gql.tada'", "import type * as codegen from './gql/graphql.ts'", "import type * as tada from './tada.ts'", ...types].join('\n') + '\n',
  }
}
