// The editor of a cell, which saves what was typed.
import {useMemo, useState} from 'react'
import {CellEditor} from './CellEditor'
import {rowValue, type Column} from '../model/columns'
import {useGrid} from '../context/context'
import {useChoices} from '../context/useChoices'
import {problemOf} from '../data/client'
import {readRow} from '../data/source'
import {messages} from '../messages'

export function EditorOf({
  entryID,
  column,
  initial,
  onEnd,
}: {
  entryID: string
  column: Column
  initial?: string
  onEnd: (direction: 'down' | 'up' | 'left' | 'right' | null) => void
}) {
  const {client, edits, fields, toasts} = useGrid()
  const [before] = useState(() => {
    const row = readRow(client.cache, entryID, fields)
    return row ? (rowValue(row, column, fields) ?? null) : null
  })
  const choicesOf = useChoices()
  const choices = useMemo(() => choicesOf(column), [choicesOf, column])
  return (
    <CellEditor
      column={column}
      value={before}
      initial={initial}
      {...choices}
      onCancel={() => onEnd(null)}
      onLost={error => {
        toasts.error(messages.table.notSaved(column.label, error))
        onEnd(null)
      }}
      onCommit={(value, direction) => {
        edits
          .change([{id: entryID, cells: [{column, before, value}]}], messages.data.changeOf(column.label))
          .catch((error: unknown) => toasts.error(problemOf(error).message))
        onEnd(direction)
      }}
    />
  )
}
