// Which choices match a typed text, and in which order they are offered.
import type {User} from '../model/people'
import type {Found} from './useAnswer'
import {folded, nameKey, PersonValue} from '../model/values'

/** Something that can be chosen. */
export interface Choice {
  /** The ID of an option or a user; a tag or a name that belongs to no user is its own ID. */
  id: string
  name: string
  color?: string | null
  user?: User
}

/** Where the choices come from that are not in the field's definition. */
export interface Choices {
  /** Returns the values that other rows have, for people and tags. It is called when the choices are shown. */
  known?: (() => readonly (string | PersonValue)[]) | undefined
  /** Finds the users whose names begin with a text, in the order in which they are offered. It is always the same function. */
  findUsers?: ((text: string) => Promise<Found<readonly User[]>>) | undefined
  /** What is said next to choices, by their IDs. */
  notes?: ReadonlyMap<string, string> | undefined
  /** Called with what is typed while the choices are shown, so that others become known. */
  onTyped?: ((text: string) => void) | undefined
  /** Adds an option and returns its ID; undefined if the user may not. */
  onCreate?: ((name: string) => Promise<string>) | undefined
}

/** Returns the choice of a tag, a text or a person. */
export const choiceOf = (value: string | PersonValue): Choice =>
  value instanceof PersonValue && value.user ? {id: value.user.id, name: value.user.name, user: value.user} : {id: String(value), name: String(value)}

/**
 * Returns the people that can be chosen: the users that were found, and then the known people. A name that is that of a user but for case and accents is the user,
 * and no choice of its own. A deactivated user is none.
 */
export function peopleChoices(users: readonly User[], known: readonly (string | PersonValue)[]): Choice[] {
  const all = [...users.map(PersonValue.of), ...known].map(choiceOf).filter(c => c.user?.active ?? true)
  const taken = new Set(all.flatMap(c => (c.user ? [folded(c.name)] : [])))
  const byID = new Map(all.flatMap(c => (c.user || !taken.has(folded(c.name)) ? [[c.id, c] as const] : [])))
  return [...byID.values()]
}

/** Returns the users with a name, ignoring case and accents. */
export const usersNamed = (choices: readonly Choice[], name: string): Choice[] => choices.filter(c => c.user && folded(c.name) === folded(name))

/** Reports whether a word of a name begins with a text. */
export const begins = (name: string, text: string): boolean => ` ${folded(name)}`.includes(` ${folded(text)}`)

/**
 * Returns the index of the match that a text chooses: the one with this name, or with the same letters if the text is without accents, or else the first. A text
 * with other accents than all names with its letters is another word and chooses none: -1.
 */
export function begun(found: readonly Choice[], text: string): number {
  const key = nameKey(text)
  const named = found.findIndex(c => nameKey(c.name) === key)
  const plain = folded(text)
  const accented = nameKey(text.normalize('NFKC')) !== nameKey(plain)
  const at = named >= 0 || accented ? named : found.findIndex(c => folded(c.name) === plain)
  return at >= 0 || found.some(c => folded(c.name) === plain) ? at : 0
}

/** Returns the choices that contain a text: those that begin with it, then those with a word that does, then the others. Each group keeps its order. */
export function matching<T extends Choice>(choices: readonly T[], text: string): T[] {
  const wanted = folded(text)
  if (wanted === '') return [...choices]
  const ranks: T[][] = [[], [], []]
  for (const choice of choices) {
    const at = ` ${folded(choice.name)}`.indexOf(wanted)
    if (at < 0) continue
    ranks[at === 1 ? 0 : begins(choice.name, wanted) ? 1 : 2]!.push(choice)
  }
  return ranks.flat()
}
