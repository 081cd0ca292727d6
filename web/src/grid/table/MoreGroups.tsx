// What the end of the groups shows while the search for more waits: in the grid, a line of its own, and on a board, a column.
import {useGrid} from '../context/context'
import {messages} from '../messages'

interface LineProps {
  index: number
  top: number
  height: number
  active: boolean
  /** Called when the search goes on, which removes the button. */
  onGone: () => void
}

export function MoreGroupsLine({index, top, height, active, onGone}: LineProps) {
  return (
    <div role="row" aria-rowindex={index + 2} className="grid-row" style={{transform: `translateY(${top}px)`, height}}>
      <div id={`g-${index}`} role="gridcell" aria-colindex={1} className={active ? 'group-more active' : 'group-more'} data-testid="more-groups">
        <MoreGroups onGone={onGone} />
      </div>
    </div>
  )
}

export function MoreGroups({onGone}: {onGone?: () => void}) {
  const {groups} = useGrid()
  const texts = messages.table.groups
  if (!groups?.store.snapshot().waits) return null
  return (
    <>
      <span role="status">{texts.waits}</span>
      <button
        type="button"
        onClick={() => {
          groups.store.goOn()
          onGone?.()
        }}
      >
        {texts.goOn}
      </button>
    </>
  )
}
