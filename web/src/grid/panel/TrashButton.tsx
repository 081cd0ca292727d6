// A menu for rare actions, and the dialog with the trash of the project.
import {useCallback, useEffect, useLayoutEffect, useRef, useState} from 'react'
import {TrashDocument, type TrashQuery} from '../../gql/graphql'
import {problemOf, type Problem} from '../data/client'
import {useGrid} from '../context/context'
import {useSignal} from '../context/signals'
import {ago} from '../model/ago'
import {exactly, nameOf} from './history'
import './panel.css'
import {Dialog, Icon, MenuButton} from '../ui/ui'

export function TrashButton() {
  const {signals} = useGrid()
  const [open, setOpen] = useState(false)
  useSignal(signals, 'open', tool => tool === 'trash' && setOpen(true))
  return (
    <>
      <MenuButton
        label="More"
        title="More"
        className="icon-button"
        items={() => [
          {label: 'Trash …', icon: 'trash', onSelect: () => setOpen(true)},
          {label: 'Find an action, a column, a view or an issue', icon: 'search', onSelect: () => signals.tell('open', 'palette')},
          {label: 'Keyboard shortcuts', icon: 'list', onSelect: () => signals.tell('shortcuts', null)},
        ]}
      >
        <Icon name="more" />
      </MenuButton>
      {open && <TrashDialog onClose={() => setOpen(false)} />}
    </>
  )
}

type Trashed = NonNullable<NonNullable<TrashQuery['project']>['trash']>['nodes'][number]
/** What happened to an issue since the dialog was opened. */
type Fate = 'restoring' | 'restored' | Problem

function TrashDialog({onClose}: {onClose: () => void}) {
  const {client, project, edits, jumpTo, setView} = useGrid()
  const [issues, setIssues] = useState<readonly Trashed[] | null>(null)
  const [after, setAfter] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [loading, setLoading] = useState(false)
  const [fates, setFates] = useState<ReadonlyMap<string, Fate>>(new Map())
  const list = useRef<HTMLUListElement>(null)
  const read = useCallback(
    async (after: string | null) => {
      setLoading(true)
      setProblem(null)
      try {
        const {data} = await client.query({query: TrashDocument, variables: {project: project.id, after}, fetchPolicy: 'no-cache'})
        const {nodes, pageInfo} = data!.project!.trash!
        setIssues(known => (after === null ? nodes : [...(known ?? []), ...nodes]))
        setAfter(pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null)
      } catch (error) {
        setProblem(problemOf(error))
      } finally {
        setLoading(false)
      }
    },
    [client, project.id],
  )
  useEffect(() => void read(null), [read])

  const set = (id: string, fate: Fate) => setFates(known => new Map(known).set(id, fate))
  const restore = async ({issueId: id}: Trashed) => {
    set(id, 'restoring')
    const [failure] = await edits.restore([id])
    set(id, failure?.problem ?? 'restored')
  }
  const show = (num: number) => {
    onClose()
    void jumpTo(num).then(() => setView({issue: num}))
  }
  // The button "Show more" may disappear, so the focus moves to the first new entry.
  const shown = useRef(0)
  useLayoutEffect(() => {
    if (shown.current > 0) list.current?.querySelectorAll('li')[shown.current]?.querySelector('button')?.focus()
    shown.current = issues?.length ?? 0
  }, [issues])
  return (
    <Dialog title={`Trash of ${project.name}`} onClose={onClose} wide>
      <p className="hint">Deleted issues stay here for 30 days. Restored, they are as they were: number, values and history.</p>
      {issues?.length === 0 && <p className="trash-empty">The trash is empty.</p>}
      {!issues && !problem && <p role="status">Loading …</p>}
      <ul ref={list} className="trash" aria-busy={loading}>
        {issues?.map(t => {
          const fate = fates.get(t.issueId)
          const key = `${project.key}-${t.num}`
          return (
            <li key={t.issueId}>
              <div>
                <p>
                  <span className="key">{key}</span> {t.name}
                </p>
                <p className="hint">
                  Deleted{' '}
                  <time dateTime={t.deletedAt} title={exactly(t.deletedAt)}>
                    {ago(t.deletedAt, new Date())}
                  </time>
                  {t.deletedBy && ` by ${nameOf(t.deletedBy)}`}, removed permanently{' '}
                  <time dateTime={t.expiresAt} title={exactly(t.expiresAt)}>
                    {ago(t.expiresAt, new Date())}
                  </time>
                </p>
                <p role="status" className={typeof fate === 'object' ? 'error' : undefined}>
                  {fate === 'restored' && 'Restored.'}
                  {typeof fate === 'object' && (fate.code === 'NOT_FOUND' ? 'It is no longer in the trash.' : fate.message)}
                </p>
              </div>
              {project.viewerCanEdit &&
                (fate === 'restored' ? (
                  <button key="button" type="button" aria-label={`Show ${key}`} onClick={() => show(t.num)}>
                    Show
                  </button>
                ) : (
                  <button
                    key="button"
                    type="button"
                    aria-label={`Restore ${key}`}
                    aria-disabled={fate === 'restoring'}
                    onClick={() => fate !== 'restoring' && void restore(t)}
                  >
                    Restore
                  </button>
                ))}
            </li>
          )
        })}
      </ul>
      {problem && (
        <p className="panel-problem" role="alert">
          {problem.code === 'OFFLINE' ? 'You seem to be offline.' : problem.message}{' '}
          <button type="button" onClick={() => void read(issues ? after : null)}>
            Try again
          </button>
        </p>
      )}
      {after !== null && !problem && (
        <button type="button" disabled={loading} onClick={() => void read(after)}>
          Show more
        </button>
      )}
    </Dialog>
  )
}
