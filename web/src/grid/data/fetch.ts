// Requests that go through short failures: of the network, and of a server that says "try again".

/** The waits between tries, in milliseconds, where the server says nothing else. */
const waits = [200, 800, 2000]
/** The longest wait that a server may ask for before the user is told instead. */
const longest = 5000

type Fetch = typeof fetch

/**
 * Sends a request again when the network failed, or the server answered 429 or 503. A mutation is only sent again if it has an idempotency key, by which it
 * is made once.
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

/** Waits, but not for longer than the network is away. */
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
