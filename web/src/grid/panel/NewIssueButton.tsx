// Creates an issue. The draft is kept until then, even if the server rejects it or is unreachable, or if the dialog is closed.
import {useEffect, useId, useRef, useState, type KeyboardEvent} from 'react'
import {problemsOf} from '../data/client'
import type {Column} from '../model/columns'
import {useGrid} from '../context/context'
import {useSignal} from '../context/signals'
import {useChoices} from '../context/useChoices'
import {ValueField} from '../ui/editors'
import {messages} from '../messages'
import {issueOf, objections, partsOf, placed, valueIn, type Draft} from './newIssue'
import './panel.css'
import {Dialog, Icon} from '../ui/ui'
import type {Parsed} from '../model/values'

export function NewIssueButton() {
  const {project} = useGrid()
  return project.viewerCanEdit ? <Button /> : null
}

function Button() {
  const {columns, signals} = useGrid()
  const [open, setOpen] = useState(false)
  const [draft, setDraft] = useState<Draft>(() => blank(columns))
  useSignal(signals, 'open', tool => tool === 'issue' && setOpen(true))
  useEffect(() => {
    const shortcut = (e: globalThis.KeyboardEvent) => {
      // Compares the code, because with Alt some keyboards produce another letter.
      if (!e.altKey || e.ctrlKey || e.metaKey || e.shiftKey || e.code !== 'KeyN' || document.querySelector('dialog[open]')) return
      e.preventDefault()
      setOpen(true)
    }
    document.addEventListener('keydown', shortcut)
    return () => document.removeEventListener('keydown', shortcut)
  }, [])
  return (
    <>
      <button type="button" className="primary" aria-keyshortcuts="Alt+N" title={messages.panel.newIssue.hint} onClick={() => setOpen(true)}>
        <Icon name="plus" />
        {messages.panel.newIssue.title}
      </button>
      {open && <NewIssueDialog draft={draft} setDraft={setDraft} onClose={() => setOpen(false)} />}
    </>
  )
}

/** A new issue has the first state by default. */
function blank(columns: readonly Column[]): Draft {
  const state = columns.find(c => c.builtin === 'STATE')?.options[0]
  return new Map(state ? [['state', {value: state.id}]] : [])
}

function NewIssueDialog({draft, setDraft, onClose}: {draft: Draft; setDraft: (draft: Draft) => void; onClose: () => void}) {
  const {project, columns, fields, edits, toasts, jumpTo, setView} = useGrid()
  const texts = messages.panel.newIssue
  const choices = useChoices()
  const {first, others} = partsOf(columns)
  const [round, setRound] = useState(0)
  const [wasKept] = useState(() => [...draft.keys()].some(id => id !== 'state'))
  const [kept, setKept] = useState(wasKept)
  const [wrong, setWrong] = useState<ReadonlyMap<string, string>>(new Map())
  const [problems, setProblems] = useState<readonly string[]>([])
  const [busy, setBusy] = useState(false)
  const [all, setAll] = useState(() => others.some(c => draft.has(c.id)))
  const [search, setSearch] = useState('')
  const form = useRef<HTMLFormElement>(null)
  const formID = useId()
  // The response may arrive after the dialog was closed and another draft started.
  const latest = useRef(draft)
  useEffect(() => {
    latest.current = draft
  })
  useEffect(() => {
    // eslint-disable-next-line no-restricted-syntax -- a selector
    if (wrong.size > 0) form.current?.querySelector<HTMLElement>('.invalid :is(input, select, textarea)')?.focus()
  }, [wrong])

  const change = (c: Column, parsed: Parsed) => {
    const next = new Map(latest.current)
    if (parsed.error === undefined && parsed.value === null) next.delete(c.id)
    else next.set(c.id, parsed)
    latest.current = next
    setDraft(next)
  }
  const object = (wrong: ReadonlyMap<string, string>, problems: readonly string[] = []) => {
    if (others.some(c => wrong.has(c.id))) {
      setSearch('')
      setAll(true)
    }
    setWrong(wrong)
    setProblems(problems)
  }
  const create = async () => {
    if (busy) return
    const missing = objections([...first, ...others], draft)
    if (missing.size > 0) return object(missing)
    const issue = issueOf([...first, ...others], draft)
    setBusy(true)
    object(new Map())
    try {
      const {num} = await edits.create(issue, fields)
      setDraft(blank(columns))
      onClose()
      toasts.info(texts.created(`${project.key}-${num}`), {label: messages.panel.show, run: () => void jumpTo(num).then(() => setView({issue: num}))})
    } catch (error) {
      const {wrong, others} = placed(problemsOf(error), issue, columns)
      object(wrong, others)
    } finally {
      setBusy(false)
    }
  }
  const keys = (e: KeyboardEvent) => {
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
      e.preventDefault()
      void create()
    }
  }
  const field = (c: Column) => (
    <ValueField
      key={`${c.id} ${round}`}
      domain={c}
      value={valueIn(draft, c)}
      label={c.label}
      {...(c.type === 'USER' ? choices(c) : {})}
      description={c.description || undefined}
      error={wrong.get(c.id)}
      onChange={parsed => change(c, parsed)}
    />
  )
  const wanted = search.trim().toLowerCase()
  return (
    <Dialog
      title={texts.title}
      onClose={onClose}
      footer={
        <>
          {kept && (
            <button
              type="button"
              className="draft-clear"
              onClick={() => {
                setDraft(blank(columns))
                setKept(false)
                object(new Map())
                setRound(round + 1)
              }}
            >
              {texts.clear}
            </button>
          )}
          <button type="button" onClick={onClose}>
            {messages.panel.cancel}
          </button>
          <button type="submit" form={formID} className="primary" disabled={busy}>
            {busy ? texts.creating : texts.create}
          </button>
        </>
      }
    >
      <form
        ref={form}
        id={formID}
        noValidate
        onKeyDown={keys}
        onSubmit={e => {
          e.preventDefault()
          void create()
        }}
      >
        {kept && <p className="hint">{texts.kept}</p>}
        {problems.length > 0 && (
          <div className="form-problem" role="alert">
            {problems.map(p => (
              <p key={p}>{p}</p>
            ))}
          </div>
        )}
        {wrong.size > 0 && (
          <p className="visually-hidden" role="alert">
            {texts.wrong(wrong.size)}
          </p>
        )}
        {first.map(field)}
        {others.length > 0 && (
          <button type="button" className="link more-fields" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? texts.fewerFields : texts.moreFields(others.length)}
          </button>
        )}
        {all && others.length > 15 && (
          <input
            type="search"
            className="panel-search"
            aria-label={messages.panel.searchFields}
            placeholder={messages.panel.searchFields}
            value={search}
            onChange={e => setSearch(e.target.value)}
          />
        )}
        {all && others.filter(c => c.label.toLowerCase().includes(wanted)).map(field)}
      </form>
    </Dialog>
  )
}
