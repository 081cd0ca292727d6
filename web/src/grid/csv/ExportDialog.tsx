// The dialog that exports a view or the selected issues as a CSV file.
import {useEffect, useRef, useState, useSyncExternalStore} from 'react'
import {problemOf} from '../data/client'
import {useGrid} from '../context/context'
import {messages} from '../messages'
import {isFiltered} from '../model/view'
import {Rich} from '../ui/Rich'
import {Dialog} from '../ui/ui'
import {exportFile, writtenColumns, type ExportSettings} from './exporter'
import {Paused, Progress} from './parts'
import {Pauses, type Pause} from './pauses'
import {chosenRows, viewRows} from './walk'
import {fileName, save} from './write'

type Phase = {is: 'asking'} | {is: 'running'; rows: number} | {is: 'done'; rows: number; name: string}

/** The signs that begin a formula. */
const signs = (
  <>
    <code>=</code>, <code>+</code>, <code>-</code>, <code>@</code>
  </>
)

export default function ExportDialog({ids, onClose}: {ids: readonly string[] | null; onClose: () => void}) {
  const grid = useGrid()
  const {project, shown, rows, view} = grid
  const state = useSyncExternalStore(rows.subscribe, rows.snapshot)
  const [settings, setSettings] = useState<ExportSettings>({guard: true, byteOrderMark: false})
  const [phase, setPhase] = useState<Phase>({is: 'asking'})
  const [pause, setPause] = useState<Pause | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const stop = useRef<AbortController>(null)
  const [pauses] = useState(() => new Pauses(() => setPause(pauses.pause)))
  useEffect(
    () => () => {
      stop.current?.abort()
      pauses.resume()
    },
    [pauses],
  )
  const total = ids ? ids.length : state.total
  const filtered = isFiltered(view)
  const about = ids ? messages.files.export.chosen(ids.length, shown.length) : messages.files.export.view(state.total, state.exact, filtered, shown.length)

  const start = async () => {
    const {signal} = (stop.current = new AbortController())
    setProblem(null)
    setPhase({is: 'running', rows: 0})
    const through = <T,>(work: () => Promise<T>) => pauses.through(work, () => signal.aborted)
    try {
      let count = 0
      const pages = ids ? chosenRows(grid, ids, shown, through, signal) : viewRows(grid, shown, through, signal)
      const parts = await exportFile(pages, shown, settings, n => setPhase({is: 'running', rows: (count = n)}))
      if (signal.aborted) return
      const name = fileName(project.key, ids ? messages.files.export.chosenFile : '')
      save(name, parts)
      setPhase({is: 'done', rows: count, name})
    } catch (error) {
      if (!signal.aborted) setProblem(problemOf(error).message)
      setPhase({is: 'asking'})
    }
  }
  const cancel = () => {
    stop.current?.abort()
    pauses.resume()
  }

  const running = phase.is === 'running'
  return (
    <Dialog
      title={messages.files.export.title}
      onClose={() => {
        cancel()
        onClose()
      }}
      footer={
        phase.is === 'done' ? (
          <button type="button" className="primary" onClick={onClose}>
            {messages.files.close}
          </button>
        ) : running ? (
          <button type="button" onClick={cancel}>
            {messages.files.export.cancel}
          </button>
        ) : (
          <>
            <button type="button" onClick={onClose}>
              {messages.files.cancel}
            </button>
            <button type="button" className="primary" data-autofocus disabled={shown.length === 0} onClick={() => void start()}>
              {messages.files.export.begin}
            </button>
          </>
        )
      }
    >
      {problem && (
        <p className="files-note error" role="alert">
          {problem}
        </p>
      )}
      {phase.is === 'done' ? (
        <p role="status">{messages.files.export.done(phase.name, phase.rows)}</p>
      ) : (
        <>
          <p>{about}</p>
          {running ? (
            <Progress label={messages.files.export.running} value={phase.rows} max={total}>
              {messages.files.rows(phase.rows)}
            </Progress>
          ) : (
            <fieldset className="files-settings">
              <legend className="visually-hidden">{messages.files.export.settings}</legend>
              <label>
                <input type="checkbox" checked={settings.guard} onChange={e => setSettings({...settings, guard: e.target.checked})} />
                <span>
                  {messages.files.export.guard}
                  <small className="hint">
                    <Rich text={messages.files.export.guardHint} signs={signs} />
                    {writtenColumns(shown, settings) !== shown && ` ${messages.files.export.numberFirst}`}
                  </small>
                </span>
              </label>
              <label>
                <input type="checkbox" checked={settings.byteOrderMark} onChange={e => setSettings({...settings, byteOrderMark: e.target.checked})} />
                <span>
                  {messages.files.export.mark}
                  <small className="hint">{messages.files.export.markHint}</small>
                </span>
              </label>
            </fieldset>
          )}
          {pause && <Paused pause={pause} onResume={pauses.resume} />}
        </>
      )}
    </Dialog>
  )
}
