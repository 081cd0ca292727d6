// What jobs do, and why they failed.
import type {Job} from '../data/jobs'
import {messages} from '../messages'

/** Returns what a job does. */
export const wordsOf = ({kind, fieldName}: Job): string => messages.admin.jobs[kind](fieldName ?? null)

/** How many problems a message lists. */
const listed = 5

/** Returns why a job failed, or null if it did not. */
export function failureOf(job: Job, key: string): string | null {
  if (job.status !== 'FAILED') return null
  const problems = job.problems.slice(0, listed).map(p => `${key}-${p.num}: ${p.reason}`)
  const rest = job.problemCount - problems.length
  const parts = [...(job.reason ? [job.reason] : []), ...problems, ...(rest > 0 ? [messages.admin.moreReasons(rest)] : [])]
  return messages.admin.jobFailed(wordsOf(job), parts.join('; '))
}
