// The card of an issue: its number, state, name and a few values. It reads the issue from the cache itself, so that a change renders only this card.
import {useFragment} from '@apollo/client/react'
import {memo, type MouseEvent} from 'react'
import {GridRowFragmentDoc} from '../../gql/graphql'
import {useGrid} from '../context/context'
import {rowValue, type Column, type Row} from '../model/columns'
import {isEmpty} from '../model/values'
import {newView, writeView} from '../model/view'
import {CellValue} from '../ui/CellValue'

interface Props {
  id: string
  columns: readonly Column[]
  /** Whether the state is shown. */
  hasState?: boolean
  tabIndex?: number
}

export const Card = memo(function Card({id, columns, hasState = true, tabIndex}: Props) {
  const {project, columns: all, fields, setView} = useGrid()
  const {data} = useFragment({fragment: GridRowFragmentDoc, fragmentName: 'GridRow', from: {__typename: 'Issue', id}, variables: {fields: [...fields]}})
  if (data.num === undefined) return <span className="bone" />
  const row = data as Row
  const state = all.find(c => c.id === 'state')!
  const open = (e: MouseEvent) => {
    if (e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return // the browser opens a tab
    e.preventDefault()
    setView({issue: row.num})
  }
  return (
    <a className="card" href={writeView({...newView(project.id), issue: row.num})} data-num={row.num} tabIndex={tabIndex} draggable={false} onClick={open}>
      <span className="card-head">
        <span className="card-num">
          {project.key}-{row.num}
        </span>
        {hasState && <CellValue column={state} value={row.state.id} />}
      </span>
      <span className="card-name" dir="auto">
        {row.name}
      </span>
      <span className="card-values">
        {columns.map(c => {
          const value = row.values === undefined && !c.builtin ? undefined : rowValue(row, c, fields)
          return (
            <span key={c.id} className="card-value">
              <span className="card-label" dir="auto">
                {c.label}
                <span className="visually-hidden">: </span>
              </span>
              <span className="card-content">
                {value === undefined ? <span className="bone" /> : isEmpty(value) ? <span className="hint">—</span> : <CellValue column={c} value={value} />}
              </span>
            </span>
          )
        })}
      </span>
    </a>
  )
})
