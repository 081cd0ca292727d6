// The dialog that imports a CSV file: choosing the file, mapping its columns, and the result.
import {useEffect, useMemo, useRef, useState} from 'react'
import {CreateIssuesDocument} from '../../gql/graphql'
import {problemOf} from '../data/client'
import type {Column} from '../model/columns'
import {useGrid} from '../context/context'
import {Dialog} from '../ui/ui'
import {addOptions, makeField} from './fields'
import {guessTargets, nameProblem, type Target} from './guess'
import {Importer} from './importer'
import {ImportRun} from './ImportRun'
import {
  analyse,
  check,
  columnOf,
  hasOptions,
  hasTooManyOptions,
  missingColumns,
  refusedRows,
  type Analysis,
  type Checked,
  type Mapped,
  type Settings,
} from './mapping'
import {MappingTable} from './MappingTable'
import {counted, Progress, useLeaveWarning} from './parts'
import {openTable, type Table} from './table'

interface Read {
  table: Table
  analysis: Analysis
}

export default function ImportDialog({file: given, onClose}: {file: File | null; onClose: () => void}) {
  const [file, setFile] = useState(given)
  const [read, setRead] = useState<Read | null>(null)
  const [bytes, setBytes] = useState(0)
  const [problem, setProblem] = useState<string | null>(null)
  const [importer, setImporter] = useState<Importer | null>(null)
  const [running, setRunning] = useState(false)
  useLeaveWarning(running)

  useEffect(() => {
    if (!file) return
    const stop = new AbortController()
    const work = async () => {
      const table = await openTable(file)
      return {table, analysis: await analyse(table, setBytes, stop.signal)}
    }
    work().then(
      r => !stop.signal.aborted && setRead(r),
      (error: unknown) => {
        if (stop.signal.aborted) return
        setProblem(problemOf(error).message)
        setFile(null)
      },
    )
    return () => stop.abort()
  }, [file])

  const choose = (f: File) => {
    setProblem(null)
    setBytes(0)
    setFile(f)
  }
  const title = file ? `Import ${file.name}` : 'Import a CSV file'
  if (!file) return <ChooseFile problem={problem} onChoose={choose} onClose={onClose} />
  if (!read) {
    return (
      <Dialog title={title} onClose={onClose} wide>
        <Progress label="Reading the file" value={bytes} max={file.size}>
          Reading {file.name} …
        </Progress>
      </Dialog>
    )
  }
  if (read.analysis.rows === 0)
    return <ChooseFile problem={`${file.name} has a header, and no rows below it.`} onChoose={f => (setRead(null), choose(f))} onClose={onClose} />
  if (importer) return <ImportRun importer={importer} table={read.table} total={read.analysis.rows} title={title} onRunning={setRunning} onClose={onClose} />
  return <Mapping {...read} title={title} onStart={setImporter} onClose={onClose} />
}

function ChooseFile({problem, onChoose, onClose}: {problem: string | null; onChoose: (file: File) => void; onClose: () => void}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <Dialog title="Import a CSV file" onClose={onClose} wide>
      {problem && (
        <p className="files-note error" role="alert">
          {problem}
        </p>
      )}
      <div
        className="files-choose"
        onDragOver={e => e.preventDefault()}
        onDrop={e => {
          e.preventDefault()
          const [file] = e.dataTransfer.files
          if (file) onChoose(file)
        }}
      >
        <button type="button" className="primary" data-autofocus onClick={() => input.current?.click()}>
          Choose a file …
        </button>
        <p className="hint">or drop one here. The first line names the columns; the text is UTF-8, with commas, semicolons or tabs between the cells.</p>
        <input
          ref={input}
          type="file"
          hidden
          accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
          onChange={e => e.target.files?.[0] && onChoose(e.target.files[0])}
        />
      </div>
    </Dialog>
  )
}

/** A mapped column of the file, and the result of checking its cells; null until they are checked. */
interface Part {
  index: number
  column: Column
  addOptions: boolean
  checked: Checked | null
}

