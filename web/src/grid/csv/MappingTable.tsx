// What becomes of each column of a file, and which of its cells do not fit.
import {useId, useState} from 'react'
import type {CustomFieldType} from '../../gql/graphql'
import type {Problem} from '../data/client'
import {messages} from '../messages'
import type {Column} from '../model/columns'
import {browserZone} from '../model/dates'
import {writeNumber} from '../model/numbers'
import {typeNames} from '../model/types'
import {here, showInFull} from '../model/values'
import {short} from './cells'
import {builtins, type Choice, type Decimal, type FileColumn, type Import, type MappedColumn, type Mapping, type Summary} from './imports'
import {choiceOf, choicesOf, columnAt, fieldsOf, isReadAs, settingsOf, withAnswer, withChoice, withColumns, withType} from './targets'

interface Props {
  file: readonly FileColumn[]
  mapping: Mapping
  columns: readonly Column[]
  /** The last dry run. */
  checked: Pick<Import, 'mapping' | 'summary'>
  problems: readonly Problem[]
  disabled: boolean
  canAdminister: boolean
  onMapping: (mapping: Mapping) => void
}

export function MappingTable({file, mapping, columns, checked, problems, disabled, canAdminister, onMapping}: Props) {
  const texts = messages.files.mapping
  const set = (index: number, entry: MappedColumn) => onMapping(withColumns(mapping, (c, i) => (i === index ? entry : c)))
  return (
    <fieldset className="files-plain" disabled={disabled}>
      <table className="files-mapping">
        <thead>
          <tr>
            <th scope="col">{texts.column}</th>
            <th scope="col">{texts.importAs}</th>
            <th scope="col">{texts.cells}</th>
          </tr>
        </thead>
        <tbody>
          {mapping.columns.map((entry, i) => {
            const from = file.find(c => c.column === entry.column)
            return (
              <MappingRow
                key={i}
                entry={entry}
                from={from}
                columns={columns}
                takenBy={choice => mapping.columns.find((c, j) => j !== i && choiceOf(c, columns) === choice)?.column}
                summary={isSame(checked.mapping?.columns[i], entry) ? checked.summary : null}
                problems={problems.filter(p => columnAt(p.argument) === i)}
                canAdminister={canAdminister}
                first={i === 0}
                onChoice={choice => onMapping(withChoice(mapping, i, choice, columns, from))}
                onEntry={e => set(i, e)}
              />
            )
          })}
        </tbody>
      </table>
    </fieldset>
  )
}

/** Reports whether a column was checked as what it becomes now. */
const isSame = (a: MappedColumn | undefined, b: MappedColumn): boolean =>
  a?.column === b.column && a.to === b.to && a.name === b.name && a.type === b.type && isReadAs(a, b)

interface RowProps {
  entry: MappedColumn
  from: FileColumn | undefined
  columns: readonly Column[]
  takenBy: (choice: string) => string | undefined
  summary: Summary | null
  problems: readonly Problem[]
  canAdminister: boolean
  first: boolean
  onChoice: (choice: string) => void
  onEntry: (entry: MappedColumn) => void
}

