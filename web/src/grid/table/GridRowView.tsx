// A row of the grid. It reads its issue from the cache itself, so that a change renders only this row.
import {useFragment} from '@apollo/client/react'
import {memo, type ReactNode, type RefObject} from 'react'
import {GridRowFragmentDoc} from '../../gql/graphql'
import {CellValue} from '../ui/CellValue'
import {DragHandle} from '../ui/DragLabel'
import {Icon} from '../ui/ui'
import {rowValue, type Row} from '../model/columns'
import type {RowSize} from '../model/view'
import {checkWidth, rowHeights, type Drawn} from './layout'
import {messages} from '../messages'
import type {Place} from './selection'

interface Props {
  index: number
  top: number
  size: RowSize
  /** The ID of the issue; null while it is not loaded. */
  id: string | null
  columns: readonly Drawn[]
  fields: readonly string[]
  activeColumn: number
  rangeFrom: number
  rangeTo: number
  /** Whether the range begins or ends at this row. */
  isTop: boolean
  isBottom: boolean
  chosen: boolean
  /** Whether the panel shows the issue. */
  isOpen: boolean
  /** The IDs of the columns that others have just changed. */
  fresh: readonly string[] | null
  /** The IDs of the columns that are in conflict. */
  conflicts: string | null
  editor: ReactNode
  editedColumn: number
  /** Whether the row can be dragged to another group. */
  movable: boolean
  actions: RefObject<RowActions | null>
}

/** The actions of a row. */
export interface RowActions {
  pick: (place: Place, extend: boolean) => void
  /** The pointer moves over a cell while its button is pressed. */
  over: (place: Place) => void
  /** Begins to drag the fill handle. */
  fill: () => void
  edit: (place: Place) => void
  /** Opens the list of conflicts at a cell. */
  review: (id: string, column: string) => void
  /** Changes a boolean to true, or from true to false. */
  toggle: (place: Place) => void
  /** Returns the URL of an issue. */
  href: (num: number) => string
  /** Opens the menu of a cell at a position in the window. */
  menu: (place: Place, at: DOMRect) => void
  choose: (row: number, on: boolean, extend: boolean) => void
  /** Begins to drag the row to another group. */
  drag: (row: number, down: PointerEvent) => void
}

const same = (a: Props, b: Props): boolean =>
  a.index === b.index &&
  a.top === b.top &&
  a.size === b.size &&
  a.id === b.id &&
  a.columns === b.columns &&
  a.fields === b.fields &&
  a.activeColumn === b.activeColumn &&
  a.rangeFrom === b.rangeFrom &&
  a.rangeTo === b.rangeTo &&
  a.isTop === b.isTop &&
  a.isBottom === b.isBottom &&
  a.chosen === b.chosen &&
  a.isOpen === b.isOpen &&
  a.fresh === b.fresh &&
  a.conflicts === b.conflicts &&
  a.editedColumn === b.editedColumn &&
  a.movable === b.movable &&
  a.editor === null &&
  b.editor === null

export const GridRowView = memo(function GridRowView(props: Props) {
  const {index, top, id} = props
  const classes = ['grid-row']
  if (props.chosen) classes.push('chosen')
  if (props.isOpen) classes.push('opened')
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={props.chosen}
      className={classes.join(' ')}
      style={{transform: `translateY(${top}px)`, height: rowHeights[props.size]}}
    >
      {id === null ? <Placeholder {...props} /> : <Cells {...props} id={id} />}
    </div>
  )
}, same)

