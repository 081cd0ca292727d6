// A running import and its result.
import {useEffect, useRef, useState, useSyncExternalStore} from 'react'
import {problemOf} from '../data/client'
import {useGrid} from '../context/context'
import {Dialog} from '../ui/ui'
import type {Importer, ImportState, Refusal} from './importer'
import {counted, Paused, Progress} from './parts'
import {rejectsFile} from './rejects'
import type {Table} from './table'
import {save} from './write'

interface Props {
  importer: Importer
  table: Table
  total: number
  title: string
  onRunning: (running: boolean) => void
  onClose: () => void
}

export function ImportRun({importer, table, total, title, onRunning, onClose}: Props) {
  const state = useSyncExternalStore(importer.subscribe, importer.snapshot)
  const [nudged, setNudged] = useState(false)
  const mounted = useRef(false)
  const running = state.phase === 'running'
  useEffect(() => {
    onRunning(running)
    return () => onRunning(false)
  }, [running, onRunning])
  useEffect(() => {
    mounted.current = true
    return () => {
      mounted.current = false
      // React's strict mode unmounts a component and mounts it again at once.
      queueMicrotask(() => !mounted.current && importer.cancel())
    }
  }, [importer])
  if (!running) return <Result importer={importer} state={state} table={table} total={total} title={title} onClose={onClose} />
  const done = state.made + state.refused
  const seconds = state.rate > 0 ? (total - done) / state.rate : null
  return (
    <Dialog
      title={title}
      wide
      onClose={() => setNudged(true)}
      footer={
        <button type="button" data-autofocus disabled={state.cancelled} onClick={importer.cancel}>
          {state.cancelled ? 'Stopping …' : 'Cancel the import'}
        </button>
      }
    >
      <Progress label="Importing" value={done} max={total}>
        {done.toLocaleString()} of {counted(total, 'row')}
        {state.rate > 0 && ` · ${counted(Math.round(state.rate), 'row')} a second`}
        {seconds !== null && !state.pause && done < total && ` · ${duration(seconds)} left`}
        {state.refused > 0 && ` · ${state.refused.toLocaleString()} refused`}
      </Progress>
      {state.pause && <Paused pause={state.pause} onResume={importer.resume} />}
      {nudged && <p role="status">The import is running: keep this open, or cancel the import.</p>}
    </Dialog>
  )
}

const duration = (seconds: number): string => (seconds < 90 ? `about ${Math.max(1, Math.ceil(seconds))} s` : `about ${Math.round(seconds / 60)} min`)

/** How many reasons are shown. The file has all. */
const mostShown = 100

function Result({
  importer,
  state,
  table,
  total,
  title,
  onClose,
}: {
  importer: Importer
  state: ImportState
  table: Table
  total: number
  title: string
  onClose: () => void
}) {
  const {project, jumpTo} = useGrid()
  const [problem, setProblem] = useState<string | null>(null)
  const [writing, setWriting] = useState(false)
  const all = [...importer.refusals].sort(([a], [b]) => a - b)
  const unknown = all.filter(([, r]) => r.unknown).length
  const refused = all.length - unknown
  const unsent = Math.max(0, total - state.made - all.length)
  const download = async () => {
    setWriting(true)
    setProblem(null)
    try {
      save(`${table.name.replace(/\.[^.]*$/, '')}.rejects.csv`, await rejectsFile(table, importer.refusals, importer.through, importer.settings.guarded))
    } catch (error) {
      setProblem(problemOf(error).message)
    } finally {
      setWriting(false)
    }
  }
  return (
    <Dialog
      title={title}
      wide
      onClose={onClose}
      footer={
        <>
          {all.length + unsent > 0 && (
            <button type="button" disabled={writing} onClick={() => void download()}>
              Download {unsent > 0 ? 'the rows that were not imported' : 'refused rows'}
            </button>
          )}
          {state.first !== null && (
            <button
              type="button"
              onClick={() => {
                onClose()
                void jumpTo(state.first!)
              }}
            >
              Show the new issues
            </button>
          )}
          <button type="button" className="primary" data-autofocus onClick={onClose}>
            Close
          </button>
        </>
      }
    >
      <div role="status">
        {state.failure && <p className="files-note error">The import stopped: {state.failure.message}</p>}
        {state.cancelled && <p className="files-note warning">The import was cancelled.</p>}
        <ul className="files-outcome">
          <li>
            <strong>{counted(state.made, 'issue')}</strong> made{state.first !== null && `, from ${project.key}-${state.first} to ${project.key}-${state.last}`}
          </li>
          {refused > 0 && (
            <li>
              <strong>{counted(refused, 'row')}</strong> refused
            </li>
          )}
          {unknown > 0 && (
            <li>
              <strong>{counted(unknown, 'row')}</strong> whose response was lost: check whether the project has them before you import them again
            </li>
          )}
          {unsent > 0 && (
            <li>
              <strong>{counted(unsent, 'row')}</strong> not sent
            </li>
          )}
        </ul>
      </div>
      {problem && (
        <p className="files-note error" role="alert">
          {problem}
        </p>
      )}
      {all.length > 0 && <Reasons refusals={all} />}
    </Dialog>
  )
}

function Reasons({refusals}: {refusals: readonly (readonly [number, Refusal])[]}) {
  const lines = refusals.slice(0, mostShown).flatMap(([row, {reasons}]) => reasons.map((r, i) => ({key: `${row} ${i}`, row, ...r})))
  return (
    <div className="files-reasons" role="region" aria-label="Refused rows" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Row</th>
            <th scope="col">Column</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(l => (
            <tr key={l.key}>
              <td>{l.row.toLocaleString()}</td>
              <td>{l.column || '–'}</td>
              <td>{l.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {refusals.length > mostShown && <p className="hint">{counted(refusals.length - mostShown, 'more row')}: they are in the file.</p>}
    </div>
  )
}
