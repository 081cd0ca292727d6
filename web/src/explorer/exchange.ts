// A request to the API with its response, and what the page reports about them.

export type Headers = Record<string, unknown>

export const api = '/graphql'

/** The request header that asks for the cost of an operation. */
export const costHeader = 'X-Show-Cost'

export interface Request {
  query: string
  variables?: unknown
  operationName?: string | null
}

export interface Answer {
  data?: unknown
  errors?: {message: string; path?: (string | number)[]; extensions?: {code?: string; argument?: string; retryAfter?: number}}[]
  extensions?: {cost?: Cost}
}

/** The extension `cost`, as package graph writes it. */
export interface Cost {
  calls: Record<string, number>
  items: number
  rcu: number
  wcu: number
  stoppedPages?: number
}

export interface Exchange {
  operation: string
  answer: Answer
  /** Whether the server sent a GraphQL response. */
  answered: boolean
  /** The status of the HTTP response; 0 if there was none. */
  status: number
  /** The duration from the request to the end of the response. */
  milliseconds: number
  /** The size of the uncompressed response body. */
  bytes: number
  askedForCost: boolean
  requestId: string | null
  rateLimit: {limit: string; remaining: string; reset: string} | null
}

/** Sends a request. A failure is a response with a readable error; only an abort throws. */
export async function send(request: Request, headers: Headers, signal?: AbortSignal): Promise<Exchange> {
  const operationName = operationIn(request)
  const exchange: Exchange = {
    operation: operationName ?? '',
    answer: {},
    answered: false,
    status: 0,
    milliseconds: 0,
    bytes: 0,
    askedForCost: asksForCost(headers),
    requestId: null,
    rateLimit: null,
  }
  const begun = performance.now()
  try {
    const response = await fetch(api, {
      method: 'POST',
      headers: {...texts(headers), 'Content-Type': 'application/json', Accept: 'application/graphql-response+json, application/json;q=0.9'},
      body: JSON.stringify({...request, operationName}),
      credentials: 'omit',
      signal: signal ?? null,
    })
    const body = await response.arrayBuffer()
    exchange.milliseconds = performance.now() - begun
    exchange.bytes = body.byteLength
    exchange.status = response.status
    exchange.requestId = response.headers.get('X-Request-Id')
    exchange.rateLimit = rateLimit(response.headers)
    const parsed = parse(new TextDecoder().decode(body))
    exchange.answered = parsed !== null
    exchange.answer =
      parsed ?? failure(`The server's response is not GraphQL: status ${response.status}, ${response.headers.get('Content-Type') ?? 'without a type'}.`)
  } catch (error) {
    if (signal?.aborted) throw error
    exchange.milliseconds = performance.now() - begun
    exchange.answer = failure(noAnswer(error))
  }
  return exchange
}

/** Reads data that the page itself needs. */
export async function ask<T>(query: string, variables: Record<string, unknown>, headers: Headers, signal?: AbortSignal): Promise<T> {
  const {answer} = await send({query, variables}, headers, signal)
  if (answer.errors?.[0] || !answer.data) throw new Error(answer.errors?.[0]?.message ?? 'the answer has no data')
  return answer.data as T
}

function noAnswer(error: unknown): string {
  if (!navigator.onLine) return 'There is no response, because this browser is offline. Run the operation again when the network is back.'
  // fetch also throws a TypeError for invalid requests, such as a malformed header. Then its message has details.
  const why = error instanceof Error && !/fetch|network|load failed/i.test(error.message) ? ` (${error.message})` : ''
  return `The server does not respond${why}. Is it running? Try again when it is.`
}

function failure(message: string): Answer {
  return {errors: [{message}]}
}

function parse(text: string): Answer | null {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null && ('data' in answer || 'errors' in answer) ? (answer as Answer) : null
  } catch {
    return null
  }
}

function asksForCost(headers: Headers): boolean {
  return Object.entries(headers).some(([name, value]) => name.toLowerCase() === costHeader.toLowerCase() && String(value) === '1')
}

/** Converts header values to strings, because the user may have written a number. */
function texts(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

function rateLimit(headers: globalThis.Headers): Exchange['rateLimit'] {
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map(part => headers.get(`RateLimit-${part}`))
  return limit && remaining && reset ? {limit, remaining, reset} : null
}

/**
 * Returns the operation to run: the chosen one, or else the first one with a name. After a change of tabs, GraphiQL briefly still passes the operation of the
 * previous tab.
 */
export function operationIn({query, operationName}: Request): string | null {
  const names = [...query.matchAll(/^\s*(?:query|mutation|subscription)\s+(\w+)/gm)].map(([, name]) => name ?? null)
  return names.find(name => name === operationName) ?? names[0] ?? null
}
