// The menu that sorts the cards, which have no headers.
import {useGrid} from '../context/context'
import {messages} from '../messages'
import type {Sort} from '../model/view'
import {phone, useMedia} from '../ui/media'
import {Icon, MenuButton} from '../ui/ui'

export function SortButton() {
  const {shown, order, setView} = useGrid()
  const isPhone = useMedia(phone)
  if (!isPhone) return null
  const {column, descending, emptyFirst} = order
  const sort = (change: Partial<Sort>) => setView({sort: {column: column.id, descending, emptyFirst, ...change}, at: null})
  const texts = messages.table.sort
  const columns = shown.filter(c => c.sortable)
  return (
    <MenuButton
      label={descending ? texts.byDescending(column.label) : texts.byAscending(column.label)}
      className="tool"
      items={() => [
        {label: texts.ascending, checked: !descending, onSelect: () => sort({descending: false})},
        {label: texts.descending, checked: descending, onSelect: () => sort({descending: true})},
        ...(columns.includes(column) ? columns : [column, ...columns]).map((c, i) => ({
          label: c.label,
          checked: c === column,
          separated: i === 0,
          onSelect: () => sort({column: c.id}),
        })),
      ]}
    >
      <Icon name={descending ? 'sortDescending' : 'sortAscending'} />
    </MenuButton>
  )
}
