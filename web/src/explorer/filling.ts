// The variables of the examples, which follow the server's data until somebody changes them.

import {type Example, examples, type Place, variablesText} from './examples'

/** The variables that each example was given last, by its name. */
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

/** The example whose text a tab has, unchanged. */
export function exampleOf(query: string): Example | undefined {
  return examples.find(e => same(e.query, query))
}

/**
 * The variables to put into a tab: those of this server's project, in the place of those that the example was given before, by this server or by one that had other
 * data; null where there is nothing to do, because somebody has written the query or the variables.
 */
export function refilled(query: string, variables: string, before: Given, project: Place): string | null {
  const example = exampleOf(query)
  if (!example) return null
  const fresh = variablesText(example, project)
  const ours = [before[example.name] ?? '{}', variablesText(example)]
  return !same(variables, fresh) && ours.some(text => same(text, variables)) ? fresh : null
}

/** Formatting is no change. */
function same(a: string, b: string): boolean {
  return a.replace(/\s/g, '') === b.replace(/\s/g, '')
}