function Mapping({table, analysis, title, onStart, onClose}: Read & {title: string; onStart: (importer: Importer) => void; onClose: () => void}) {
  const {project, columns: known, client, reload, signals} = useGrid()
  const [key] = useState(() => crypto.randomUUID())
  /** Fields created or changed since the dialog was opened. */
  const [made, setMade] = useState<readonly Column[]>([])
  const columns = useMemo(() => [...known.map(c => made.find(m => m.id === c.id) ?? c), ...made.filter(m => !known.some(c => c.id === m.id))], [known, made])
  const [targets, setTargets] = useState<readonly Target[]>(() => guessTargets(table.header, known))
  const [adding, setAdding] = useState<ReadonlySet<number>>(new Set())
  const [settings, setSettings] = useState<Settings>({leaveEmpty: false, guarded: true})
  const [preparing, setPreparing] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)

  const {checks, progress, failure} = useChecks(table, targets, columns, settings.guarded)
  const parts = targets.flatMap((target, index): Part[] => {
    const column = columnOf(target, columns)
    if (!column) return []
    return [{index, column, addOptions: target.to === 'field' || adding.has(index), checked: checks.get(checkKey(index, column, settings.guarded)) ?? null}]
  })
  const ready = parts.every(p => p.checked)
  const refused = ready ? refusedRows(parts as (Part & {checked: Checked})[], analysis.broken, settings.leaveEmpty) : 0
  const missing = missingColumns(columns, parts)
  const anyWrong =
    analysis.broken.some(r => r.wrong?.short) || parts.some(p => p.checked && p.checked.wrong.length + (p.addOptions ? 0 : p.checked.wanting.length) > 0)
  const rows = analysis.rows - refused
  const obstacle =
    missing.length > 0
      ? `Choose a column for ${missing.join(', ')}.`
      : targets.some((_, i) => nameProblem(targets, i, columns))
        ? 'Give the new fields names that no other column has.'
        : parts.some(p => p.checked && hasTooManyOptions({...p, checked: p.checked}))
          ? 'A field would have too many options: choose another type.'
          : null

  const start = async () => {
    setPreparing(true)
    setProblem(null)
    const mapped: Mapped[] = []
    let changed = false
    try {
      for (const {index, column, addOptions: add, checked} of parts) {
        const names = [...(checked?.missing.values() ?? [])]
        let become = column
        if (column.id === '') become = await makeField(client, project.id, column, names, `${key}-field-${index}-${column.type}-${column.label}`.slice(0, 255))
        else if (add && names.length > 0) become = await addOptions(client, project.id, column, names)
        if (become !== column) {
          changed = true
          // The field stays created even if a later step fails.
          setMade(m => [...m.filter(c => c.id !== become.id), become])
          setTargets(t => t.map((x, i) => (i === index ? {to: 'column', id: become.id} : x)))
        }
        mapped.push({index, name: table.header[index]!, column: become, addOptions: add})
      }
      const importer = new Importer(table, mapped, settings, key, async (issues, idempotencyKey) => {
        const {data} = await client.mutate({
          mutation: CreateIssuesDocument,
          variables: {input: {project: project.id, issues, idempotencyKey}},
          fetchPolicy: 'no-cache',
        })
        return data!.createIssues!.results
      })
      void importer.run().then(() => {
        if (importer.snapshot().made > 0) signals.tell('restored', null)
      })
      onStart(importer)
    } catch (error) {
      setProblem(`Nothing was imported: ${problemOf(error).message}`)
    } finally {
      setPreparing(false)
      if (changed) reload()
    }
  }

  const trouble = problem ?? failure
  return (
    <Dialog
      title={title}
      onClose={() => !preparing && onClose()}
      wide
      footer={
        <>
          <span className="files-summary" role="status">
            {obstacle ??
              (!ready
                ? 'Checking the cells …'
                : refused > 0
                  ? `${counted(rows, 'row')} of ${analysis.rows.toLocaleString()} will be imported, ${counted(refused, 'row')} refused.`
                  : `All ${counted(rows, 'row')} will be imported.`)}
          </span>
          <button type="button" disabled={preparing} onClick={onClose}>
            Cancel
          </button>
          <button type="button" className="primary" disabled={preparing || !ready || obstacle !== null || rows === 0} onClick={() => void start()}>
            {preparing ? 'Preparing …' : 'Import'}
          </button>
        </>
      }
    >
      {trouble && (
        <p className="files-note error" role="alert">
          {trouble}
        </p>
      )}
      <p>
        {counted(analysis.rows, 'row')} and {counted(table.header.length, 'column')}, with {delimiterNames[table.delimiter] ?? table.delimiter} between the
        cells. Say what becomes of each column.
      </p>
      {analysis.broken.length > 0 && (
        <p className="files-note warning">
          <span>
            {counted(analysis.broken.length, 'row')} can’t be read as {analysis.broken.length === 1 ? 'it is' : 'they are'}, such as row{' '}
            {analysis.broken[0]!.row}: {analysis.broken[0]!.wrong!.message}.
          </span>
        </p>
      )}
      {progress !== null && <Progress label="Checking the cells" value={progress} max={table.size} />}
      <MappingTable
        header={table.header}
        guesses={analysis.guesses}
        columns={columns}
        targets={targets}
        parts={parts}
        canMakeFields={project.viewerCanAdminister}
        disabled={preparing}
        onTargets={setTargets}
        onAdding={(index, on) => setAdding(a => new Set(on ? [...a, index] : [...a].filter(i => i !== index)))}
      />
      <fieldset className="files-settings" disabled={preparing}>
        <legend className="visually-hidden">How cells are read</legend>
        <label>
          <input
            type="checkbox"
            checked={settings.leaveEmpty}
            disabled={!anyWrong && !settings.leaveEmpty}
            onChange={e => setSettings({...settings, leaveEmpty: e.target.checked})}
          />
          <span>
            Leave cells empty that don’t fit their column
            <small className="hint">Otherwise their rows are refused; you can download those, put them right and import them again.</small>
          </span>
        </label>
        <label>
          <input type="checkbox" checked={settings.guarded} onChange={e => setSettings({...settings, guarded: e.target.checked})} />
          <span>
            Take the apostrophe from texts such as <code>'=1+1</code>
            <small className="hint">Exports put apostrophes where a spreadsheet would run a part of a text as a formula.</small>
          </span>
        </label>
      </fieldset>
      {parts.some(p => p.column.type === 'DATETIME') && (
        <p className="hint">Times without an offset are taken to be of your time zone, {Intl.DateTimeFormat().resolvedOptions().timeZone}.</p>
      )}
    </Dialog>
  )
}

