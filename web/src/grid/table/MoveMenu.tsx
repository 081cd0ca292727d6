// The menu that moves issues to another group. It is loaded when it is first opened.
import {useGrid} from '../context/context'
import {readRow} from '../data/source'
import {messages} from '../messages'
import {rowValue} from '../model/columns'
import {isSameGroup} from '../model/groups'
import {Menu} from '../ui/ui'
import {moveTo, nameOf, targets} from './moves'

export interface MoveMenuProps {
  at: DOMRect
  /** The issues, at least one. */
  ids: readonly string[]
  /** Called before the issues move. */
  onMove?: () => void
}

export default function MoveMenu({at, ids, onMove, onClose}: MoveMenuProps & {onClose: () => void}) {
  const grid = useGrid()
  const {groups, client, fields} = grid
  const row = ids[0] === undefined ? null : readRow(client.cache, ids[0], fields)
  if (!groups || !row) return null
  const current = rowValue(row, groups.key.column, fields) ?? null
  const items = targets(groups.key, groups.store.snapshot().groups).map(({name, value}) => ({
    label: name,
    checked: isSameGroup(value, current),
    onSelect: () => {
      onMove?.()
      void moveTo(grid, ids, value)
    },
  }))
  return <Menu anchor={at} label={messages.table.groups.moveTo(nameOf(grid, ids))} items={items} onClose={onClose} />
}
