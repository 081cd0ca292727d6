// A searchable list for choosing a column. The input keeps the focus, as in the ARIA combobox pattern.
import {useEffect, useId, useRef, useState, type KeyboardEvent} from 'react'
import {isComposing} from './keys'
import {messages} from '../messages'
import {found, type Column} from '../model/columns'
import {typeName} from '../model/types'

export function ColumnPicker({label, columns, onPick}: {label: string; columns: readonly Column[]; onPick: (column: Column) => void}) {
  const [search, setSearch] = useState('')
  const [at, setAt] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const id = useId()
  const options = found(columns, search)
  useEffect(() => input.current?.focus(), [])
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({block: 'nearest'})
  }, [at, search])

  const keys = (e: KeyboardEvent) => {
    if (isComposing(e)) return
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: Math.min(at + 8, options.length - 1), PageUp: Math.max(at - 8, 0)}[e.key]
    if (to !== undefined && options.length > 0) setAt((to + options.length) % options.length)
    else if (e.key === 'Enter' && options[at]) onPick(options[at])
    else return
    e.preventDefault()
  }
  return (
    <>
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={id}
        aria-activedescendant={options[at] && `${id}-${at}`}
        autoComplete="off"
        placeholder={label}
        value={search}
        onChange={e => {
          setSearch(e.target.value)
          setAt(0)
        }}
        onKeyDown={keys}
      />
      <ul ref={list} id={id} role="listbox" aria-label={messages.ui.columns} className="column-list">
        {options.map((c, i) => (
          <li key={c.id} id={`${id}-${i}`} role="option" aria-selected={i === at} onClick={() => onPick(c)}>
            <span>{c.label}</span>
            <span className="hint">{typeName(c)}</span>
          </li>
        ))}
      </ul>
      <p className="hint" role="status">
        {options.length === 0 ? messages.ui.noColumn : ''}
      </p>
    </>
  )
}
