import {costHeader, type Exchange} from './exchange'
import {costAndPlan, openPanel} from './panels'
import {calls, capacity, comparisons, count, figure, kinds, type Plan, type PlanNode, plans, size, summary, time} from './report'
import {useSession, useStore} from './session'

/** The line below the response. */
export function Summary() {
  const last = useStore(useSession().last)
  return (
    <div className="summary" role="status">
      {last ? (
        <button type="button" className="link" onClick={() => openPanel(costAndPlan)} title="Show cost and plan">
          {last.operation && <strong>{last.operation}</strong>} {summary(last)}
        </button>
      ) : (
        'The cost of an operation appears here after it has run.'
      )}
    </div>
  )
}

/** The side panel with the cost and plan of the last response. */
export function CostPanel() {
  const last = useStore(useSession().last)
  return (
    <section className="panel" aria-labelledby="cost-title">
      <h2 id="cost-title">Cost and plan</h2>
      {last ? <Report of={last} /> : <p>Run an operation to see what it cost in DynamoDB and how its pages were found.</p>}
    </section>
  )
}

function Report({of}: {of: Exchange}) {
  const found = plans(of.answer.data)
  return (
    <>
      <p className="headline">{of.operation || 'The last operation'}</p>
      <Consumed of={of} />
      <Failures of={of} />
      <Http of={of} />
      {found.length > 0
        ? found.map(plan => <PlanView key={plan.path} plan={plan} />)
        : of.answered && (
            <p className="small">
              How a page of a grid was found is shown by its field <code>explain</code>, as in the example <i>Explained</i>.
            </p>
          )}
    </>
  )
}

function Consumed({of}: {of: Exchange}) {
  const cost = of.answer.extensions?.cost
  if (cost) {
    return (
      <>
        <dl className="figures">
          <Figure name={calls(cost) === 1 ? 'call' : 'calls'} value={figure(calls(cost))} title="Requests to DynamoDB, including failed ones" />
          {capacity(cost).map(units => {
            const [value = '', unit = ''] = units.split(' ')
            return <Figure key={unit} name={unit} value={value} title={unit === 'RCU' ? 'Read capacity units' : 'Write capacity units'} />
          })}
          <Figure name={cost.items === 1 ? 'item' : 'items'} value={figure(cost.items)} title="Read or written, including index keys" />
        </dl>
        {calls(cost) > 0 && <p className="small">{kinds(cost)}</p>}
        {cost.stoppedPages ? (
          <p className="note">
            {count(cost.stoppedPages, 'page')} ended early, because the work budget of a page was used up. Its end cursor continues from there.
          </p>
        ) : null}
      </>
    )
  }
  if (!of.answered) return null
  return of.askedForCost ? (
    <p className="note">The response has no cost, because the operation was not executed.</p>
  ) : (
    <p className="note">
      The cost was not requested. Put <code>{`"${costHeader}": "1"`}</code> into <i>Headers</i> below the query, and run it again.
    </p>
  )
}

function Figure({name, value, title}: {name: string; value: string; title?: string}) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function Failures({of}: {of: Exchange}) {
  const errors = of.answer.errors ?? []
  if (errors.length === 0) return null
  return (
    <ul className="failures" aria-label="Errors">
      {errors.map((e, i) => (
        <li key={i}>
          {e.extensions?.code && <code>{e.extensions.code}</code>} {e.message}
          {e.path && <span className="small"> at {e.path.join('.')}</span>}
          {e.extensions?.argument && <span className="small"> in {e.extensions.argument}</span>}
        </li>
      ))}
    </ul>
  )
}

function Http({of}: {of: Exchange}) {
  if (of.status === 0) return null
  return (
    <table className="http">
      <tbody>
        <Line name="Time">{time(of.milliseconds)}</Line>
        <Line name="Size">{size(of.bytes)}, not compressed</Line>
        <Line name="Status">{of.status}</Line>
        {of.requestId && (
          <Line name="Request id">
            <code>{of.requestId}</code>
          </Line>
        )}
        {of.rateLimit && (
          <Line name="Rate limit">
            {of.rateLimit.remaining} of {of.rateLimit.limit} capacity units left, full in {of.rateLimit.reset} s
          </Line>
        )}
      </tbody>
    </table>
  )
}

function Line({name, children}: {name: string; children: React.ReactNode}) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{children}</td>
    </tr>
  )
}

function PlanView({plan}: {plan: Plan}) {
  return (
    <section className="plan">
      <h3>
        Plan <span className="small">{plan.path}</span>
      </h3>
      {plan.root && (
        <ul className="tree">
          <Step node={plan.root} page={plan.root} />
        </ul>
      )}
      {plan.text && (
        <details open={!plan.root}>
          <summary>As a text</summary>
          <pre tabIndex={0}>{plan.text}</pre>
        </details>
      )}
      {plan.rejected.length > 0 && (
        <details>
          <summary>{count(plan.rejected.length, 'rejected plan')}</summary>
          <ul className="rejected">
            {plan.rejected.map(r => (
              <li key={r.label}>
                {r.label}
                {r.reason && <span className="small">: {r.reason}</span>}
                <span className="small">
                  {[
                    r.estimatedKeys !== null && count(r.estimatedKeys, 'key'),
                    r.estimatedDocuments !== null && count(r.estimatedDocuments, 'document'),
                    r.estimatedRcu !== null && `${figure(r.estimatedRcu)} RCU`,
                    r.estimatedSequentialCalls !== null && count(r.estimatedSequentialCalls, 'sequential call'),
                  ]
                    .filter(Boolean)
                    .join(', ')}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function Step({node, page}: {node: PlanNode; page: PlanNode}) {
  const took = [
    node.calls ? count(node.calls, 'call') : '',
    node.keys ? count(node.keys, 'key') : '',
    node.documents ? count(node.documents, 'document') : '',
    node.rcu ? `${figure(node.rcu)} RCU` : '',
    node.milliseconds ? `${figure(node.milliseconds)} ms` : '',
  ].filter(Boolean)
  const estimated = [
    node.estimatedRcu === null ? '' : `${figure(node.estimatedRcu)} RCU`,
    node.estimatedSequentialCalls === null ? '' : count(node.estimatedSequentialCalls, 'sequential call'),
  ].filter(Boolean)
  return (
    <li>
      <div>
        {node.kind && <span className="kind">{node.kind.toLowerCase().replace('_', ' ')}</span>} {node.label}
      </div>
      {comparisons(node, page).map(({what, expected, real}) => (
        <div key={what} className="compared">
          {figure(real)} {what}; about {figure(Math.round(expected))} expected
        </div>
      ))}
      {estimated.length > 0 && <div className="compared">estimated at {estimated.join(', ')}</div>}
      {took.length > 0 && <div className="took">{took.join(', ')}</div>}
      {node.notes.map(n => (
        <div key={n} className="small">
          {n}
        </div>
      ))}
      {node.children.length > 0 && (
        <ul>
          {node.children.map((child, i) => (
            <Step key={i} node={child} page={page} />
          ))}
        </ul>
      )}
    </li>
  )
}
