// What the palette finds, and in which order.
import {folded} from '../model/values'

export interface Command {
  /** The kind, by which the list is grouped. */
  kind: 'issue' | 'action' | 'view' | 'column'
  label: string
  /** The keys that do the same without the palette. */
  keys?: string
  run: () => void
}

const kinds: Record<Command['kind'], number> = {issue: 0, action: 1, view: 2, column: 3}

/** Returns the commands whose labels have words that begin with all of the typed words. Labels that begin with the text come first within their kind. */
export function matches(commands: readonly Command[], text: string): Command[] {
  const wanted = folded(text).split(/\s+/).filter(Boolean)
  const rank = (c: Command) => (folded(c.label).startsWith(folded(text)) ? 0 : 1)
  return commands
    .filter(c => {
      const words = folded(c.label).split(/[\s„“”:()_-]+/)
      return wanted.every(w => words.some(word => word.startsWith(w)))
    })
    .sort((a, b) => kinds[a.kind] - kinds[b.kind] || rank(a) - rank(b))
}
