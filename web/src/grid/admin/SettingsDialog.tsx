// The settings of a project: its name and key, its states, and its fields.
import {once} from '../data/client'
import {useId, useState} from 'react'
import {
  CreateStateDocument,
  DeleteProjectDocument,
  MergeStatesDocument,
  MoveStateDocument,
  UpdateProjectDocument,
  UpdateStateDocument,
} from '../../gql/later/graphql'
import {useGrid} from '../context/context'
import {changeOf, targetOf} from './entries'
import {EntryList, type Entry} from './EntryList'
import {JobFailures, JobList} from './JobList'
import {MergeForm} from './MergeForm'
import {Problems} from './Problems'
import {messages} from '../messages'
import {typeNames} from '../model/types'
import {Dialog} from '../ui/ui'
import {projectsQuery} from '../ui/url'
import {useDefinition} from './useDefinition'
import './admin.css'

const tabs = ['general', 'states', 'fields'] as const
type Tab = (typeof tabs)[number]

export default function SettingsDialog({onField, onClose}: {onField: (field: string | null) => void; onClose: () => void}) {
  const {project} = useGrid()
  const [tab, setTab] = useState<Tab>('general')
  const id = useId()
  const Panel = {general: General, states: States, fields: Fields}[tab]
  return (
    <Dialog title={messages.admin.settingsOf(project.name)} onClose={onClose} wide>
      <div
        className="tabs"
        role="tablist"
        onKeyDown={e => {
          const by = {ArrowRight: 1, ArrowLeft: -1}[e.key]
          if (!by) return
          const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length]!
          setTab(next)
          document.getElementById(`${id}-${next}`)?.focus()
        }}
      >
        {tabs.map(t => (
          <button
            key={t}
            type="button"
            id={`${id}-${t}`}
            role="tab"
            aria-selected={t === tab}
            aria-controls={`${id}-panel`}
            tabIndex={t === tab ? 0 : -1}
            onClick={() => setTab(t)}
          >
            {messages.admin.tabs[t]}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${tab}`} className="admin-panel">
        <p className="jobs">
          <JobList />
        </p>
        <JobFailures />
        <Panel
          onField={field => {
            onClose()
            onField(field)
          }}
        />
      </div>
    </Dialog>
  )
}

interface PanelProps {
  onField: (field: string | null) => void
}

function General(_: PanelProps) {
  const {toasts} = useGrid()
  const {project, send, problems, busy} = useDefinition()
  const [name, setName] = useState(project.name)
  const [key, setKey] = useState(project.key)
  const [isAsked, setAsked] = useState(false)
  const id = useId()
  const save = async () => {
    const change = {...(name.trim() === project.name ? {} : {name}), ...(key === project.key ? {} : {key})}
    if (Object.keys(change).length > 0 && (await send(UpdateProjectDocument, {id: project.id, ...change}))) toasts.info(messages.admin.saved)
  }
  const remove = async () => {
    if (await send(DeleteProjectDocument, {...once(), id: project.id})) location.assign('/' + projectsQuery)
  }
  return (
    <>
      <Problems of={problems} />
      <form
        noValidate
        onSubmit={e => {
          e.preventDefault()
          void save()
        }}
      >
        <div className="field">
          <label htmlFor={`${id}-name`}>{messages.admin.name}</label>
          <input id={`${id}-name`} type="text" maxLength={255} autoComplete="off" value={name} onChange={e => setName(e.target.value)} />
        </div>
        <div className="field">
          <label htmlFor={`${id}-key`}>{messages.admin.key}</label>
          <input id={`${id}-key`} type="text" maxLength={10} autoComplete="off" value={key} onChange={e => setKey(e.target.value.toUpperCase())} />
          <p className="hint">{messages.admin.keyHint(project.key)}</p>
        </div>
        <p className="actions">
          <button type="submit" className="primary" disabled={busy}>
            {messages.admin.save}
          </button>
        </p>
      </form>
      {isAsked ? (
        <div className="admin-confirm" role="group" aria-label={messages.admin.deletion}>
          <p>
            <strong>{messages.admin.deleteThis(project.name)}</strong> {messages.admin.deletingProject}
          </p>
          <p className="actions">
            <button type="button" onClick={() => setAsked(false)}>
              {messages.admin.cancel}
            </button>
            <button type="button" className="danger" disabled={busy} onClick={() => void remove()}>
              {messages.admin.deleteProject}
            </button>
          </p>
        </div>
      ) : (
        <p className="admin-more">
          <button type="button" className="danger" onClick={() => setAsked(true)}>
            {messages.admin.askDeleteProject}
          </button>
        </p>
      )}
    </>
  )
}

function States(_: PanelProps) {
  const {project, send, problems, busy} = useDefinition()
  const [removed, setRemoved] = useState<Entry | null>(null)
  const entries: Entry[] = project.states.map(({id, name, color, open}) => ({id, name, color: color ?? null, open}))
  const {id: projectID} = project
  return (
    <>
      <p className="hint">{messages.admin.statesHint}</p>
      <Problems of={problems} />
      {removed ? (
        <MergeForm
          noun="state"
          removed={removed}
          others={entries.filter(e => e.id !== removed.id)}
          canEmpty={false}
          busy={busy}
          onCancel={() => setRemoved(null)}
          onMerge={into =>
            void send(MergeStatesDocument, {...once(), projectId: projectID, fromIds: [removed.id], intoId: into!}).then(data => data && setRemoved(null))
          }
        />
      ) : (
        <EntryList
          noun="state"
          entries={entries}
          onAdd={async ({name, color, open}) => (await send(CreateStateDocument, {...once(), projectId: projectID, name, color, open: open!})) !== null}
          onChange={async (id, change) => (await send(UpdateStateDocument, {...once(), id, ...changeOf(change)})) !== null}
          onMove={(id, before) => void send(MoveStateDocument, {...once(), id, to: targetOf(before)})}
          onRemove={id => setRemoved(entries.find(e => e.id === id)!)}
        />
      )}
    </>
  )
}

function Fields({onField}: PanelProps) {
  const {project} = useGrid()
  const fields = project.fields!
  return (
    <>
      <p className="actions">
        <button type="button" className="primary" onClick={() => onField(null)}>
          {messages.admin.newField}
        </button>
        <span className="hint">{messages.admin.fieldCount(fields.length)}</span>
      </p>
      <ul className="admin-fields" aria-label={messages.admin.fields}>
        {fields.map(f => (
          <li key={f.id}>
            <button type="button" className="link" onClick={() => onField(f.id)}>
              {f.name}
            </button>
            <span className="hint">
              {[typeNames()[f.type], f.required && messages.admin.required, f.archived && messages.admin.archived].filter(Boolean).join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
