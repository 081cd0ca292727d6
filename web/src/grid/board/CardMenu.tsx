// The menu of a card.
import {useGrid} from '../context/context'
import {readRow} from '../data/source'
import {messages} from '../messages'
import {issueItems, selectItem} from '../table/issueItems'
import {whyNotMovable} from '../table/moves'
import {Menu} from '../ui/ui'

export function CardMenu({id, at, onMove, onClose}: {id: string; at: DOMRect; onMove: () => void; onClose: () => void}) {
  const grid = useGrid()
  const row = readRow(grid.client.cache, id, [])
  if (!row) return null
  const reason = whyNotMovable(grid)
  const items = [
    ...issueItems(grid, row.num),
    {label: reason ?? messages.table.groups.move, icon: 'group' as const, separated: true, disabled: reason !== null, onSelect: onMove},
    selectItem(grid, id),
  ]
  return <Menu anchor={at} label={messages.board.menu(`${grid.project.key}-${row.num}`)} items={items} onClose={onClose} />
}
