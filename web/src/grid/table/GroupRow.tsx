// The header of a group: its name, its count, and the summaries of its issues. The header of the current group stays below those of the columns.
import type {CSSProperties, MouseEvent} from 'react'
import {useGrid} from '../context/context'
import {messages} from '../messages'
import {groupName, isFolded, type Group} from '../model/groups'
import {chosenOf, shownFigure, type Figure} from '../model/summaries'
import {Icon} from '../ui/ui'
import type {Drawn} from './layout'
import {partName} from './SummaryMenu'
import './groups.css'

interface CellsProps {
  group: Group
  /** The width of the pinned columns. */
  width: number
  columns: readonly Drawn[]
  /** The summaries by the IDs of their columns; null while they are not known. */
  figures: ReadonlyMap<string, Figure> | null
}

interface Props extends CellsProps {
  index: number
  top: number
  height: number
  active: boolean
  onToggle: () => void
}

/** The least width of the name and the count, which cover columns that are not pinned if need be. */
const least = 300

export function GroupRow({index, top, height, active, onToggle, ...cells}: Props) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className="grid-row group-row"
      style={{transform: `translateY(${top}px)`, height}}
      data-group={cells.group.key}
      onClick={toggling(onToggle)}
    >
      <GroupCells {...cells} line={{index, active}} />
    </div>
  )
}

/** Returns a listener that toggles a group by a click anywhere in its header, except on what has a meaning of its own. */
const toggling = (toggle: () => void) => (e: MouseEvent) => {
  if (!(e.target as Element).closest('a, button')) toggle()
}

/** The name, count and summaries of a group. `line` is that of the header; null in the header that stays in view, which only repeats another one. */
function GroupCells({group, width, columns, figures, line}: CellsProps & {line: {index: number; active: boolean} | null}) {
  const {view, shown} = useGrid()
  const labelWidth = Math.max(width, least)
  const chosen = chosenOf(view.summaries, shown)
  const open = !isFolded(view.fold, group.key)
  const drawn = new Map(columns.map(d => [d.column.id, d]))
  const figureOf = (id: string) => figures?.get(id) ?? null
  // Summaries of columns below the label are in the label.
  const [inside, beside] = [chosen.filter(([c]) => isCovered(drawn.get(c.id), labelWidth)), chosen.filter(([c]) => !isCovered(drawn.get(c.id), labelWidth))]
  return (
    <>
      <div
        {...(line && {id: `g-${line.index}`, role: 'gridcell', 'aria-colindex': 1, 'aria-expanded': open})}
        className={line?.active ? 'group-label active' : 'group-label'}
        style={{width: labelWidth}}
      >
        <Icon name={open ? 'down' : 'right'} />
        <GroupName group={group} />
        <span className="group-count">{group.total === null ? '' : messages.table.groups.count(group.total, group.exact)}</span>
        {inside.map(([c, part]) => {
          const figure = figureOf(c.id)
          return (
            <span key={c.id} className="group-figure">
              {partName(c, part)} {figure ? shownFigure(c, part, figure).text : '…'}
            </span>
          )
        })}
      </div>
      {beside.map(([c, part]) => {
        const d = drawn.get(c.id)
        const figure = figureOf(c.id)
        const text = figure ? shownFigure(c, part, figure) : null
        return (
          d && (
            <div
              key={c.id}
              {...(line && {role: 'gridcell', 'aria-colindex': d.index + 2})}
              className="cell group-cell"
              style={{left: d.left, width: d.width}}
              title={text?.reason ?? undefined}
            >
              <span className="figure-name">{partName(c, part)}</span>
              <b>{text?.text ?? '…'}</b>
            </div>
          )
        )
      })}
    </>
  )
}

const isCovered = (d: Drawn | undefined, width: number) => d !== undefined && (d.pinned || d.left < width)

/** The name of a group. States and options have their colors. */
export function GroupName({group}: {group: Group}) {
  const {groups} = useGrid()
  if (!groups) return null
  const option = groups.key.column.options.find(o => o.id === group.option)
  const name = groupName(groups.key, group)
  if (!option) return <b className="group-name">{name}</b>
  const classes = ['pill', 'group-name']
  if (option.color) classes.push('tinted')
  if (option.isClosed) classes.push('closed')
  return (
    <span className={classes.join(' ')} style={option.color ? ({'--tint': option.color} as CSSProperties) : undefined} dir="auto">
      {name}
    </span>
  )
}

/** Repeats the header of the group of the first visible line, if that is not the header itself. The keyboard and screen readers have the header. */
export function StickyGroup({height, onToggle, ...cells}: CellsProps & {height: number; onToggle: () => void}) {
  return (
    <div className="group-sticky" aria-hidden="true" data-testid="sticky-group">
      <div className="group-row" style={{height}} onClick={toggling(onToggle)}>
        <GroupCells {...cells} line={null} />
      </div>
    </div>
  )
}
