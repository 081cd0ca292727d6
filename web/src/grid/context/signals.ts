// Messages between the parts of a project's page, which do not depend on each other.
import {useEffect, useRef} from 'react'

export interface Messages {
  /** Scrolls the row at this index to the top and focuses it. */
  jumped: number
  /** Scrolls the column with this ID into view and focuses it. */
  column: string
  /** Scrolls the row at this index into view and keeps the focus. */
  row: number
  /** Lists the keyboard shortcuts. */
  shortcuts: null
  /** Opens the filter editor for the column with this ID. */
  filter: string
  /** Opens the dialog of the field with this ID, or of a new field. */
  field: string | null
  /** Opens the settings of the project. */
  settings: null
  /** Opens the dialog or popover of a tool. */
  open: Tool
  /** The selected range of cells has changed; null if only one cell is selected. */
  range: Range | null
  /** Opens the list of conflicts, at the one of this cell if it names one. */
  conflicts: {id: string; column: string} | null
  /** A text is read out. */
  said: string
  /** The rows are read again. */
  refreshed: null
  /** These issues are gone. */
  removed: ReadonlySet<string>
  /** Issues were created or restored. */
  restored: null
  /** Values have changed. */
  changed: Change
  /** Undo or redo has moved issues between the groups of the column with this ID. */
  moved: string
}

export type Tool = 'issue' | 'columns' | 'sort' | 'jump' | 'import' | 'export' | 'trash' | 'palette'

export interface Change {
  /** The IDs of the columns. */
  columns: readonly string[]
  /** The IDs of the issues that were edited; null if others have changed them. */
  issues: readonly string[] | null
}

/** The first and last rows and columns of a range of cells. */
export interface Range {
  top: number
  bottom: number
  left: number
  right: number
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

/** Calls the latest listener while the component is mounted. */
export function useSignal<K extends keyof Messages>(signals: Signals, name: K, listener: Listener<K>): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => signals.on(name, message => latest.current(message)), [signals, name])
}

/** Reports whether a key is for an input or a dialog, and not for the page. */
// eslint-disable-next-line no-restricted-syntax -- a selector
export const isTyping = (e: KeyboardEvent): boolean => e.target instanceof Element && e.target.closest('input, textarea, select, dialog, [popover]') !== null
