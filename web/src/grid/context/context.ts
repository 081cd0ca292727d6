// What the parts of a project's page share.
import type {ApolloClient} from '@apollo/client'
import {createContext, useContext} from 'react'
import type {Column, Project} from '../model/columns'
import type {Edits} from '../data/edits'
import type {Order} from '../data/source'
import type {RowStore} from '../data/rows'
import type {Signals} from './signals'
import type {Toasts} from '../ui/ui'
import type {Value} from '../model/values'
import type {View} from '../model/view'

export interface Grid {
  client: ApolloClient
  project: Project
  /** All columns of the project. */
  columns: readonly Column[]
  /** Those that are shown, in their order. */
  shown: readonly Column[]
  /** The custom fields whose values a page of rows brings. */
  fields: readonly string[]
  view: View
  /** Changes the view, and so the URL. `replace` leaves no entry in the history of the browser. */
  setView: (change: Partial<View>, how?: 'push' | 'replace') => void
  order: Order
  rows: RowStore
  edits: Edits
  /** Reads the definition of the project again: its fields, options and states. */
  reload: () => void
  toasts: Toasts
  /** The ids of the rows that are chosen by their check boxes. */
  selected: ReadonlySet<string>
  setSelected: (ids: ReadonlySet<string>) => void
  /** Shows the row of an issue, wherever it is; says so where there is none. */
  jumpTo: (num: number) => Promise<void>
  /** Shows the first row with a value, or behind it, in the column of the order. */
  jumpToValue: (value: Value) => Promise<void>
  /** Reads again what is seen. */
  refresh: () => Promise<void>
  /** Whether rows may not be in their places any more, because they were edited. */
  stale: boolean
  signals: Signals
}

export const GridContext = createContext<Grid | null>(null)

export function useGrid(): Grid {
  const grid = useContext(GridContext)
  if (!grid) throw new Error('there is no project around')
  return grid
}
