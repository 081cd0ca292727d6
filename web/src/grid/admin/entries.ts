// A list of options or states that is only in memory.
import type {Entry, EntryChange} from './EntryList'

let drafts = 0

/** Changes a list that no server knows yet. */
export function inMemory(entries: readonly Entry[], set: (entries: readonly Entry[]) => void) {
  const without = (id: string) => entries.filter(e => e.id !== id)
  return {
    onAdd: (entry: Omit<Entry, 'id'>) => {
      set([...entries, {...entry, id: `draft ${++drafts}`}])
      return Promise.resolve(true)
    },
    onChange: (id: string, change: EntryChange) => {
      set(entries.map(e => (e.id === id ? {...e, ...change} : e)))
      return Promise.resolve(true)
    },
    onMove: (id: string, before: string | null) => {
      const moved = entries.find(e => e.id === id)!
      const rest = without(id)
      const at = before === null ? rest.length : rest.findIndex(e => e.id === before)
      set([...rest.slice(0, at), moved, ...rest.slice(at)])
    },
    onRemove: (id: string) => set(without(id)),
  }
}
