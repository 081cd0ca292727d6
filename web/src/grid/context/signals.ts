// What parts of a project's page tell each other without knowing each other.
import {useEffect, useRef} from 'react'

export interface Messages {
  /** The row at this place is to be seen first, and gets the focus. */
  jumped: number
  /** The row at this place is to be seen; the focus stays where it is. */
  row: number
  /** A filter by the column with this id is wanted. */
  filter: string
  /** These issues are gone. */
  removed: ReadonlySet<string>
  /** There are issues that were not there, or not as they are now. */
  restored: null
  /** Columns, by their ids, have other values now. */
  changed: readonly string[]
}

type Listener<K extends keyof Messages> = (message: Messages[K]) => void

export class Signals {
  private readonly listeners: {[K in keyof Messages]?: Set<Listener<K>>} = {}

  on<K extends keyof Messages>(name: K, listener: Listener<K>): () => void {
    const all: Set<Listener<K>> = (this.listeners[name] ??= new Set() as never)
    all.add(listener)
    return () => all.delete(listener)
  }

  tell<K extends keyof Messages>(name: K, message: Messages[K]): void {
    this.listeners[name]?.forEach(listener => listener(message))
  }
}

/** Calls the latest listener while the component is there. */
export function useSignal<K extends keyof Messages>(signals: Signals, name: K, listener: Listener<K>): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => signals.on(name, message => latest.current(message)), [signals, name])
}
