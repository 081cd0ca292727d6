// What is left out of a saved view because it no longer exists or fits.
import {messages} from '../messages'
import type {SavedView} from '../data/savedViews'
import {Icon} from '../ui/ui'
import {partOf} from './saved'

interface Props extends Pick<SavedView, 'problems'> {
  /** Saves the view without these parts; absent if the user may not. */
  onSave?: () => void
}

export function Problems({problems, onSave}: Props) {
  return (
    <div className="view-note view-problems" role="status">
      <Icon name="warning" />
      <span>{messages.views.problems}</span>
      <ul>
        {problems.map(p => (
          <li key={p.path}>{messages.views.problem(messages.views.parts[partOf(p.path)], p.message)}</li>
        ))}
      </ul>
      {onSave && (
        <button type="button" onClick={onSave}>
          {messages.views.saveWithout}
        </button>
      )}
    </div>
  )
}
