// The button that opens the dialog for the columns.
import {useGrid} from '../context/context'
import {useSignal} from '../context/signals'
import {messages} from '../messages'
import {useLazyDialog, type Loaders} from '../ui/lazy'
import {Icon} from '../ui/ui'

const dialogs: Loaders<{columns: object}> = {columns: () => import('./ColumnsDialog').then(m => m.default)}

export function ColumnsButton() {
  const {signals, toasts} = useGrid()
  const [dialog, open] = useLazyDialog(dialogs, toasts)
  const show = () => open('columns', {})
  useSignal(signals, 'open', tool => tool === 'columns' && show())
  return (
    <>
      <button type="button" className="tool" aria-haspopup="dialog" aria-label={messages.table.columns.title} onClick={show}>
        <Icon name="columns" />
        <span>{messages.table.columns.title}</span>
      </button>
      {dialog}
    </>
  )
}
