// What is seen of dragging (drag.ts): the handle, and a label at the pointer with what is dragged and where it would be dropped.
import {createPortal} from 'react-dom'
import {Icon} from './ui'
import './drag.css'

export function DragLabel({what, target}: {what: string; target: string | null}) {
  return createPortal(
    <div className="drag-label" aria-hidden="true">
      <b>{what}</b>
      {target !== null && (
        <>
          <Icon name="right" />
          <span dir="auto">{target}</span>
        </>
      )}
    </div>,
    document.querySelector('main') ?? document.body,
  )
}

/** Where a row or a card is taken. A finger that begins elsewhere scrolls. */
export function DragHandle({onPointerDown}: {onPointerDown?: (down: PointerEvent) => void}) {
  return (
    <span
      className="drag-handle"
      aria-hidden="true"
      onPointerDown={e => {
        if (e.button !== 0 || !onPointerDown) return
        e.preventDefault()
        e.stopPropagation()
        onPointerDown(e.nativeEvent)
      }}
    >
      <Icon name="grip" />
    </span>
  )
}
