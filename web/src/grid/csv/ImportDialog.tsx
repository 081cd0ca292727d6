// The dialog that imports a file: choosing it, what becomes of its columns, the progress, and the result.
import {useEffect, useRef, useState, useSyncExternalStore, type ReactNode} from 'react'
import type {Problem} from '../data/client'
import {useGrid} from '../context/context'
import {messages} from '../messages'
import {Rich} from '../ui/Rich'
import {Dialog} from '../ui/ui'
import {problemsIn, serverOf, type Mapping, type Reading, type Summary} from './imports'
import {MappingTable} from './MappingTable'
import {Progress, useLeaveWarning} from './parts'
import {ImportRun, type RunState} from './run'
import {columnAt, withoutNewFields, withZone} from './targets'
import {save} from './write'

interface Props {
  file: File | null
  /** An import to show again. */
  run: ImportRun | null
  /** Called with each import that is begun. */
  onRun: (run: ImportRun) => void
  onClose: () => void
}

export default function ImportDialog({file, run: given, onRun, onClose}: Props) {
  const {project, columns} = useGrid()
  const [run, setRun] = useState(given)
  const choose = (file: File) => {
    const adjust = (inferred: Mapping) => {
      const zoned = withZone(inferred)
      return (project.viewerCanAdminister ? null : withoutNewFields(zoned ?? inferred, columns)) ?? zoned
    }
    const next = new ImportRun(file, serverOf(project), adjust)
    setRun(next)
    onRun(next)
    void next.upload(file)
  }
  const first = useRef({file, choose})
  useEffect(() => {
    const {file, choose} = first.current
    first.current.file = null // React's strict mode runs effects twice
    if (file) choose(file)
  }, [])
  if (!run) return file ? null : <ChooseFile onChoose={choose} onClose={onClose} />
  return <Run key={run.file.name} run={run} onChoose={choose} onClose={onClose} />
}

function ChooseFile({problem, onChoose, onClose}: {problem?: ReactNode; onChoose: (file: File) => void; onClose: () => void}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <Dialog title={messages.files.import.chooseTitle} onClose={onClose} wide>
      {problem}
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
          {messages.files.import.choose}
        </button>
        <p className="hint">{messages.files.import.chooseHint}</p>
        <input
          ref={input}
          type="file"
          hidden
          accept=".csv,.tsv,.txt,.jsonl,.ndjson,.gz,text/csv,text/tab-separated-values,text/plain"
          onChange={e => e.target.files?.[0] && onChoose(e.target.files[0])}
        />
      </div>
    </Dialog>
  )
}

function Run({run, onChoose, onClose}: {run: ImportRun; onChoose: (file: File) => void; onClose: () => void}) {
  const state = useSyncExternalStore(run.subscribe, run.snapshot)
  const title = messages.files.import.title(state.shown?.name ?? run.file.name)
  const {phase} = state
  useEffect(() => {
    run.watched = true
    return () => {
      run.watched = false
    }
  }, [run])
  useLeaveWarning(phase === 'uploading')
  const close = () => {
    if (!run.begun()) run.close()
    onClose()
  }
  switch (phase) {
    case 'refused':
      return (
        <ChooseFile
          problem={
            <>
              <Problems problems={[...state.failures, ...state.problems]} />
              <FileReading run={run} state={state} />
            </>
          }
          onChoose={onChoose}
          onClose={close}
        />
      )
    case 'review':
      return <Review run={run} state={state} title={title} onChoose={onChoose} onClose={close} />
    case 'done':
      return <Result state={state} title={title} onClose={close} />
    case 'uploading':
    case 'checking':
    case 'importing':
      return <Work run={run} state={state} title={title} onClose={close} />
  }
}

function Work({run, state, title, onClose}: {run: ImportRun; state: RunState; title: string; onClose: () => void}) {
  const {project} = useGrid()
  const {phase, sent, shown, silent, canceling} = state
  const {stage = '', done = 0, total = 0} = shown?.progress ?? {}
  const uploading = phase === 'uploading'
  const texts = messages.files.import
  const stages: Record<string, string> = texts.stages
  const label = uploading ? texts.uploading : shown?.status === 'WAITING' ? texts.waiting : (stages[stage] ?? texts.checking)
  // eslint-disable-next-line no-restricted-syntax -- the server's name of a stage
  const rows = stage === 'importing' || stage === 'comparing rows'
  return (
    <Dialog
      title={title}
      wide
      onClose={onClose}
      footer={
        phase === 'importing' ? (
          <>
            <button type="button" onClick={onClose}>
              {texts.background}
            </button>
            <button type="button" data-autofocus disabled={canceling} onClick={() => void run.cancel()}>
              {canceling ? texts.canceling : texts.cancel}
            </button>
          </>
        ) : (
          <button type="button" data-autofocus onClick={onClose}>
            {messages.files.cancel}
          </button>
        )
      }
    >
      <Progress label={label} value={uploading ? sent : done} max={uploading ? run.file.size : total || null}>
        {label}
        {rows && total > 0 && ` · ${texts.progress(done, total)}`}
      </Progress>
      {silent && (
        <p className="files-note warning" role="alert">
          {silent.message} {texts.asksAgain}
        </p>
      )}
      {shown?.status === 'WAITING' && <p className="hint">{texts.waitingHint(project.tenant?.name)}</p>}
      <Problems problems={state.failures} />
    </Dialog>
  )
}

