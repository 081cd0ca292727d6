// Cells that somebody else has changed as well: one of the values has to be chosen.
import {useSyncExternalStore} from 'react'
import {useGrid} from './context'
import {Dialog} from './ui'
import {show} from './values'

export function Conflicts() {
  const {edits, project} = useGrid()
  const {conflicts} = useSyncExternalStore(edits.subscribe, edits.snapshot)
  const [conflict] = conflicts
  if (!conflict) return null
  const {change, theirs} = conflict
  const {column} = change
  const text = (v: typeof theirs) => show(column, v) || '(empty)'
  return (
    <Dialog title="Somebody else changed this, too" onClose={() => void edits.resolve(conflict, theirs)}>
      <p>
        {column.label} of {project.key}-{conflict.num}, “{conflict.name}”, is not what it was when you changed it. Nothing is lost: choose which value it is to have.
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
        {conflicts.length > 1 && <span className="hint">{conflicts.length - 1} more</span>}
      </p>
    </Dialog>
  )
}
