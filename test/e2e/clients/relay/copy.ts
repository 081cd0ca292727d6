import {Kind, OperationTypeNode, parse, print, visit, type DocumentNode} from 'graphql'

// Relay takes operations only from TypeScript, only with the name of the module in front, and shows what is in a fragment only to who reads
// that fragment. So the shared operations get names of Relay's kind, and their fragments are unmasked; nothing else of them is changed, and
// `shared` takes that back.
const prefix = 'operations'
const endings = {query: 'Query', mutation: 'Mutation', subscription: 'Subscription'} satisfies Record<OperationTypeNode, string>
const unmasked = 'relay'

export function relays(shared: DocumentNode): DocumentNode {
  return visit(shared, {
    OperationDefinition: (node) => ({...node, name: {...node.name!, value: prefix + node.name!.value + endings[node.operation]}}),
    FragmentDefinition: (node) => ({...node, name: {...node.name, value: `${prefix}_${node.name.value}`}}),
    FragmentSpread: (node) => ({
      ...node,
      name: {...node.name, value: `${prefix}_${node.name.value}`},
      directives: [
        {
          kind: Kind.DIRECTIVE,
          name: {kind: Kind.NAME, value: unmasked},
          arguments: [{kind: Kind.ARGUMENT, name: {kind: Kind.NAME, value: 'mask'}, value: {kind: Kind.BOOLEAN, value: false}}],
        },
      ],
    }),
  })
}

export function shared(relays: DocumentNode): DocumentNode {
  const name = (text: string, ending = '') => text.replace(new RegExp(`^${prefix}_?(.*)${ending}$`), '$1')
  return visit(relays, {
    OperationDefinition: (node) => ({...node, name: {...node.name!, value: name(node.name!.value, endings[node.operation])}}),
    FragmentDefinition: (node) => ({...node, name: {...node.name, value: name(node.name.value)}}),
    FragmentSpread: (node) => ({
      ...node,
      name: {...node.name, value: name(node.name.value)},
      directives: node.directives?.filter((directive) => directive.name.value !== unmasked),
    }),
  })
}

// The module of all operations, for the compiler and for the client.
export function moduleOf(text: string): string {
  const tagged: string[] = []
  for (const definition of relays(parse(text)).definitions) {
    const body = 'graphql`\n' + print(definition) + '\n`'
    if (definition.kind === Kind.FRAGMENT_DEFINITION) tagged.push(body)
    if (definition.kind === Kind.OPERATION_DEFINITION) tagged.push(`export const ${definition.name!.value} = ${body}`)
  }
  return ["import {graphql} from 'relay-runtime'", ...tagged].join('\n\n') + '\n'
}
