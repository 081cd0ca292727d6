// The projects in the trash of a tenant, which can be restored.
import {useApolloClient} from '@apollo/client/react'
import {useEffect, useState} from 'react'
import {DeletedProjectsDocument, RestoreProjectDocument, type DeletedProjectsQuery} from '../../gql/later/graphql'
import {useSender} from './changes'
import {once, problemOf} from '../data/client'
import {ask} from '../data/source'
import {Problems} from './Problems'
import {messages} from '../messages'
import {Dialog} from '../ui/ui'
import './admin.css'

type Page = NonNullable<NonNullable<DeletedProjectsQuery['tenant']>['deletedProjects']>

export default function TrashDialog({tenant, onRestored, onClose}: {tenant: string; onRestored: () => void; onClose: () => void}) {
  const client = useApolloClient()
  const {send, problems, busy} = useSender()
  const [projects, setProjects] = useState<Page['nodes'] | null>(null)
  const [more, setMore] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const load = (after: string | null) => {
    ask(client, DeletedProjectsDocument, {tenant, after}).then(
      ({tenant: t}) => {
        const page = t!.deletedProjects!
        setProjects(known => [...(after ? (known ?? []) : []), ...page.nodes])
        setMore(page.pageInfo.hasNextPage ? (page.pageInfo.endCursor ?? null) : null)
      },
      (e: unknown) => setError(problemOf(e).message),
    )
  }
  useEffect(() => {
    load(null)
    // once
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  const restore = async (id: string) => {
    if (!(await send(RestoreProjectDocument, {...once(), id}))) return
    setProjects(known => known!.filter(p => p.projectId !== id))
    onRestored()
  }
  return (
    <Dialog title={messages.admin.deletedProjects} onClose={onClose}>
      <Problems of={problems} />
      {error && <p role="alert">{error}</p>}
      {projects?.length === 0 && <p className="hint">{messages.admin.nothingDeleted}</p>}
      <ul className="admin-fields" aria-label={messages.admin.deletedProjects}>
        {projects?.map(p => (
          <li key={p.projectId}>
            <span>
              <span className="key">{p.key}</span> {p.name}
            </span>
            <span className="hint">{messages.admin.until(new Date(p.purgeAt).toLocaleDateString())}</span>
            <button type="button" disabled={busy} onClick={() => void restore(p.projectId)}>
              {messages.admin.restore(p.name)}
            </button>
          </li>
        ))}
      </ul>
      {more && (
        <button type="button" onClick={() => load(more)}>
          {messages.admin.more}
        </button>
      )}
    </Dialog>
  )
}
