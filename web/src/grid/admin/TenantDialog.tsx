// Creates a tenant, or changes its name.
import {useId, useState} from 'react'
import {CreateTenantDocument, DeleteTenantDocument, UpdateTenantDocument} from '../../gql/graphql'
import {useSender} from './changes'
import {ConfirmName} from './ConfirmName'
import {Problems} from './Problems'
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
    if (!(await send(DeleteTenantDocument, {id: tenant!.id, confirmName: tenant!.name}))) return
    onDone()
    onClose()
  }
  return (
    <Dialog
      title={tenant ? `Tenant ${tenant.name}` : 'New tenant'}
      onClose={onClose}
      footer={
        !isAsked && (
          <>
            {tenant && canDelete && (
              <button type="button" className="danger draft-clear" onClick={() => setAsked(true)}>
                Delete…
              </button>
            )}
            <button type="button" onClick={onClose}>
              Cancel
            </button>
            <button type="submit" form={form} className="primary" disabled={busy}>
              {tenant ? 'Save' : 'Create tenant'}
            </button>
          </>
        )
      }
    >
      <Problems of={problems} />
      {isAsked && tenant ? (
        <ConfirmName name={tenant.name} action="Delete tenant" busy={busy} onCancel={() => setAsked(false)} onConfirm={() => void remove()}>
          This deletes the tenant with all of its projects and issues. It can’t be undone.
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
            <label htmlFor={`${form}-name`}>Name</label>
            <input id={`${form}-name`} type="text" data-autofocus maxLength={255} autoComplete="off" value={name} onChange={e => setName(e.target.value)} />
          </div>
        </form>
      )}
    </Dialog>
  )
}
