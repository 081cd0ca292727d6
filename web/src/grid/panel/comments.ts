// The comments on an issue as the panel shows them, and what the user may do with them.
import type {IssueCommentsQuery, Reaction, ShownCommentFragment} from '../../gql/later/graphql'

export type Comment = ShownCommentFragment
export type Caller = Pick<NonNullable<IssueCommentsQuery['viewer']>, 'canEdit' | 'canAdminister' | 'user'>

/** The loaded part of a list of comments, and the cursor for more; null if there are no others. */
export interface Comments {
  comments: readonly Comment[]
  after: string | null
}

/** The reactions with their signs, in the order in which they are shown. */
export const reactions: readonly (readonly [Reaction, string])[] = [
  ['THUMBS_UP', '👍'],
  ['THUMBS_DOWN', '👎'],
  ['LAUGH', '😄'],
  ['HOORAY', '🎉'],
  ['CONFUSED', '😕'],
  ['HEART', '❤️'],
  ['ROCKET', '🚀'],
  ['EYES', '👀'],
]

/** Adds a page, without the comments that are known. */
export function withMore(known: Comments | null, page: Comments): Comments {
  const ids = new Set(known?.comments.map(c => c.id))
  return {comments: [...(known?.comments ?? []), ...page.comments.filter(c => !ids.has(c.id))], after: page.after}
}

/** A change of what is known of a comment. */
export type Change = (known: Comment) => Comment

/** Changes what is known of a comment. */
export function changed(known: Comments, id: string, change: Change): Comments {
  return {...known, comments: known.comments.map(c => (c.id === id ? change(c) : c))}
}

/** Removes a comment. */
export function without(known: Comments, id: string): Comments {
  return {...known, comments: known.comments.filter(c => c.id !== id)}
}

/** Whether the caller may change and delete a comment: its author may, and administrators. */
export function mayChange(caller: Caller, comment: Comment): boolean {
  const own = caller.user && comment.author?.id === caller.user.id
  return caller.canEdit && (caller.canAdminister || own === true)
}

/** Whether the caller may add reactions, which belong to users. */
export const mayReact = (caller: Caller): boolean => caller.canEdit && caller.user != null

/** A text that is being written, and the users that were chosen for mentions in it. */
export interface Written {
  text: string
  mentions: readonly Mentioned[]
}

interface Mentioned {
  id: string
  name: string
}

/** What an editor begins with. Users that were deactivated cannot be mentioned again. */
export const written = (comment?: Comment): Written => ({text: comment?.body ?? '', mentions: (comment?.mentions ?? []).filter(m => m.active)})

/** Whether a text has the name of a user after an at sign. */
function names(text: string, name: string): boolean {
  const sign = `@${name}`
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) if (!/^[\p{L}\p{N}]/u.test(text.slice(at + sign.length))) return true
  return false
}

/** Returns the IDs of the users that a new text mentions: of those that were chosen, the ones whose names it still has. */
export const mentionsOf = ({text, mentions}: Written): string[] => [...new Set(mentions.filter(m => names(text, m.name)).map(m => m.id))]

/** Returns the mentions of a changed text; undefined if they are those of the comment. Mentions without a name in the text, of other programs, stay. */
export function mentionsAfter(comment: Comment, now: Written): string[] | undefined {
  const before = written(comment)
  const hidden = before.mentions.filter(m => !names(before.text, m.name)).map(m => m.id)
  const ids = [...new Set([...hidden, ...mentionsOf(now)])]
  const old = (comment.mentions ?? []).map(m => m.id)
  return ids.length === old.length && ids.every(id => old.includes(id)) ? undefined : ids
}

/** Reports whether a text ends with an at sign that begins a mention, and not an e-mail address. */
export const beginsMention = (before: string): boolean => /(^|[\s(])@$/u.test(before)
