// The popover that groups rows by a column, loaded when it is first opened. Each change is applied immediately.
import {useEffect, useRef, useState} from 'react'
import {useGrid} from '../context/context'
import {messages} from '../messages'
import {mayBeEmpty, type Column} from '../model/columns'
import {groupingBy, hasValues, hasWidths, isGroupable, noFold, rangesOf, usualRange, type Grouping, type GroupKey} from '../model/groups'
import {ColumnPicker} from '../ui/ColumnPicker'
import {Icon, Popover} from '../ui/ui'

export interface GroupPopoverProps {
  anchor: Element
}

export default function GroupPopover({anchor, onClose}: GroupPopoverProps & {onClose: () => void}) {
  const {columns, groups, view, setView} = useGrid()
  const texts = messages.table.groups
  const [choosing, setChoosing] = useState(groups === null)
  const change = useRef<HTMLButtonElement>(null)
  const wasChoosing = useRef(choosing)
  useEffect(() => {
    if (wasChoosing.current && !choosing) change.current?.focus()
    wasChoosing.current = choosing
  }, [choosing])
  // Other groups have other keys.
  const set = (group: Grouping | null) => setView({group, fold: {...noFold, all: group !== null && view.fold.all}, at: null})
  const pick = (column: Column) => {
    setChoosing(false)
    set(groupingBy(column))
  }
  if (choosing || !groups)
    return (
      <Popover anchor={anchor} label={texts.title} onClose={onClose} className="group-popover">
        <ColumnPicker label={texts.byThis} columns={columns.filter(isGroupable)} onPick={pick} />
      </Popover>
    )
  const {key} = groups
  const {column} = key
  const to = (part: Partial<Omit<GroupKey, 'column'>>) => set({...key, column: column.id, ...part})
  return (
    <Popover anchor={anchor} label={texts.title} onClose={onClose} className="group-popover">
      <h2>{texts.title}</h2>
      <button ref={change} type="button" aria-label={`${texts.column}: ${column.label}`} onClick={() => setChoosing(true)}>
        <span dir="auto">{column.label}</span>
        <span className="spacer" />
        <Icon name="down" />
      </button>
      <Ranges groupKey={key} onChange={range => to({range})} />
      <label>
        {texts.order}
        <select value={key.descending ? 'descending' : 'ascending'} onChange={e => to({descending: e.target.value === 'descending'})}>
          <option value="ascending">{messages.table.sort.ascending}</option>
          <option value="descending">{messages.table.sort.descending}</option>
        </select>
      </label>
      {mayBeEmpty(column) && (
        <label className="check">
          <input type="checkbox" checked={key.emptyFirst} onChange={e => to({emptyFirst: e.target.checked})} />
          {messages.table.sort.emptyFirst}
        </label>
      )}
      <div className="group-actions">
        <button type="button" onClick={() => setView({fold: {all: true, keys: []}}, 'replace')}>
          {texts.collapseAll}
        </button>
        <button type="button" onClick={() => setView({fold: noFold}, 'replace')}>
          {texts.expandAll}
        </button>
        {view.layout === 'grid' && (
          <button
            type="button"
            onClick={() => {
              set(null)
              onClose()
            }}
          >
            {texts.off}
          </button>
        )}
      </div>
    </Popover>
  )
}

/** Which values are combined to a group. */
function Ranges({groupKey: {column, range}, onChange}: {groupKey: GroupKey; onChange: (range: Grouping['range']) => void}) {
  const texts = messages.table.groups
  const named = rangesOf(column)
  const [width, setWidth] = useState(typeof range === 'number' ? String(range) : '')
  if (named.length === 0 && !hasWidths(column)) return null
  const isWide = typeof range === 'number'
  const apply = (text: string) => {
    setWidth(text)
    const n = Number(text)
    if (n > 0 && n < 1e15 && (column.type === 'NUMBER' || Number.isInteger(n))) onChange(n)
  }
  return (
    <>
      <label>
        {texts.which}
        <select
          value={isWide ? 'width' : (range ?? 'value')}
          onChange={e => {
            const {value} = e.target
            if (value !== 'width') return onChange(named.find(r => r === value) ?? null)
            const usual = usualRange(column) ?? 10
            apply(String(usual))
          }}
        >
          {hasValues(column) && <option value="value">{texts.eachValue}</option>}
          {named.map(r => (
            <option key={r} value={r}>
              {texts.ranges[r]}
            </option>
          ))}
          {hasWidths(column) && <option value="width">{texts.widths}</option>}
        </select>
      </label>
      {isWide && (
        <label>
          {texts.width}
          <input type="number" min="0" step="any" value={width} onChange={e => apply(e.target.value)} />
        </label>
      )}
    </>
  )
}
