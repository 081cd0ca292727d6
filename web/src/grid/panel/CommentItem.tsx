// A comment in the panel: its text, its reactions, its replies, and what the user may do with it.
import {useRef, useState} from 'react'
import {flushSync} from 'react-dom'
import {
  AddReactionDocument,
  CommentRepliesDocument,
  CreateCommentDocument,
  DeleteCommentDocument,
  OneCommentDocument,
  RemoveReactionDocument,
  UpdateCommentDocument,
  type Reaction,
} from '../../gql/later/graphql'
import {useGrid} from '../context/context'
import {once, problemOf} from '../data/client'
import {messages} from '../messages'
import {ago} from '../model/ago'
import {Dialog, MenuButton} from '../ui/ui'
import {
  changed,
  mayChange,
  mayReact,
  mentionsAfter,
  mentionsOf,
  reactions,
  withMore,
  without,
  written,
  type Caller,
  type Change,
  type Comment,
  type Comments,
  type Written,
} from './comments'
import {Compose} from './Compose'
import {exactly} from './history'
import type {Drafts} from './LongText'
import {Markdown} from './Markdown'

interface Props {
  issue: string
  comment: Comment
  caller: Caller
  isReply?: boolean
  drafts: Drafts
  onChange: (change: Change) => void
  onDelete: () => void
}