function MappingRow({entry, from, columns, takenBy, summary, problems, canAdminister, first, onChoice, onEntry}: RowProps) {
  const [asked, setAsked] = useState(false)
  const {column} = entry
  const texts = messages.files.mapping
  const choice = choiceOf(entry, columns)
  // Renders the options only on demand: there may be hundreds of columns with hundreds of options each.
  const shown = (id: string) => asked || id === choice
  const label = (id: string, name: string) => {
    const by = id === choice ? undefined : takenBy(id)
    return by === undefined ? name : texts.taken(name, short(by))
  }
  return (
    <tr className={choice === 'skip' ? 'skipped' : undefined}>
      <th scope="row">
        <span className="files-name">{column}</span>
        <span className="files-samples">{from && from.samples.length > 0 ? from.samples.map(s => short(s, 60)).join(' · ') : texts.onlyEmpty}</span>
      </th>
      <td>
        <select
          aria-label={texts.importColumnAs(column)}
          data-autofocus={first || undefined}
          value={choice}
          onPointerDown={() => setAsked(true)}
          onFocus={() => setAsked(true)}
          onChange={e => onChoice(e.target.value)}
        >
          <option value="skip">{texts.skip}</option>
          {(canAdminister || choice === 'new') && <option value="new">{texts.newField}</option>}
          <optgroup label={texts.groups.builtin}>
            {builtins.map(
              id =>
                shown(id) && (
                  <option key={id} value={id}>
                    {label(id, texts.builtins[id])}
                  </option>
                ),
            )}
          </optgroup>
          <optgroup label={texts.groups.fields}>
            {fieldsOf(columns).map(
              c =>
                shown(c.id) && (
                  <option key={c.id} value={c.id}>
                    {label(c.id, c.label)}
                  </option>
                ),
            )}
          </optgroup>
        </select>
        {choice === 'new' && (
          <div className="files-new">
            <input
              type="text"
              aria-label={texts.newFieldName(column)}
              maxLength={255}
              value={entry.name ?? ''}
              onChange={e => onEntry({...entry, name: e.target.value})}
            />
            <select
              aria-label={texts.newFieldType(column)}
              value={entry.type}
              onChange={e => onEntry(withType(entry, e.target.value as CustomFieldType, from))}
            >
              {Object.entries(typeNames()).map(([type, name]) => (
                <option key={type} value={type}>
                  {name}
                </option>
              ))}
            </select>
          </div>
        )}
        <Question entry={entry} choices={choicesOf(entry, columns, from ?? {})} onAnswer={c => onEntry(withAnswer(entry, c, columns))} />
        <Format entry={entry} onEntry={onEntry} />
      </td>
      <td>
        <div className="files-findings">
          {problems.map(p => (
            <span key={p.message} className="error" role="alert">
              {p.message}
            </span>
          ))}
          {choice !== 'skip' && summary && (
            <Findings entry={entry} empty={from?.empty ?? 0} summary={summary} canAdminister={canAdminister} onEntry={onEntry} />
          )}
        </div>
      </td>
    </tr>
  )
}

/** Asks what the cells of a column mean, if that is not clear. If no cell shows the difference, the answers do. */
function Question({entry, choices, onAnswer}: {entry: MappedColumn; choices: readonly Choice[]; onAnswer: (choice: Choice) => void}) {
  const id = useId()
  if (choices.length === 0) return null
  const differ = new Set(choices.map(c => c.value)).size === choices.length
  return (
    <div className="files-question" role="group" aria-labelledby={id}>
      <span id={id}>{messages.files.mapping.unclear(short(choices[0]!.cell), choices.length)}</span>
      {choices.map(c => (
        <button key={`${c.decimal} ${c.formats?.join(several)}`} type="button" aria-pressed={isReadAs(entry, c)} onClick={() => onAnswer(c)}>
          {differ ? showChoice(c) : nameOf(c)}
        </button>
      ))}
    </div>
  )
}

/** Shows the value of a cell so that it can only be read in one way: dates with the name of the month, numbers without separators of groups. */
function showChoice({type, value}: Choice): string {
  if (type === 'DATE' || type === 'DATETIME') return showInFull(type, value)
  return type === 'INTEGER' ? value : writeNumber(Number(value), here.locale)
}

/** Shows how a choice reads cells. */
function nameOf({decimal, formats}: Choice): string | undefined {
  const {point, comma} = messages.files.mapping.decimals
  return decimal === '.' ? point : decimal === ',' ? comma : formats?.join(several)
}

/** Reports whether members that are separated like this may be in quotes. */
const mayHaveQuotes = (separator: string): boolean => separator.trim() === separator && !separator.includes('"')

/** Separates formats, of which each cell has one. */
const several = ' | '

