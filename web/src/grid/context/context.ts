// The state that the parts of a project's page share.
import type {ApolloClient} from '@apollo/client'
import {createContext, useContext} from 'react'
import type {Column, Project} from '../model/columns'
import type {Edits} from '../data/edits'
import type {Freshness} from '../data/freshness'
import type {Jobs} from '../data/jobs'
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
  /** The shown columns, in order. */
  shown: readonly Column[]
  /** The custom fields whose values a page of rows includes. */
  fields: readonly string[]
  view: View
  /** Changes the view and the URL. `replace` adds no history entry. */
  setView: (change: Partial<View>, how?: 'push' | 'replace') => void
  order: Order
  rows: RowStore
  edits: Edits
  jobs: Jobs
  freshness: Freshness
  /** Takes a changed definition of the project, or reads it again: its fields, options and states. */
  reload: (changed?: Project) => void
  toasts: Toasts
  /** The IDs of the rows whose checkboxes are checked. */
  selected: ReadonlySet<string>
  setSelected: (ids: ReadonlySet<string>) => void
  /** Shows the row of an issue, or a message if there is none. */
  jumpTo: (num: number) => Promise<void>
  /** Shows the first row with a value in the sort column, or the row after it. */
  jumpToValue: (value: Value) => Promise<void>
  /** Reads the visible rows again. */
  refresh: () => Promise<void>
  /** Whether rows may be out of order because of edits. */
  stale: boolean
  signals: Signals
}

export const GridContext = createContext<Grid | null>(null)

export function useGrid(): Grid {
  const grid = useContext(GridContext)
  // eslint-disable-next-line no-restricted-syntax -- only developers see it
  if (!grid) throw new Error('there is no project around')
  return grid
}
