// What the page of the user's issues shows, as its URL has it.
import {queryText} from '../model/view'

/** The lists: issues that are assigned to the user or to its teams, those that it watches, and those that it has created. */
export const kinds = ['mine', 'teams', 'watched', 'created'] as const
export const statuses = ['open', 'closed', 'all'] as const
export const orders = ['updated', 'created', 'number'] as const

export interface Place {
  kind: (typeof kinds)[number]
  status: (typeof statuses)[number]
  order: (typeof orders)[number]
  /** Whether the issues are below the names of their projects. */
  byProject: boolean
}

const usual: Place = {kind: 'mine', status: 'open', order: 'updated', byProject: true}

/** Reads what is shown. Invalid parameters are ignored. */
export function readPlace(query: string): Place {
  const q = new URLSearchParams(query)
  return {
    kind: kinds.find(k => k === q.get('work')) ?? usual.kind,
    status: statuses.find(s => s === q.get('status')) ?? usual.status,
    order: orders.find(o => o === q.get('order')) ?? usual.order,
    byProject: q.get('group') !== 'none',
  }
}

/** Writes what is shown as the query of a URL, without default values. */
export function writePlace({kind, status, order, byProject}: Place): string {
  const q = new URLSearchParams()
  if (kind !== usual.kind) q.set('work', kind)
  if (status !== usual.status) q.set('status', status)
  if (order !== usual.order) q.set('order', order)
  if (!byProject) q.set('group', 'none')
  return queryText(q)
}
