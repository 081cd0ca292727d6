// The dialogs of imports and exports.
import type {ImportRun} from './run'
import {useLazyDialog, type Loaders} from '../ui/lazy'
import type {Toasts} from '../ui/ui'

type Dialogs = {
  import: {file: File | null; run: ImportRun | null; onRun: (run: ImportRun) => void}
  export: {ids: readonly string[] | null}
}

const dialogs: Loaders<Dialogs> = {
  import: () => import('./ImportDialog').then(m => m.default),
  export: () => import('./ExportDialog').then(m => m.default),
}

/** Returns the open dialog and a function that opens one. */
export const useFilesDialog = (toasts: Toasts) => useLazyDialog(dialogs, toasts)
