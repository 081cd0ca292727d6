// Messages that the grid shows instead of rows or in addition to them: errors, progress, and no rows.
import {useSyncExternalStore} from 'react'
import {problemOf} from '../data/client'
import {useGrid} from '../context/context'
import {messages} from '../messages'
import {isFiltered, noFilter} from '../model/view'

export function GridState() {
  const {rows, groups, view, setView} = useGrid()
  const texts = messages.table
  const state = useSyncExternalStore(rows.subscribe, rows.snapshot)
  if (state.error) {
    const problem = problemOf(state.error)
    return (
      <div className="grid-note error" role="alert">
        <span>{problem.code === 'OFFLINE' ? texts.offline : texts.loadFailed(problem.message)}</span>
        <button type="button" onClick={() => rows.retry()}>
          {messages.ui.tryAgain}
        </button>
      </div>
    )
  }
  if (state.seeking !== null) {
    return (
      <div className="grid-note" role="status">
        {texts.goingTo(state.seeking + 1)}
      </div>
    )
  }
  if (state.loaded && (state.height === 0 || (groups?.board && state.total === 0 && !groups.board.snapshot().waits))) {
    const filtered = isFiltered(view)
    return (
      <div className="grid-empty" role="status">
        <h2>{filtered ? (view.search === '' ? texts.noneForFilter : texts.noneForSearch) : texts.noIssues}</h2>
        {view.search !== '' && <p>{texts.searched}</p>}
        {filtered ? (
          <button type="button" onClick={() => setView(noFilter)}>
            {view.search === '' ? texts.clearFilter : isFiltered({...view, search: ''}) ? texts.clearSearchAndFilter : texts.clearSearch}
          </button>
        ) : (
          <p>{texts.howToBegin}</p>
        )}
      </div>
    )
  }
  return null
}
