// Edits a list of options or states: names, colors, the order, and which entry replaces a removed one.
import {useRef, useState, type KeyboardEvent} from 'react'
import {ColorButton} from './ColorButton'
import {freshColor} from '../model/colors'
import {messages} from '../messages'
import {IconButton} from '../ui/ui'
import {isComposing} from '../ui/keys'

export interface Entry {
  id: string
  name: string
  color: string | null
  /** Whether a state is open; undefined for an option. */
  open?: boolean
}

export type EntryChange = Partial<Omit<Entry, 'id'>>

interface Props {
  /** What an entry is. */
  noun: 'option' | 'state'
  entries: readonly Entry[]
  /** Adds an entry, and reports whether that worked. */
  onAdd: (entry: Omit<Entry, 'id'>) => Promise<boolean>
  onChange: (id: string, change: EntryChange) => Promise<boolean>
  /** Moves an entry before another one, or to the end. */
  onMove: (id: string, before: string | null) => void
  onRemove: (id: string) => void
}

const most = {option: 500, state: 50}

export function EntryList({noun, entries, onAdd, onChange, onMove, onRemove}: Props) {
  const [draft, setDraft] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const texts = messages.admin[noun]
  const isFull = entries.length >= most[noun]
  const add = async () => {
    const name = draft.trim()
    if (name === '' || isFull) return
    const entry = {name, color: freshColor(entries.map(e => e.color)), ...(noun === 'state' ? {open: true} : {})}
    setDraft('')
    if (!(await onAdd(entry))) setDraft(now => now || name)
  }
  const keys = (e: KeyboardEvent) => {
    if (e.key !== 'Enter' || isComposing(e)) return
    e.preventDefault() // does not submit the form around it
    void add()
  }
  const move = (index: number, by: 1 | -1) => {
    const to = index + by
    const entry = entries[index]
    if (!entry || to < 0 || to >= entries.length) return
    onMove(entry.id, entries[by > 0 ? to + 1 : to]?.id ?? null)
  }
  return (
    <div className="admin-entries">
      <ul ref={list} aria-label={texts.list}>
        {entries.map((entry, i) => (
          <li key={entry.id}>
            <ColorButton label={messages.admin.colorOf(entry.name)} color={entry.color} onChange={color => void onChange(entry.id, {color})} />
            <NameInput label={texts.nameOf(i + 1)} name={entry.name} onRename={name => onChange(entry.id, {name})} onMove={by => move(i, by)} />
            {entry.open !== undefined && (
              <select
                aria-label={messages.admin.kindOf(entry.name)}
                value={entry.open ? 'open' : 'closed'}
                onChange={e => void onChange(entry.id, {open: e.target.value === 'open'})}
              >
                <option value="open">{messages.admin.open}</option>
                <option value="closed">{messages.admin.closed}</option>
              </select>
            )}
            <IconButton label={messages.admin.moveUp(entry.name)} icon="up" aria-disabled={i === 0 || undefined} onClick={() => move(i, -1)} />
            <IconButton
              label={messages.admin.moveDown(entry.name)}
              icon="down"
              aria-disabled={i === entries.length - 1 || undefined}
              onClick={() => move(i, 1)}
            />
            <IconButton label={messages.admin.remove(entry.name)} icon="trash" onClick={() => onRemove(entry.id)} />
          </li>
        ))}
      </ul>
      {isFull ? (
        <p className="hint">{texts.atMost(most[noun])}</p>
      ) : (
        <div className="admin-add">
          <input
            type="text"
            aria-label={texts.new}
            placeholder={texts.new}
            maxLength={255}
            autoComplete="off"
            value={draft}
            onChange={e => setDraft(e.target.value)}
            onKeyDown={keys}
          />
          <button type="button" onClick={() => void add()}>
            {messages.admin.add}
          </button>
        </div>
      )}
    </div>
  )
}

/** Renames on Enter and when the focus leaves. A name that was refused stays in the input. */
function NameInput({label, name, onRename, onMove}: {label: string; name: string; onRename: (name: string) => Promise<boolean>; onMove: (by: 1 | -1) => void}) {
  const [typed, setTyped] = useState<string | null>(null)
  const [refused, setRefused] = useState(false)
  const commit = async () => {
    const wanted = typed?.trim() ?? name
    if (wanted === name || wanted === '') return setTyped(null)
    const renamed = await onRename(wanted)
    setRefused(!renamed)
    if (renamed) setTyped(null)
  }
  const keys = (e: KeyboardEvent) => {
    if (e.key === 'Enter' && !isComposing(e)) {
      e.preventDefault()
      void commit()
    } else if (e.key === 'Escape' && typed !== null) {
      e.preventDefault()
      e.stopPropagation()
      setTyped(null)
      setRefused(false)
    } else if (e.altKey && (e.key === 'ArrowUp' || e.key === 'ArrowDown')) {
      e.preventDefault()
      onMove(e.key === 'ArrowUp' ? -1 : 1)
    }
  }
  return (
    <input
      type="text"
      aria-label={label}
      aria-invalid={refused || undefined}
      maxLength={255}
      autoComplete="off"
      value={typed ?? name}
      onChange={e => {
        setRefused(false)
        setTyped(e.target.value)
      }}
      onBlur={() => void commit()}
      onKeyDown={keys}
    />
  )
}
