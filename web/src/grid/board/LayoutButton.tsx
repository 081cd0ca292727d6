// The button that shows the issues as a board, or as the grid again.
import {useGrid} from '../context/context'
import {messages} from '../messages'
import {otherLayout} from '../model/view'
import {Icon} from '../ui/ui'

export function LayoutButton() {
  const {setView, view} = useGrid()
  const isBoard = view.layout === 'board'
  return (
    <button
      type="button"
      className="tool"
      aria-label={messages.board.title}
      aria-pressed={isBoard}
      title={isBoard ? messages.board.showGrid : messages.board.show}
      onClick={() => setView(otherLayout(view))}
    >
      <Icon name="board" />
      <span>{messages.board.title}</span>
    </button>
  )
}
