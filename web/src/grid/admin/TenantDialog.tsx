// Creates a tenant, or changes its name.
import {useId, useState} from 'react'
import {CreateTenantDocument, DeleteTenantDocument, UpdateTenantDocument} from '../../gql/later/graphql'
import {useSender} from './changes'
import {ConfirmName} from './ConfirmName'
import {Problems} from './Problems'
import {messages} from '../messages'
import {Dialog} from '../ui/ui'
import './admin.css'

interface Props {
  /** The tenant to change; null for a new one. */
  tenant: {id: string; name: string} | null
  canDelete: boolean
  onDone: () => void
  onClose: () => void
}

export default function TenantDialog({tenant, canDelete, onDone, onClose}: Props) {
  const {send, problems, busy} = useSender()
  const [name, setName] = useState(tenant?.name ?? '')
  const [isAsked, setAsked] = useState(false)
  const form = useId()
  const save = async () => {
    if (busy) return
    const data = tenant ? await send(UpdateTenantDocument, {id: tenant.id, name}) : await send(CreateTenantDocument, {name})
    if (!data) return
    onDone()
    onClose()
  }
  const remove = async () => {
    if (!(await send(DeleteTenantDocument, {id: tenant!.id, confirm: tenant!.name}))) return
    onDone()
    onClose()
  }
  return (
    <Dialog
      title={tenant ? messages.admin.tenant(tenant.name) : messages.admin.newTenant}
      onClose={onClose}
      footer={
        !isAsked && (
          <>
            {tenant && canDelete && (
              <button type="button" className="danger draft-clear" onClick={() => setAsked(true)}>
                {messages.admin.delete}
              </button>
            )}
            <button type="button" onClick={onClose}>
              {messages.admin.cancel}
            </button>
            <button type="submit" form={form} className="primary" disabled={busy}>
              {tenant ? messages.admin.save : messages.admin.createTenant}
            </button>
          </>
        )
      }
    >
      <Problems of={problems} />
      {isAsked && tenant ? (
        <ConfirmName name={tenant.name} action={messages.admin.deleteTenant} busy={busy} onCancel={() => setAsked(false)} onConfirm={() => void remove()}>
          {messages.admin.deletingTenant}
        </ConfirmName>
      ) : (
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
        </form>
      )}
    </Dialog>
  )
}
