// Moves issues to another group by changing their values in the column of the groups: by the menu, by dragging a row, and by dragging a card of the board.
import type {Grid} from '../context/context'
import {referring} from '../data/choices'
import type {IssueChange} from '../data/edits'
import {readRow} from '../data/source'
import {messages} from '../messages'
import {mayBeEmpty, rowValue} from '../model/columns'
import {canMove, groupName, isSameGroup, valueIn, type Group, type GroupKey} from '../model/groups'
import {show, type Value} from '../model/values'

/** Returns why issues cannot be moved to other groups; null if they can. */
export function whyNotMovable({groups, project}: Pick<Grid, 'groups' | 'project'>): string | null {
  if (!groups) return messages.table.groups.byNone
  if (!project.viewerCanEdit) return messages.table.clipboard.readOnly
  return canMove(groups.key) ? null : messages.table.groups.noMove(groups.key.column.label)
}

/** Reports whether issues can be moved to other groups. */
export const isMovable = (grid: Pick<Grid, 'groups' | 'project'>): boolean => whyNotMovable(grid) === null

/** Returns the issues that move with one: all selected ones if it is selected itself. Issues that are not loaded stay. */
export const movedWith = ({selected, client, fields}: Grid, id: string, others: readonly string[] = [id]): readonly string[] =>
  selected.has(id) ? [...selected].filter(s => readRow(client.cache, s, fields)) : others

/** Returns how issues are called where they are moved: by the key of one, or by their number. */
export function nameOf({client, project}: Grid, ids: readonly string[]): string {
  const row = ids.length === 1 ? readRow(client.cache, ids[0]!, []) : null
  return row ? `${project.key}-${row.num}` : messages.table.groups.count(ids.length, true)
}

/** Moves issues to a group, as one undoable edit, and shows them there. It returns when the server has answered. */
export async function moveTo(grid: Grid, ids: readonly string[], value: Value): Promise<void> {
  const {groups, client, fields, rows, edits, refresh, signals} = grid
  if (!groups) return
  const {column} = groups.key
  // A user that has got another name since is in another group.
  const user = referring(client, rows, column, fields)(value)
  const to = isSameGroup(user, value) ? user : value
  const changes = ids.flatMap((id): IssueChange[] => {
    const row = readRow(client.cache, id, fields)
    const before = row && (rowValue(row, column, fields) ?? null)
    return row && !isSameGroup(before, value) ? [{id, cells: [{column, before, value: to}]}] : []
  })
  if (changes.length === 0) return
  const target = groupWith(groups.key, groups.store.snapshot().groups, value)
  const moved = changes.map(c => c.id)
  const ended = groups.board?.moving(moved, target?.key ?? null)
  const failed = new Set((await edits.change(changes, messages.data.changeOf(column.label), column)).map(f => f.id))
  ended?.(failed)
  const isKept = (id: string) => !failed.has(id) && !edits.snapshot().conflicts.some(c => c.id === id && c.change.column.id === column.id)
  const kept = moved.filter(isKept)
  if (kept.length > 0) signals.tell('said', messages.table.groups.moved(nameOf(grid, kept), target ? groupName(groups.key, target) : show(column, value)))
  // The saved views and the summaries do not depend on positions. What else has changed is not known if a move was refused, or if the rows are those of the grid.
  if (groups.board && kept.length === moved.length)
    await groups.board.readMoved().catch(() => undefined) // the board shows the error
  else await refresh('rows')
}

/** Returns the group of the issues with a value; undefined if it is not known. */
export const groupWith = (key: GroupKey, groups: readonly Group[], value: Value): Group | undefined =>
  groups.find(g => {
    const of = valueIn(key, g)
    return of !== undefined && isSameGroup(of, value)
  })

/** Returns the values that an issue can get, with the names of their groups: all options, or the known users. */
export function targets(key: GroupKey, groups: readonly Group[]): {name: string; value: Value}[] {
  const {column} = key
  const empty = mayBeEmpty(column) && !column.required ? [{name: messages.table.groups.without(column.label), value: null}] : []
  switch (column.type) {
    case 'SELECT':
      return [...column.options.map(o => ({name: o.name, value: o.id})), ...empty]
    case 'BOOLEAN':
      return [...[true, false].map(value => ({name: show(column, value), value})), ...empty]
    default:
      return groups.flatMap(g => {
        const value = valueIn(key, g)
        return value === undefined ? [] : [{name: groupName(key, g), value}]
      })
  }
}
