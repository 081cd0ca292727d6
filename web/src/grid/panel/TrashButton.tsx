// A menu for rare actions, which opens the dialog with the trash of the project.
import {useGrid} from '../context/context'
import {useSignal} from '../context/signals'
import {messages} from '../messages'
import {useLazyDialog, type Loaders} from '../ui/lazy'
import {Icon, MenuButton} from '../ui/ui'

const dialogs: Loaders<{trash: object}> = {trash: () => import('./IssueTrashDialog').then(m => m.default)}

export function TrashButton() {
  const {signals, toasts} = useGrid()
  const [dialog, open] = useLazyDialog(dialogs, toasts)
  const show = () => open('trash', {})
  useSignal(signals, 'open', tool => tool === 'trash' && show())
  return (
    <>
      <MenuButton
        label={messages.panel.trash.menu}
        title={messages.panel.trash.menu}
        className="icon-button"
        items={() => [
          {label: messages.panel.trash.open, icon: 'trash', onSelect: show},
          {label: messages.panel.trash.openPalette, icon: 'search', onSelect: () => signals.tell('open', 'palette')},
          {label: messages.panel.trash.openShortcuts, icon: 'list', onSelect: () => signals.tell('shortcuts', null)},
        ]}
      >
        <Icon name="more" />
      </MenuButton>
      {dialog}
    </>
  )
}
