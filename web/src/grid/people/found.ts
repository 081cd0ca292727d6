// Which people a picker offers, and in which order.
import {folded} from '../model/values'
import type {Person} from './PersonName'

interface Wanted {
  text: string
  self: Person | null
  without: ReadonlySet<string>
  teams: boolean
}

/**
 * Returns the people that a picker offers, of those that the server has last found. The answer may be to a shorter text. The caller comes first, because people
 * assign most issues to themselves.
 */
export function found(people: readonly Person[], {text, self, without, teams}: Wanted): Person[] {
  const wanted = folded(text)
  const fits = (p: Person) => folded(p.name).startsWith(wanted)
  const others = people.filter(p => p.id !== self?.id)
  return [...(self ? [self] : []), ...others].filter(p => fits(p) && !without.has(p.id) && (teams || p.__typename === 'User'))
}
