// Why the server refused a change.
import type {Problem} from '../data/client'

export function Problems({of}: {of: readonly Problem[]}) {
  if (of.length === 0) return null
  return (
    <div className="form-problem" role="alert">
      {of.map(p => (
        <p key={p.message}>{p.message}</p>
      ))}
    </div>
  )
}
