// The input of values that are chosen: options, people and tags. Typing searches; Enter, Tab and a click choose.
import {useEffect, useId, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode} from 'react'
import {messages} from '../messages'
import {begins, begun, choiceOf, matching, peopleChoices, usersNamed, type Choice, type Choices} from './choices'
import {PersonName} from './PersonName'
import {Icon, place} from './ui'
import {folded, nameKey, parse, PersonValue, splitList, type Domain, type Parsed, type Value} from '../model/values'
import {isComposing} from './keys'
import {useAnswer} from './useAnswer'

interface Props extends Choices {
  domain: Domain
  value: Value
  label: string
  id?: string | undefined
  initial?: string | undefined
  /** Whether the input is in a cell: the choices are shown from the beginning, and the key that chooses one also saves the cell. */
  isCell?: boolean | undefined
  /** Whether the choices are shown from the beginning, and Escape is for the caller. */
  opens?: boolean | undefined
  /** Whether what is typed is a value as it stands, and the choices are suggestions: only an arrow key or a click chooses one. */
  takesTyped?: boolean | undefined
  /** Whether the choices are below the input and move what follows, such as the buttons of a form, instead of covering it. */
  isInFlow?: boolean | undefined
  autoFocus?: boolean | undefined
  describedBy?: string | undefined
  invalid?: boolean | undefined
  className?: string | undefined
  onChange: (parsed: Parsed) => void
  /** Called after the only value was chosen, except by a key in a cell. */
  onPicked?: (() => void) | undefined
}

/** How many choices are rendered. Typing finds the others. */
const most = 200
/** Stands for the entry that creates what is typed, among the IDs of the choices. */
const creation = ''

