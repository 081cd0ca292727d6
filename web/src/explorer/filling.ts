// The variables of the examples, which follow the server's data until the user edits them.

import {type Example, examples, type Place, variablesText} from './examples'

/** The variables that each example had last, by its name. */
export type Given = Record<string, string>

const place = 'issuegrid:given'

export function readGiven(storage: Pick<Storage, 'getItem'>): Given {
  try {
    return (JSON.parse(storage.getItem(place) ?? '{}') ?? {}) as Given
  } catch {
    return {}
  }
}

export function writeGiven(storage: Pick<Storage, 'setItem'>, project: Place): Given {
  const given = Object.fromEntries(examples.map(e => [e.name, variablesText(e, project)]))
  storage.setItem(place, JSON.stringify(given))
  return given
}

/** Returns the example whose query a tab shows unchanged. */
export function exampleOf(query: string): Example | undefined {
  return examples.find(e => same(e.query, query))
}

/**
 * Returns the new variables of a tab: those of this server's project, if the tab still has those that the example had before, from this server or another.
 * Returns null if nothing is to be replaced, for example because the user has edited the query or the variables.
 */
export function refilled(query: string, variables: string, before: Given, project: Place): string | null {
  const example = exampleOf(query)
  if (!example) return null
  const fresh = variablesText(example, project)
  const ours = [before[example.name] ?? '{}', variablesText(example)]
  return !same(variables, fresh) && ours.some(text => same(text, variables)) ? fresh : null
}

/** Compares two strings ignoring whitespace, because formatting is not an edit. */
function same(a: string, b: string): boolean {
  return a.replace(/\s/g, '') === b.replace(/\s/g, '')
}
