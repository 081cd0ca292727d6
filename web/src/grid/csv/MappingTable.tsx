// The columns of a file with samples, their targets, and the cells that do not fit.
import {useId, useState} from 'react'
import type {CustomFieldType} from '../../gql/graphql'
import type {Column} from '../model/columns'
import {short} from './cells'
import {couldBeField, freeName, nameProblem, skip, type Guess, type Target} from './guess'
import {hasOptions, hasTooManyOptions, mostOptions, type Checked} from './mapping'
import {counted} from './parts'

export const typeNames: Record<CustomFieldType, string> = {
  TEXT: 'Text',
  LONG_TEXT: 'Long text',
  INTEGER: 'Integer',
  NUMBER: 'Number',
  DATE: 'Date',
  DATETIME: 'Date and time',
  BOOLEAN: 'Yes or no',
  SELECT: 'One option',
  MULTI_SELECT: 'Several options',
  TAGS: 'Tags',
  USER: 'Person',
}

interface Part {
  index: number
  column: Column
  addOptions: boolean
  checked: Checked | null
}

interface Props {
  header: readonly string[]
  guesses: readonly Guess[]
  columns: readonly Column[]
  targets: readonly Target[]
  parts: readonly Part[]
  canMakeFields: boolean
  disabled: boolean
  onTargets: (targets: readonly Target[]) => void
  onAdding: (index: number, on: boolean) => void
}

export function MappingTable({header, guesses, columns, targets, parts, canMakeFields, disabled, onTargets, onAdding}: Props) {
  const labels = (but: number) => [...columns.map(c => c.label), ...targets.flatMap((t, i) => (t.to === 'field' && i !== but ? [t.name] : []))]
  const newField = (i: number): Target => ({to: 'field', name: freeName(header[i]!, labels(i)), type: guesses[i]!.type()})
  const unmapped = header.flatMap((name, i) => (targets[i]!.to === 'skip' && couldBeField(name) && guesses[i]!.samples.length > 0 ? [i] : []))
  /** Each column of the project takes the cells of only one column. */
  const set = (index: number, target: Target) =>
    onTargets(targets.map((t, i) => (i === index ? target : target.to === 'column' && t.to === 'column' && t.id === target.id ? skip : t)))
  const makeAll = () => {
    const next = [...targets]
    for (const i of unmapped) {
      const taken = [...columns.map(c => c.label), ...next.flatMap(t => (t.to === 'field' ? [t.name] : []))]
      next[i] = {to: 'field', name: freeName(header[i]!, taken), type: guesses[i]!.type()}
    }
    onTargets(next)
  }
  return (
    <>
      {canMakeFields && unmapped.length > 1 && (
        <p>
          <button type="button" disabled={disabled} onClick={makeAll}>
            Make new fields of all {unmapped.length} columns that are not imported
          </button>
        </p>
      )}
      <table className="files-mapping">
        <thead>
          <tr>
            <th scope="col">Column of the file</th>
            <th scope="col">Import as</th>
            <th scope="col">Cells</th>
          </tr>
        </thead>
        <tbody>
          {header.map((name, i) => (
            <MappingRow
              key={i}
              name={name}
              samples={guesses[i]!.samples}
              columns={columns}
              target={targets[i]!}
              part={parts.find(p => p.index === i)}
              takenBy={id => header[targets.findIndex(t => t.to === 'column' && t.id === id)]}
              newField={canMakeFields ? () => newField(i) : null}
              nameProblem={nameProblem(targets, i, columns)}
              first={i === 0}
              disabled={disabled}
              onTarget={t => set(i, t)}
              onAdding={on => onAdding(i, on)}
            />
          ))}
        </tbody>
      </table>
    </>
  )
}

interface RowProps {
  name: string
  samples: readonly string[]
  columns: readonly Column[]
  target: Target
  part: Part | undefined
  takenBy: (id: string) => string | undefined
  newField: (() => Target) | null
  nameProblem: string | null
  first: boolean
  disabled: boolean
  onTarget: (target: Target) => void
  onAdding: (on: boolean) => void
}

