// The line below the grid: the number of rows, the selection, unsaved edits, and the DynamoDB cost of the last response.
import {useState, useSyncExternalStore} from 'react'
import {messages} from './messages'
import {JobList} from './admin/JobList'
import {Conflicts} from './Conflicts'
import {useGrid} from './context/context'
import {callsOf, type Costs} from './data/costs'
import {explainURL} from './data/explain'
import {queryOf} from './data/source'
import {SelectionSummary} from './table/SelectionSummary'

/** Where the browser keeps whether the cost is shown. */
const kept = 'issuegrid:cost'

export function StatusBar({costs}: {costs: Costs}) {
  const {rows, edits, selected} = useGrid()
  const state = useSyncExternalStore(rows.subscribe, rows.snapshot)
  const changes = useSyncExternalStore(edits.subscribe, edits.snapshot)
  return (
    <footer className="status">
      <span data-testid="count">{state.total === null ? '…' : state.exact ? messages.page.issues(state.total) : messages.page.atLeastIssues(state.total)}</span>
      {selected.size > 0 && <span>{messages.page.selected(selected.size)}</span>}
      <SelectionSummary />
      <span role="status" aria-live="polite">
        {changes.pending > 0 ? messages.page.saving(changes.pending) : ''}
      </span>
      <JobList />
      <span className="spacer" />
      <Conflicts />
      <CostOf costs={costs} />
    </footer>
  )
}

/** The cost of the last page, if the user wants to see it, and the way to its plan. */
function CostOf({costs}: {costs: Costs}) {
  const {project, view, columns} = useGrid()
  const spent = useSyncExternalStore(costs.subscribe, costs.snapshot)
  const [isShown, setShown] = useState(() => localStorage.getItem(kept) === 'shown')
  const {page} = spent
  const toggle = () => {
    localStorage.setItem(kept, isShown ? 'hidden' : 'shown')
    setShown(!isShown)
  }
  return (
    <>
      {isShown && page && (
        <span className="cost" title={messages.page.totalCost(spent.calls, round(spent.rcu), round(spent.wcu))}>
          {messages.page.lastPage(callsOf(page), page.cost.rcu, Math.round(page.milliseconds))}
        </span>
      )}
      {isShown && (
        <a href={explainURL(queryOf(project, view, columns))} target="_blank" rel="noopener">
          {messages.page.explain}
        </a>
      )}
      <button type="button" className="link" aria-pressed={isShown} onClick={toggle}>
        {messages.page.cost}
      </button>
    </>
  )
}

const round = (n: number) => Math.round(n * 10) / 10
