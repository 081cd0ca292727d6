// The button that opens the popover with the sort columns.
import {useRef} from 'react'
import {useGrid} from '../context/context'
import {useSignal} from '../context/signals'
import {messages} from '../messages'
import {useLazyDialog, type Loaders} from '../ui/lazy'
import {Icon} from '../ui/ui'
import type {SortPopoverProps} from './SortPopover'

const popovers: Loaders<{sort: SortPopoverProps}> = {sort: () => import('./SortPopover').then(m => m.default)}

export function SortButton() {
  const {order, signals, toasts} = useGrid()
  const button = useRef<HTMLButtonElement>(null)
  const [popover, open] = useLazyDialog(popovers, toasts)
  const show = () => button.current && open('sort', {anchor: button.current})
  useSignal(signals, 'open', tool => tool === 'sort' && show())
  const texts = messages.table.sort
  const label = texts.by(order.map(({column, descending}) => (descending ? texts.byDescending(column.label) : texts.byAscending(column.label))).join('; '))
  return (
    <>
      <button
        ref={button}
        type="button"
        className="tool"
        aria-haspopup="dialog"
        aria-expanded={popover !== null}
        aria-label={label}
        title={label}
        onClick={show}
      >
        <Icon name={order[0].descending ? 'sortDescending' : 'sortAscending'} />
        <span>{texts.title}</span>
      </button>
      {popover}
    </>
  )
}
