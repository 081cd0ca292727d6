// Offers once to save the views of this browser on the server.
import {useState} from 'react'
import {messages} from '../messages'
import {useGrid} from '../context/context'
import {Icon} from '../ui/ui'
import {useLocalViews} from './useLocalViews'
import {offers} from './views'

export function LocalViewsOffer() {
  const {project} = useGrid()
  const [views, , save] = useLocalViews()
  const [answered, setAnswered] = useState(() => offers.answered(project.id))
  if (answered || views.length === 0) return null
  const answer = () => {
    offers.answer(project.id)
    setAnswered(true)
  }
  return (
    <aside className="view-note" aria-label={messages.views.local}>
      <Icon name="view" />
      <span>{messages.views.offer(views.length)}</span>
      <button
        type="button"
        onClick={() => {
          answer()
          void save()
        }}
      >
        {messages.views.saveOnServer}
      </button>
      <button type="button" className="quiet" onClick={answer}>
        {messages.views.notNow}
      </button>
    </aside>
  )
}
