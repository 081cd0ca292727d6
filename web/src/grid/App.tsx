// The page: the list of projects, or the grid of one project. It asks for a token if the server requires one and the browser has no valid one.
import {ApolloProvider} from '@apollo/client/react'
import {useEffect, useMemo, useState} from 'react'
import {ProjectDocument, ViewerDocument} from '../gql/graphql'
import {messages} from './messages'
import {newClient, problemOf, token, type Problem} from './data/client'
import type {Project} from './model/columns'
import {Costs} from './data/costs'
import {ProjectPage} from './ProjectPage'
import {Home} from './Home'
import {SignIn, SignInAgain} from './SignIn'
import {readSavedViews, type SavedView} from './data/savedViews'
import {ask} from './data/source'
import {Toasts, ToastList} from './ui/ui'
import {useProjectID} from './views/useView'
import type {Viewer} from './data/viewer'
import {projectsQuery} from './ui/url'

export function App() {
  const [toasts] = useState(() => new Toasts())
  const [costs] = useState(() => new Costs())
  const [expired, setExpired] = useState<Problem | null>(null)
  const [client] = useState(() => newClient(costs.answered, setExpired))
  const id = useProjectID()
  const [loaded, setLoaded] = useState<{viewer: Viewer; project: Project | null; views: readonly SavedView[]} | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [attempt, setAttempt] = useState(0)

  useEffect(() => {
    let current = true
    // In parallel, so that the grid needs only one round trip to start.
    Promise.all([ask(client, ViewerDocument, {}), id === null ? null : ask(client, ProjectDocument, {id}), id === null ? [] : readSavedViews(client, id)]).then(
      ([{viewer}, data, views]) => {
        if (!current) return
        setProblem(null)
        setExpired(null) // the page was loaded with the current token
        setLoaded({viewer: viewer!, project: data?.project ?? null, views})
      },
      (error: unknown) => current && setProblem(problemOf(error)),
    )
    return () => {
      current = false
    }
  }, [client, id, attempt])
  const again = () => setAttempt(n => n + 1)
  useEffect(() => {
    const online = () => problem?.code === 'OFFLINE' && again()
    window.addEventListener('online', online)
    return () => window.removeEventListener('online', online)
  }, [problem])
  useEffect(() => {
    document.title = loaded?.project && id ? `${loaded.project.name} · issuegrid` : 'issuegrid'
  }, [loaded, id])

  const page = useMemo(() => {
    if (problem) return <Failed problem={problem} onRetry={again} />
    if (!loaded || (loaded.project?.id ?? null) !== id) return <Loading />
    if (!loaded.project) return <Home viewer={loaded.viewer} toasts={toasts} />
    return (
      <ProjectPage
        key={loaded.project.id}
        viewer={loaded.viewer}
        project={loaded.project}
        views={loaded.views}
        client={client}
        toasts={toasts}
        costs={costs}
        onReload={changed => (changed ? setLoaded(known => known && {...known, project: changed}) : again())}
      />
    )
  }, [problem, loaded, id, client, toasts, costs])
  return (
    <ApolloProvider client={client}>
      {page}
      {expired && loaded && !problem && (
        <SignInAgain
          problem={expired}
          onClose={() => setExpired(null)}
          onToken={() => {
            setExpired(null)
            window.dispatchEvent(new Event('online')) // retries failed requests, like a network that comes back
          }}
        />
      )}
      <ToastList toasts={toasts} />
    </ApolloProvider>
  )
}

function Loading() {
  return (
    <main className="page loading" aria-busy="true">
      <p role="status">{messages.page.loading}</p>
    </main>
  )
}

function Failed({problem, onRetry}: {problem: Problem; onRetry: () => void}) {
  if (problem.code === 'UNAUTHENTICATED') return <SignIn problem={problem} onToken={onRetry} />
  const words: Record<string, string> = messages.page.failures
  return (
    <main className="page">
      <h1>{words[problem.code] ?? messages.page.failed}</h1>
      <p role="alert">{problem.message}</p>
      <p className="actions">
        <button type="button" className="primary" onClick={onRetry}>
          {messages.ui.tryAgain}
        </button>
        <a href={projectsQuery}>{messages.page.allProjects}</a>
        {token.get() && (
          <button
            type="button"
            onClick={() => {
              token.set(null)
              onRetry()
            }}
          >
            {messages.page.otherUser}
          </button>
        )}
      </p>
    </main>
  )
}
