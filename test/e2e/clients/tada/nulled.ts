import {getNullableType, isInputObjectType, isListType, isNonNullType, typeFromAST, type DocumentNode, type GraphQLInputType, type GraphQLSchema} from 'graphql'

// nulled gives variables with null for each optional one, and each optional member of an input, that is not given.
export function nulled(schema: GraphQLSchema, document: DocumentNode, variables: Record<string, unknown>): Record<string, unknown> {
  const all: Record<string, unknown> = {}
  for (const definition of document.definitions) {
    if (definition.kind !== 'OperationDefinition') continue
    for (const {variable, type} of definition.variableDefinitions ?? []) {
      const name = variable.name.value
      all[name] = filled(typeFromAST(schema, type) as GraphQLInputType, variables[name])
    }
  }
  return all
}

function filled(of: GraphQLInputType, value: unknown): unknown {
  const type = getNullableType(of)
  if (value === undefined || value === null) {
    if (isNonNullType(of)) throw new Error(`${String(of)} must be given`)
    return null
  }
  if (isListType(type)) return (Array.isArray(value) ? value : [value]).map((member) => filled(type.ofType, member))
  if (!isInputObjectType(type)) return value
  const given = value as Record<string, unknown>
  return Object.fromEntries(Object.values(type.getFields()).map((field) => [field.name, filled(field.type, given[field.name])]))
}
