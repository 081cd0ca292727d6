// The schema, for tests of what is sent to the API.
import {readFileSync} from 'node:fs'
import {buildSchema, coerceInputValue, type GraphQLInputType, type GraphQLScalarType} from 'graphql'
import type {IssueFilter} from '../../gql/graphql'

const schema = buildSchema(readFileSync(new URL('../../../../schema.graphqls', import.meta.url), 'utf8'))
for (const [name, form] of Object.entries({
  Date: /^\d{4}-\d\d-\d\d$/,
  DateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,5}[1-9])?Z$/,
  Int64: /^-?\d{1,19}$/,
})) {
  const scalar = schema.getType(name) as GraphQLScalarType
  scalar.parseValue = value => {
    if (typeof value !== 'string' || !form.test(value)) throw new Error(`${String(value)} is no ${name}`)
    return value
  }
}

/** Returns why the API rejects a filter; undefined if it accepts it. */
export function refused(filter: IssueFilter): string | undefined {
  let message: string | undefined
  coerceInputValue(filter, schema.getType('IssueFilter') as GraphQLInputType, (path, _, error) => (message ??= `${path.join('.')}: ${error.message}`))
  return message
}
