// What the end of the groups says if some are missing: in the grid, a line of its own, and on a board, a column.
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

export function MissingLine({index, top, height, active, onGone}: LineProps) {
  return (
    <div role="row" aria-rowindex={index + 2} className="grid-row" style={{transform: `translateY(${top}px)`, height}}>
      <div id={`g-${index}`} role="gridcell" aria-colindex={1} className={active ? 'group-missing active' : 'group-missing'} data-testid="missing-groups">
        <MissingGroups onGone={onGone} />
      </div>
    </div>
  )
}

export function MissingGroups({onGone}: {onGone?: () => void}) {
  const {groups} = useGrid()
  const missing = groups?.store.snapshot().missing ?? null
  const texts = messages.table.groups
  if (missing === null) return null
  return (
    <>
      <span role="status">{missing === 'waits' ? texts.waits : texts.incomplete}</span>
      {missing === 'waits' && (
        <button
          type="button"
          onClick={() => {
            groups?.store.goOn()
            onGone?.()
          }}
        >
          {texts.goOn}
        </button>
      )}
    </>
  )
}
