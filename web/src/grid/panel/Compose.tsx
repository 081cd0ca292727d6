// An editor for the text of a comment, with a preview.
import {useId, useLayoutEffect, useRef, useState, type KeyboardEvent} from 'react'
import {flushSync} from 'react-dom'
import {useGrid} from '../context/context'
import {once, problemOf} from '../data/client'
import {messages} from '../messages'
import {PeoplePicker} from '../people/PeoplePicker'
import type {Person} from '../model/people'
import {beginsMention, type Written} from './comments'
import {Markdown} from './Markdown'
import {isComposing} from '../ui/keys'

interface Props {
  label: string
  /** The label of the button that saves. */
  action: string
  draft: Written
  onDraft: (draft: Written) => void
  /** Saves the draft under an idempotency key. It returns why the draft was not saved, or throws; then the draft stays. */
  onSave: (draft: Written, key: ReturnType<typeof once>) => Promise<string | null>
  /** Without it, there is no button to cancel, and the editor does not take the focus. */
  onCancel?: () => void
}

const nobody: ReadonlySet<string> = new Set()

/** The maximum number of users that a comment mentions. */
const mostMentions = 50

export function Compose({label, action, draft, onDraft, onSave, onCancel}: Props) {
  const {project, user} = useGrid()
  const {text, mentions} = draft
  /** Where the name of a mentioned user is to be written, while it is chosen; null otherwise. */
  const [mentioning, setMentioning] = useState<number | null>(null)
  const [isPreview, setPreview] = useState(false)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const cancel = useRef<HTMLButtonElement>(null)
  /** What was sent, with its key. Sent again after a lost response, it is not saved twice. */
  const sent = useRef<{draft: string; key: ReturnType<typeof once>} | null>(null)
  const title = useId()
  const takesFocus = onCancel !== undefined
  useLayoutEffect(() => {
    if (takesFocus) area.current?.focus()
  }, [takesFocus])
  const isEmpty = text.trim() === ''
  const save = async () => {
    if (isEmpty || busy) return
    setBusy(true)
    try {
      const what = JSON.stringify(draft)
      if (sent.current?.draft !== what) sent.current = {draft: what, key: once()}
      const why = await onSave(draft, sent.current.key)
      sent.current = null
      setProblem(why)
      if (why === null) setPreview(false)
    } catch (error) {
      const {code, message} = problemOf(error)
      setProblem(code === 'OFFLINE' ? messages.panel.offline : message)
    } finally {
      setBusy(false)
    }
  }
  const input = (area: HTMLTextAreaElement) => {
    onDraft({text: area.value, mentions})
    const caret = area.selectionStart
    const isTyped = area.value.length === text.length + 1
    if (isTyped && mentions.length < mostMentions && beginsMention(area.value.slice(0, caret))) setMentioning(caret)
  }
  const ask = () => {
    const caret = area.current?.selectionStart ?? text.length
    const sign = text === '' || /\s$/u.test(text.slice(0, caret)) ? '@' : ' @'
    onDraft({text: text.slice(0, caret) + sign + text.slice(caret), mentions})
    setMentioning(caret + sign.length)
  }
  /** Returns to the text, with the caret at a position. */
  const resume = (caret: number) => {
    flushSync(() => setMentioning(null))
    area.current?.focus()
    area.current?.setSelectionRange(caret, caret)
  }
  const mention = ({id, name}: Person) => {
    const at = mentioning ?? text.length
    flushSync(() => onDraft({text: `${text.slice(0, at)}${name} ${text.slice(at)}`, mentions: [...mentions, {id, name}]}))
    resume(at + name.length + 1)
  }
  const keys = (e: KeyboardEvent) => {
    if (isComposing(e)) return e.stopPropagation()
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
      e.preventDefault()
      void save()
    } else if (e.key === 'Escape' && onCancel) {
      e.stopPropagation()
      if (isEmpty) onCancel()
      else cancel.current?.focus()
    }
  }
  return (
    <div className="compose" onKeyDown={keys}>
      <label id={title} htmlFor={`${title}-text`}>
        {label}
      </label>
      {isPreview ? (
        <div className="compose-preview" role="region" aria-label={messages.panel.comments.preview}>
          <Markdown text={text} />
        </div>
      ) : (
        <textarea ref={area} id={`${title}-text`} rows={3} value={text} readOnly={busy} onChange={e => input(e.target)} />
      )}
      {mentioning !== null && project.tenant && (
        <PeoplePicker
          tenant={project.tenant.id}
          label={messages.people.mention}
          self={user ?? null}
          without={nobody}
          teams={false}
          onPick={mention}
          onClose={how => (how === 'escape' ? resume(mentioning) : setMentioning(null))}
        />
      )}
      {problem && (
        <p className="error" role="alert">
          {problem}
        </p>
      )}
      <p className="actions">
        <button type="button" className="primary" disabled={isEmpty} aria-disabled={busy || undefined} onClick={() => void save()}>
          {action}
        </button>
        <button type="button" aria-pressed={isPreview} disabled={isEmpty && !isPreview} onClick={() => setPreview(!isPreview)}>
          {messages.panel.comments.preview}
        </button>
        <button type="button" disabled={busy || isPreview || mentions.length >= mostMentions} onClick={ask}>
          {messages.people.mention}
        </button>
        {onCancel && (
          <button ref={cancel} type="button" disabled={busy} onClick={onCancel}>
            {messages.panel.cancel}
          </button>
        )}
      </p>
    </div>
  )
}
