// Formats the history of an issue.
import type {IssueHistoryQuery} from '../../gql/graphql'
import type {Column} from '../model/columns'
import {messages} from '../messages'
import {show} from '../model/values'

export type Change = NonNullable<NonNullable<IssueHistoryQuery['issue']>['history']>['nodes'][number]
type ChangedColumn = Change['columns'][number]

/** The loaded part of a history: the newest changes, and the cursor for older ones. */
export interface History {
  changes: readonly Change[]
  /** Null if there are no older changes. */
  after: string | null
}

/** Prepends the newest page to the known changes. If changes between them are missing, it drops the known ones. */
export function withNewest(known: History | null, newest: History): History {
  const first = known?.changes[0]
  const oldest = newest.changes.at(-1)
  if (!known || !first || !oldest || oldest.version > first.version + 1) return newest
  return {changes: [...newest.changes.filter(c => c.version > first.version), ...known.changes], after: known.after}
}

export function withOlder(known: History, older: History): History {
  return {changes: [...known.changes, ...older.changes], after: older.after}
}

/** Names what made a change. */
export function nameOf(actor: Change['by']): string {
  const name = actor?.user?.name ?? actor?.name
  if (!actor || actor.kind === 'USER') return name ? name : messages.panel.history.somebody
  const {alone, of} = messages.panel.history.actors[actor.kind]
  return name ? of(name) : alone
}

/** Describes a change, without its author. */
export function deed(change: Change, columns: readonly Column[]): string {
  const {deeds, changed, changedFields, changedNothing, changedSome} = messages.panel.history
  if (change.kind !== 'UPDATED') return deeds[change.kind]
  const names = change.columns.map(c => labelOf(c, columns))
  if (names.length === 0) return changedNothing
  if (names.length > 3) return changedFields(names.length)
  const last = names.pop()!
  return names.length > 0 ? changedSome(names.join(', '), last) : changed(last)
}

/** Returns the name of a changed column. Fields have the names that they had at the time of the change. */
export function labelOf(changed: ChangedColumn, columns: readonly Column[]): string {
  if (changed.field) return changed.name
  return columnOf(changed, columns)?.label ?? changed.name
}

/** Formats a string of the history like the grid does; null if it is empty. */
export function textOf(changed: ChangedColumn, text: string | null | undefined, columns: readonly Column[]): string | null {
  if (text == null || text === '') return null
  const column = columnOf(changed, columns)
  switch (column?.type) {
    case 'DATETIME':
      return Number.isNaN(Date.parse(text)) ? text : show(column, text)
    case 'BOOLEAN':
      return text === 'true' || text === 'false' ? show(column, text === 'true') : text
    default:
      return text
  }
}

function columnOf(changed: ChangedColumn, columns: readonly Column[]): Column | undefined {
  const id = changed.field?.id ?? changed.name
  return columns.find(c => c.id === id && (c.builtin === undefined) === (changed.field != null))
}

/** Texts with more UTF-16 units than this are shortened. */
const longest = 160

/** Returns the beginning of a long text, cut at a space if one is near; null if the text is short. */
export function beginning(text: string): string | null {
  if (text.length <= longest) return null
  const start = text.slice(0, longest)
  const gap = start.search(/\s\S*$/)
  return (gap > longest - 30 ? start.slice(0, gap) : start).trimEnd() + ' …'
}

const exact = new Intl.DateTimeFormat(undefined, {dateStyle: 'full', timeStyle: 'long'})

export const exactly = (at: string): string => exact.format(new Date(at))
