// Loads the board when a view is first shown as one.
import {useGrid} from '../context/context'
import {useLazyPart} from '../ui/lazy'

const load = () => import('./Board').then(m => m.default)

export function LazyBoard() {
  const {toasts} = useGrid()
  const Board = useLazyPart(load, toasts)
  return Board ? <Board /> : <div className="grid-frame" aria-busy="true" />
}
