// Lists cells that another user has changed, too. The user chooses one of the values, now or later.
import {useState, useSyncExternalStore} from 'react'
import {useGrid} from './context/context'
import type {Conflict} from './data/edits'
import {Dialog, Icon} from './ui/ui'
import {show} from './model/values'

export function Conflicts() {
  const {edits} = useGrid()
  const {conflicts} = useSyncExternalStore(edits.subscribe, edits.snapshot)
  const [later, setLater] = useState<Conflict | null>(null)
  const [conflict] = conflicts
  if (!conflict) return null
  if (later === conflict)
    return (
      <button type="button" className="danger" onClick={() => setLater(null)}>
        <Icon name="warning" />
        {conflicts.length === 1 ? '1 conflict' : `${conflicts.length} conflicts`}
      </button>
    )
  return (
    <ConflictDialog key={`${conflict.id} ${conflict.change.column.id}`} conflict={conflict} more={conflicts.length - 1} onLater={() => setLater(conflict)} />
  )
}

function ConflictDialog({conflict, more, onLater}: {conflict: Conflict; more: number; onLater: () => void}) {
  const {edits, project} = useGrid()
  const {change, theirs} = conflict
  const {column} = change
  const text = (v: typeof theirs) => show(column, v) || '(empty)'
  return (
    <Dialog title="Somebody else changed this, too" onClose={onLater}>
      <p>
        {column.label} of {project.key}-{conflict.num} is not what it was when you changed it. Choose which value it is to have; the other one stays in the
        history only if it was saved.
      </p>
      <dl className="choices-of-conflict">
        <dt>It was</dt>
        <dd>{text(change.before)}</dd>
        <dt>Theirs</dt>
        <dd>{text(theirs)}</dd>
        <dt>Yours</dt>
        <dd>{text(change.value)}</dd>
      </dl>
      <p className="actions">
        <button type="button" className="primary" data-autofocus onClick={() => void edits.resolve(conflict, theirs)}>
          Keep theirs
        </button>
        <button type="button" onClick={() => void edits.resolve(conflict, change.value)}>
          Save yours
        </button>
        <button type="button" onClick={onLater}>
          Decide later
        </button>
        {more > 0 && <span className="hint">{more} more</span>}
      </p>
    </Dialog>
  )
}
