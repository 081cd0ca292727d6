// A card of a board: the card of the phone with a check box, a menu, a mark of a conflict, and a handle for fingers.
import type {Conflict} from '../data/edits'
import {useGrid} from '../context/context'
import {readRow} from '../data/source'
import {messages} from '../messages'
import type {Column} from '../model/columns'
import {Card} from '../phone/Card'
import {toggled} from '../table/issueItems'
import {DragHandle} from '../ui/DragLabel'
import {Icon, IconButton} from '../ui/ui'

interface Props {
  id: string
  columns: readonly Column[]
  tabIndex: number
  isChosen: boolean
  /** The number of the issue in the panel. */
  opened: number | null
  conflict: Conflict | null
  movable: boolean
  onPress: (down: PointerEvent) => void
  onMenu: (at: DOMRect) => void
}

export function BoardCard({id, columns, tabIndex, isChosen, opened, conflict, movable, onPress, onMenu}: Props) {
  const {client, groups, project, selected, setSelected, signals, freshness} = useGrid()
  const row = readRow(client.cache, id, [])
  const classes = ['board-card']
  if (isChosen) classes.push('chosen')
  if (opened !== null && row?.num === opened) classes.push('opened')
  if (freshness.snapshot().has(id)) classes.push('fresh')
  if (movable) classes.push('movable')
  return (
    <div
      className={classes.join(' ')}
      data-id={id}
      onPointerDown={e => {
        // A finger scrolls, unless it takes the handle.
        if (movable && e.button === 0 && e.pointerType !== 'touch' && !(e.target as Element).matches(':is(input,button,button *)')) onPress(e.nativeEvent)
      }}
      onContextMenu={e => {
        e.preventDefault()
        onMenu(new DOMRect(e.clientX, e.clientY, 0, 0))
      }}
    >
      {movable && <DragHandle onPointerDown={onPress} />}
      <Card id={id} columns={columns} hasState={groups?.key.column.id !== 'state'} tabIndex={tabIndex} />
      {row && (
        <span className="board-tools">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={messages.table.chooseIssue(row.num)}
            checked={isChosen}
            onChange={() => setSelected(toggled(selected, id))}
          />
          <IconButton
            label={messages.board.menu(`${project.key}-${row.num}`)}
            icon="more"
            tabIndex={-1}
            aria-haspopup="menu"
            onClick={e => onMenu(e.currentTarget.getBoundingClientRect())}
          />
        </span>
      )}
      {conflict && (
        <button
          type="button"
          className="conflict-mark"
          tabIndex={-1}
          aria-label={messages.board.inConflict(`${project.key}-${conflict.num}`)}
          onClick={() => signals.tell('conflicts', {id, column: conflict.change.column.id})}
        >
          <Icon name="warning" />
        </button>
      )}
    </div>
  )
}
