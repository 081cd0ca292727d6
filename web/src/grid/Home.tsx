// The page without a project: the user's issues, or the list of projects. A user without an account has only the latter.
import type {Viewer} from './data/viewer'
import {messages} from './messages'
import {Projects} from './projects/Projects'
import {useLazyPart} from './ui/lazy'
import type {Toasts} from './ui/ui'
import {isProjects, useQuery} from './ui/url'

const loadWork = async () => (await import('./mine/MyWork')).MyWork

export function Home({viewer, toasts}: {viewer: Viewer; toasts: Toasts}) {
  const query = useQuery()
  return viewer.user == null || isProjects(query) ? <Projects viewer={viewer} toasts={toasts} /> : <Work viewer={viewer} toasts={toasts} />
}

function Work({viewer, toasts}: {viewer: Viewer; toasts: Toasts}) {
  const MyWork = useLazyPart(loadWork, toasts)
  if (MyWork) return <MyWork viewer={viewer} />
  return (
    <main className="page loading" aria-busy="true">
      <p role="status">{messages.page.loading}</p>
    </main>
  )
}
