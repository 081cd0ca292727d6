// A long text of the panel. It is shown as Markdown, and its editor has buttons: a click elsewhere neither saves nor discards a text that took minutes
// to write. Drafts survive closing the panel.
import {useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent} from 'react'
import type {Column} from '../model/columns'
import type {Written} from './comments'
import {Markdown} from './Markdown'
import {messages} from '../messages'
import {isComposing} from '../ui/keys'
import {IconButton} from '../ui/ui'

/** A draft, and the text at its start. */
interface Draft {
  before: string | null
  text: string
  /** Whether saving has failed. */
  unsaved?: boolean
  /** The users that were chosen for mentions in the text of a comment. */
  mentions?: Written['mentions']
  /** The version of a comment whose text is changed. */
  version?: number
}

/** The drafts, by issue and column. */
export type Drafts = Map<string, Draft>

interface Props {
  issue: string
  column: Column
  /** Undefined while it is loading. */
  text: string | null | undefined
  drafts: Drafts
  onSave: (column: Column, before: string | null, text: string | null) => Promise<boolean>
}

export function LongText({issue, column, text, drafts, onSave}: Props) {
  const key = `${issue} ${column.id}`
  const [draft, setDraft] = useState<Draft | null>(() => drafts.get(key) ?? null)
  const box = useRef<HTMLDivElement>(null)
  const focus = useRef<'textarea' | '.edit-text' | null>(null)
  const title = useId()
  useEffect(() => {
    if (draft) drafts.set(key, draft)
  }, [draft, drafts, key])
  // The text was saved by a retry elsewhere.
  const isSaved = draft?.unsaved === true && text !== undefined && (text ?? '') === draft.text
  useEffect(() => {
    if (!isSaved) return
    drafts.delete(key)
    setDraft(null)
  }, [isSaved, drafts, key])
  const isEditing = draft !== null
  useLayoutEffect(() => {
    if (focus.current) box.current?.querySelector<HTMLElement>(focus.current)?.focus()
    focus.current = null
  }, [isEditing])

  const edit = (draft: Draft | null) => {
    focus.current = draft ? 'textarea' : '.edit-text'
    if (!draft) drafts.delete(key)
    setDraft(draft)
  }
  const save = async () => {
    if (!draft) return
    edit(null)
    if (draft.text === (draft.before ?? '')) return
    drafts.set(key, draft)
    if (await onSave(column, draft.before, draft.text || null)) {
      if (drafts.get(key) === draft) drafts.delete(key)
      return
    }
    const left = {...draft, unsaved: true}
    drafts.set(key, left)
    setDraft(left)
  }
  const keys = (e: KeyboardEvent) => {
    if (isComposing(e)) return e.stopPropagation()
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
      e.preventDefault()
      void save()
    } else if (e.key === 'Escape') {
      e.stopPropagation()
      if (draft && draft.text === (draft.before ?? '')) edit(null)
      else box.current?.querySelector<HTMLElement>('.cancel')?.focus()
    }
  }
  return (
    <div ref={box} className="long-text">
      <div className="long-text-head">
        <h3 id={title}>{column.label}</h3>
        {column.editable && !draft && text !== undefined && (
          <IconButton
            label={messages.panel.edit(column.label)}
            icon="edit"
            className="icon-button edit-text"
            onClick={() => edit({before: text, text: text ?? ''})}
          />
        )}
      </div>
      {draft ? (
        <div onKeyDown={keys}>
          <textarea aria-labelledby={title} rows={8} value={draft.text} onChange={e => setDraft({...draft, text: e.target.value})} />
          {draft.unsaved && (
            <p className="error" role="alert">
              {messages.panel.notSaved}
            </p>
          )}
          <p className="actions">
            <button type="button" className="primary" onClick={() => void save()}>
              {messages.panel.save}
            </button>
            <button type="button" className="cancel" onClick={() => edit(null)}>
              {messages.panel.cancel}
            </button>
            <span className="hint">{messages.panel.saveKeys}</span>
          </p>
        </div>
      ) : text === undefined ? (
        <span className="bone" />
      ) : text ? (
        <Markdown text={text} />
      ) : (
        <p className="hint">{messages.panel.noText}</p>
      )}
    </div>
  )
}
