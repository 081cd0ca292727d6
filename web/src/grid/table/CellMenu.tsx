// The menu of a cell: what can be done with its value, its issue, and the selected range.
import {useState} from 'react'
import {clearRange, copyRange, fillRange, pasteRange, readTable} from './clipboard'
import {rowValue} from '../model/columns'
import {conditionFor} from '../model/conditions'
import {useGrid} from '../context/context'
import {withoutGuard} from '../csv/guard'
import {readRow} from '../data/source'
import {messages} from '../messages'
import {newView, writeView} from '../model/view'
import type {Place, Rectangle} from './selection'
import {Menu, type MenuItem} from '../ui/ui'

interface Props {
  place: Place
  at: DOMRect
  range: Rectangle
  onEdit: () => void
  onClose: () => void
}

/** Copies what a function puts on the clipboard. Only the event of this command gives access to all formats. */
function copyWith(fill: (clipboard: DataTransfer) => void): void {
  const allow = (e: Event) => e.preventDefault() // although no text is selected
  const take = (e: ClipboardEvent) => {
    e.preventDefault()
    e.stopPropagation()
    if (e.clipboardData) fill(e.clipboardData)
  }
  document.addEventListener('beforecopy', allow, true)
  document.addEventListener('copy', take, true)
  document.execCommand('copy')
  document.removeEventListener('beforecopy', allow, true)
  document.removeEventListener('copy', take, true)
}

export function CellMenu({place, at, range, onEdit, onClose}: Props) {
  const grid = useGrid()
  const {client, columns, fields, project, rows, selected, setSelected, setView, shown, toasts, view} = grid
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
  const link = location.origin + '/' + writeView({...newView(project.id), issue: row.num})
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
  const copyLink = () =>
    navigator.clipboard.writeText(link).then(
      () => toasts.info(texts.linkCopied(name)),
      () => toasts.info(texts.noWriting),
    )
  const items: MenuItem[] = [
    {label: texts.open(name), icon: 'panel', onSelect: () => setView({issue: row.num})},
    {label: texts.openTab, icon: 'link', onSelect: () => void window.open(link, '_blank', 'noopener')},
    {label: texts.copyLink, onSelect: () => void copyLink()},
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
    {
      label: value === null ? texts.onlyWithout(column.label) : texts.onlyThis(column.label),
      icon: 'filter',
      separated: true,
      disabled: condition === null || (view.any && view.conditions.length > 1),
      onSelect: () => setView({conditions: [...view.conditions.filter(c => c.column !== column.id), condition!], any: false, at: null}),
    },
    {
      label: selected.has(entry.id) ? texts.unselectRow : texts.selectRow,
      icon: 'box',
      onSelect: () => setSelected(new Set(selected.has(entry.id) ? [...selected].filter(id => id !== entry.id) : [...selected, entry.id])),
    },
    ...(project.viewerCanAdminister && columns.includes(column) && !column.builtin
      ? [{label: texts.editField(column.label), icon: 'settings' as const, onSelect: () => grid.signals.tell('field', column.id)}]
      : []),
  ]
  return <Menu anchor={at} label={texts.title(column.label, name)} items={items} onClose={onClose} />
}
