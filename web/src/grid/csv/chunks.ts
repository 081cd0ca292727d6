// New issues in requests that the server takes: at most so many, and within its limits of what one request may have (docs/limits.md).
import type {NewIssueInput, ValueInput} from '../../gql/graphql'

/** A row of a file, and the issue that it makes. */
export interface NewRow {
  row: number
  issue: NewIssueInput
}

/** Rows that are sent together, once: a key names them however often they are sent. */
export interface Chunk {
  key: string
  rows: readonly NewRow[]
}

export interface Limits {
  rows: number
  /** Of the issues as JSON in UTF-8. */
  bytes: number
  /** Of the JSON: scalars, lists and objects. */
  values: number
  /** In DynamoDB's capacity units, as the server estimates it. */
  cost: number
}

/** Somewhat less than what a server allows by default, because a query and a key come with them. */
export const usualLimits: Limits = {rows: 100, bytes: 240_000, values: 14_000, cost: 19_000}

const encoder = new TextEncoder()

const lengthOf = (value: ValueInput | null | undefined): number => {
  const [given] = Object.values(value ?? {}) as unknown[]
  return Array.isArray(given) ? 2 + given.length : 2
}

/** What an issue takes of the limits. */
export function weigh(issue: NewIssueInput): Limits {
  const values = issue.values ?? []
  return {
    rows: 1,
    bytes: encoder.encode(JSON.stringify(issue)).length + 1,
    values: 5 + values.reduce((sum, v) => sum + 2 + lengthOf(v.value), 0),
    cost: 8 + 4 * values.length,
  }
}

/** Collects rows until no more go into a request. A row that is too large alone makes a chunk of its own, for the server to judge. */
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

  /** Adds a row, and gives the chunk before it if it is full. */
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

  /** Gives what has been collected. */
  end(): Chunk | null {
    const {rows} = this
    this.rows = []
    this.taken = {rows: 0, bytes: 0, values: 0, cost: 0}
    return rows.length > 0 ? {key: `${this.key}-${++this.count}`, rows} : null
  }
}

const plus = (a: Limits, b: Limits): Limits => ({rows: a.rows + b.rows, bytes: a.bytes + b.bytes, values: a.values + b.values, cost: a.cost + b.cost})

/** The two halves of a chunk that was refused as a whole. They have keys of their own, because a key goes with its input. */
export function halves({key, rows}: Chunk): [Chunk, Chunk] {
  const middle = Math.ceil(rows.length / 2)
  return [
    {key: `${key}.1`, rows: rows.slice(0, middle)},
    {key: `${key}.2`, rows: rows.slice(middle)},
  ]
}