/** The settings of a column that depend on what it becomes. */
function Format({entry, onEntry}: {entry: MappedColumn; onEntry: (entry: MappedColumn) => void}) {
  const {column, separator, decimal, formats, zone} = entry
  const texts = messages.files.mapping
  const has = settingsOf(entry)
  const set = (change: Partial<MappedColumn>) => onEntry({...entry, ...change})
  return (
    <>
      {has.list && (
        <Setting
          label={texts.separator}
          name={texts.separatorIn(column)}
          value={separator}
          onValue={text => set({separator: text, quotes: (text !== undefined && mayHaveQuotes(text)) || undefined})}
        />
      )}
      {has.decimal && (
        <label className="files-format">
          {texts.decimal}
          <select aria-label={texts.decimalIn(column)} value={decimal ?? ''} onChange={e => set({decimal: (e.target.value as Decimal | '') || undefined})}>
            <option value="">{texts.decimals.none}</option>
            <option value=".">{texts.decimals.point}</option>
            <option value=",">{texts.decimals.comma}</option>
          </select>
        </label>
      )}
      {has.formats && (
        <Setting
          label={texts.format}
          name={texts.formatOf(column)}
          placeholder={texts.formatExample}
          value={formats?.join(several)}
          onValue={text => set({formats: text?.split(several)})}
        />
      )}
      {has.zone && (
        <Setting
          label={texts.zone}
          name={texts.zoneOf(column)}
          placeholder={texts.zoneExample(browserZone())}
          value={zone}
          onValue={text => set({zone: text})}
        />
      )}
    </>
  )
}

/** Shows the input of a setting that is a string. `name` is its accessible name. An empty input is no setting. */
function Setting({
  label,
  name,
  placeholder,
  value,
  onValue,
}: {
  label: string
  name: string
  placeholder?: string
  value: string | undefined
  onValue: (text: string | undefined) => void
}) {
  return (
    <label className="files-format">
      {label}
      <input type="text" aria-label={name} placeholder={placeholder} value={value ?? ''} onChange={e => onValue(e.target.value || undefined)} />
    </label>
  )
}

/** The server's reasons that a setting of the column removes. */
// eslint-disable-next-line no-restricted-syntax -- compared with what the server sends
const unknownNames = ['not an option', 'not a state']
// eslint-disable-next-line no-restricted-syntax -- as above
const differentCase = 'differs in case only'

/** Shows which cells of a column are rejected. */
function Findings({
  entry,
  empty,
  summary,
  canAdminister,
  onEntry,
}: {
  entry: MappedColumn
  empty: number
  summary: Summary
  canAdminister: boolean
  onEntry: (entry: MappedColumn) => void
}) {
  const texts = messages.files.mapping
  const reasons = summary.reasons.filter(r => r.column === entry.column)
  const rejects = summary.rejects.filter(r => r.column === entry.column)
  return (
    <>
      {reasons.length === 0 && (empty > 0 ? texts.allFitEmpty(empty) : texts.allFit)}
      {reasons.map(r => (
        <span key={r.reason} className="error">
          {messages.files.import.rejected(r.rows, r.reason)}
        </span>
      ))}
      {rejects.length > 0 && (
        <ul>
          {rejects.slice(0, 3).map(r => (
            <li key={r.line}>{texts.fault(r.line, r.detail)}</li>
          ))}
        </ul>
      )}
      {canAdminister && (entry.newOptions || reasons.some(r => unknownNames.includes(r.reason))) && (
        <label>
          <input type="checkbox" checked={entry.newOptions ?? false} onChange={e => onEntry({...entry, newOptions: e.target.checked || undefined})} />
          <span>{entry.to === 'state' ? texts.addMissing.states : texts.addMissing.options}</span>
        </label>
      )}
      {(entry.ignoreCase || reasons.some(r => r.reason === differentCase)) && (
        <label>
          <input type="checkbox" checked={entry.ignoreCase ?? false} onChange={e => onEntry({...entry, ignoreCase: e.target.checked || undefined})} />
          <span>{texts.ignoreCase}</span>
        </label>
      )}
    </>
  )
}
