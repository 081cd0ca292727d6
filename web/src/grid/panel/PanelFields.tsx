// The fields of the issue in the panel. Empty fields are hidden by default, because there may be 400.
import {memo, useCallback, useId, useMemo, useState} from 'react'
import {CellValue} from '../ui/CellValue'
import {rowValue, type Column} from '../model/columns'
import {useGrid} from '../context/context'
import {useChoices} from '../context/useChoices'
import type {Choices} from '../ui/choices'
import {Editable} from './Editable'
import {PanelPeople} from './PanelPeople'
import {LongText, type Drafts} from './LongText'
import {messages} from '../messages'
import type {OpenIssue} from './useIssue'
import {equal, isEmpty, show, type Value} from '../model/values'

/** The search appears if there are more fields than this. */
const many = 15

interface Props {
  issue: OpenIssue
  fields: readonly string[]
  drafts: Drafts
  onSaveText: (column: Column, before: string | null, text: string | null) => Promise<boolean>
  reload: () => Promise<void>
}

export function PanelFields({issue, fields, drafts, onSaveText, reload}: Props) {
  const {columns, edits, project} = useGrid()
  const {id, row, texts} = issue
  const description = columns.find(c => c.builtin === 'DESCRIPTION')!
  const listed = useMemo(() => columns.filter(c => c.builtin === undefined || c.builtin === 'STATE'), [columns])
  const [search, setSearch] = useState('')
  const [all, setAll] = useState(false)
  // A field that had a value since the panel was opened stays, so that clearing a field does not hide it.
  const [had, setHad] = useState<ReadonlySet<string>>(new Set())
  const values = useMemo(() => new Map(listed.map(c => [c.id, rowValue(row, c, fields) ?? null])), [listed, row, fields])
  const filled = listed.filter(c => !isEmpty(values.get(c.id)!) || drafts.has(`${id} ${c.id}`))
  if (filled.some(c => !had.has(c.id))) setHad(new Set([...had, ...filled.map(c => c.id)]))

  const wanted = search.trim().toLowerCase()
  const shown = listed.filter(c => (wanted ? c.label.toLowerCase().includes(wanted) : all || had.has(c.id)))
  const empty = listed.length - listed.filter(c => had.has(c.id)).length
  const save = useCallback(
    (column: Column, before: Value, value: Value) => edits.change([{id, cells: [{column, before, value}]}], messages.data.changeOf(column.label)),
    [edits, id],
  )
  const choices = useChoices()
  const times = project.viewerCanEdit ? messages.panel.created : messages.panel.createdReadOnly
  return (
    <>
      <LongText key={description.id} issue={id} column={description} text={texts.get(description.id)} drafts={drafts} onSave={onSaveText} />
      <PanelPeople issue={issue} reload={reload} />
      <section aria-label={messages.panel.fields}>
        {listed.length > many && (
          <input
            type="search"
            className="panel-search"
            aria-label={messages.panel.searchFields}
            placeholder={messages.panel.searchSome(listed.length)}
            value={search}
            onChange={e => setSearch(e.target.value)}
          />
        )}
        <div className="panel-fields">
          {shown.map(c =>
            c.type === 'LONG_TEXT' ? (
              <LongText key={c.id} issue={id} column={c} text={texts.get(c.id)} drafts={drafts} onSave={onSaveText} />
            ) : (
              <Field key={c.id} column={c} value={values.get(c.id)!} choices={choices} onSave={save} />
            ),
          )}
        </div>
        {wanted && shown.length === 0 && (
          <p className="hint" role="status">
            {messages.panel.noField}
          </p>
        )}
        {!wanted && empty > 0 && (
          <button type="button" className="link" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? messages.panel.hideEmpty(empty) : messages.panel.showEmpty(empty)}
          </button>
        )}
      </section>
      <p className="panel-times hint">{times(time(row.createdAt), time(row.updatedAt))}</p>
    </>
  )
}

const time = (at: string): string => show({type: 'DATETIME', options: []}, at)

interface FieldProps {
  column: Column
  value: Value
  choices: (column: Column) => Choices
  onSave: (column: Column, before: Value, value: Value) => Promise<unknown>
}

const Field = memo(
  function Field({column, value, choices, onSave}: FieldProps) {
    const name = useId()
    const about = useId()
    return (
      <div className="panel-field" role="group" aria-labelledby={name} aria-describedby={column.description ? about : undefined}>
        <span id={name} className="panel-label" dir="auto" title={column.description || undefined}>
          {column.label}
          {column.required && <span aria-hidden="true"> *</span>}
        </span>
        <Editable column={column} value={value} choices={choices} onSave={onSave}>
          {isEmpty(value) ? <span className="hint">—</span> : <CellValue column={column} value={value} />}
        </Editable>
        {column.description && (
          <p id={about} className="panel-about hint">
            {column.description}
          </p>
        )}
      </div>
    )
  },
  (a, b) => a.column === b.column && a.choices === b.choices && a.onSave === b.onSave && equal(a.value, b.value),
)