export function CommentItem({issue, comment, caller, isReply = false, drafts, onChange, onDelete}: Props) {
  const {client, toasts} = useGrid()
  const [replies, setReplies] = useState<Comments | null>(null)
  const [editing, setEditing, begun] = useDraft(drafts, `${comment.id} edit`, comment.version)
  const [replying, setReplying] = useDraft(drafts, `${comment.id} reply`)
  /** The version of others that the user was told of, and may replace. */
  const seen = useRef(0)
  const box = useRef<HTMLElement>(null)
  const [deleting, setDeleting] = useState(false)
  const texts = messages.panel.comments
  const name = comment.author?.name ?? messages.panel.history.somebody

  /** Moves the focus, if it was in what is gone, to a button that is not. */
  const focus = (button: string) => {
    const {activeElement} = document
    if (activeElement === null || activeElement === document.body) box.current?.querySelector<HTMLElement>(button)?.focus()
  }
  const close = (set: (draft: Written | null) => void, button: string) => {
    flushSync(() => set(null))
    focus(button)
  }

  /** Does something, and shows why it failed. */
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      const {code, message} = problemOf(error)
      toasts.error(code === 'OFFLINE' ? messages.panel.offline : message)
    }
  }
  const react = (reaction: Reaction, has: boolean) =>
    attempt(async () => {
      const input = {commentId: comment.id, reaction, ...once()}
      if (has) {
        const {data} = await client.mutate({mutation: RemoveReactionDocument, variables: {input}})
        const after = data?.removeReaction?.comment
        if (!after) return
        flushSync(() => onChange(() => after))
        focus('.react')
      } else {
        const {data} = await client.mutate({mutation: AddReactionDocument, variables: {input}})
        const after = data?.addReaction?.comment
        if (after) onChange(() => after)
      }
    })
  const save = async (draft: Written, key: {idempotencyKey: string}) => {
    if (comment.version !== begun && seen.current !== comment.version) {
      seen.current = comment.version
      return texts.changed
    }
    const mentions = mentionsAfter(comment, draft)
    const input = {id: comment.id, expectedVersion: comment.version, body: draft.text, ...(mentions && {mentionIds: mentions}), ...key}
    try {
      const {data} = await client.mutate({mutation: UpdateCommentDocument, variables: {input}})
      const after = data?.updateComment?.comment
      if (after) onChange(() => after)
    } catch (error) {
      if (problemOf(error).code !== 'CONFLICT') throw error
      const {data} = await client.query({query: OneCommentDocument, variables: {id: comment.id}, fetchPolicy: 'no-cache'})
      const now = data?.node
      if (now?.__typename !== 'Comment') throw error
      seen.current = now.version
      onChange(() => now)
      return texts.changed
    }
    close(setEditing, '.edit-comment')
    return null
  }
  const reply = async (draft: Written, key: {idempotencyKey: string}) => {
    const input = {issueId: issue, replyToId: comment.id, body: draft.text, mentionIds: mentionsOf(draft), ...key}
    const {data} = await client.mutate({mutation: CreateCommentDocument, variables: {input}})
    const made = data?.createComment?.comment
    close(setReplying, '.reply-comment')
    if (!made) return null
    onChange(c => ({...c, replyCount: c.replyCount + 1}))
    if (replies || comment.replyCount === 0) setReplies(known => ({comments: [...(known?.comments ?? []), made], after: known?.after ?? null}))
    else void readReplies()
    return null
  }
  const readReplies = () =>
    attempt(async () => {
      const {data} = await client.query({query: CommentRepliesDocument, variables: {id: comment.id, after: replies?.after ?? null}, fetchPolicy: 'no-cache'})
      const page = data?.node?.__typename === 'Comment' ? data.node.replies : null
      if (page) setReplies(known => withMore(known, {comments: page.nodes, after: page.pageInfo.hasNextPage ? (page.pageInfo.endCursor ?? null) : null}))
    })
  const remove = () =>
    attempt(async () => {
      setDeleting(false)
      await client.mutate({mutation: DeleteCommentDocument, variables: {input: {id: comment.id, ...once()}}})
      box.current?.closest('aside')?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus()
      onDelete()
    })
  const others = reactions.filter(([r]) => !comment.reactions.some(c => c.reaction === r && c.viewerHasReacted))
  return (
    <article ref={box} className="comment" aria-label={texts.by(name)}>
      <header>
        <b>{name}</b>{' '}
        <time className="hint" dateTime={comment.createdAt} title={exactly(comment.createdAt)}>
          {ago(comment.createdAt, new Date())}
        </time>
        {comment.editedAt != null && (
          <span className="hint" title={exactly(comment.editedAt)}>
            {' '}
            · {texts.edited}
          </span>
        )}
        {comment.rating != null && <span className="rating"> · {texts.rating(comment.rating)}</span>}
      </header>
      {(editing === null || comment.version !== begun) && <Markdown text={comment.body ?? ''} />}
      {editing !== null && (
        <Compose
          label={texts.edit}
          action={messages.panel.save}
          draft={editing}
          onDraft={setEditing}
          onSave={save}
          onCancel={() => close(setEditing, '.edit-comment')}
        />
      )}
      <div className="comment-actions">
        {comment.reactions.map(({reaction, count, viewerHasReacted}) => (
          <button
            key={reaction}
            type="button"
            className="reaction"
            aria-pressed={viewerHasReacted === true}
            aria-label={texts.reacted(texts.reactions[reaction], count)}
            title={texts.reactions[reaction]}
            disabled={!mayReact(caller)}
            onClick={() => void react(reaction, viewerHasReacted === true)}
          >
            <span aria-hidden="true">{reactions.find(([r]) => r === reaction)?.[1]}</span> {count}
          </button>
        ))}
        {mayReact(caller) && (
          <MenuButton
            label={texts.react}
            className="link react"
            items={() => others.map(([r, sign]) => ({label: `${sign} ${texts.reactions[r]}`, onSelect: () => void react(r, false)}))}
          >
            {texts.react}
          </MenuButton>
        )}
        {caller.canEdit && !isReply && replying === null && (
          <button type="button" className="link reply-comment" onClick={() => setReplying(written())}>
            {texts.reply}
          </button>
        )}
        {mayChange(caller, comment) && editing === null && (
          <>
            <button type="button" className="link edit-comment" onClick={() => setEditing(written(comment))}>
              {texts.edit}
            </button>
            <button type="button" className="link" onClick={() => setDeleting(true)}>
              {texts.delete}
            </button>
          </>
        )}
      </div>
      {replies && (
        <ol className="comments replies">
          {replies.comments.map(r => (
            <li key={r.id}>
              <CommentItem
                issue={issue}
                comment={r}
                caller={caller}
                isReply
                drafts={drafts}
                onChange={change => setReplies(known => known && changed(known, r.id, change))}
                onDelete={() => {
                  setReplies(known => known && without(known, r.id))
                  onChange(c => ({...c, replyCount: c.replyCount - 1}))
                }}
              />
            </li>
          ))}
        </ol>
      )}
      {!isReply && comment.replyCount > 0 && (!replies || replies.after) && (
        <button type="button" className="link" onClick={() => void readReplies()}>
          {replies ? messages.panel.showMore : texts.showReplies(comment.replyCount)}
        </button>
      )}
      {replying !== null && (
        <Compose
          label={texts.writeReply}
          action={texts.reply}
          draft={replying}
          onDraft={setReplying}
          onSave={reply}
          onCancel={() => close(setReplying, '.reply-comment')}
        />
      )}
      {deleting && (
        <Dialog
          title={texts.deleteTitle}
          onClose={() => setDeleting(false)}
          footer={
            <>
              <button type="button" data-autofocus onClick={() => setDeleting(false)}>
                {messages.panel.cancel}
              </button>
              <button type="button" className="danger" onClick={() => void remove()}>
                {texts.delete}
              </button>
            </>
          }
        >
          <p>{comment.replyCount > 0 ? texts.deletesReplies(comment.replyCount) : texts.deletesForever}</p>
        </Dialog>
      )}
    </article>
  )
}

/**
 * Returns a draft that is kept while the page is open, a function that changes it, null to drop it, and the version of the comment that it was based on when it
 * was begun.
 */
function useDraft(drafts: Drafts, key: string, version = 0): [Written | null, (draft: Written | null) => void, number] {
  const [draft, setDraft] = useState(() => drafts.get(key) ?? null)
  const set = (now: Written | null) => {
    const kept = now && {before: null, ...now, version: drafts.get(key)?.version ?? version}
    if (kept) drafts.set(key, kept)
    else drafts.delete(key)
    setDraft(kept)
  }
  return [draft && {text: draft.text, mentions: draft.mentions ?? []}, set, draft?.version ?? 0]
}
