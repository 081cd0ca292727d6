import {Component, type ReactNode} from 'react'

/** The page until the editor is loaded. */
export function Shell({problem}: {problem?: string}) {
  return (
    <main className="shell">
      <h1>
        <a href="/">issuegrid</a> <span>playground</span>
      </h1>
      <p role="status">{problem ?? 'The editor is loading …'}</p>
    </main>
  )
}

/** Shows an error if the editor cannot be loaded or has failed, instead of an empty page. */
export class Guard extends Component<{children: ReactNode}, {failed: boolean}> {
  override state = {failed: false}

  static getDerivedStateFromError() {
    return {failed: true}
  }

  override render() {
    return this.state.failed ? <Shell problem="The editor cannot be loaded. Reload the page when the server is available." /> : this.props.children
  }
}
