// The dialog with the trash of the project.
import {useCallback, useEffect, useLayoutEffect, useRef, useState} from 'react'
import {TrashDocument, type TrashQuery} from '../../gql/graphql'
import {problemOf, type Problem} from '../data/client'
import {useGrid} from '../context/context'
import {ago} from '../model/ago'
import {exactly, nameOf} from './history'
import {messages} from '../messages'
import './panel.css'
import {Rich} from '../ui/Rich'
import {Dialog} from '../ui/ui'

const Time = ({at}: {at: string}) => (
  <time dateTime={at} title={exactly(at)}>
    {ago(at, new Date())}
  </time>
)

type Trashed = NonNullable<NonNullable<TrashQuery['project']>['deletedIssues']>['nodes'][number]
/** What happened to an issue since the dialog was opened. */
type Fate = 'restoring' | 'restored' | Problem

export default function IssueTrashDialog({onClose}: {onClose: () => void}) {
  const {client, project, edits, jumpTo, setView} = useGrid()
  const texts = messages.panel.trash
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
        const {nodes, pageInfo} = data!.project!.deletedIssues!
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
    <Dialog title={texts.title(project.name)} onClose={onClose} wide>
      <p className="hint">{texts.explanation}</p>
      {issues?.length === 0 && <p className="trash-empty">{texts.empty}</p>}
      {!issues && !problem && <p role="status">{messages.panel.loading}</p>}
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
                  <Rich
                    text={t.deletedBy ? texts.deletedBy : texts.deleted}
                    deleted={<Time at={t.deletedAt} />}
                    by={nameOf(t.deletedBy)}
                    removed={<Time at={t.purgeAt} />}
                  />
                </p>
                <p role="status" className={typeof fate === 'object' ? 'error' : undefined}>
                  {fate === 'restored' && texts.restored}
                  {typeof fate === 'object' && (fate.code === 'NOT_FOUND' ? texts.gone : fate.message)}
                </p>
              </div>
              {project.viewerCanEdit &&
                (fate === 'restored' ? (
                  <button key="button" type="button" aria-label={texts.showIssue(key)} onClick={() => show(t.num)}>
                    {messages.panel.show}
                  </button>
                ) : (
                  <button
                    key="button"
                    type="button"
                    aria-label={texts.restoreIssue(key)}
                    aria-disabled={fate === 'restoring'}
                    onClick={() => fate !== 'restoring' && void restore(t)}
                  >
                    {texts.restore}
                  </button>
                ))}
            </li>
          )
        })}
      </ul>
      {problem && (
        <p className="panel-problem" role="alert">
          {problem.code === 'OFFLINE' ? messages.panel.offline : problem.message}{' '}
          <button type="button" onClick={() => void read(issues ? after : null)}>
            {messages.panel.tryAgain}
          </button>
        </p>
      )}
      {after !== null && !problem && (
        <button type="button" disabled={loading} onClick={() => void read(after)}>
          {messages.panel.showMore}
        </button>
      )}
    </Dialog>
  )
}
