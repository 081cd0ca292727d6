// Lists of options or states.
import type {MoveTargetInput} from '../../gql/later/graphql'
import type {Entry, EntryChange} from './EntryList'

/** Returns where an entry is moved: before another one, or to the end. */
export const targetOf = (before: string | null): MoveTargetInput => (before === null ? {end: true} : {beforeId: before})

/** Returns a change as an input, in which an empty string removes the color. */
export const changeOf = <T extends EntryChange>({color, ...others}: T) => ({...others, ...(color === undefined ? {} : {color: color ?? ''})})

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
