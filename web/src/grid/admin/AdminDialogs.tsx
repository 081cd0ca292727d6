// Opens the dialogs that change the definition of the project.
import {useGrid} from '../context/context'
import {useSignal} from '../context/signals'
import {useLazyDialog, type Loaders} from '../ui/lazy'

type Dialogs = {
  field: {field: string | null}
  settings: {onField: (field: string | null) => void}
}

const dialogs: Loaders<Dialogs> = {
  field: () => import('./FieldDialog').then(m => m.default),
  settings: () => import('./SettingsDialog').then(m => m.default),
}

export function AdminDialogs() {
  const {signals, toasts} = useGrid()
  const [dialog, open] = useLazyDialog(dialogs, toasts)
  useSignal(signals, 'field', field => open('field', {field}))
  useSignal(signals, 'settings', () => open('settings', {onField: field => open('field', {field})}))
  return dialog
}