export function Combobox({
  domain,
  value,
  label,
  id,
  initial,
  isCell = false,
  opens = isCell,
  takesTyped = false,
  isInFlow = false,
  autoFocus,
  describedBy,
  invalid,
  className,
  known,
  findUsers,
  notes,
  onTyped,
  onCreate,
  onChange,
  onPicked,
}: Props) {
  const {type} = domain
  const isMany = type === 'MULTI_SELECT' || type === 'TAGS'
  const isFree = takesTyped || type === 'TAGS' || type === 'USER'
  const [chosen, setChosen] = useState<readonly string[]>(() => idsOf(value))
  /** The choices that are known whatever is found: the person that the input begins with, and what was created or chosen here. */
  const [own, setOwn] = useState<readonly Choice[]>(() => (value instanceof PersonValue ? [choiceOf(value)] : []))
  const shown = isMany ? '' : nameIn([...choicesOf(domain), ...own], chosen[0])
  /** What was typed; null while the input shows the chosen value. */
  const [typed, setTyped] = useState<string | null>(initial ?? null)
  /** The ID of the choice that the arrow keys have reached, which others that are found later do not move; null before one was pressed. */
  const [active, setActive] = useState<string | null>(null)
  /** The key that chooses, if it was pressed before the answer to what is typed. */
  const [waiting, setWaiting] = useState<{key: string; shiftKey: boolean} | null>(null)
  const [isOpen, setOpen] = useState(opens)
  const [problem, setProblem] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const creating = useRef(false)
  const list = useRef<HTMLDivElement>(null)
  const listID = useId()

  const others = useMemo(() => (isOpen ? (known?.() ?? []) : []), [isOpen, known])
  const wanted = (typed ?? '').trim()
  const answer = useAnswer(isOpen ? findUsers : undefined, wanted)
  // What is typed may have no answer yet. Enter then waits for it, so that it never chooses somebody else.
  const isCurrent = findUsers === undefined || answer.isCurrent
  const all =
    type === 'USER'
      ? peopleChoices(answer.found ?? [], others)
      : isFree
        ? [...new Set([...(isMany ? chosen : []), ...others])].map(choiceOf)
        : [...choicesOf(domain), ...own.filter(c => !domain.options.some(o => o.id === c.id))]
  const found = matching(all, typed ?? '').slice(0, most)
  const users = usersNamed(found, wanted)
  const isNew = wanted !== '' && !all.some(c => nameKey(c.name) === nameKey(wanted))
  /** Whether what is typed may be the beginning of the first match. Of people, a match in the middle of a word is none. */
  const isBegun = !takesTyped && wanted !== '' && found[0] !== undefined && type !== 'TAGS' && (type !== 'USER' || begins(found[0].name, wanted))
  const canCreate = isNew && (isFree ? isMany || (isBegun && users.length === 0) : onCreate !== undefined)
  const ids = [...found.map(c => c.id), ...(canCreate ? [creation] : [])]
  const count = ids.length
  // What is typed chooses the match that begun returns; a tag stands for itself. Next to matches, a new option or person is created only by an arrow key or a click, so that
  // no typing error and no part of a name becomes one. A name that only one user has, ignoring case and accents, chooses it; one that several have chooses none.
  const initialActive =
    typed === null
      ? found.findIndex(c => !isMany && c.id === chosen[0])
      : users[0]
        ? users.length === 1
          ? found.indexOf(users[0])
          : -1
        : isBegun
          ? begun(found, wanted)
          : -1
  /** Whether the list is rendered. Without suggestions, there is none. */
  const isListed = isOpen && (count > 0 || !takesTyped || isMany)
  const reached = active === null ? -1 : ids.indexOf(active)
  const at = reached >= 0 ? reached : initialActive

  useLayoutEffect(() => {
    const box = list.current
    if (!isOpen || isInFlow || !box || !input.current) return
    if (!box.matches(':popover-open')) box.showPopover()
    // Below the error of the cell, which it would cover.
    const around = input.current.getBoundingClientRect()
    const error = input.current.closest('.cell-editor')?.querySelector('.cell-error')?.getBoundingClientRect()
    place(box, error ? new DOMRect(around.x, around.y, around.width, error.bottom - around.y) : around)
  }, [isOpen, isInFlow, count, invalid])
  useEffect(() => {
    if (isOpen) list.current?.querySelector('[data-active]')?.scrollIntoView({block: 'nearest'})
  }, [at, isOpen])
  useEffect(() => {
    if (isOpen) onTyped?.(typed ?? '')
  }, [isOpen, typed, onTyped])
  const reported = useRef(false)
  useEffect(() => {
    if (!initial || reported.current) return
    reported.current = true
    report(chosen, initial)
  })
  useEffect(() => {
    // Users who are found can make another value of what was typed.
    if (answer.found !== null && typed !== null) report(chosen, typed)
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [answer.found])
  useEffect(() => {
    if (!waiting || !isCurrent) return
    setWaiting(null)
    input.current?.dispatchEvent(new KeyboardEvent('keydown', {...waiting, bubbles: true, cancelable: true}))
  }, [waiting, isCurrent])

  /** Reports the value that leaving the input now would have. */
  const report = (ids: readonly string[], text: string | null) => {
    setProblem(null)
    const pending = (text ?? '').trim()
    if (!isMany) {
      const match = matching(all, pending).find(c => begins(c.name, pending))
      const [user, ...namesakes] = usersNamed(all, pending)
      if (text === null) onChange(ids[0] === undefined ? parse(domain, '') : {value: valueOfID(ids[0])})
      else if (takesTyped) onChange(parse(domain, text))
      else if (user) onChange(namesakes.length === 0 ? {value: PersonValue.of(user.user!)} : {error: messages.ui.severalPeople(pending), isUnfinished: true})
      else if (isFree && pending !== '' && match && !all.some(c => folded(c.name) === folded(pending)))
        onChange({error: messages.ui.unclearPerson(pending, match.name), isUnfinished: true})
      else onChange(unfinished(parse(domain, pending), matching(all, pending).length > 0))
    } else if (type === 'TAGS') {
      const tags = [...new Set([...ids, ...splitList(pending)])]
      const parsed = parse(domain, tags.map(t => `"${t.replaceAll('"', '""')}"`).join(','))
      onChange(parsed)
    } else if (pending !== '') {
      const parsed = parse({...domain, required: false}, pending)
      onChange(parsed.error === undefined ? {value: [...new Set([...ids, ...idsOf(parsed.value)])]} : unfinished(parsed, matching(all, pending).length > 0))
    } else onChange(ids.length > 0 ? {value: ids} : domain.required ? {error: messages.model.required} : {value: null})
  }
  const valueOfID = (id: string): Value => {
    if (type === 'USER') {
      const user = [...all, ...own].find(c => c.id === id)?.user
      return user ? PersonValue.of(user) : new PersonValue(id)
    }
    return type === 'BOOLEAN' ? id === 'true' : id
  }
  const search = (text: string) => {
    setActive(null)
    setWaiting(null)
    setOpen(true)
    // A comma ends a name, unless the name is still in quotes.
    if (isMany && /,\s*$/.test(text) && (text.match(/"/g) ?? []).length % 2 === 0) {
      const name = text.trim().slice(0, -1)
      const [first] = matching(all, name)
      const parsed = type === 'TAGS' ? {value: splitList(name)} : parse({...domain, required: false}, name)
      if (parsed.error === undefined) return choose([...new Set([...chosen, ...idsOf(parsed.value)])])
      if (first) return choose([...new Set([...chosen, first.id])])
    }
    setTyped(text)
    report(chosen, text)
  }
  const choose = (ids: readonly string[]) => {
    setChosen(ids)
    setTyped(null)
    setActive(null)
    report(ids, null)
  }
  const pick = (choice: Choice) => {
    if (choice.user) setOwn([...own, choice])
    if (!isMany) choose([choice.id])
    else choose(chosen.includes(choice.id) ? chosen.filter(c => c !== choice.id) : [...chosen, choice.id])
  }
  const picked = () => {
    setOpen(false)
    onPicked?.()
  }
  const create = async () => {
    if (isFree) return choose(isMany ? [...new Set([...chosen, ...splitList(wanted)])] : [wanted])
    if (!onCreate || creating.current) return
    creating.current = true
    try {
      const made = {id: await onCreate(wanted), name: wanted}
      setOwn([...own, made])
      pick(made)
      if (!isMany) picked()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      creating.current = false
    }
  }
  /** Takes the choice that Enter or Tab means. Enter also saves, except after an arrow key in a list of many, where more choices may follow. */
  const confirm = (e: KeyboardEvent) => {
    if (at < 0) return
    const choice = found[at]
    const isToggle = isMany && e.key === 'Enter' && active !== null
    if (choice && (isToggle || !isMany || !chosen.includes(choice.id))) pick(choice)
    if (!choice) void create()
    const waits = !choice && !isFree // for the new option, which is then chosen
    const ends = e.key === 'Enter' && !isMany && !isCell
    if (isToggle || waits || ends) {
      e.preventDefault()
      e.stopPropagation()
    }
    if (choice && ends) picked()
  }
  const keys = (e: KeyboardEvent) => {
    if (isComposing(e)) return e.stopPropagation()
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      e.preventDefault()
      if (!isOpen) return setOpen(true)
      if (count > 0) setActive(ids[e.key === 'ArrowDown' ? (at + 1) % count : (at <= 0 ? count : at) - 1]!)
    } else if (e.key === 'Escape' && isListed && !opens) {
      e.stopPropagation()
      e.preventDefault() // otherwise, the browser closes the popover around the input
      setOpen(false)
      choose(idsOf(value))
    } else if ((e.key === 'Enter' || e.key === 'Tab') && isOpen && (typed !== null || active !== null)) {
      if (reached >= 0 || isCurrent) return confirm(e)
      e.preventDefault()
      e.stopPropagation()
      setWaiting({key: e.key, shiftKey: e.shiftKey})
    } else if (e.key === 'Backspace' && isMany && !typed && chosen.length > 0) {
      e.preventDefault()
      choose(chosen.slice(0, -1))
    }
  }
  const summary = chosen.map(c => nameIn(all, c)).join(', ')
  return (
    <span className={`combobox ${isInFlow ? 'in-flow' : ''} ${className ?? ''}`} onKeyDown={keys}>
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        autoComplete="off"
        autoFocus={autoFocus}
        aria-label={isMany && summary ? `${label}: ${summary}` : label}
        aria-expanded={isListed}
        aria-controls={listID}
        aria-autocomplete="list"
        aria-activedescendant={isListed && at >= 0 ? `${listID}-${at}` : undefined}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        required={domain.required}
        value={typed ?? shown}
        placeholder={isMany ? summary : undefined}
        data-chosen={summary !== '' || undefined}
        onChange={e => search(e.target.value)}
        onClick={() => setOpen(true)}
        onFocus={e => e.currentTarget.select()}
        onBlur={() => !isInFlow && setOpen(false)} // what is pressed stays where it is
      />
      {isListed && (
        <div
          ref={list}
          popover={isInFlow ? undefined : 'manual'}
          className={isInFlow ? 'combobox-list' : 'popover combobox-list'}
          onMouseDown={e => e.preventDefault()}
        >
          <div id={listID} role="listbox" aria-label={label} aria-multiselectable={isMany || undefined} aria-busy={!isCurrent || undefined}>
            {found.map((c, i) => (
              <Entry
                key={c.id}
                id={`${listID}-${i}`}
                active={i === at}
                selected={chosen.includes(c.id)}
                onClick={() => {
                  pick(c)
                  input.current?.focus()
                  if (!isMany) picked()
                }}
              >
                {c.color ? <span className="swatch" style={{background: c.color}} aria-hidden="true" /> : null}
                {c.user ? <PersonName person={c.user} /> : c.name}
                {notes?.has(c.id) && <span className="choice-note">{notes.get(c.id)}</span>}
              </Entry>
            ))}
            {canCreate && (
              <Entry id={`${listID}-${found.length}`} active={at === found.length} selected={false} onClick={() => void create()}>
                {isFree ? messages.ui.add(wanted) : messages.ui.create(wanted)}
              </Entry>
            )}
          </div>
          {count === 0 && parse(domain, wanted).error !== undefined && <p className="hint">{isFree ? messages.ui.typeName : messages.ui.noOption}</p>}
          {found.length === most && <p className="hint">{messages.ui.typeMore}</p>}
          {(problem ?? answer.problem) !== null && (
            <p className="error" role="alert">
              {problem ?? answer.problem}
            </p>
          )}
        </div>
      )}
    </span>
  )
}

function Entry({id, active, selected, onClick, children}: {id: string; active: boolean; selected: boolean; onClick: () => void; children: ReactNode}) {
  return (
    <div id={id} role="option" aria-selected={selected} data-active={active || undefined} className="choice" onClick={onClick}>
      <Icon name={selected ? 'check' : 'none'} />
      {children}
    </div>
  )
}

const truths = (): readonly Choice[] => [
  {id: 'true', name: messages.model.yes},
  {id: 'false', name: messages.model.no},
]
const choicesOf = (domain: Domain): readonly Choice[] => (domain.type === 'BOOLEAN' ? truths() : domain.options)
const nameIn = (choices: readonly Choice[], id: string | undefined): string => choices.find(c => c.id === id)?.name ?? id ?? ''
const idsOf = (value: Value): readonly string[] =>
  value === null ? [] : Array.isArray(value) ? (value as string[]) : [value instanceof PersonValue ? choiceOf(value).id : String(value)]

/** Marks the error of a text that can still become one of the choices. */
const unfinished = (parsed: Parsed, canBecome: boolean): Parsed => (parsed.error !== undefined && canBecome ? {...parsed, isUnfinished: true} : parsed)
