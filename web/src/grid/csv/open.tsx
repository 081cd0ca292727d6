// Loads the dialogs of imports and exports on first use.
import {useState, type ComponentType, type ReactNode} from 'react'
import type {ImportRun} from './run'
import type {Toasts} from '../ui/ui'

const dialogs = {
  import: () => import('./ImportDialog').then(m => m.default),
  export: () => import('./ExportDialog').then(m => m.default),
}

interface DialogProps {
  import: {file: File | null; run: ImportRun | null; onRun: (run: ImportRun) => void}
  export: {ids: readonly string[] | null}
}

type Opened = {of: ComponentType<DialogProps[keyof DialogProps] & {onClose: () => void}>; props: DialogProps[keyof DialogProps]}

/** Returns the open dialog and a function that opens one. */
export function useFilesDialog(toasts: Toasts): [ReactNode, <Kind extends keyof DialogProps>(kind: Kind, props: DialogProps[Kind]) => void] {
  const [opened, setOpened] = useState<Opened | null>(null)
  const open = <Kind extends keyof DialogProps>(kind: Kind, props: DialogProps[Kind]) => {
    dialogs[kind]().then(
      of => setOpened({of: of as Opened['of'], props}),
      () =>
        toasts.error('This part of the page can’t be loaded. Look at your connection, or reload the page.', {label: 'Try again', run: () => open(kind, props)}),
    )
  }
  return [opened && <opened.of {...opened.props} onClose={() => setOpened(null)} />, open]
}
