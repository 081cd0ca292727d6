// Changes the type of a field, with a job that converts its values.
import {useId, useState} from 'react'
import {type CustomFieldType} from '../../gql/graphql'
import {ChangeTypeDocument, type UnconvertibleValues} from '../../gql/later/graphql'
import {useGrid} from '../context/context'
import {messages} from '../messages'
import type {Project} from '../model/columns'
import {browserZone} from '../model/dates'
import {hasOptions, typeNames} from '../model/types'
import {Problems} from './Problems'
import {useSender} from './changes'
import {submitFromSelect} from '../ui/ui'

export function TypeForm({field, onDone}: {field: NonNullable<Project['fields']>[number]; onDone: () => void}) {
  const {jobs} = useGrid()
  const {send, problems, busy} = useSender()
  const types = Object.keys(typeNames()).filter(t => t !== field.type) as CustomFieldType[]
  const [type, setType] = useState<CustomFieldType>(types[0]!)
  const [createOptions, setCreateOptions] = useState(true)
  const [unconvertible, setUnconvertible] = useState<UnconvertibleValues>('REFUSE')
  const id = useId()
  const start = async () => {
    const data = await send(ChangeTypeDocument, {id: field.id, type, unconvertible, createOptions: hasOptions(type) && createOptions, timeZone: browserZone()})
    const job = data?.changeCustomFieldType?.job
    if (!job) return
    jobs.watch(job.id)
    onDone()
  }
  return (
    <form
      className="admin-confirm"
      noValidate
      onKeyDown={submitFromSelect}
      onSubmit={e => {
        e.preventDefault()
        void start()
      }}
    >
      <Problems of={problems} />
      <div className="field">
        <label htmlFor={id}>{messages.admin.newTypeOf(field.name)}</label>
        <select id={id} data-autofocus value={type} onChange={e => setType(e.target.value as CustomFieldType)}>
          {types.map(t => (
            <option key={t} value={t}>
              {typeNames()[t]}
            </option>
          ))}
        </select>
      </div>
      {hasOptions(type) && (
        <label className="admin-check">
          <input type="checkbox" checked={createOptions} onChange={e => setCreateOptions(e.target.checked)} /> {messages.admin.createOptions}
        </label>
      )}
      <fieldset className="field">
        <legend>{messages.admin.unconvertible}</legend>
        <label className="admin-check">
          <input type="radio" name={`${id}-rest`} checked={unconvertible === 'REFUSE'} onChange={() => setUnconvertible('REFUSE')} />{' '}
          {messages.admin.refuseValues}
        </label>
        {!field.required && (
          <label className="admin-check">
            <input type="radio" name={`${id}-rest`} checked={unconvertible === 'REMOVE'} onChange={() => setUnconvertible('REMOVE')} />{' '}
            {messages.admin.removeValues}
          </label>
        )}
      </fieldset>
      <p className="actions">
        <button type="button" onClick={onDone}>
          {messages.admin.cancel}
        </button>
        <button type="submit" className="primary" disabled={busy}>
          {messages.admin.changeType}
        </button>
      </p>
    </form>
  )
}
