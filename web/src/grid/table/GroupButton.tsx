// The button that opens the popover for groups.
import {useRef} from 'react'
import {useGrid} from '../context/context'
import {messages} from '../messages'
import {useLazyDialog, type Loaders} from '../ui/lazy'
import {Icon} from '../ui/ui'
import type {GroupPopoverProps} from './GroupPopover'
import './groups.css'

const popovers: Loaders<{group: GroupPopoverProps}> = {group: () => import('./GroupPopover').then(m => m.default)}

export function GroupButton() {
  const {groups, toasts, view} = useGrid()
  const button = useRef<HTMLButtonElement>(null)
  const [popover, open] = useLazyDialog(popovers, toasts)
  const texts = messages.table.groups
  const label = groups ? texts.by(groups.key.column.label) : texts.byNone
  return (
    <>
      <button
        ref={button}
        type="button"
        className={view.layout === 'board' ? 'tool' : 'tool group-tool'}
        aria-haspopup="dialog"
        aria-expanded={popover !== null}
        aria-label={`${texts.title}: ${label}`}
        title={label}
        onClick={() => button.current && open('group', {anchor: button.current})}
      >
        <Icon name="group" />
        <span>{texts.title}</span>
      </button>
      {popover}
    </>
  )
}
