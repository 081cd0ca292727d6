// The dialogs of the tabs: saving a view under a name, deleting one, and a change that somebody else has made.
import {useId, useState} from 'react'
import {messages} from '../messages'
import type {SavedView} from '../data/savedViews'
import {useGrid} from '../context/context'
import {Dialog} from '../ui/ui'
import {NameDialog} from './NameDialog'
import {longestName} from './saved'

interface SaveProps {
  initial: string
  /** Whether the view has parts that the server does not keep. */
  hasMore: boolean
  onSave: (name: string, shared: boolean) => Promise<string | null>
  onClose: () => void
}

export function SaveDialog({initial, hasMore, onSave, onClose}: SaveProps) {
  const {project} = useGrid()
  const [shared, setShared] = useState(false)
  const id = useId()
  const texts = messages.views
  return (
    <NameDialog
      title={texts.saveThis}
      action={texts.save}
      initial={initial}
      most={longestName}
      fault={() => null}
      onName={name => onSave(name, shared)}
      onClose={onClose}
    >
      {project.viewerCanEdit && (
        <p>
          <input id={id} type="checkbox" checked={shared} onChange={e => setShared(e.target.checked)} /> <label htmlFor={id}>{texts.sharedWithAll}</label>
        </p>
      )}
      {hasMore && <p className="hint">{texts.notKept}</p>}
    </NameDialog>
  )
}

export function DeleteDialog({view, onDelete, onClose}: {view: SavedView; onDelete: () => Promise<boolean>; onClose: () => void}) {
  const [busy, setBusy] = useState(false)
  const texts = messages.views
  const remove = async () => {
    setBusy(true)
    if (await onDelete()) onClose()
    else setBusy(false)
  }
  return (
    <Dialog
      title={texts.deleteThis(view.name)}
      onClose={onClose}
      footer={
        <>
          <button type="button" data-autofocus onClick={onClose}>
            {messages.ui.cancel}
          </button>
          <button type="button" className="danger" disabled={busy} onClick={() => void remove()}>
            {texts.actions.delete}
          </button>
        </>
      }
    >
      <p>{view.shared ? texts.deletesForAll : texts.deletesPrivate}</p>
    </Dialog>
  )
}

interface ConflictProps {
  view: SavedView
  onReload: () => void
  onOverwrite: () => void
  onClose: () => void
}

export function ConflictDialog({view, onReload, onOverwrite, onClose}: ConflictProps) {
  const texts = messages.views
  const then = (work: () => void) => () => {
    onClose()
    work()
  }
  return (
    <Dialog
      title={texts.conflict(view.name)}
      onClose={onClose}
      footer={
        <>
          <button type="button" data-autofocus onClick={onClose}>
            {messages.ui.cancel}
          </button>
          <button type="button" onClick={then(onReload)}>
            {texts.reload}
          </button>
          <button type="button" className="danger" onClick={then(onOverwrite)}>
            {texts.overwrite}
          </button>
        </>
      }
    >
      <p>{texts.conflictHint}</p>
    </Dialog>
  )
}
