// Runs long work over an unreliable network. After a temporary failure the work pauses, and continues by itself or when the user resumes it.
import {CombinedGraphQLErrors, ServerError} from '@apollo/client'
import {problemOf, type Problem} from '../data/client'

/** The codes of temporary failures, and whether to retry after them without the user. */
const passing: Record<string, boolean> = {OFFLINE: true, UNAVAILABLE: true, RATE_LIMITED: true, INTERNAL: false, UNAUTHENTICATED: false}

/** Reports whether a failure is temporary and needs nothing from the user. */
export const passesAlone = (problem: Problem): boolean => passing[problem.code] === true

const isPassing = (problem: Problem): boolean => problem.code in passing

/** The delays in milliseconds, in addition to those of persistentFetch. After the last one, the user must resume. */
const waits = [5_000, 10_000, 20_000, 30_000, 60_000, 60_000, 120_000]

export interface Pause {
  problem: Problem
  /** When the work continues by itself, in the time of Date.now(); null if it does not. */
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

  /** Repeats the work until it succeeds or fails permanently. If it is stopped during a pause, it throws the error that caused the pause. */
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

/** Reports whether an error is a failed request, and not an error in processing its response. */
const isAnswer = (error: unknown): boolean => CombinedGraphQLErrors.is(error) || ServerError.is(error) || error instanceof TypeError

/** Returns how long the server asks to wait, in milliseconds. */
function retryAfter(error: unknown): number | null {
  const seconds = CombinedGraphQLErrors.is(error)
    ? error.errors[0]?.extensions?.retryAfter
    : ServerError.is(error)
      ? error.response.headers.get('Retry-After')
      : null
  return Number(seconds) > 0 ? Number(seconds) * 1000 : null
}
