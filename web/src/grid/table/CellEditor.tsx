// The editor that replaces a cell. Enter and Tab save and move on; Escape cancels.
import {useEffect, useRef, useState, type KeyboardEvent} from 'react'
import type {Column} from '../model/columns'
import type {Choices} from '../ui/choices'
import {ValueInput} from '../ui/editors'
import {equal, type Parsed, type Value} from '../model/values'
import {isComposing} from '../ui/keys'

export type Direction = 'down' | 'up' | 'left' | 'right' | null

interface Props extends Choices {
  column: Column
  value: Value
  initial?: string | undefined
  onCommit: (value: Value, direction: Direction) => void
  onCancel: () => void
  /** Called if the editor ends with an invalid value: by a click elsewhere, or because its row has scrolled out of view. */
  onLost: (error: string) => void
}

export function CellEditor({column, value, initial, onCommit, onCancel, onLost, ...choices}: Props) {
  const [parsed, setParsed] = useState<Parsed>({value})
  /** What was parsed last; a key that chooses a value also ends the editor, before it is rendered again. */
  const now = useRef<Parsed>({value})
  const box = useRef<HTMLDivElement>(null)
  const ended = useRef(false)
  useEffect(() => {
    // eslint-disable-next-line no-restricted-syntax -- a selector
    const input = box.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea')
    input?.focus({preventScroll: true})
    if (initial === undefined) input?.select()
    else input?.setSelectionRange(input.value.length, input.value.length)
  }, [initial])
  // Unmounting fires no blur event, so the cleanup saves the value.
  const latest = useRef({onCommit, onLost})
  useEffect(() => {
    latest.current = {onCommit, onLost}
  })
  useEffect(
    () => () => {
      const {onCommit, onLost} = latest.current
      if (ended.current) return
      if (now.current.error !== undefined) onLost(now.current.error)
      else if (!equal(now.current.value, value)) onCommit(now.current.value, null)
    },
    [value],
  )
  const change = (parsed: Parsed) => {
    now.current = parsed
    setParsed(parsed)
  }
  const end = (direction: Direction) => {
    if (ended.current) return
    if (now.current.error !== undefined) return setParsed({error: now.current.error})
    ended.current = true
    onCommit(now.current.value, direction)
  }
  const keys = (e: KeyboardEvent) => {
    e.stopPropagation()
    if (isComposing(e)) return // the keys of an input method
    if (e.key === 'Escape') {
      e.preventDefault()
      ended.current = true
      onCancel()
    } else if (e.key === 'Enter' && e.altKey) {
      e.preventDefault()
      if (e.target instanceof HTMLTextAreaElement) document.execCommand('insertText', false, '\n') // which the browser can undo
    } else if (e.key === 'Enter') {
      e.preventDefault()
      end(e.shiftKey ? 'up' : 'down')
    } else if (e.key === 'Tab') {
      e.preventDefault()
      end(e.shiftKey ? 'left' : 'right')
    }
  }
  const error = parsed.error !== undefined && !parsed.isUnfinished ? parsed.error : undefined
  return (
    <div
      ref={box}
      className={error !== undefined ? 'cell-editor invalid' : 'cell-editor'}
      onKeyDown={keys}
      onPointerDown={e => e.stopPropagation()}
      onBlur={e => {
        if (e.currentTarget.contains(e.relatedTarget)) return
        const {error} = now.current
        if (error === undefined) end(null)
        else if (!ended.current) {
          ended.current = true
          onLost(error)
        }
      }}
    >
      <ValueInput
        domain={column}
        value={value}
        initial={initial}
        label={column.label}
        invalid={error !== undefined}
        describedBy={error === undefined ? undefined : 'cell-error'}
        isCell
        {...choices}
        onChange={change}
        onPicked={() => end(null)}
      />
      {error !== undefined && (
        <span id="cell-error" className="cell-error" role="alert">
          {error}
        </span>
      )}
    </div>
  )
}