function Cells(props: Props & {id: string}) {
  const {id, index, columns, fields, activeColumn, rangeFrom, rangeTo, isTop, isBottom, chosen, fresh, conflicts, editor, editedColumn, movable, actions} =
    props
  const {data} = useFragment({fragment: GridRowFragmentDoc, fragmentName: 'GridRow', from: {__typename: 'Issue', id}, variables: {fields: [...fields]}})
  const row = data as Partial<Row>
  const known = row.num !== undefined
  return (
    <>
      <div role="gridcell" aria-colindex={1} className="cell check pinned" style={{left: 0, width: checkWidth}}>
        {movable && <DragHandle onPointerDown={e => actions.current?.drag(index, e)} />}
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={row.num === undefined ? messages.table.chooseRow : messages.table.chooseIssue(row.num)}
          checked={chosen}
          onChange={() => undefined}
          onClick={e => actions.current?.choose(index, e.currentTarget.checked, e.shiftKey)}
        />
      </div>
      {columns.map(d => {
        const {column} = d
        const place = {row: index, column: d.index}
        const value = known && (column.builtin !== undefined || row.values !== undefined) ? rowValue(row as Row, column, fields) : undefined
        const edited = d.index === editedColumn
        const inConflict = conflicts?.split(' ').includes(column.id) ?? false
        const classes = ['cell']
        if (inConflict) classes.push('in-conflict')
        if (d.pinned) classes.push('pinned')
        if (d.isEdge) classes.push('pinned-edge')
        if (d.index === activeColumn) classes.push('active')
        const isInRange = d.index >= rangeFrom && d.index <= rangeTo
        if (isInRange) {
          classes.push('in-range')
          if (isTop) classes.push('range-top')
          if (isBottom) classes.push('range-bottom')
          if (d.index === rangeFrom) classes.push('range-left')
          if (d.index === rangeTo) classes.push('range-right')
        }
        const hasHandle = isInRange ? isBottom && d.index === rangeTo : rangeFrom < 0 && d.index === activeColumn
        if (fresh?.includes(column.id)) classes.push('fresh')
        if (edited) classes.push('editing')
        if (column.type === 'INTEGER' || column.type === 'NUMBER') classes.push('number')
        return (
          <div
            key={column.id}
            id={`c-${index}-${d.index}`}
            role="gridcell"
            aria-colindex={d.index + 2}
            aria-readonly={!column.editable || undefined}
            aria-selected={isInRange && rangeFrom >= 0 ? true : undefined}
            data-column={column.id}
            className={classes.join(' ')}
            style={{left: d.left, width: d.width}}
            onPointerDown={e => {
              if (e.button === 0 && !edited && e.pointerType !== 'touch') actions.current?.pick(place, e.shiftKey)
            }}
            onPointerEnter={e => {
              if (e.buttons === 1 && e.pointerType === 'mouse' && !edited) actions.current?.over(place)
            }}
            onClick={e => {
              // A second tap edits, like a double click. A touch that scrolls is no click.
              if ((e.nativeEvent as PointerEvent).pointerType !== 'touch' || edited || (e.target as Element).closest('a, button')) return
              if (d.index === activeColumn) actions.current?.edit(place)
              else actions.current?.pick(place, false)
            }}
            onContextMenu={e => {
              if (edited) return
              e.preventDefault()
              actions.current?.menu(place, new DOMRect(e.clientX, e.clientY, 0, 0))
            }}
            onDoubleClick={() => !edited && actions.current?.edit(place)}
          >
            {inConflict && !edited && (
              <button
                type="button"
                className="conflict-mark"
                tabIndex={-1}
                aria-label={messages.table.inConflict(column.label)}
                onMouseDown={e => e.preventDefault()}
                onClick={() => actions.current?.review(id, column.id)}
              >
                <Icon name="warning" />
              </button>
            )}
            {edited ? (
              editor
            ) : value === undefined ? (
              <span className="bone" />
            ) : (
              <CellValue
                column={column}
                value={value}
                isTall={props.size === 'tall'}
                onOpen={column.id === 'num' ? () => actions.current?.edit(place) : undefined}
                href={column.id === 'num' ? actions.current?.href(row.num!) : undefined}
                onToggle={column.type === 'BOOLEAN' && column.editable ? () => actions.current?.toggle(place) : undefined}
              />
            )}
            {hasHandle && !edited && (
              <span
                className="fill-handle"
                onPointerDown={e => {
                  if (e.button !== 0) return
                  e.preventDefault()
                  e.stopPropagation()
                  actions.current?.fill()
                }}
              />
            )}
          </div>
        )
      })}
    </>
  )
}

/** Shows a row until it is loaded. */
function Placeholder({columns, index, activeColumn}: Props) {
  return (
    <>
      <div role="gridcell" aria-colindex={1} className="cell check pinned" style={{left: 0, width: checkWidth}} />
      {columns.map(d => (
        <div
          key={d.column.id}
          id={`c-${index}-${d.index}`}
          role="gridcell"
          aria-colindex={d.index + 2}
          className={`cell ${d.pinned ? 'pinned' : ''} ${d.index === activeColumn ? 'active' : ''}`}
          style={{left: d.left, width: d.width}}
        >
          <span className="bone" />
        </div>
      ))}
    </>
  )
}
