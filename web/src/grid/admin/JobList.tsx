// The running jobs of the project with their progress, and why others failed.
import {useState, useSyncExternalStore} from 'react'
import {useGrid} from '../context/context'
import {problemOf} from '../data/client'
import {failureOf, wordsOf} from './jobs'
import {messages} from '../messages'

export function JobList() {
  const {jobs, toasts} = useGrid()
  const {active} = useSyncExternalStore(jobs.subscribe, jobs.snapshot)
  return (
    <>
      {active.map(job => (
        <span key={job.id} className="job">
          <progress aria-label={wordsOf(job)} value={job.status === 'WAITING' ? undefined : job.progress} max={1} />
          <span title={job.reason ?? undefined}>
            {job.status === 'CHECKING' ? messages.admin.checking(wordsOf(job)) : wordsOf(job)}{' '}
            {job.status === 'WAITING' ? '…' : `${Math.floor(job.progress * 100)} %`}
          </span>
          {job.cancelable && (
            <button
              type="button"
              className="link"
              aria-label={messages.admin.stopJob(wordsOf(job))}
              onClick={() => void jobs.cancel(job.id).catch((e: unknown) => toasts.error(problemOf(e).message))}
            >
              {messages.admin.stop}
            </button>
          )}
        </span>
      ))}
    </>
  )
}

/** Says why jobs of a field, or of any field, failed since the dialog was opened. */
export function JobFailures({name}: {name?: string}) {
  const {jobs, project} = useGrid()
  const {failed} = useSyncExternalStore(jobs.subscribe, jobs.snapshot)
  const [before] = useState(() => new Set(failed.map(j => j.id)))
  const shown = failed.filter(j => !before.has(j.id) && (name === undefined || j.fieldName === name)).slice(0, 1)
  if (shown.length === 0) return null
  return (
    <div className="form-problem" role="alert">
      {shown.map(j => (
        <p key={j.id}>{failureOf(j, project.key)}</p>
      ))}
    </div>
  )
}
