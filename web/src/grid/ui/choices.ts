// Which choices match a typed text, and in which order they are offered.
import {folded, nameKey} from '../model/values'

/** Something that can be chosen. */
export interface Choice {
  /** The ID of an option; a tag or the name of a person is its own ID. */
  id: string
  name: string
  color?: string | null
}

/** Where the choices come from that are not in the field's definition. */
export interface Choices {
  /** Returns the values that other rows have, for people and tags. It is called when the choices are shown. */
  known?: (() => readonly string[]) | undefined
  /** What is said next to choices, by their IDs. */
  notes?: ReadonlyMap<string, string> | undefined
  /** Called with what is typed while the choices are shown, so that others become known. */
  onTyped?: ((text: string) => void) | undefined
  /** Adds an option and returns its ID; undefined if the user may not. */
  onCreate?: ((name: string) => Promise<string>) | undefined
}

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
