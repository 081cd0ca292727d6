// Confirms the deletion of issues, and lists those that failed.
import {useState} from 'react'
import {useGrid} from '../context/context'
import type {Failure} from '../data/edits'
import './panel.css'
import {readRow} from '../data/source'
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
  const [asked, setAsked] = useState(ids)
  const [failures, setFailures] = useState<readonly Failure[]>([])
  const [busy, setBusy] = useState(false)
  // Read now, because the grid may have forgotten the row of an issue by the time its deletion fails.
  const [names] = useState(() => new Map(ids.map(id => [id, readRow(client.cache, id, [])])))
  const keyOf = (id: string) => {
    const row = names.get(id)
    return row ? `${project.key}-${row.num}` : 'An issue'
  }
  const count = asked.length === 1 ? keyOf(asked[0]!) : `${asked.length.toLocaleString()} issues`

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
        if (failure) toasts.error(`Not everything came back: ${failure.problem.message}`)
      }
      toasts.info(gone.length === 1 ? `${keyOf(gone[0]!)} is in the trash.` : `${gone.length.toLocaleString()} issues are in the trash.`, {
        label: 'Undo',
        run: () => void undo(),
      })
    }
    if (failures.length === 0) onClose()
    if (gone.length > 0) onDeleted?.(gone)
  }
  return (
    <Dialog
      title={failures.length > 0 ? `${failures.length.toLocaleString()} not deleted` : `Delete ${count}?`}
      onClose={onClose}
      footer={
        <>
          <button type="button" onClick={onClose}>
            {failures.length > 0 ? 'Close' : 'Cancel'}
          </button>
          <button type="button" className="danger" aria-disabled={busy} data-autofocus onClick={() => void remove()}>
            {busy ? 'Deleting …' : failures.length > 0 ? 'Try again' : 'Delete'}
          </button>
        </>
      }
    >
      {failures.length > 0 ? (
        <div role="alert">
          <ul className="failures">
            {failures.map(f => (
              <li key={f.id}>
                {keyOf(f.id)}: {f.problem.code === 'OFFLINE' ? 'You seem to be offline.' : f.problem.message}
              </li>
            ))}
          </ul>
        </div>
      ) : (
        <>
          <p>{asked.length === 1 ? 'It goes' : 'They go'} into the trash, and can be restored from there for 30 days.</p>
          <ul className="named">
            {asked.slice(0, named).map(id => (
              <li key={id}>
                <span className="key">{keyOf(id)}</span> {names.get(id)?.name}
              </li>
            ))}
            {asked.length > named && <li className="hint">and {(asked.length - named).toLocaleString()} more</li>}
          </ul>
        </>
      )}
    </Dialog>
  )
}
