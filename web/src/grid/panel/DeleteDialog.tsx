// Confirms the deletion of issues, and lists those that failed.
import {useState} from 'react'
import {useGrid} from '../context/context'
import type {Failure} from '../data/edits'
import './panel.css'
import {readRow} from '../data/source'
import {messages} from '../messages'
import {Dialog} from '../ui/ui'

/** The number of issues that the dialog names. */
const named = 5

interface Props {
  ids: readonly string[]
  onClose: () => void
  /** Called with the deleted issues. The dialog stays open only if others failed. */
  onDeleted?: (gone: readonly string[]) => void
}

export function DeleteDialog({ids, onClose, onDeleted}: Props) {
  const {client, project, edits, toasts} = useGrid()
  const texts = messages.panel.deletion
  const [asked, setAsked] = useState(ids)
  const [failures, setFailures] = useState<readonly Failure[]>([])
  const [busy, setBusy] = useState(false)
  // Read now, because the grid may have forgotten the row of an issue by the time its deletion fails.
  const [names] = useState(() => new Map(ids.map(id => [id, readRow(client.cache, id, [])])))
  const keyOf = (id: string) => {
    const row = names.get(id)
    return row ? `${project.key}-${row.num}` : texts.anIssue
  }
  const title = asked.length === 1 ? texts.title(keyOf(asked[0]!)) : texts.titleSome(asked.length)

  const remove = async () => {
    if (busy) return
    setBusy(true)
    const failures = await edits.remove(asked)
    setBusy(false)
    const failed = new Set(failures.map(f => f.id))
    const gone = asked.filter(id => !failed.has(id))
    setFailures(failures)
    setAsked(failures.map(f => f.id))
    if (gone.length > 0) {
      const undo = async () => {
        const [failure] = await edits.restore(gone)
        if (failure) toasts.error(texts.undoFailed(failure.problem.message))
      }
      toasts.info(gone.length === 1 ? texts.deleted(keyOf(gone[0]!)) : texts.deletedSome(gone.length), {
        label: messages.panel.undo,
        run: () => void undo(),
      })
    }
    if (failures.length === 0) onClose()
    if (gone.length > 0) onDeleted?.(gone)
  }
  return (
    <Dialog
      title={failures.length > 0 ? texts.titleFailed(failures.length) : title}
      onClose={onClose}
      footer={
        <>
          <button type="button" onClick={onClose}>
            {failures.length > 0 ? messages.panel.close : messages.panel.cancel}
          </button>
          <button type="button" className="danger" aria-disabled={busy} data-autofocus onClick={() => void remove()}>
            {busy ? texts.deleting : failures.length > 0 ? messages.panel.tryAgain : texts.delete}
          </button>
        </>
      }
    >
      {failures.length > 0 ? (
        <div role="alert">
          <ul className="failures">
            {failures.map(f => (
              <li key={f.id}>
                {keyOf(f.id)}: {f.problem.code === 'OFFLINE' ? messages.panel.offline : f.problem.message}
              </li>
            ))}
          </ul>
        </div>
      ) : (
        <>
          <p>{texts.explanation(asked.length)}</p>
          <ul className="named">
            {asked.slice(0, named).map(id => (
              <li key={id}>
                <span className="key">{keyOf(id)}</span> {names.get(id)?.name}
              </li>
            ))}
            {asked.length > named && <li className="hint">{texts.more(asked.length - named)}</li>}
          </ul>
        </>
      )}
    </Dialog>
  )
}
