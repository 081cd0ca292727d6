// The comments on an issue in the panel, newest first, with their replies.
import {useCallback, useEffect, useState} from 'react'
import {CreateCommentDocument, IssueCommentsDocument} from '../../gql/later/graphql'
import {useGrid} from '../context/context'
import {problemOf, type Problem} from '../data/client'
import {messages} from '../messages'
import {CommentItem} from './CommentItem'
import {changed, mentionsOf, withMore, without, written, type Caller, type Comments, type Written} from './comments'
import './comments.css'
import {Compose} from './Compose'
import type {Drafts} from './LongText'

interface Props {
  id: string
  drafts: Drafts
}

export function PanelComments({id, drafts}: Props) {
  const {client} = useGrid()
  const [list, setList] = useState<Comments | null>(null)
  const [caller, setCaller] = useState<Caller | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [loading, setLoading] = useState(false)
  const key = `${id} comment`
  const [draft, setDraft] = useState<Written>(() => {
    const {text = '', mentions = []} = drafts.get(key) ?? {}
    return {text, mentions}
  })
  const keep = (draft: Written) => {
    drafts.set(key, {before: null, ...draft})
    setDraft(draft)
  }
  const read = useCallback(
    async (after: string | null) => {
      setLoading(true)
      try {
        const {data} = await client.query({query: IssueCommentsDocument, variables: {id, after}, fetchPolicy: 'no-cache'})
        const page = data?.issue?.comments
        if (!page || !data.viewer) return
        setProblem(null)
        setCaller(data.viewer)
        const more = {comments: page.nodes, after: page.pageInfo.hasNextPage ? (page.pageInfo.endCursor ?? null) : null}
        setList(known => withMore(after === null ? null : known, more))
      } catch (error) {
        setProblem(problemOf(error))
      } finally {
        setLoading(false)
      }
    },
    [client, id],
  )
  useEffect(() => void read(null), [read])
  const create = async (draft: Written, key: {idempotencyKey: string}) => {
    const input = {issueId: id, body: draft.text, mentionIds: mentionsOf(draft), ...key}
    const {data} = await client.mutate({mutation: CreateCommentDocument, variables: {input}})
    const made = data?.createComment?.comment
    if (made) setList(known => withMore({comments: [made], after: null}, known ?? {comments: [], after: null}))
    keep(written())
    return null
  }
  const texts = messages.panel.comments
  return (
    <>
      {caller?.canEdit && <Compose label={texts.write} action={texts.comment} draft={draft} onDraft={keep} onSave={create} />}
      {list && list.comments.length === 0 && <p className="hint">{texts.none}</p>}
      {!list && !problem && <p role="status">{messages.panel.loading}</p>}
      {list && caller && (
        <ol className="comments" aria-busy={loading}>
          {list.comments.map(c => (
            <li key={c.id}>
              <CommentItem
                issue={id}
                comment={c}
                caller={caller}
                drafts={drafts}
                onChange={change => setList(known => known && changed(known, c.id, change))}
                onDelete={() => setList(known => known && without(known, c.id))}
              />
            </li>
          ))}
        </ol>
      )}
      {problem && (
        <p className="panel-problem" role="alert">
          {problem.code === 'OFFLINE' ? messages.panel.offline : problem.message}{' '}
          <button type="button" onClick={() => void read(list?.after ?? null)}>
            {messages.panel.tryAgain}
          </button>
        </p>
      )}
      {list?.after && !problem && (
        <button type="button" disabled={loading} onClick={() => void read(list.after)}>
          {messages.panel.showMore}
        </button>
      )}
    </>
  )
}