const delimiterNames: Record<string, string> = {',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars'}

/** Returns a key of everything that the check of a column depends on. */
const checkKey = (index: number, column: Column, guarded: boolean): string =>
  `${index} ${column.id || 'new ' + hasOptions(column)} ${column.type} ${column.options.length} ${guarded}`

/** Checks the cells of all mapped columns, once per column and target. */
function useChecks(table: Table, targets: readonly Target[], columns: readonly Column[], guarded: boolean) {
  const [checks, setChecks] = useState<ReadonlyMap<string, Checked>>(new Map())
  const [progress, setProgress] = useState<number | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const wanted = new Map(
    targets.flatMap((target, index) => {
      const column = columnOf(target, columns)
      return column ? [[checkKey(index, column, guarded), {index, column}] as const] : []
    }),
  )
  const missing = [...wanted].filter(([key]) => !checks.has(key))
  const missingKeys = missing.map(([key]) => key).join()
  useEffect(() => {
    if (missing.length === 0) return
    const stop = new AbortController()
    check(table, new Map(missing), guarded, setProgress, stop.signal).then(
      found => {
        if (stop.signal.aborted) return
        setChecks(c => new Map([...c, ...found]))
        setProgress(null)
      },
      (error: unknown) => {
        if (stop.signal.aborted) return
        setFailure(problemOf(error).message)
        setProgress(null)
      },
    )
    return () => stop.abort()
    // missingKeys stands for missing
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [table, missingKeys, guarded])
  return {checks, progress, failure}
}
