// The editor that replaces a cell. Enter and Tab save and move on; Escape cancels.
import {useEffect, useRef, useState, type KeyboardEvent} from 'react'
import type {Column} from '../model/columns'
import {ChoicesInput, ValueInput} from '../ui/editors'
import {Popover} from '../ui/ui'
import {equal, type Parsed, type Value} from '../model/values'

export type Direction = 'down' | 'up' | 'left' | 'right' | null

interface Props {
  column: Column
  value: Value
  initial?: string | undefined
  onCommit: (value: Value, direction: Direction) => void
  onCancel: () => void
  /** Called if the editor ends with an invalid value: by a click elsewhere, or because its row has scrolled out of view. */
  onLost: (error: string) => void
}

export function CellEditor({column, value, initial, onCommit, onCancel, onLost}: Props) {
  const [parsed, setParsed] = useState<Parsed>({value})
  const box = useRef<HTMLDivElement>(null)
  const [anchor, setAnchor] = useState<Element | null>(null)
  const ended = useRef(false)
  useEffect(() => {
    setAnchor(box.current)
    const input = box.current?.querySelector<HTMLInputElement>('input, select, textarea')
    input?.focus({preventScroll: true})
    if (input instanceof HTMLInputElement && input.type === 'text') {
      if (initial === undefined) input.select()
      else input.setSelectionRange(input.value.length, input.value.length)
    }
  }, [initial])
  // Unmounting fires no blur event, so the cleanup saves the value.
  const latest = useRef({parsed, onCommit, onLost})
  useEffect(() => {
    latest.current = {parsed, onCommit, onLost}
  })
  useEffect(
    () => () => {
      const {parsed, onCommit, onLost} = latest.current
      if (ended.current) return
      if (parsed.error !== undefined) onLost(parsed.error)
      else if (!equal(parsed.value, value)) onCommit(parsed.value, null)
    },
    [value],
  )
  const end = (direction: Direction, now = parsed) => {
    if (ended.current || now.error !== undefined) return
    ended.current = true
    onCommit(now.value, direction)
  }
  const keys = (e: KeyboardEvent) => {
    e.stopPropagation()
    if (e.key === 'Escape') {
      e.preventDefault()
      ended.current = true
      onCancel()
    } else if (e.key === 'Enter' && !e.altKey) {
      e.preventDefault()
      end(e.shiftKey ? 'up' : 'down')
    } else if (e.key === 'Tab') {
      e.preventDefault()
      end(e.shiftKey ? 'left' : 'right')
    }
  }
  if (column.type === 'MULTI_SELECT') {
    return (
      <div ref={box} className="cell-editor">
        {anchor && (
          <Popover anchor={anchor} label={column.label} onClose={() => end(null)}>
            <div onKeyDown={keys}>
              <ChoicesInput domain={column} value={value} label={column.label} autoFocus onChange={setParsed} />
              <div className="popover-foot">
                <button type="button" className="primary" onClick={() => end(null)}>
                  Save
                </button>
              </div>
            </div>
          </Popover>
        )}
      </div>
    )
  }
  return (
    <div
      ref={box}
      className={parsed.error !== undefined ? 'cell-editor invalid' : 'cell-editor'}
      onKeyDown={keys}
      onPointerDown={e => e.stopPropagation()}
      onBlur={e => {
        if (e.currentTarget.contains(e.relatedTarget)) return
        if (parsed.error === undefined) end(null)
        else if (!ended.current) {
          ended.current = true
          onLost(parsed.error)
        }
      }}
    >
      <ValueInput
        domain={column}
        value={value}
        initial={initial}
        label={column.label}
        invalid={parsed.error !== undefined}
        describedBy={parsed.error === undefined ? undefined : 'cell-error'}
        onChange={setParsed}
      />
      {parsed.error !== undefined && (
        <span id="cell-error" className="cell-error" role="alert">
          {parsed.error}
        </span>
      )}
    </div>
  )
}
