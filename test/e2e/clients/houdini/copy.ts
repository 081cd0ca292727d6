import {Kind, parse, print, visit, type ASTNode, type FragmentDefinitionNode} from 'graphql'

// Houdini takes one operation from each file, and no variables of it in fragments: the fragments are in the operations.
export function inlined(text: string): Map<string, string> {
  const {definitions} = parse(text)
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of definitions) if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  const within = <T extends ASTNode>(node: T): T =>
    visit(node, {
      FragmentSpread: (spread) => {
        const {typeCondition, selectionSet} = fragments.get(spread.name.value)!
        return within({kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet})
      },
    })
  const operations = definitions.flatMap((definition) => (definition.kind === Kind.OPERATION_DEFINITION ? [definition] : []))
  return new Map(operations.map((operation) => [operation.name!.value, print(within(operation))]))
}
