// A value of the panel. It is shown as in the grid until it is edited: a click on it or on its button, Enter or F2 open its editor. Touching the value itself
// only scrolls, so that no tap edits by accident.
import {useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode} from 'react'
import type {Column} from '../model/columns'
import type {Choices} from '../ui/choices'
import {FieldEditor} from './FieldEditor'
import {messages} from '../messages'
import {IconButton} from '../ui/ui'
import type {Value} from '../model/values'

interface Props {
  column: Column
  value: Value
  choices?: (column: Column) => Choices
  onSave: (column: Column, before: Value, value: Value) => Promise<unknown>
  /** The value as it is read. */
  children: ReactNode
}

export function Editable({column, value, choices, onSave, children}: Props) {
  const [editing, setEditing] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const returns = useRef(false)
  useLayoutEffect(() => {
    if (!editing && returns.current) box.current?.querySelector<HTMLElement>('.edit-value')?.focus({preventScroll: true})
    returns.current = false
  }, [editing])
  // A button is pressed from mousedown to mouseup, also by a finger.
  const isPressed = useRef(false)
  useEffect(() => {
    if (!editing) return
    const pressed = () => (isPressed.current = true)
    const released = () => (isPressed.current = false)
    document.addEventListener('mousedown', pressed, true)
    document.addEventListener('mouseup', released, true)
    return () => {
      document.removeEventListener('mousedown', pressed, true)
      document.removeEventListener('mouseup', released, true)
      isPressed.current = false
    }
  }, [editing])
  if (editing && column.editable) {
    const end = () => {
      // The focus stays where a click has moved it.
      returns.current = box.current?.contains(document.activeElement) ?? false
      if (!isPressed.current) return setEditing(false)
      // The click must find its target, and without the editor everything below moves up.
      document.addEventListener('mouseup', () => setTimeout(() => setEditing(false)), {once: true})
    }
    return (
      <div ref={box} className="editable">
        <FieldEditor column={column} value={value} choices={choices} autoFocus onSave={onSave} onEnd={end} />
      </div>
    )
  }
  const click = (e: MouseEvent) => {
    const isTouch = (e.nativeEvent as PointerEvent).pointerType === 'touch'
    const isSelecting = getSelection()?.isCollapsed === false
    if (!isTouch && !isSelecting && !(e.target as Element).closest('a, button')) setEditing(true)
  }
  const keys = (e: KeyboardEvent) => {
    if (e.key !== 'F2') return
    e.preventDefault()
    setEditing(true)
  }
  return (
    <div ref={box} className={column.editable ? 'editable readable' : 'editable'} onClick={column.editable ? click : undefined}>
      <div className="panel-value">{children}</div>
      {column.editable && (
        <IconButton
          label={messages.panel.edit(column.label)}
          icon="edit"
          className="icon-button edit-value"
          onClick={() => setEditing(true)}
          onKeyDown={keys}
        />
      )}
    </div>
  )
}
