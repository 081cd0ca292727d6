// Components that the import and export dialogs share.
import {useEffect, useState} from 'react'
import {messages} from '../messages'
import type {Pause} from './pauses'

/** Shows a labelled progress bar and a description of the progress. */
export function Progress({label, value, max, children}: {label: string; value: number; max: number | null; children?: React.ReactNode}) {
  const percent = max ? Math.min(100, Math.floor((value / max) * 100)) : null
  return (
    <div className="files-progress">
      <progress aria-label={label} value={max === null ? undefined : value} max={max ?? undefined} />
      <p className="files-progress-text">{children}</p>
      <span className="visually-hidden" role="status">
        {percent === null ? label : `${label}: ${Math.floor(percent / 10) * 10} %`}
      </span>
    </div>
  )
}

/** Shows why the work has paused and when it continues, with a button to continue at once. */
export function Paused({pause, onResume}: {pause: Pause; onResume: () => void}) {
  const {problem, until} = pause
  const left = useSecondsUntil(until)
  return (
    <div className="files-note warning">
      <div>
        <p role="alert">
          <strong>{messages.files.pause.paused}</strong> {problem.message} {until === null ? messages.files.pause.correct : messages.files.pause.nothingLost}
        </p>
        {left !== null && <p className="hint">{messages.files.pause.continues(left)}</p>}
      </div>
      <button type="button" className="primary" onClick={onResume}>
        {messages.files.pause.resume}
      </button>
    </div>
  )
}

function useSecondsUntil(until: number | null): number | null {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (until === null) return
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [until])
  return until === null ? null : Math.max(0, Math.ceil((until - now) / 1000))
}

/** Asks before the user leaves the page while active. */
export function useLeaveWarning(active: boolean): void {
  useEffect(() => {
    if (!active) return
    const ask = (e: BeforeUnloadEvent) => e.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [active])
}
