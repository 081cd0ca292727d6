// Long work over a network that fails: when a request has failed for now, the work pauses, and goes on by itself or when somebody says so.
import {CombinedGraphQLErrors, ServerError} from '@apollo/client'
import {problemOf, type Problem} from '../data/client'

/** Failures after which the same request may go through later, each with whether it is worth trying without being told to. */
const passing: Record<string, boolean> = {OFFLINE: true, UNAVAILABLE: true, RATE_LIMITED: true, INTERNAL: false, UNAUTHENTICATED: false}

export const isPassing = (problem: Problem): boolean => problem.code in passing

/** The waits, in milliseconds, behind those of persistentFetch. After the last one, somebody has to say go on. */
const waits = [5_000, 10_000, 20_000, 30_000, 60_000, 60_000, 120_000]

export interface Pause {
  problem: Problem
  /** When it goes on by itself, by the clock of Date.now(); null where it doesn't. */
  until: number | null
}

export class Pauses {
  private current: {pause: Pause; end: () => void} | null = null
  private readonly changed: () => void

  constructor(changed: () => void) {
    this.changed = changed
  }

  get pause(): Pause | null {
    return this.current?.pause ?? null
  }

  /** Does the work until it is done, or fails for good. Whoever stops it during a pause gets the failure that the pause is for. */
  async through<T>(work: () => Promise<T>, stopped: () => boolean): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        const problem = problemOf(error)
        if (!isPassing(problem) || !isAnswer(error) || stopped()) throw error
        await this.wait(problem, attempt, retryAfter(error))
        if (stopped()) throw error
      }
    }
  }

  /** Ends the pause. */
  resume = (): void => this.current?.end()

  private wait(problem: Problem, attempt: number, asked: number | null): Promise<void> {
    const usual = passing[problem.code] ? waits[attempt] : undefined
    const ms = usual === undefined ? null : Math.max(usual, asked ?? 0)
    return new Promise(resolve => {
      const end = () => {
        clearTimeout(timer)
        globalThis.removeEventListener?.('online', end)
        this.current = null
        this.changed()
        resolve()
      }
      const timer = ms === null ? undefined : setTimeout(end, ms)
      if (problem.code === 'OFFLINE') globalThis.addEventListener?.('online', end)
      this.current = {pause: {problem, until: ms === null ? null : Date.now() + ms}, end}
      this.changed()
    })
  }
}

/** Whether a request failed, and not what is made of its answer. */
const isAnswer = (error: unknown): boolean => CombinedGraphQLErrors.is(error) || ServerError.is(error) || error instanceof TypeError

/** How long the server asks to wait, in milliseconds. */
function retryAfter(error: unknown): number | null {
  const seconds = CombinedGraphQLErrors.is(error)
    ? error.errors[0]?.extensions?.retryAfter
    : ServerError.is(error)
      ? error.response.headers.get('Retry-After')
      : null
  return Number(seconds) > 0 ? Number(seconds) * 1000 : null
}
