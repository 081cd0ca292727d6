// Retries requests after short network failures, and after responses that ask for a retry.

/** The delays between attempts in milliseconds, used if the response has no Retry-After. */
const waits = [200, 800, 2000]
/** The longest Retry-After to wait for, in milliseconds. With a longer one, the response is returned to the caller. */
const longest = 5000

type Fetch = typeof fetch

/**
 * Wraps fetch to send a request again after a network failure or a response with status 429 or 503. A mutation is only sent again if it has an idempotency key.
 */
export function persistentFetch(send: Fetch = (...request) => fetch(...request), pause: (ms: number) => Promise<void> = wait): Fetch {
  return async (input, init) => {
    const repeatable = isRepeatable(init?.body)
    for (let attempt = 0; ; attempt++) {
      const next = repeatable ? waits[attempt] : undefined
      try {
        const response = await send(input, init)
        if (next === undefined || (response.status !== 429 && response.status !== 503)) return response
        const asked = Number(response.headers.get('Retry-After')) * 1000 || next
        if (asked > longest) return response
        await pause(asked)
      } catch (error) {
        if (next === undefined || init?.signal?.aborted) throw error
        await pause(next)
      }
    }
  }
}

function isRepeatable(body: unknown): boolean {
  if (typeof body !== 'string') return false
  const {query, variables} = JSON.parse(body) as {query?: string; variables?: {input?: {idempotencyKey?: string}}}
  return !query?.startsWith('mutation') || variables?.input?.idempotencyKey !== undefined
}

/** Waits, but ends early when the network is back. */
function wait(ms: number): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      window.removeEventListener('online', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    window.addEventListener('online', done)
  })
}
