// The popover for going to a row: by issue number, by a value of the first sort column, or to either end. Ctrl+G opens it.
import {useEffect, useId, useRef, useState, useSyncExternalStore, type FormEvent} from 'react'
import {problemOf} from '../data/client'
import {parseNumber} from '../model/columns'
import {inputDomain, misfit} from '../model/conditions'
import {useGrid} from '../context/context'
import {useSignal} from '../context/signals'
import {ValueInput} from '../ui/editors'
import './jump.css'
import {messages} from '../messages'
import {Icon, Popover, submitFromSelect} from '../ui/ui'
import type {Parsed} from '../model/values'
import {letterOf} from '../ui/keys'

export function JumpButton() {
  const {signals, plain, toasts} = useGrid()
  const button = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState(false)
  const begin = () => (plain ? setOpen(true) : toasts.info(messages.table.groups.noJump))
  const latest = useRef(begin)
  useEffect(() => {
    latest.current = begin
  })
  useSignal(signals, 'open', tool => tool === 'jump' && begin())
  useEffect(() => {
    // Dialogs and popovers do not propagate their keys.
    const keys = (e: KeyboardEvent) => {
      if (letterOf(e) !== 'g' || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey) return
      e.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', keys)
    return () => document.removeEventListener('keydown', keys)
  }, [])
  return (
    <>
      <button
        ref={button}
        type="button"
        className="tool"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={messages.table.jump.button}
        aria-keyshortcuts="Control+G Meta+G"
        aria-disabled={!plain || undefined}
        title={plain ? messages.table.jump.hint : messages.table.groups.noJump}
        onClick={begin}
      >
        <Icon name="jump" />
        <span>{messages.table.jump.button}</span>
      </button>
      {open && plain && button.current && <JumpPopover anchor={button.current} onClose={() => setOpen(false)} />}
    </>
  )
}

function JumpPopover({anchor, onClose}: {anchor: Element; onClose: () => void}) {
  const {project, order, rows, plain, toasts, jumpTo, jumpToValue, signals} = useGrid()
  const {height} = useSyncExternalStore(rows.subscribe, rows.snapshot)
  const [{column}] = order
  const texts = messages.table.jump
  const [number, setNumber] = useState('')
  const [parsed, setParsed] = useState<Parsed>({error: messages.model.required})
  const [wrong, setWrong] = useState<{number?: string; value?: string}>({})
  const id = useId()

  const toNumber = (e: FormEvent) => {
    e.preventDefault()
    const num = parseNumber(project, number)
    if (num === null) return setWrong({number: texts.numberNeeded(project.key)})
    onClose()
    void jumpTo(num)
  }
  const toValue = (e: FormEvent) => {
    e.preventDefault()
    const error = parsed.error ?? (parsed.value === null ? messages.model.required : misfit(column, 'gte', parsed.value as string))
    if (error !== null || parsed.error !== undefined) return setWrong({value: error ?? undefined})
    onClose()
    void jumpToValue(parsed.value)
  }
  const show = (index: number) => signals.tell('jumped', index)
  const toFirst = () => {
    onClose()
    show(0)
  }
  const toLast = () => {
    onClose()
    plain?.gotoEnd().then(show, (e: unknown) => toasts.error(problemOf(e).message))
  }
  return (
    <Popover anchor={anchor} label={texts.title} onClose={onClose} className="jump">
      <form noValidate onSubmit={toNumber}>
        <label htmlFor={id}>{texts.number}</label>
        <div>
          <input
            id={id}
            data-autofocus
            inputMode="numeric"
            autoComplete="off"
            value={number}
            aria-invalid={wrong.number !== undefined || undefined}
            aria-describedby={`${id}-wrong`}
            onChange={e => setNumber(e.target.value)}
          />
          <button type="submit">{texts.go}</button>
        </div>
        <p id={`${id}-wrong`} className="error" role="alert">
          {wrong.number}
        </p>
      </form>
      {column.builtin !== 'NUM' && (
        <form noValidate onSubmit={toValue} onKeyDown={submitFromSelect}>
          <span className="jump-label">
            {column.label} <span className="hint">{order.length > 1 ? texts.sortedFirstBy : texts.sortedBy}</span>
          </span>
          <div>
            <ValueInput
              domain={inputDomain(column, 'is')}
              value={null}
              label={texts.value(column.label)}
              invalid={wrong.value !== undefined}
              describedBy={`${id}-value`}
              onChange={setParsed}
            />
            <button type="submit">{texts.go}</button>
          </div>
          <p id={`${id}-value`} className="error" role="alert">
            {wrong.value}
          </p>
        </form>
      )}
      <div className="jump-ends">
        <button type="button" disabled={height === 0} onClick={toFirst}>
          {texts.first}
        </button>
        <button type="button" disabled={height === 0} onClick={toLast}>
          {texts.last}
        </button>
      </div>
    </Popover>
  )
}
