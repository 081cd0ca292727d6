// Formats an exchange for display.

import type {Cost, Exchange} from './exchange'

const figures = new Intl.NumberFormat('en', {maximumFractionDigits: 1})

export const figure = (n: number): string => figures.format(n)

export function count(n: number, one: string, many = `${one}s`): string {
  return `${figure(n)} ${n === 1 ? one : many}`
}

export function time(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.max(1, Math.round(milliseconds))} ms` : `${figure(milliseconds / 1000)} s`
}

export function size(bytes: number): string {
  if (bytes < 1000) return count(bytes, 'byte')
  return bytes < 1e6 ? `${figure(bytes / 1000)} kB` : `${figure(bytes / 1e6)} MB`
}

export function calls(cost: Cost): number {
  return Object.values(cost.calls).reduce((sum, n) => sum + n, 0)
}

/** Lists the kinds of calls, the most frequent first. */
export function kinds(cost: Cost): string {
  return Object.entries(cost.calls)
    .sort(([a, n], [b, m]) => m - n || a.localeCompare(b))
    .map(([kind, n]) => `${figure(n)} ${kind}`)
    .join(', ')
}

export function capacity(cost: Cost): string[] {
  return [...(cost.rcu > 0 || cost.wcu === 0 ? [`${figure(cost.rcu)} RCU`] : []), ...(cost.wcu > 0 ? [`${figure(cost.wcu)} WCU`] : [])]
}

/** Returns one line with the cost, the duration, and any errors. */
export function summary(exchange: Exchange): string {
  const {answer, answered, askedForCost, milliseconds} = exchange
  if (!answered) return 'No response'
  const errors = answer.errors ?? []
  const codes = [...new Set(errors.map(e => e.extensions?.code).filter(code => code !== undefined))]
  const cost = answer.extensions?.cost
  return [
    ...(errors.length > 0 ? [count(errors.length, 'error') + (codes.length > 0 ? ` (${codes.join(', ')})` : '')] : []),
    ...(cost ? [count(calls(cost), 'call'), ...capacity(cost)] : []),
    time(milliseconds),
    ...(!cost && !askedForCost ? ['cost not requested'] : []),
  ].join(', ')
}

/** A node of a plan, with the fields that the operation has selected. */
export interface PlanNode {
  kind: string
  label: string
  estimatedKeys: number | null
  estimatedDocuments: number | null
  estimatedRcu: number | null
  estimatedSequentialCalls: number | null
  keys: number | null
  documents: number | null
  calls: number | null
  rcu: number | null
  milliseconds: number | null
  notes: string[]
  children: PlanNode[]
}

/** A plan that was rejected, with the fields that the operation has selected. */
export interface RejectedPlan {
  label: string
  reason: string
  estimatedKeys: number | null
  estimatedDocuments: number | null
  estimatedRcu: number | null
  estimatedSequentialCalls: number | null
}

export interface Plan {
  /** The path in the response. */
  path: string
  text: string | null
  root: PlanNode | null
  rejected: RejectedPlan[]
}

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Finds the plans in a response. Aliases can give them any name, so it recognizes their content: an object whose text begins with the word "page", or whose
 * root has a kind, a label or children.
 */
export function plans(data: unknown): Plan[] {
  const found: Plan[] = []
  const walk = (value: unknown, path: (string | number)[]) => {
    if (Array.isArray(value)) {
      value.forEach((member, i) => walk(member, [...path, i]))
    } else if (isObject(value)) {
      if (isPlan(value)) found.push(plan(value, path.join('.')))
      else Object.entries(value).forEach(([name, member]) => walk(member, [...path, name]))
    }
  }
  walk(data, [])
  return found
}

function isPlan(value: Json): boolean {
  const {root, text} = value
  if (isObject(root)) return 'kind' in root || 'label' in root || Array.isArray(root.children)
  return typeof text === 'string' && /^page\b/.test(text)
}

function plan(value: Json, path: string): Plan {
  return {
    path,
    text: typeof value.text === 'string' ? value.text : null,
    root: isObject(value.root) ? node(value.root) : null,
    rejected: objects(value.rejected).map(r => ({
      label: text(r.label),
      reason: text(r.reason),
      estimatedKeys: number(r.estimatedKeys),
      estimatedDocuments: number(r.estimatedDocuments),
      estimatedRcu: number(r.estimatedRcu),
      estimatedSequentialCalls: number(r.estimatedSequentialCalls),
    })),
  }
}

function node(value: Json): PlanNode {
  return {
    kind: text(value.kind),
    label: text(value.label),
    estimatedKeys: number(value.estimatedKeys),
    estimatedDocuments: number(value.estimatedDocuments),
    estimatedRcu: number(value.estimatedRcu),
    estimatedSequentialCalls: number(value.estimatedSequentialCalls),
    keys: number(value.keys),
    documents: number(value.documents),
    calls: number(value.calls),
    rcu: number(value.rcu),
    milliseconds: number(value.milliseconds),
    notes: Array.isArray(value.notes) ? value.notes.filter(n => typeof n === 'string') : [],
    children: objects(value.children).map(node),
  }
}

const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : [])
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns the sum over a node and its descendants; null if the operation did not select the column. */
export function total(root: PlanNode, column: 'keys' | 'documents' | 'calls' | 'rcu'): number | null {
  return root.children.reduce<number | null>((sum, child) => {
    const below = total(child, column)
    return below === null ? sum : (sum ?? 0) + below
  }, root[column])
}

export interface Comparison {
  what: string
  expected: number
  real: number
}

/**
 * Returns the estimates of a node with the real numbers. Estimated keys include the descendants of the node. Estimated documents are compared with the whole
 * page, because the page fetches the documents that any node has found.
 */
export function comparisons(n: PlanNode, page: PlanNode): Comparison[] {
  const keys = total(n, 'keys')
  const documents = total(page, 'documents')
  return [
    ...(n.estimatedKeys !== null && keys !== null ? [{what: 'keys', expected: n.estimatedKeys, real: keys}] : []),
    ...(n.estimatedDocuments !== null && documents !== null ? [{what: 'documents', expected: n.estimatedDocuments, real: documents}] : []),
  ]
}
