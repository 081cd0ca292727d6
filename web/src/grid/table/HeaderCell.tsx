// The header of a column. A click sorts, with Shift by one more column; dragging moves the column, and a menu has everything else.
import {useEffect, useRef, useState} from 'react'
import {useGrid} from '../context/context'
import {isField, mayBeEmpty, type Column} from '../model/columns'
import {headerHeight, type Drawn} from './layout'
import {messages} from '../messages'
import {Icon, Menu, type IconName, type MenuItem} from '../ui/ui'
import {SummaryMenu} from './SummaryMenu'
import {groupingBy, isGroupable, noFold} from '../model/groups'
import {change, mostSorts, only, sortsOf, step, without, type Sort} from '../model/sort'
import {maxWidth, minWidth, shownColumns} from '../model/view'

interface Props {
  drawn: Drawn
  active: boolean
  resize: ((event: unknown) => void) | undefined
  onActivate: () => void
}

const dragged = 'application/x-issuegrid-column'

const icons: Record<Column['type'], IconName> = {
  TEXT: 'text',
  LONG_TEXT: 'lines',
  INTEGER: 'number',
  NUMBER: 'number',
  DATE: 'calendar',
  DATETIME: 'clock',
  BOOLEAN: 'box',
  SELECT: 'option',
  MULTI_SELECT: 'list',
  TAGS: 'tag',
  USER: 'person',
}

/** Returns the width of what a cell contains, also if it is cut off. */
function contentWidth(cell: HTMLElement): number {
  const range = document.createRange()
  const label = cell.querySelector('.label')
  if (!label) {
    range.selectNodeContents(cell)
    return range.getBoundingClientRect().width
  }
  range.selectNodeContents(label)
  const icons = cell.querySelectorAll('.icon').length * 22
  return range.getBoundingClientRect().width + icons
}

