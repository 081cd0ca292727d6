// The state that the parts of a project's page share.
import type {ApolloClient} from '@apollo/client'
import {createContext, useContext} from 'react'
import type {Column, Project} from '../model/columns'
import type {Edits} from '../data/edits'
import type {Freshness} from '../data/freshness'
import type {Jobs} from '../data/jobs'
import type {Viewer} from '../data/viewer'
import type {SavedViews} from '../data/savedViews'
import type {BoardStore} from '../data/boardRows'
import type {GroupStore} from '../data/groupRows'
import type {GroupQuery} from '../data/groupSource'
import type {GridRows, RowStore} from '../data/rows'
import type {Signals} from './signals'
import type {Toasts} from '../ui/ui'
import type {GroupKey} from '../model/groups'
import type {Order} from '../model/sort'
import type {Value} from '../model/values'
import type {View} from '../model/view'

/** Rows in groups. */
export interface Groups {
  key: GroupKey
  store: GroupStore
  /** The same store if the groups are the columns of a board; null in the grid. */
  board: BoardStore | null
  query: GroupQuery
}

export interface Grid {
  client: ApolloClient
  /** The name of the user; null without authentication. */
  userName: string | null
  /** The record of the user; null without authentication, and for operators that belong to no tenant. */
  user: Viewer['user'] | null
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
  /** The saved views of the project. */
  saved: SavedViews
  order: Order
  rows: GridRows
  /** The rows if they are not grouped; null otherwise. */
  plain: RowStore | null
  /** How the rows are grouped; null if they are not. */
  groups: Groups | null
  edits: Edits
  jobs: Jobs
  freshness: Freshness
  /** Takes a changed definition of the project, or reads it again: its fields, options and states. */
  reload: (changed?: Project) => void
  toasts: Toasts
  /** The IDs of the rows whose checkboxes are checked. */
  selected: ReadonlySet<string>
  setSelected: (ids: ReadonlySet<string>) => void
  /** Shows the row of an issue, or a message if there is none. If rows are grouped, it opens the issue. */
  jumpTo: (num: number) => Promise<void>
  /** Shows the first row with a value in the first sort column, or the row after it. */
  jumpToValue: (value: Value) => Promise<void>
  /** Reads the visible rows again, and unless only they have changed, also the saved views and the summaries. */
  refresh: (what?: 'all' | 'rows') => Promise<void>
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
