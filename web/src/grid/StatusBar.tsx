// The line below the grid: how many rows there are, which are seen, what is being saved, and what the last answer cost in DynamoDB.
import {useSyncExternalStore} from 'react'
import type {Costs} from './App'
import {useGrid} from './context'

export function StatusBar({costs}: {costs: Costs}) {
  const {rows, edits, selected} = useGrid()
  const state = useSyncExternalStore(rows.subscribe, rows.snapshot)
  const changes = useSyncExternalStore(edits.subscribe, edits.snapshot)
  const last = useSyncExternalStore(costs.subscribe, costs.snapshot)
  const calls = last ? Object.values(last.cost.calls).reduce((a, b) => a + b, 0) : 0
  return (
    <footer className="status">
      <span data-testid="count">{state.total === null ? '…' : `${state.exact ? '' : 'at least '}${state.total.toLocaleString()} ${state.total === 1 ? 'issue' : 'issues'}`}</span>
      {selected.size > 0 && <span>{selected.size} chosen</span>}
      <span role="status" aria-live="polite">
        {changes.pending > 0 ? `Saving ${changes.pending} …` : ''}
      </span>
      <span className="spacer" />
      {last && (
        <span className="cost" title="What the last answer cost in DynamoDB, and how long it took">
          {last.operation}: {calls} {calls === 1 ? 'call' : 'calls'} · {last.cost.rcu} RCU{last.cost.wcu > 0 ? ` · ${last.cost.wcu} WCU` : ''} · {Math.round(last.milliseconds)} ms
        </span>
      )}
    </footer>
  )
}
