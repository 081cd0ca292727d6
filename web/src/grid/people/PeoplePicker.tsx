// An input that finds users and teams by the beginnings of their names. Enter and a click choose.
//
// It covers what is around it and goes away when it is left, or it is a part of a form: then the people are below the input and move what follows, and Enter
// submits the form unless something was typed or an arrow key was pressed.
import {useApolloClient} from '@apollo/client/react'
import {useCallback, useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent} from 'react'
import {findPeople, found} from '../data/people'
import {messages} from '../messages'
import type {Person} from '../model/people'
import {isComposing} from '../ui/keys'
import {PersonName} from '../ui/PersonName'
import {place} from '../ui/ui'
import {useAnswer} from '../ui/useAnswer'

interface Props {
  tenant: string
  label: string
  /** The IDs of people that are not offered. */
  without: ReadonlySet<string>
  /** The user that is offered first; null if the caller has no account. */
  self: Person | null
  /** Whether teams are offered. */
  teams?: boolean
  onPick: (person: Person) => void
  /** Called with what is typed and not chosen yet. */
  onType?: (text: string) => void
  /** Whether there is an error, and the ID of the element that has it. */
  invalid?: boolean
  describedBy?: string
  /** Called when the input is left: with Escape, or in another way. A part of a form has none. */
  onClose?: (how: 'escape' | 'left') => void
}

export function PeoplePicker({tenant, label, without, self, teams = true, onPick, onType, invalid = false, describedBy, onClose}: Props) {
  const client = useApolloClient()
  const [typed, setTyped] = useState('')
  const isInForm = onClose === undefined
  /** The index of the person that the arrow keys have reached; null before one was pressed. */
  const [active, setActive] = useState<number | null>(null)
  /** Whether Enter was pressed before the answer to what is typed. */
  const [waits, setWaits] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const text = typed.trim()
  const ask = useCallback((text: string) => findPeople(client, tenant, text, teams), [client, tenant, teams])
  const answer = useAnswer(ask, text)
  const {problem} = answer
  const people = found(answer.found ?? [], {text, self, without, teams})
  const at = Math.min(active ?? (isInForm && text === '' ? -1 : 0), people.length - 1)
  // What is typed may have no answer yet. Enter then waits for it, so that it never chooses somebody else.
  const isCurrent = answer.isCurrent && problem === null
  useLayoutEffect(() => {
    const box = list.current
    if (isInForm || !box || !input.current) return
    if (!box.matches(':popover-open')) box.showPopover()
    place(box, input.current.getBoundingClientRect())
  }, [isInForm, people.length, problem])
  useEffect(() => {
    list.current?.querySelector('[data-active]')?.scrollIntoView({block: 'nearest'})
  }, [at])
  useLayoutEffect(() => {
    if (!isInForm) input.current?.focus()
  }, [isInForm])
  const pick = (person: Person) => {
    setTyped('')
    onType?.('')
    setActive(null)
    setWaits(false)
    onPick(person)
  }
  useEffect(() => {
    if (!waits || !isCurrent) return
    const person = people[at]
    if (person) pick(person)
    else setWaits(false)
    // Only Enter and the answer to what is typed choose.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [waits, isCurrent])
  const keys = (e: KeyboardEvent) => {
    if (isComposing(e)) return
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      e.preventDefault()
      if (people.length > 0) setActive(e.key === 'ArrowDown' ? (at + 1) % people.length : (at <= 0 ? people.length : at) - 1)
    } else if (e.key === 'Enter' && (!isInForm || text !== '' || at >= 0)) {
      e.preventDefault()
      e.stopPropagation()
      setWaits(true)
    } else if (e.key === 'Escape' && onClose) {
      e.preventDefault()
      e.stopPropagation()
      onClose('escape')
    }
  }
  return (
    <span className={`combobox people-picker ${isInForm ? 'in-flow' : ''}`} onKeyDown={keys}>
      <input
        ref={input}
        type="text"
        role="combobox"
        autoComplete="off"
        aria-label={label}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        placeholder={messages.people.search}
        value={typed}
        onChange={e => {
          setTyped(e.target.value)
          onType?.(e.target.value.trim())
          setActive(null)
          setWaits(false)
        }}
        onBlur={() => onClose?.('left')}
      />
      <div
        ref={list}
        popover={isInForm ? undefined : 'manual'}
        className={isInForm ? 'combobox-list' : 'popover combobox-list'}
        onMouseDown={e => e.preventDefault()}
      >
        <div id={id} role="listbox" aria-label={label} aria-busy={!isCurrent}>
          {people.map((p, i) => (
            <div
              key={p.id}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === at}
              data-active={i === at || undefined}
              className="choice"
              onClick={() => pick(p)}
            >
              <PersonName person={p} />
            </div>
          ))}
        </div>
        {isCurrent && people.length === 0 && <p className="hint">{messages.people.none}</p>}
        {problem !== null && (
          <p className="error" role="alert">
            {problem}
          </p>
        )}
      </div>
    </span>
  )
}