function MappingRow({name, samples, columns, target, part, takenBy, newField, nameProblem, first, disabled, onTarget, onAdding}: RowProps) {
  const [asked, setAsked] = useState(false)
  const note = useId()
  // Renders the options only on demand: there may be hundreds of columns with hundreds of options each.
  const choices = columns.filter(c => c.editable && (asked || (target.to === 'column' && target.id === c.id)))
  return (
    <tr className={target.to === 'skip' ? 'skipped' : undefined}>
      <th scope="row">
        <span className="files-name">{name}</span>
        <span className="files-samples">{samples.length > 0 ? samples.map(s => short(s, 60)).join(' · ') : 'only empty cells'}</span>
      </th>
      <td>
        <select
          aria-label={`Import “${name}” as`}
          data-autofocus={first || undefined}
          disabled={disabled}
          value={target.to === 'column' ? target.id : target.to}
          onPointerDown={() => setAsked(true)}
          onFocus={() => setAsked(true)}
          onChange={e => {
            const {value} = e.target
            onTarget(value === 'skip' ? skip : value === 'field' && newField ? newField() : {to: 'column', id: value})
          }}
        >
          <option value="skip">Do not import</option>
          {newField && <option value="field">New field …</option>}
          <optgroup label="Columns of the project">
            {choices.map(c => {
              const by = takenBy(c.id)
              return (
                <option key={c.id} value={c.id}>
                  {c.label}
                  {c.required && c.builtin !== 'STATE' ? ' (required)' : ''}
                  {by !== undefined && !(target.to === 'column' && target.id === c.id) ? ` – now of “${short(by)}”` : ''}
                </option>
              )
            })}
          </optgroup>
        </select>
        {target.to === 'field' && (
          <div className="files-new">
            <input
              type="text"
              aria-label={`Name of the new field for “${name}”`}
              aria-invalid={nameProblem !== null || undefined}
              aria-describedby={nameProblem ? note : undefined}
              maxLength={255}
              disabled={disabled}
              value={target.name}
              onChange={e => onTarget({...target, name: e.target.value})}
            />
            <select
              aria-label={`Type of the new field for “${name}”`}
              disabled={disabled}
              value={target.type}
              onChange={e => onTarget({...target, type: e.target.value as CustomFieldType})}
            >
              {Object.entries(typeNames).map(([type, label]) => (
                <option key={type} value={type}>
                  {label}
                </option>
              ))}
            </select>
            {nameProblem && (
              <p id={note} className="error">
                {nameProblem}
              </p>
            )}
          </div>
        )}
      </td>
      <td>{part && <Findings part={part} isNew={target.to === 'field'} canAdd={newField !== null} disabled={disabled} onAdding={onAdding} />}</td>
    </tr>
  )
}

/** Shows the result of checking a column. */
function Findings({
  part: {column, addOptions, checked},
  isNew,
  canAdd,
  disabled,
  onAdding,
}: {
  part: Part
  isNew: boolean
  canAdd: boolean
  disabled: boolean
  onAdding: (on: boolean) => void
}) {
  if (!checked) return <span className="hint">checking …</span>
  const misfits = checked.wrong.length + (addOptions ? 0 : checked.wanting.length)
  const missing = [...checked.missing.values()]
  const names =
    missing
      .slice(0, 5)
      .map(n => `“${short(n, 30)}”`)
      .join(', ') + (missing.length > 5 ? ', …' : '')
  const tooMany = hasTooManyOptions({column, addOptions, checked})
  return (
    <div className="files-findings">
      <span>
        {misfits > 0 ? (
          <span className="error">{counted(misfits, 'cell doesn’t fit', 'cells don’t fit')}</span>
        ) : (
          `${counted(checked.filled, 'value')}, all fit`
        )}
      </span>
      {misfits > 0 && (
        <ul>
          {checked.examples.map(e => (
            <li key={e.row}>
              Row {e.row.toLocaleString()}: {e.message}
            </li>
          ))}
        </ul>
      )}
      {hasOptions(column) && missing.length > 0 && isNew && (
        <span className="hint">
          {counted(missing.length, 'option')}: {names}
        </span>
      )}
      {!isNew && canAdd && missing.length > 0 && (
        <label>
          <input type="checkbox" disabled={disabled} checked={addOptions} onChange={e => onAdding(e.target.checked)} />
          <span>
            Add {counted(missing.length, 'missing option')}: {names}
          </span>
        </label>
      )}
      {tooMany && <span className="error">A field has at most {mostOptions} options</span>}
    </div>
  )
}
