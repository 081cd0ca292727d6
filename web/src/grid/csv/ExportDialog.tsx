// The dialog that exports a view or the selected issues as a CSV file.
import {useEffect, useRef, useState, useSyncExternalStore} from 'react'
import {problemOf} from '../data/client'
import {useGrid} from '../context/context'
import {Dialog} from '../ui/ui'
import {exportFile, writtenColumns, type ExportSettings} from './exporter'
import {counted, Paused, Progress} from './parts'
import {Pauses, type Pause} from './pauses'
import {chosenRows, viewRows} from './walk'
import {fileName, save} from './write'

type Phase = {is: 'asking'} | {is: 'running'; rows: number} | {is: 'done'; rows: number; name: string}

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
  const about = ids
    ? counted(ids.length, 'chosen issue')
    : state.total === null
      ? 'All issues of this view'
      : `${state.exact ? '' : 'At least '}${counted(state.total, 'issue')}`

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
      const name = fileName(project.key, ids ? 'chosen' : '')
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
      title="Export CSV"
      onClose={() => {
        cancel()
        onClose()
      }}
      footer={
        phase.is === 'done' ? (
          <button type="button" className="primary" onClick={onClose}>
            Close
          </button>
        ) : running ? (
          <button type="button" onClick={cancel}>
            Cancel the export
          </button>
        ) : (
          <>
            <button type="button" onClick={onClose}>
              Cancel
            </button>
            <button type="button" className="primary" data-autofocus disabled={shown.length === 0} onClick={() => void start()}>
              Export
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
        <p role="status">
          {phase.name} has {counted(phase.rows, 'row')}. It is among your downloads.
        </p>
      ) : (
        <>
          <p>
            {about}
            {ids ? '' : view.conditions.length > 0 || view.search ? ' that match the filter, in the order of the grid' : ', in the order of the grid'}, with the{' '}
            {counted(shown.length, 'column')} that are shown. Long texts are in it in full, times in UTC.
          </p>
          {running ? (
            <Progress label="Exporting" value={phase.rows} max={total}>
              {counted(phase.rows, 'row')}
            </Progress>
          ) : (
            <fieldset className="files-settings">
              <legend className="visually-hidden">How the file is written</legend>
              <label>
                <input type="checkbox" checked={settings.guard} onChange={e => setSettings({...settings, guard: e.target.checked})} />
                <span>
                  Prevent spreadsheets from running text as formulas
                  <small className="hint">
                    Texts get apostrophes where a formula could begin: before <code>=</code>, <code>+</code>, <code>-</code>, <code>@</code> or a tab, at their
                    beginning and after commas, semicolons, bars and line ends. Numbers stay as they are, and an import here takes the apostrophes away again.
                    Leave it out for programs that need the texts as they are.
                    {writtenColumns(shown, settings) !== shown && ' The number of the issue comes first in each row, so that none begins with a sign.'}
                  </small>
                </span>
              </label>
              <label>
                <input type="checkbox" checked={settings.byteOrderMark} onChange={e => setSettings({...settings, byteOrderMark: e.target.checked})} />
                <span>
                  Begin with a byte order mark
                  <small className="hint">Old versions of Excel show é and ü right only with it.</small>
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
