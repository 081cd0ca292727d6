// What jobs do, and why they failed.
import type {Job} from '../data/jobs'

const words: Record<Job['kind'], (name: string) => string> = {
  CHANGE_TYPE: name => `Changing the type of ${name}`,
  MERGE_OPTIONS: name => `Merging options of ${name}`,
  MOVE_OPTIONS: name => `Sorting by the new order of ${name}`,
  MERGE_STATES: () => 'Merging states',
  MOVE_STATES: () => 'Sorting by the new order of the states',
  DELETE_FIELD: name => `Removing the values of ${name}`,
  DELETE_PROJECT: () => 'Deleting the project',
}

/** Returns what a job does. */
export const wordsOf = (job: Job): string => words[job.kind](job.name ?? 'a field')

/** How many problems a message lists. */
const listed = 5

/** Returns why a job failed, or null if it did not. */
export function failureOf(job: Job, key: string): string | null {
  if (job.status !== 'FAILED') return null
  const problems = job.problems.slice(0, listed).map(p => `${key}-${p.num}: ${p.reason}`)
  const rest = job.problemCount - problems.length
  const parts = [...(job.reason ? [job.reason] : []), ...problems, ...(rest > 0 ? [`and ${rest.toLocaleString()} more`] : [])]
  return `Nothing was changed. ${wordsOf(job)} is not possible: ${parts.join('; ')}.`
}
