// The line below the grid: the number of rows, the visible ones, unsaved edits, and the DynamoDB cost of the last response.
import {useSyncExternalStore} from 'react'
import {JobList} from './admin/JobList'
import {Conflicts} from './Conflicts'
import {useGrid} from './context/context'
import {callsOf, type Costs} from './data/costs'

export function StatusBar({costs}: {costs: Costs}) {
  const {rows, edits, selected} = useGrid()
  const state = useSyncExternalStore(rows.subscribe, rows.snapshot)
  const changes = useSyncExternalStore(edits.subscribe, edits.snapshot)
  const spent = useSyncExternalStore(costs.subscribe, costs.snapshot)
  const {page} = spent
  return (
    <footer className="status">
      <span data-testid="count">
        {state.total === null ? '…' : `${state.exact ? '' : 'at least '}${state.total.toLocaleString()} ${state.total === 1 ? 'issue' : 'issues'}`}
      </span>
      {selected.size > 0 && <span>{selected.size} chosen</span>}
      <span role="status" aria-live="polite">
        {changes.pending > 0 ? `Saving ${changes.pending} …` : ''}
      </span>
      <JobList />
      <span className="spacer" />
      <Conflicts />
      {page && (
        <span className="cost" title={`In DynamoDB since the page was opened: ${count(spent.calls, 'call')}, ${round(spent.rcu)} RCU, ${round(spent.wcu)} WCU`}>
          Last page: {count(callsOf(page), 'call')} · {page.cost.rcu} RCU · {Math.round(page.milliseconds)} ms
        </span>
      )}
    </footer>
  )
}

const count = (n: number, what: string) => `${n.toLocaleString()} ${what}${n === 1 ? '' : 's'}`
const round = (n: number) => Math.round(n * 10) / 10
