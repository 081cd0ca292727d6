// Splits new issues into requests that respect the server's limits (docs/limits.md).
import type {NewIssueInput, ValueInput} from '../../gql/graphql'

/** A row of a file and its issue. */
export interface NewRow {
  row: number
  issue: NewIssueInput
}

/** Rows of one request. The idempotency key makes the request safe to repeat. */
export interface Chunk {
  key: string
  rows: readonly NewRow[]
}

export interface Limits {
  rows: number
  /** The size of the issues as JSON, in bytes of UTF-8. */
  bytes: number
  /** The number of scalars, lists and objects in the JSON. */
  values: number
  /** The cost in capacity units of DynamoDB, as estimated by the server. */
  cost: number
}

/** Slightly below the default limits of the server, because the request also has a query and a key. */
export const usualLimits: Limits = {rows: 100, bytes: 240_000, values: 14_000, cost: 19_000}

const encoder = new TextEncoder()

const lengthOf = (value: ValueInput | null | undefined): number => {
  const [given] = Object.values(value ?? {}) as unknown[]
  return Array.isArray(given) ? 2 + given.length : 2
}

/** Returns how much of the limits an issue uses. */
export function weigh(issue: NewIssueInput): Limits {
  const values = issue.values ?? []
  return {
    rows: 1,
    bytes: encoder.encode(JSON.stringify(issue)).length + 1,
    values: 5 + values.reduce((sum, v) => sum + 2 + lengthOf(v.value), 0),
    cost: 8 + 4 * values.length,
  }
}

/** Collects rows until a request is full. A row that is too large alone gets its own chunk, and the server decides. */
export class Chunker {
  private rows: NewRow[] = []
  private taken: Limits = {rows: 0, bytes: 0, values: 0, cost: 0}
  private count = 0
  private readonly key: string
  private readonly limits: Limits

  constructor(key: string, limits: Limits = usualLimits) {
    this.key = key
    this.limits = limits
  }

  /** Adds a row. If the current chunk is full, it returns that chunk. */
  add(row: NewRow): Chunk | null {
    const weight = weigh(row.issue)
    const sum = plus(this.taken, weight)
    const full =
      this.rows.length > 0 && (sum.rows > this.limits.rows || sum.bytes > this.limits.bytes || sum.values > this.limits.values || sum.cost > this.limits.cost)
    const chunk = full ? this.end() : null
    this.rows.push(row)
    this.taken = full ? weight : sum
    return chunk
  }

  /** Returns the collected rows as a chunk, or null if there are none. */
  end(): Chunk | null {
    const {rows} = this
    this.rows = []
    this.taken = {rows: 0, bytes: 0, values: 0, cost: 0}
    return rows.length > 0 ? {key: `${this.key}-${++this.count}`, rows} : null
  }
}

const plus = (a: Limits, b: Limits): Limits => ({rows: a.rows + b.rows, bytes: a.bytes + b.bytes, values: a.values + b.values, cost: a.cost + b.cost})

/** Splits a chunk that was rejected as a whole. The halves have new keys, because a key belongs to its input. */
export function halves({key, rows}: Chunk): [Chunk, Chunk] {
  const middle = Math.ceil(rows.length / 2)
  return [
    {key: `${key}.1`, rows: rows.slice(0, middle)},
    {key: `${key}.2`, rows: rows.slice(middle)},
  ]
}