function Review({run, state, title, onChoose, onClose}: {run: ImportRun; state: RunState; title: string; onChoose: (file: File) => void; onClose: () => void}) {
  const {project, columns} = useGrid()
  const {checked, mapping, settings, edited, starting, problems, failures} = state
  const {summary} = checked!
  const texts = messages.files.import
  if (summary?.rows === 0) {
    const problem = {code: 'BAD_USER_INPUT', message: texts.noRows(run.file.name)}
    return <ChooseFile problem={<Problems problems={[problem]} />} onChoose={onChoose} onClose={onClose} />
  }
  const writes = summary ? summary.added + summary.changed : 0
  const ready = !edited && problems.length === 0 && writes > 0
  return (
    <Dialog
      title={title}
      wide
      onClose={onClose}
      footer={
        <>
          <span className="files-summary" role="status">
            {starting
              ? texts.starting
              : edited
                ? texts.edited
                : problems.length > 0
                  ? texts.notYet
                  : summary && (writes > 0 ? texts.result : texts.nothing)(texts.counts(summary))}
          </span>
          <button type="button" disabled={run.begun()} onClick={onClose}>
            {messages.files.cancel}
          </button>
          {edited ? (
            <button type="button" className="primary" disabled={starting} onClick={() => void run.check()}>
              {texts.checkAgain}
            </button>
          ) : (
            <button type="button" className="primary" disabled={!ready || starting} onClick={() => void run.begin()}>
              {texts.begin}
            </button>
          )}
        </>
      }
    >
      <Problems problems={[...failures, ...problems].filter(p => columnAt(p.argument) === null)} />
      {summary && <Gains summary={summary} project={project.key} />}
      {summary && <OtherRejects summary={summary} mapping={mapping} />}
      {mapping && (
        <MappingTable
          file={checked!.columns ?? []}
          mapping={mapping}
          columns={columns}
          checked={checked!}
          problems={[...failures, ...problems]}
          disabled={starting}
          canAdminister={project.viewerCanAdminister}
          onMapping={run.edit}
        />
      )}
      <FileReading run={run} state={state} />
      <fieldset className="files-settings" disabled={starting}>
        <legend className="visually-hidden">{texts.settings}</legend>
        <label>
          <input type="checkbox" checked={settings.onlyNew} onChange={e => run.configure({onlyNew: e.target.checked})} />
          <span>
            {texts.onlyNew}
            <small className="hint">{texts.onlyNewHint}</small>
          </span>
        </label>
        <label>
          <input type="checkbox" checked={settings.removeApostrophes} onChange={e => run.configure({removeApostrophes: e.target.checked})} />
          <span>
            <Rich text={texts.removeApostrophes} example={<code>'=1+1</code>} />
            <small className="hint">{texts.removeApostrophesHint}</small>
          </span>
        </label>
      </fieldset>
    </Dialog>
  )
}

/** Shows how the file was read, and lets the user change that. */
function FileReading({run, state: {checked, shown, reading, starting}}: {run: ImportRun; state: RunState}) {
  const texts = messages.files.import
  const was = (checked ?? shown)?.reading
  if (!was) return null
  const {encoding, delimiter, header} = {...was, ...reading}
  const onChange = (change: Reading) => void run.reread(change)
  const choice = <T extends string | number>(label: string, value: T, known: readonly T[], name: (value: T) => string, onChoice: (value: T) => void) => (
    <label>
      {label}
      <select value={value} onChange={e => onChoice(known.find(k => String(k) === e.target.value)!)}>
        {(known.includes(value) ? known : [...known, value]).map(k => (
          <option key={k} value={k}>
            {name(k)}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <fieldset className="files-reading" disabled={starting}>
      <legend>{texts.reading}</legend>
      {choice(texts.encoding, encoding, encodings, encodingName, encoding => onChange({encoding}))}
      {delimiter !== undefined && choice(texts.delimiter, delimiter, delimiters, texts.delimiterName, delimiter => onChange({delimiter}))}
      {delimiter !== undefined && choice(texts.header, header, headers, texts.headerLine, header => onChange({header}))}
    </fieldset>
  )
}

// Encodings by the names of the WHATWG Encoding Standard, the most frequent ones of files of spreadsheets.
const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'macintosh',
  'shift_jis',
  'gb18030',
  'big5',
  'euc-kr',
]
const encodingName = (name: string) => name.replace(/^utf|^gb|^euc/, s => s.toUpperCase()).replace(/^[a-z]/, s => s.toUpperCase())
const delimiters = [',', ';', '\t', '|']
const headers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0]

/** Shows what the import does besides writing issues of this project. */
function Gains({summary, project, done = false}: {summary: Summary; project: string; done?: boolean}) {
  const texts = messages.files.import
  const others = summary.projects.filter(p => p.key !== project)
  const projects = summary.projects.map(p => texts.projectRows(p.key, p.added + p.changed + p.unchanged)).join(', ')
  return (
    <>
      {others.length > 0 && <p className="files-note warning">{texts.into(done, others.length === summary.projects.length, projects)}</p>}
      <Outcomes title={done ? texts.alsoCreated : texts.alsoCreates} all={summary.definitions} />
      <Outcomes title={texts.notes} all={summary.notes} />
      {summary.skipped > 0 && <p className="hint">{texts.skipped(summary.skipped)}</p>}
      {summary.blank > 0 && <p className="hint">{texts.blank(summary.blank)}</p>}
      {summary.cleaned > 0 && <p className="hint">{texts.cleaned(summary.cleaned)}</p>}
    </>
  )
}

/** Shows sentences of the server. */
function Outcomes({title, all}: {title: string; all: readonly string[]}) {
  if (all.length === 0) return null
  return (
    <div className="files-note">
      <div>
        {title}
        <ul className="files-outcome">
          {all.slice(0, mostOutcomes).map(o => (
            <li key={o}>{o}</li>
          ))}
        </ul>
        {all.length > mostOutcomes && <p className="hint">{messages.files.import.moreOutcomes(all.length - mostOutcomes)}</p>}
      </div>
    </div>
  )
}

const mostOutcomes = 20

/** Shows why rows are rejected that no column of the file explains, such as for a required field without a column. */
function OtherRejects({summary, mapping}: {summary: Summary; mapping: Mapping | null}) {
  const texts = messages.files.import
  const others = summary.reasons.filter(r => !mapping?.columns.some(c => c.column === r.column))
  return others.map(({column, reason, rows}) => {
    const example = summary.rejects.find(r => r.column === column && r.reason === reason)
    return (
      <p key={`${column} ${reason}`} className="files-note warning">
        {column ? texts.rejectedIn(rows, column, reason) : texts.rejected(rows, reason)}
        {example && ` ${texts.example(example.line, example.detail)}`}
      </p>
    )
  })
}

function Result({state, title, onClose}: {state: RunState; title: string; onClose: () => void}) {
  const {project} = useGrid()
  const [problem, setProblem] = useState<Problem | null>(null)
  const [loading, setLoading] = useState(false)
  const {name, summary, rejects, status} = state.shown!
  const texts = messages.files.import
  const download = async (path: string) => {
    setLoading(true)
    setProblem(null)
    try {
      const rows = await serverOf(project).rejects(path)
      save(`${name.replace(/(?:\.[a-z]+)?(?:\.gz)?$/i, '')}.rejects.${rows.type.includes('json') ? 'jsonl' : 'csv'}`, [rows])
    } catch (error) {
      setProblem(problemsIn(error)[0]!)
    } finally {
      setLoading(false)
    }
  }
  return (
    <Dialog
      title={title}
      wide
      onClose={onClose}
      footer={
        <>
          {rejects && (
            <button type="button" disabled={loading} onClick={() => void download(rejects)}>
              {texts.download}
            </button>
          )}
          <button type="button" className="primary" data-autofocus onClick={onClose}>
            {messages.files.close}
          </button>
        </>
      }
    >
      <div role="status">
        {status === 'CANCELED' && <p className="files-note warning">{texts.canceled}</p>}
        {status === 'FAILED' && <p>{texts.failed}</p>}
        {summary && <p className="files-counts">{texts.counts(summary)}.</p>}
      </div>
      <Problems problems={problem ? [problem, ...state.problems] : state.problems} />
      {summary && <Gains summary={summary} project={project.key} done />}
      {summary && summary.rejects.length > 0 && <Rejects summary={summary} />}
    </Dialog>
  )
}

function Rejects({summary}: {summary: Summary}) {
  const texts = messages.files.import
  const more = summary.rejected - new Set(summary.rejects.map(r => r.line)).size
  return (
    <div className="files-reasons" role="region" aria-label={texts.rejectedRows} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.line}</th>
            <th scope="col">{texts.column}</th>
            <th scope="col">{texts.reason}</th>
          </tr>
        </thead>
        <tbody>
          {summary.rejects.map(r => (
            <tr key={`${r.line} ${r.column}`}>
              <td>{r.line.toLocaleString()}</td>
              <td>{r.column || '–'}</td>
              <td>
                {r.reason}: {r.detail}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p className="hint">{texts.moreRejected(more)}</p>}
    </div>
  )
}

function Problems({problems}: {problems: readonly Problem[]}) {
  return problems.map(p => (
    <p key={p.message} className="files-note error" role="alert">
      {p.message}
    </p>
  ))
}
