// Tells of cells that another user has changed, too, without taking the focus, and lists them on request. The user chooses one of the values.
import {useEffect, useRef, useState, useSyncExternalStore} from 'react'
import {useGrid} from './context/context'
import {useSignal} from './context/signals'
import {messages} from './messages'
import type {Conflict} from './data/edits'
import {Rich} from './ui/Rich'
import {Icon, Popover} from './ui/ui'
import {show, type Value} from './model/values'

const cellOf = (c: Conflict): string => `${c.id} ${c.change.column.id}`
const times = new Intl.DateTimeFormat(undefined, {timeStyle: 'short'})
const days = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'short'})
const nameOf = (c: Conflict): string => c.by ?? messages.page.conflicts.someone

/** Formats the time of a change, with the day unless it is today; empty if it is not known. */
function timeOf({at}: Conflict): string {
  if (at === null) return ''
  const then = new Date(at)
  return (then.toDateString() === new Date().toDateString() ? times : days).format(then)
}

export function Conflicts() {
  const {edits, project, signals, toasts} = useGrid()
  const {conflicts} = useSyncExternalStore(edits.subscribe, edits.snapshot)
  const button = useRef<HTMLButtonElement>(null)
  /** Which conflict the list begins at; null while it is closed. */
  const [opened, setOpened] = useState<string | null>(null)
  useSignal(signals, 'conflicts', cell => conflicts.length > 0 && setOpened(cell ? `${cell.id} ${cell.column}` : ''))

  const told = useRef(new Map<Conflict, number>())
  useEffect(() => {
    for (const [c, id] of told.current)
      if (!conflicts.includes(c)) {
        toasts.close(id)
        told.current.delete(c)
      }
    for (const c of conflicts) {
      if (told.current.has(c)) continue
      const text = messages.page.conflicts.told(c.change.column.label, `${project.key}-${c.num}`, c.by, timeOf(c))
      told.current.set(c, toasts.error(text, {label: messages.page.conflicts.review, run: () => setOpened(cellOf(c))}))
    }
  }, [conflicts, project.key, toasts])

  // The list must not open by itself at the next conflict.
  if (conflicts.length === 0 && opened !== null) setOpened(null)
  if (conflicts.length === 0) return null
  const first = conflicts.findIndex(c => cellOf(c) === opened)
  const inOrder = first > 0 ? [conflicts[first]!, ...conflicts.toSpliced(first, 1)] : conflicts
  return (
    <>
      <button ref={button} type="button" className="danger" aria-haspopup="dialog" aria-expanded={opened !== null} onClick={() => setOpened('')}>
        <Icon name="warning" />
        {messages.page.conflicts.count(conflicts.length)}
      </button>
      {opened !== null && button.current && (
        <Popover anchor={button.current} label={messages.page.conflicts.title} className="conflicts" onClose={() => setOpened(null)}>
          {/* No button has the focus, so that no key that was meant for the grid chooses. */}
          <h2 tabIndex={-1} data-autofocus>
            {messages.page.conflicts.heading}
          </h2>
          <ul>
            {inOrder.map(c => (
              <Choice key={cellOf(c)} conflict={c} />
            ))}
          </ul>
        </Popover>
      )}
    </>
  )
}

function Choice({conflict}: {conflict: Conflict}) {
  const {edits, jumpTo, project, toasts} = useGrid()
  const {change, theirs, num} = conflict
  const {column} = change
  const issue = `${project.key}-${num}`
  const texts = messages.page.conflicts
  const text = (v: Value) => show(column, v) || texts.empty
  const keep = () => {
    void edits.resolve(conflict, theirs)
    toasts.info(texts.kept(column.label, issue, text(theirs)), {
      label: texts.useMine,
      run: () => void edits.resolve(conflict, change.value),
    })
  }
  return (
    <li aria-label={texts.cellName(column.label, issue)}>
      <h3>
        <Rich
          text={texts.cell}
          column={column.label}
          issue={
            <button type="button" className="link" onClick={() => void jumpTo(num)}>
              {issue}
            </button>
          }
        />
      </h3>
      <dl className="choices-of-conflict">
        <dt>{texts.before}</dt>
        <dd dir="auto">{text(change.before)}</dd>
        <dt>
          {nameOf(conflict)}
          {conflict.at !== null && (
            <>
              , <time dateTime={conflict.at}>{timeOf(conflict)}</time>
            </>
          )}
        </dt>
        <dd dir="auto">{text(theirs)}</dd>
        <dt>{texts.mine}</dt>
        <dd dir="auto">{text(change.value)}</dd>
      </dl>
      <p className="actions">
        <button type="button" onClick={() => void edits.resolve(conflict, change.value)}>
          {texts.useMine}
        </button>
        <button type="button" onClick={keep}>
          {texts.keepTheirs}
        </button>
      </p>
    </li>
  )
}
