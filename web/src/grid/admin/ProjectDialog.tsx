// Creates a project.
import {useId, useState} from 'react'
import {CreateProjectDocument} from '../../gql/later/graphql'
import {useSender} from './changes'
import {once} from '../data/client'
import {EntryList, type Entry} from './EntryList'
import {inMemory} from './entries'
import {Problems} from './Problems'
import {messages} from '../messages'
import {Dialog} from '../ui/ui'
import {keyOf} from './keys'
import './admin.css'

interface Props {
  tenant: string
  onCreated: (id: string) => void
  onClose: () => void
}

const usual = (): readonly Entry[] => [
  {id: 'open', name: messages.admin.usualStates.open, color: '#218bff', open: true},
  {id: 'doing', name: messages.admin.usualStates.doing, color: '#d4a72c', open: true},
  {id: 'closed', name: messages.admin.usualStates.closed, color: '#2da44e', open: false},
]

export default function ProjectDialog({tenant, onCreated, onClose}: Props) {
  const {send, problems, busy} = useSender()
  const [name, setName] = useState('')
  const [typedKey, setKey] = useState<string | null>(null)
  const [states, setStates] = useState(usual)
  const form = useId()
  const key = typedKey ?? keyOf(name)
  const create = async () => {
    if (busy) return
    const data = await send(CreateProjectDocument, {
      ...once(),
      tenantId: tenant,
      name,
      key,
      states: states.map(({name, color, open}) => ({name, color, open: open!})),
    })
    const project = data?.createProject?.project
    if (project) onCreated(project.id)
  }
  return (
    <Dialog
      title={messages.admin.newProject}
      onClose={onClose}
      footer={
        <>
          <button type="button" onClick={onClose}>
            {messages.admin.cancel}
          </button>
          <button type="submit" form={form} className="primary" disabled={busy}>
            {messages.admin.createProject}
          </button>
        </>
      }
    >
      <form
        id={form}
        noValidate
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
          <label htmlFor={`${form}-key`}>{messages.admin.key}</label>
          <input id={`${form}-key`} type="text" maxLength={10} autoComplete="off" value={key} onChange={e => setKey(e.target.value.toUpperCase())} />
          <p className="hint">{messages.admin.newKeyHint(key)}</p>
        </div>
        <fieldset className="field">
          <legend>{messages.admin.statesOfIssues}</legend>
          <EntryList noun="state" entries={states} {...inMemory(states, setStates)} />
        </fieldset>
      </form>
    </Dialog>
  )
}
