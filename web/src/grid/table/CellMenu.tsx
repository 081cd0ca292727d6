// The menu of a cell: what can be done with its value, its issue, and the selected range.
import {useState} from 'react'
import {clearRange, copyRange, copyWith, fillRange, pasteRange, readTable} from './clipboard'
import {rowValue} from '../model/columns'
import {conditionFor} from '../model/conditions'
import {useGrid} from '../context/context'
import {withoutGuard} from '../csv/guard'
import {readRow} from '../data/source'
import {messages} from '../messages'
import {issueItems, selectItem} from './issueItems'
import {isMovable} from './moves'
import type {Place, Rectangle} from './selection'
import {Menu, type MenuItem} from '../ui/ui'

interface Props {
  place: Place
  at: DOMRect
  range: Rectangle
  onEdit: () => void
  /** Opens the menu that moves the rows of the range to another group. */
  onMove: () => void
  onClose: () => void
}

export function CellMenu({place, at, range, onEdit, onMove, onClose}: Props) {
  const grid = useGrid()
  const {client, columns, fields, project, rows, setView, shown, toasts, view} = grid
  const texts = messages.table.menu
  const column = shown[place.column]
  const entry = rows.entry(place.row)
  const [row] = useState(() => entry && readRow(client.cache, entry.id, fields))
  if (!column || !entry || !row) return null
  const value = rowValue(row, column, fields)
  const condition = value === undefined ? null : conditionFor(column, value)
  const isRange = range.top !== range.bottom || range.left !== range.right
  const canEdit = project.viewerCanEdit
  const name = `${project.key}-${row.num}`
  const copy = () => copyWith(data => copyRange(grid, range, data))
  const paste = async () => {
    let text
    try {
      text = await navigator.clipboard.readText()
    } catch {
      return toasts.info(texts.noReading)
    }
    await pasteRange(grid, range, {cells: readTable(text).map(r => r.map(withoutGuard)), exact: false})
  }
  const items: MenuItem[] = [
    ...issueItems(grid, row.num),
    ...(canEdit && column.editable && !isRange ? [{label: texts.edit, icon: 'edit' as const, separated: true, onSelect: onEdit}] : []),
    {label: texts.copy, separated: !canEdit || !column.editable || isRange, onSelect: copy},
    ...(canEdit
      ? [
          {
            label: texts.cut,
            onSelect: () => {
              copy()
              void clearRange(grid, range)
            },
          },
          {label: texts.paste, onSelect: () => void paste()},
          {label: texts.fillDown, disabled: range.bottom === range.top && range.top === 0, onSelect: () => void fillRange(grid, range, 'down')},
          {label: texts.clear, onSelect: () => void clearRange(grid, range)},
        ]
      : []),
    ...(isMovable(grid) ? [{label: messages.table.groups.move, icon: 'group' as const, onSelect: onMove}] : []),
    {
      label: value === null ? texts.onlyWithout(column.label) : texts.onlyThis(column.label),
      icon: 'filter',
      separated: true,
      disabled: condition === null || (view.any && view.conditions.length > 1),
      onSelect: () => setView({conditions: [...view.conditions.filter(c => c.column !== column.id), condition!], any: false, at: null}),
    },
    selectItem(grid, entry.id),
    ...(project.viewerCanAdminister && columns.includes(column) && !column.builtin
      ? [{label: texts.editField(column.label), icon: 'settings' as const, onSelect: () => grid.signals.tell('field', column.id)}]
      : []),
  ]
  return <Menu anchor={at} label={texts.title(column.label, name)} items={items} onClose={onClose} />
}
