// The choices of a cell that are not in the definition of its field: the values of other rows, and new options.
import type {ApolloClient} from '@apollo/client'
import {CreateOptionDocument, ProjectDocument} from '../../gql/graphql'
import {rowValue, type Column, type Project} from '../model/columns'
import type {GridRows} from './rows'
import {readRow} from './source'

/** How many values of other rows are offered. */
const most = 1000

/** Returns the people or tags that the loaded rows have in a column, in alphabetical order. */
export function knownValues(client: ApolloClient, rows: GridRows, column: Column, fields: readonly string[]): string[] {
  const values = new Set<string>()
  for (const entry of rows.snapshot().entries) {
    if (values.size >= most) break
    const row = readRow(client.cache, entry.id, fields)
    const value = row && rowValue(row, column, fields)
    for (const v of Array.isArray(value) ? (value as string[]) : typeof value === 'string' ? [value] : []) values.add(v)
  }
  return [...values].sort((a, b) => a.localeCompare(b))
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
