// Creates a field, or changes one: its name, description, options and type.
import {once} from '../data/client'
import {useId, useState, useSyncExternalStore} from 'react'
import {type CustomFieldType} from '../../gql/graphql'
import {
  CreateFieldDocument,
  DeleteFieldDocument,
  MergeOptionsDocument,
  MoveOptionDocument,
  NewOptionDocument,
  UpdateFieldDocument,
  UpdateOptionDocument,
} from '../../gql/later/graphql'
import {ConfirmName} from './ConfirmName'
import {useGrid} from '../context/context'
import {EntryList, type Entry} from './EntryList'
import {changeOf, inMemory, targetOf} from './entries'
import {JobFailures, JobList} from './JobList'
import {MergeForm} from './MergeForm'
import {messages} from '../messages'
import {NamesForm} from './NamesForm'
import {hasOptions, typeNames} from '../model/types'
import {Problems} from './Problems'
import {TypeForm} from './TypeForm'
import {Dialog, submitFromSelect} from '../ui/ui'
import {columnsOf} from '../model/columns'
import {shownColumns} from '../model/view'
import {useDefinition} from './useDefinition'
import './admin.css'

interface Props {
  /** The ID of the field; null for a new one. */
  field: string | null
  onClose: () => void
}

export default function FieldDialog({field, onClose}: Props) {
  const {project} = useGrid()
  const known = project.fields!.find(f => f.id === field)
  if (field !== null && !known) return null // it was deleted
  return known ? <ChangeField field={known} onClose={onClose} /> : <NewField onClose={onClose} />
}

