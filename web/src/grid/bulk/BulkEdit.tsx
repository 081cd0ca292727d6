// The dialog that sets a column of many issues to one value.
import {useState} from 'react'
import {useGrid} from '../context/context'
import {useChoices} from '../context/useChoices'
import {Progress, useLeaveWarning} from '../csv/parts'
import {ValueField} from '../ui/editors'
import type {Failure} from '../data/edits'
import {readRow} from '../data/source'
import {messages} from '../messages'
import {Dialog} from '../ui/ui'
import {isEmpty, show, type Parsed} from '../model/values'

type Phase = {is: 'asking'} | {is: 'running'; done: number; of: number} | {is: 'failed'; changed: number; failures: readonly Failure[]}

const mostShown = 100

export function BulkEdit({ids, onClose}: {ids: readonly string[]; onClose: () => void}) {
  const {columns, shown, edits, client, project, toasts} = useGrid()
  const editable = columns.filter(c => c.editable)
  const [chosen, setChosen] = useState(() => (shown.find(c => c.editable && c.builtin !== 'NAME') ?? editable[0])?.id)
  const column = editable.find(c => c.id === chosen)
  const [parsed, setParsed] = useState<Parsed>({value: null})
  const [empty, setEmpty] = useState(false)
  const [tried, setTried] = useState(false)
  const [phase, setPhase] = useState<Phase>({is: 'asking'})
  useLeaveWarning(phase.is === 'running')
  const choices = useChoices()
  if (!column) return null

  const value = empty ? null : parsed.error === undefined ? parsed.value : null
  const error = empty ? undefined : (parsed.error ?? (isEmpty(value) ? messages.bulk.noValue : undefined))
  const run = async (which: readonly string[]) => {
    setTried(true)
    if (error !== undefined) return
    setPhase({is: 'running', done: 0, of: which.length})
    const failures = await edits.bulk(which, column, value, done => setPhase({is: 'running', done, of: which.length}))
    const changed = which.length - failures.length
    if (failures.length > 0) return setPhase({is: 'failed', changed, failures})
    const undo = edits.undoing()
    toasts.info(messages.bulk.changed(column.label, changed), {label: messages.bulk.undo, run: () => void undo()})
    onClose()
  }

  const {willBeEmpty, willBeSet} = messages.bulk
  const preview = isEmpty(value) ? willBeEmpty(ids.length, column.label) : willBeSet(ids.length, column.label, show(column, value))
  const running = phase.is === 'running'
  return (
    <Dialog
      title={messages.bulk.title(ids.length)}
      onClose={() => !running && onClose()}
      footer={
        phase.is === 'failed' ? (
          <>
            <button type="button" onClick={() => void run(phase.failures.map(f => f.id))}>
              {messages.bulk.tryTheseAgain}
            </button>
            <button type="button" className="primary" data-autofocus onClick={onClose}>
              {messages.bulk.close}
            </button>
          </>
        ) : (
          <>
            <button type="button" disabled={running} onClick={onClose}>
              {messages.bulk.cancel}
            </button>
            <button type="button" className="primary" disabled={running} onClick={() => void run(ids)}>
              {messages.bulk.change(ids.length)}
            </button>
          </>
        )
      }
    >
      {phase.is === 'asking' && (
        <>
          <div className="field">
            <label htmlFor="bulk-column">{messages.bulk.column}</label>
            <select
              id="bulk-column"
              data-autofocus
              value={column.id}
              onChange={e => {
                setChosen(e.target.value)
                setParsed({value: null})
                setEmpty(false)
                setTried(false)
              }}
            >
              {editable.map(c => (
                <option key={c.id} value={c.id}>
                  {c.label}
                </option>
              ))}
            </select>
          </div>
          {!empty && (
            <ValueField
              key={column.id}
              domain={column}
              value={null}
              label={messages.bulk.newValue}
              {...(column.type === 'USER' ? choices(column) : {})}
              description={column.description}
              error={tried ? error : undefined}
              onChange={setParsed}
            />
          )}
          {!column.required && (
            <label className="bulk-empty">
              <input type="checkbox" checked={empty} onChange={e => setEmpty(e.target.checked)} /> {messages.bulk.makeEmpty}
            </label>
          )}
          <p className="hint bulk-preview" aria-live="polite">
            {error === undefined ? preview : ' '}
          </p>
        </>
      )}
      {phase.is === 'running' && (
        <Progress label={messages.bulk.changing} value={phase.done} max={phase.of}>
          {messages.bulk.progress(phase.done, phase.of)}
        </Progress>
      )}
      {phase.is === 'failed' && (
        <>
          <p role="alert">{messages.bulk.someFailed(phase.changed, phase.failures.length)}</p>
          <ul className="bulk-failures">
            {phase.failures.slice(0, mostShown).map(({id, problem}) => {
              const row = readRow(client.cache, id, [], false)
              return (
                <li key={id}>
                  <strong>{row ? `${project.key}-${row.num}` : messages.bulk.gone}</strong>: {problem.message}
                </li>
              )
            })}
          </ul>
          {phase.failures.length > mostShown && <p className="hint">{messages.bulk.moreFailed(phase.failures.length - mostShown)}</p>}
        </>
      )}
    </Dialog>
  )
}
