// The history of an issue in the panel, newest change first.
import {useCallback, useEffect, useLayoutEffect, useRef, useState} from 'react'
import {IssueHistoryDocument} from '../../gql/graphql'
import {problemOf, type Problem} from '../data/client'
import {useGrid} from '../context/context'
import {ago} from '../model/ago'
import {messages} from '../messages'
import {beginning, deed, exactly, labelOf, nameOf, textOf, withNewest, withOlder, type Change, type History} from './history'
import {Rich} from '../ui/Rich'

export function PanelHistory({id, version}: {id: string; version: number}) {
  const {client} = useGrid()
  const [history, setHistory] = useState<History | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [loading, setLoading] = useState(false)
  const list = useRef<HTMLOListElement>(null)
  const read = useCallback(
    async (after: string | null): Promise<History | null> => {
      setLoading(true)
      try {
        const {data} = await client.query({query: IssueHistoryDocument, variables: {id, after}, fetchPolicy: 'no-cache'})
        setProblem(null)
        const page = data?.issue?.history
        return page ? {changes: page.nodes, after: page.pageInfo.hasNextPage ? (page.pageInfo.endCursor ?? null) : null} : null
      } catch (error) {
        setProblem(problemOf(error))
        return null
      } finally {
        setLoading(false)
      }
    },
    [client, id],
  )
  const readNewest = useCallback(async () => {
    const page = await read(null)
    if (page) setHistory(known => withNewest(known, page))
  }, [read])
  useEffect(() => void readNewest(), [readNewest, version])

  // The button may disappear, so the focus moves to the first new entry.
  const goOnAt = useRef<number | null>(null)
  useLayoutEffect(() => {
    if (goOnAt.current !== null) list.current?.querySelectorAll<HTMLElement>(':scope > li')[goOnAt.current]?.focus()
    goOnAt.current = null
  }, [history])
  const more = async () => {
    if (!history?.after) return
    const page = await read(history.after)
    if (!page) return
    goOnAt.current = history.changes.length
    setHistory(known => known && withOlder(known, page))
  }
  return (
    <>
      {history && history.changes.length === 0 && <p className="hint">{messages.panel.history.none}</p>}
      {!history && !problem && <p role="status">{messages.panel.loading}</p>}
      <ol ref={list} className="history" aria-busy={loading}>
        {history?.changes.map(c => (
          <Entry key={c.version} change={c} />
        ))}
      </ol>
      {problem && (
        <p className="panel-problem" role="alert">
          {problem.code === 'OFFLINE' ? messages.panel.offline : problem.message}{' '}
          <button type="button" onClick={() => void (history?.after ? more() : readNewest())}>
            {messages.panel.tryAgain}
          </button>
        </p>
      )}
      {history?.after && !problem && (
        <button type="button" disabled={loading} onClick={() => void more()}>
          {messages.panel.showMore}
        </button>
      )}
    </>
  )
}

function Entry({change}: {change: Change}) {
  const {columns} = useGrid()
  return (
    <li tabIndex={-1}>
      <p>
        <Rich
          text={messages.panel.history.entry}
          who={<b>{nameOf(change.by)}</b>}
          deed={deed(change, columns)}
          when={
            <time className="hint" dateTime={change.at} title={exactly(change.at)}>
              {ago(change.at, new Date())}
            </time>
          }
        />
      </p>
      {change.columns.length > 0 && (
        <dl>
          {change.columns.map((c, i) => (
            <div key={i}>
              <dt>{labelOf(c, columns)}</dt>
              <dd>
                <Text kind="del" text={textOf(c, c.before, columns)} />
                <span aria-hidden="true"> → </span>
                <span className="visually-hidden"> {messages.panel.history.became} </span>
                <Text kind="ins" text={textOf(c, c.after, columns)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  )
}

function Text({kind: Kind, text}: {kind: 'del' | 'ins'; text: string | null}) {
  const [open, setOpen] = useState(false)
  if (text === null) return <span className="hint">{messages.panel.history.empty}</span>
  const short = beginning(text)
  return (
    <>
      <Kind>{short === null || open ? text : short}</Kind>
      {short !== null && (
        <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? messages.panel.showLess : messages.panel.showAll}
        </button>
      )}
    </>
  )
}