function NewField({onClose}: {onClose: () => void}) {
  const {view, setView, shown, toasts} = useGrid()
  const {project, send, problems, busy} = useDefinition()
  const [name, setName] = useState('')
  const [type, setType] = useState<CustomFieldType>('TEXT')
  const [description, setDescription] = useState('')
  const [required, setRequired] = useState(false)
  const [entries, setEntries] = useState<readonly Entry[]>([])
  const form = useId()

  const create = async () => {
    if (busy) return
    const options = hasOptions(type) ? entries.map(({name, color}) => ({name, color})) : undefined
    const data = await send(CreateFieldDocument, {...once(), projectId: project.id, name, type, description, required, options})
    const added = data?.createCustomField?.field
    if (!added) return
    // A new column is shown at the end, before the times of the issue.
    const columns = columnsOf(added.project)
    if (!shownColumns(view, columns).some(c => c.id === added.id) && type !== 'LONG_TEXT') setView({columns: [...shown.map(c => c.id), added.id]})
    if (type === 'LONG_TEXT') toasts.info(messages.admin.inPanel(name.trim()))
    onClose()
  }
  return (
    <Dialog
      title={messages.admin.newField}
      onClose={onClose}
      footer={
        <>
          <button type="button" onClick={onClose}>
            {messages.admin.cancel}
          </button>
          <button type="submit" form={form} className="primary" disabled={busy}>
            {messages.admin.createField}
          </button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        onKeyDown={submitFromSelect}
        onSubmit={e => {
          e.preventDefault()
          void create()
        }}
      >
        <Problems of={problems} />
        <div className="field">
          <label htmlFor={`${form}-name`}>{messages.admin.name}</label>
          <input id={`${form}-name`} type="text" data-autofocus maxLength={255} autoComplete="off" value={name} onChange={e => setName(e.target.value)} />
        </div>
        <div className="field">
          <label htmlFor={`${form}-type`}>{messages.admin.type}</label>
          <select id={`${form}-type`} value={type} onChange={e => setType(e.target.value as CustomFieldType)}>
            {Object.entries(typeNames()).map(([type, name]) => (
              <option key={type} value={type}>
                {name}
              </option>
            ))}
          </select>
        </div>
        {hasOptions(type) && (
          <fieldset className="field">
            <legend>{messages.admin.options}</legend>
            <EntryList noun="option" entries={entries} {...inMemory(entries, setEntries)} />
          </fieldset>
        )}
        <Description id={`${form}-description`} value={description} onChange={setDescription} />
        <Required checked={required} onChange={setRequired} />
      </form>
    </Dialog>
  )
}

type Field = NonNullable<ReturnType<typeof useDefinition>['project']['fields']>[number]

function ChangeField({field, onClose}: {field: Field; onClose: () => void}) {
  const {jobs, toasts} = useGrid()
  const {active} = useSyncExternalStore(jobs.subscribe, jobs.snapshot)
  const {send, problems, busy} = useDefinition()
  const [name, setName] = useState(field.name)
  const [description, setDescription] = useState(field.description ?? '')
  const [required, setRequired] = useState(field.required)
  const [step, setStep] = useState<{is: 'form' | 'type' | 'names' | 'delete'} | {is: 'merge'; removed: Entry}>({is: 'form'})
  const form = useId()
  const isLinking = active.some(j => j.kind === 'LINK_USER_NAMES' && j.fieldName === field.name)
  const entries: Entry[] = field.options.map(({id, name, color}) => ({id, name, color: color ?? null}))

  const save = async () => {
    if (busy) return
    const change = {
      ...(name.trim() === field.name ? {} : {name}),
      ...(description === (field.description ?? '') ? {} : {description}),
      ...(required === field.required ? {} : {required}),
    }
    if (Object.keys(change).length === 0 || (await send(UpdateFieldDocument, {id: field.id, ...change}))) onClose()
  }
  const archive = async (archived: boolean) => {
    if (!(await send(UpdateFieldDocument, {id: field.id, archived}))) return
    onClose()
    toasts.info(archived ? messages.admin.isArchived(field.name) : messages.admin.isColumn(field.name))
  }
  const remove = async () => {
    if (!(await send(DeleteFieldDocument, {id: field.id}))) return
    toasts.info(messages.admin.isDeleted(field.name))
    onClose()
  }
  return (
    <Dialog
      title={messages.admin.field(field.name)}
      onClose={onClose}
      footer={
        step.is === 'form' && (
          <>
            <button type="button" onClick={onClose}>
              {messages.admin.cancel}
            </button>
            <button type="submit" form={form} className="primary" disabled={busy}>
              {messages.admin.save}
            </button>
          </>
        )
      }
    >
      <Problems of={problems} />
      <p className="jobs">
        <JobList />
      </p>
      <JobFailures name={field.name} />
      {step.is === 'form' && (
        <>
          <form
            id={form}
            noValidate
            onSubmit={e => {
              e.preventDefault()
              void save()
            }}
          >
            <div className="field">
              <label htmlFor={`${form}-name`}>{messages.admin.name}</label>
              <input id={`${form}-name`} type="text" data-autofocus maxLength={255} autoComplete="off" value={name} onChange={e => setName(e.target.value)} />
            </div>
            <Description id={`${form}-description`} value={description} onChange={setDescription} />
            <Required checked={required} onChange={setRequired} />
          </form>
          {hasOptions(field.type) && (
            <fieldset className="field">
              <legend>{messages.admin.options}</legend>
              <p className="hint">{messages.admin.optionsSaved}</p>
              <EntryList
                noun="option"
                entries={entries}
                onAdd={async entry => (await send(NewOptionDocument, {...once(), fieldId: field.id, name: entry.name, color: entry.color})) !== null}
                onChange={async (id, {name, color}) => (await send(UpdateOptionDocument, {...once(), id, ...changeOf({name, color})})) !== null}
                onMove={(id, before) => void send(MoveOptionDocument, {...once(), id, to: targetOf(before)})}
                onRemove={id => setStep({is: 'merge', removed: entries.find(e => e.id === id)!})}
              />
            </fieldset>
          )}
          <p className="admin-more">
            <span>{messages.admin.typeIs(typeNames()[field.type])}</span>
            <button type="button" disabled={field.rebuilding} onClick={() => setStep({is: 'type'})}>
              {messages.admin.askType}
            </button>
            {field.type === 'USER' && (
              <button type="button" disabled={isLinking} onClick={() => setStep({is: 'names'})}>
                {messages.admin.names.ask}
              </button>
            )}
            <button type="button" onClick={() => void archive(!field.archived)}>
              {field.archived ? messages.admin.unarchive : messages.admin.archive}
            </button>
            <button type="button" className="danger" onClick={() => setStep({is: 'delete'})}>
              {messages.admin.delete}
            </button>
          </p>
        </>
      )}
      {step.is === 'merge' && (
        <MergeForm
          noun="option"
          removed={step.removed}
          others={entries.filter(e => e.id !== step.removed.id)}
          canEmpty={!field.required}
          busy={busy}
          onCancel={() => setStep({is: 'form'})}
          onMerge={into =>
            void send(MergeOptionsDocument, {
              ...once(),
              fieldId: field.id,
              fromIds: [step.removed.id],
              into: into === null ? {none: true} : {optionId: into},
            }).then(data => data && setStep({is: 'form'}))
          }
        />
      )}
      {step.is === 'type' && <TypeForm field={field} onDone={() => setStep({is: 'form'})} />}
      {step.is === 'names' && <NamesForm field={field} onCancel={() => setStep({is: 'form'})} onDone={onClose} />}
      {step.is === 'delete' && (
        <ConfirmName name={field.name} action={messages.admin.deleteField} busy={busy} onCancel={() => setStep({is: 'form'})} onConfirm={() => void remove()}>
          {messages.admin.deletingField}
        </ConfirmName>
      )}
    </Dialog>
  )
}

const Description = ({id, value, onChange}: {id: string; value: string; onChange: (text: string) => void}) => (
  <div className="field">
    <label htmlFor={id}>{messages.admin.description}</label>
    <textarea id={id} rows={2} maxLength={2000} value={value} onChange={e => onChange(e.target.value)} />
  </div>
)

const Required = ({checked, onChange}: {checked: boolean; onChange: (checked: boolean) => void}) => (
  <label className="admin-check">
    <input type="checkbox" checked={checked} onChange={e => onChange(e.target.checked)} /> {messages.admin.mustHaveValue}
  </label>
)
