// The choices of a cell that are not in the definition of its field: the values of other rows, and new options.
import type {ApolloClient} from '@apollo/client'
import {CreateOptionDocument, ProjectDocument} from '../../gql/graphql'
import {rowValue, type Column, type Project} from '../model/columns'
import type {User} from '../model/people'
import {PersonValue, type Value} from '../model/values'
import type {GridRows} from './rows'
import {readRow} from './source'

/** How many values of other rows are offered. */
const most = 1000

/** Returns the values that the loaded rows have in a column. */
function* loadedValues(client: ApolloClient, rows: GridRows, column: Column, fields: readonly string[]): Generator<Value> {
  for (const entry of rows.snapshot().entries) {
    const row = readRow(client.cache, entry.id, fields)
    const value = row && rowValue(row, column, fields)
    if (value != null) yield value
  }
}

/** Returns the people or tags that the loaded rows have in a column, in alphabetical order. */
export function knownValues(client: ApolloClient, rows: GridRows, column: Column, fields: readonly string[]): (string | PersonValue)[] {
  const values = new Map<string, string | PersonValue>()
  for (const value of loadedValues(client, rows, column, fields)) {
    if (values.size >= most) break
    if (value instanceof PersonValue) values.set(value.user?.id ?? value.name, value)
    else if (Array.isArray(value)) for (const tag of value as string[]) values.set(tag, tag)
  }
  return [...values.values()].sort((a, b) => String(a).localeCompare(String(b)))
}

/**
 * Returns a function for values that only have names, such as pasted ones. It lets a name refer to the user that values in the loaded rows of the column refer to
 * with exactly this name. A name stays one if there are several such users, or if the user is deactivated, because no new value may refer to it.
 */
export function referring(client: ApolloClient, rows: GridRows, column: Column, fields: readonly string[]): (value: Value) => Value {
  let users: Map<string, User | null> | null = null
  const read = () => {
    const users = new Map<string, User | null>()
    for (const value of loadedValues(client, rows, column, fields)) {
      if (!(value instanceof PersonValue) || !value.user) continue
      const known = users.get(value.name)
      users.set(value.name, known === undefined || known?.id === value.user.id ? value.user : null)
    }
    return users
  }
  return value => {
    if (!(value instanceof PersonValue)) return value
    const user = (users ??= read()).get(value.name)
    return user?.active ? PersonValue.of(user) : value
  }
}

/**
 * Adds an option to a field. It returns the ID of the option, and the project with it: another server may know the field without it for some seconds. It throws
 * the error of the server.
 */
export async function addOption(
  client: ApolloClient,
  project: string,
  field: string,
  name: string,
  color: string | null,
): Promise<{id: string; project: Project | null}> {
  const {data} = await client.mutate({mutation: CreateOptionDocument, variables: {input: {fieldId: field, name, color, idempotencyKey: crypto.randomUUID()}}})
  return {id: data!.createOption!.option!.id, project: client.readQuery({query: ProjectDocument, variables: {id: project}})?.project ?? null}
}