export function HeaderCell({drawn: {column, index, left, width, pinned, isEdge}, active, resize, onActivate}: Props) {
  const {view, setView, columns, groups, order, project, signals, toasts} = useGrid()
  const cell = useRef<HTMLDivElement>(null)
  const [menu, setMenu] = useState(false)
  const [summarizing, setSummarizing] = useState(false)
  const [dropping, setDropping] = useState(false)
  const position = order.findIndex(k => k.column.id === column.id)
  const sorted = order[position]
  const shown = shownColumns(view, columns).map(c => c.id)
  const texts = messages.table.header

  const sorts = sortsOf(order)
  const sort = (sort: readonly Sort[]) => setView({sort, at: null})
  const sortOnly = (to: Partial<Sort>) => sort([{column: column.id, descending: false, emptyFirst: sorted?.emptyFirst ?? false, ...to}])
  const toggle = (extend: boolean) => {
    if (!column.sortable) return
    if (!extend) return sort(only(sorts, column.id))
    const next = step(sorts, column.id)
    if (next === sorts) toasts.info(messages.table.sort.full(mostSorts))
    else sort(next)
  }
  const place = (to: number) => {
    const next = shown.filter(id => id !== column.id)
    next.splice(Math.max(0, Math.min(to, next.length)), 0, column.id)
    setView({columns: next})
  }
  const resizeBy = (pixels: number) => setView({widths: {...view.widths, [column.id]: Math.min(maxWidth, Math.max(minWidth, width + pixels))}}, 'replace')

  /** Makes the column as wide as its widest rendered cell. */
  const fit = () => {
    const cells = cell.current?.closest('[role=grid]')?.querySelectorAll<HTMLElement>(`[data-column="${CSS.escape(column.id)}"]`) ?? []
    const wide = Math.max(...[...cells].map(c => contentWidth(c) + (c === cell.current ? 24 : 18)))
    setView({widths: {...view.widths, [column.id]: Math.min(maxWidth, Math.max(minWidth, Math.ceil(wide)))}}, 'replace')
  }
  const items = (): MenuItem[] => [
    {
      label: texts.ascending,
      icon: 'sortAscending',
      disabled: !column.sortable,
      checked: sorted?.descending === false,
      onSelect: () => sortOnly({descending: false}),
    },
    {
      label: texts.descending,
      icon: 'sortDescending',
      disabled: !column.sortable,
      checked: sorted?.descending === true,
      onSelect: () => sortOnly({descending: true}),
    },
    {
      label: texts.emptyFirst,
      disabled: !column.sortable || !mayBeEmpty(column),
      checked: sorted?.emptyFirst === true,
      onSelect: () => (sorted ? sort(change(sorts, column.id, {emptyFirst: !sorted.emptyFirst})) : sortOnly({emptyFirst: true})),
    },
    sorted && order.length > 1
      ? {label: texts.sortWithout, onSelect: () => sort(without(sorts, column.id))}
      : {label: texts.sortNext, disabled: !column.sortable || sorted !== undefined, onSelect: () => toggle(true)},
    {label: texts.filter, icon: 'filter', separated: true, onSelect: () => signals.tell('filter', column.id)},
    groups?.key.column.id === column.id
      ? {label: messages.table.groups.off, icon: 'group', onSelect: () => setView({group: null, fold: noFold, at: null})}
      : {
          label: messages.table.groups.byThis,
          icon: 'group',
          disabled: !isGroupable(column),
          onSelect: () => setView({group: groupingBy(column), fold: noFold, at: null}),
        },
    {label: messages.table.figures.menu, icon: 'sum', onSelect: () => setSummarizing(true)},
    {
      label: pinned ? texts.unpin : texts.pin,
      icon: 'pin',
      separated: true,
      onSelect: () => setView({pinned: pinned ? view.pinned.filter(id => id !== column.id) : [...view.pinned, column.id]}),
    },
    {label: texts.left, icon: 'left', disabled: index === 0, onSelect: () => place(index - 1)},
    {label: texts.right, icon: 'right', disabled: index === shown.length - 1, onSelect: () => place(index + 1)},
    {label: texts.fit, onSelect: fit},
    {label: texts.wider, onSelect: () => resizeBy(40)},
    {label: texts.narrower, onSelect: () => resizeBy(-40)},
    {label: texts.hide, icon: 'close', separated: true, disabled: shown.length === 1, onSelect: () => setView({columns: shown.filter(id => id !== column.id)})},
    ...(project.viewerCanAdminister && isField(column)
      ? [{label: texts.editField, icon: 'edit' as const, onSelect: () => signals.tell('field', column.id)}]
      : []),
  ]

  // The grid has the focus, so an active header handles the keys of the grid.
  useEffect(() => {
    if (!active) return
    const grid = cell.current?.closest<HTMLElement>('[role=grid]')
    const keys = (e: globalThis.KeyboardEvent) => {
      if (e.target !== grid) return
      if (e.key === 'Enter' && !e.altKey) toggle(e.shiftKey)
      else if (e.key === ' ' || e.key === 'ContextMenu' || (e.key === 'ArrowDown' && e.altKey) || (e.key === 'F10' && e.shiftKey)) setMenu(true)
      else return
      e.preventDefault()
      e.stopPropagation()
    }
    grid?.addEventListener('keydown', keys, true)
    return () => grid?.removeEventListener('keydown', keys, true)
  })

  const classes = ['cell', 'head-cell']
  if (pinned) classes.push('pinned')
  if (isEdge) classes.push('pinned-edge')
  if (column.type === 'INTEGER' || column.type === 'NUMBER') classes.push('number')
  if (active) classes.push('active')
  if (dropping) classes.push('dropping')
  return (
    <div
      ref={cell}
      id={`h-${column.id}`}
      role="columnheader"
      aria-colindex={index + 2}
      // Only one header may have a direction here; the others have it in their labels.
      aria-sort={sorted && position === 0 ? (sorted.descending ? 'descending' : 'ascending') : column.sortable ? 'none' : undefined}
      title={column.description || undefined}
      data-column={column.id}
      className={classes.join(' ')}
      style={{left, width, height: headerHeight}}
      draggable
      onDragStart={e => {
        e.dataTransfer.setData(dragged, column.id)
        e.dataTransfer.effectAllowed = 'move'
      }}
      onDragOver={e => {
        if (!e.dataTransfer.types.includes(dragged)) return
        e.preventDefault()
        setDropping(true)
      }}
      onDragLeave={() => setDropping(false)}
      onDrop={e => {
        setDropping(false)
        const id = e.dataTransfer.getData(dragged)
        if (!id || id === column.id) return
        e.preventDefault()
        const next = shown.filter(x => x !== id)
        next.splice(shown.indexOf(column.id), 0, id)
        setView({columns: next})
      }}
      onContextMenu={e => {
        e.preventDefault()
        setMenu(true)
      }}
    >
      <button
        type="button"
        tabIndex={-1}
        className="sort"
        disabled={!column.sortable}
        onClick={e => {
          onActivate()
          toggle(e.shiftKey)
        }}
      >
        {column.id !== 'num' && <Icon name={icons[column.type]} />}
        <span className="label" dir="auto">
          {column.label}
        </span>
        {sorted && <Icon name={sorted.descending ? 'sortDescending' : 'sortAscending'} />}
        {sorted && order.length > 1 && (
          <>
            <span className="sort-position" aria-hidden="true">
              {position + 1}
            </span>
            <span className="visually-hidden">
              {position === 0 ? texts.sortedFirst(order.length) : texts.sortedNext(position + 1, order.length, sorted.descending)}
            </span>
          </>
        )}
        {view.conditions.some(c => c.column === column.id) && <Icon name="filter" />}
      </button>
      <button
        type="button"
        tabIndex={-1}
        className="head-menu"
        aria-haspopup="menu"
        aria-expanded={menu}
        aria-label={texts.menu(column.label)}
        onClick={() => setMenu(true)}
      >
        <Icon name="down" />
      </button>
      {resize && (
        <div
          className="resizer"
          aria-hidden="true"
          draggable={false}
          onMouseDown={e => {
            e.preventDefault() // prevents dragging the header
            e.stopPropagation()
            resize(e)
          }}
          onTouchStart={resize}
          onDoubleClick={fit}
        />
      )}
      {menu && cell.current && <Menu anchor={cell.current} label={texts.title(column.label)} items={items()} onClose={() => setMenu(false)} />}
      {summarizing && cell.current && <SummaryMenu anchor={cell.current} column={column} onClose={() => setSummarizing(false)} />}
    </div>
  )
}
