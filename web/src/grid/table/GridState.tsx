// Messages that the grid shows instead of rows or in addition to them: errors, progress, and no rows.
import {useSyncExternalStore} from 'react'
import {problemOf} from '../data/client'
import {useGrid} from '../context/context'

export function GridState() {
  const {rows, view, setView} = useGrid()
  const state = useSyncExternalStore(rows.subscribe, rows.snapshot)
  if (state.error) {
    const problem = problemOf(state.error)
    return (
      <div className="grid-note error" role="alert">
        <span>{problem.code === 'OFFLINE' ? 'You seem to be offline. What is loaded can still be read.' : `The rows can’t be loaded: ${problem.message}`}</span>
        <button type="button" onClick={() => rows.retry()}>
          Try again
        </button>
      </div>
    )
  }
  if (state.seeking !== null) {
    return (
      <div className="grid-note" role="status">
        Going to row {(state.seeking + 1).toLocaleString()} …
      </div>
    )
  }
  if (state.loaded && state.height === 0) {
    const filtered = view.conditions.length > 0 || view.search !== ''
    return (
      <div className="grid-empty" role="status">
        <h2>{filtered ? (view.search === '' ? 'No issue matches the filter' : 'No issue matches the search') : 'No issues yet'}</h2>
        {filtered ? (
          <button type="button" onClick={() => setView({conditions: [], search: '', at: null})}>
            {view.search === '' ? 'Clear the filter' : view.conditions.length > 0 ? 'Clear the search and the filter' : 'Clear the search'}
          </button>
        ) : (
          <p>Create the first one with “New issue”, or drop a CSV file here.</p>
        )}
      </div>
    )
  }
  return null
}
