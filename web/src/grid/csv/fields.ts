// Adds what an import needs to the project before its first row: new fields, and missing options.
import type {ApolloClient} from '@apollo/client'
import {AddOptionsDocument, CreateImportedFieldDocument, FieldOptionsDocument, type FieldFragment, type OptionInput} from '../../gql/graphql'
import type {Column} from '../model/columns'
import {ask} from '../data/source'
import type {Option} from '../model/values'
import {hasOptions, mostOptions} from './mapping'

/** Returns the options that a field does not have yet, in the order of missing. */
export function newOptions(existing: readonly Option[], missing: Iterable<string>): OptionInput[] {
  const known = new Set(existing.map(o => o.name.trim().toLowerCase()))
  const added: OptionInput[] = []
  for (const name of missing) {
    if (known.has(name.toLowerCase())) continue
    known.add(name.toLowerCase())
    added.push({name})
  }
  return added
}

const tooMany = (label: string) => new Error(`“${label}” would have more than ${mostOptions} options: import it as a text, or choose another column.`)

/** Creates a field. With the same key, it is created only once. */
export async function makeField(client: ApolloClient, project: string, column: Column, missing: readonly string[], idempotencyKey: string): Promise<Column> {
  if (missing.length > mostOptions) throw tooMany(column.label)
  const options = hasOptions(column) ? {options: missing.map(name => ({name}))} : {}
  const {data} = await client.mutate({
    mutation: CreateImportedFieldDocument,
    variables: {input: {project, name: column.label, type: column.type, ...options, idempotencyKey}},
    fetchPolicy: 'no-cache',
  })
  return withField(column, data!.createCustomField!.field)
}

/** Adds options to a field. It reads the current options first, because others may have changed them. */
export async function addOptions(client: ApolloClient, project: string, column: Column, missing: readonly string[]): Promise<Column> {
  const now = (await ask(client, FieldOptionsDocument, {project, field: column.id})).project?.field
  if (!now) throw new Error(`The field “${column.label}” is gone.`)
  const added = newOptions(now.options, missing)
  if (now.options.length + added.length > mostOptions) throw tooMany(column.label)
  if (added.length === 0) return withField(column, now)
  const {data} = await client.mutate({mutation: AddOptionsDocument, variables: {input: {id: column.id, addOptions: added}}, fetchPolicy: 'no-cache'})
  return withField(column, data!.updateCustomField!.field)
}

const withField = (column: Column, f: FieldFragment): Column => ({
  ...column,
  id: f.id,
  label: f.name,
  type: f.type,
  options: f.options,
  required: f.required,
  sortable: f.sortable,
})
