// What the status line says about the selected range of cells.
import {useState, useSyncExternalStore} from 'react'
import {rowValue, type Column} from '../model/columns'
import {useGrid} from '../context/context'
import {useSignal, type Range} from '../context/signals'
import {readRow} from '../data/source'
import {messages} from '../messages'
import {summaryOf} from './summary'
import type {Value} from '../model/values'

/** The maximum number of cells that are summarized. */
const most = 100_000

export function SelectionSummary() {
  const {client, edits, fields, groups, rows, shown, signals} = useGrid()
  const [range, setRange] = useState<Range | null>(null)
  useSignal(signals, 'range', setRange)
  // The values change with edits and loaded rows.
  useSyncExternalStore(edits.subscribe, edits.snapshot)
  useSyncExternalStore(rows.subscribe, rows.snapshot)
  if (!range) return null
  const columns = shown.slice(range.left, range.right + 1)
  const cells: (readonly [Column, Value])[] = []
  let lines = 0
  for (let i = range.top; i <= range.bottom && cells.length < most; i++) {
    if (groups?.store.header(i)) continue
    lines++
    const entry = rows.entry(i)
    const row = entry && readRow(client.cache, entry.id, fields)
    for (const column of row ? columns : []) cells.push([column, rowValue(row!, column, fields) ?? null])
  }
  const all = lines * columns.length
  const {filled, results} = summaryOf(cells)
  return (
    <span className="summary" data-testid="summary">
      <span>
        {all > cells.length ? messages.table.summary.loaded(cells.length, all) : messages.table.summary.cells(all)}
        {filled < cells.length && messages.table.summary.filled(filled)}
      </span>
      {results.map(([label, text]) => (
        <span key={label}>
          {label} <b>{text}</b>
        </span>
      ))}
    </span>
  )
}
