// The issues of all projects in which the user takes part: the page that a user begins with.
import {useApolloClient} from '@apollo/client/react'
import {useCallback, useEffect, useMemo, useRef, useState} from 'react'
import {WorkDocument} from '../../gql/later/graphql'
import {problemOf, type Problem} from '../data/client'
import type {Viewer} from '../data/viewer'
import {messages} from '../messages'
import {ago} from '../model/ago'
import {newView, writeView} from '../model/view'
import '../people/people.css'
import {PersonName} from '../ui/PersonName'
import {AppearanceMenu} from '../ui/AppearanceMenu'
import {UserMenu} from '../ui/UserMenu'
import {Pill} from '../ui/CellValue'
import {go, projectsQuery, useQuery} from '../ui/url'
import {argumentsOf, byProject, pageSize, sizeOf, withPage, type Edge, type List} from './list'
import {kinds, orders, readPlace, statuses, writePlace, type Place} from './place'
import './work.css'

/** The age in milliseconds from which the list is read again when the page gets the focus. */
const old = 15_000

export function MyWork({viewer}: {viewer: Viewer}) {
  const query = useQuery()
  const place = useMemo(() => readPlace(query), [query])
  const show = (change: Partial<Place>) => go(writePlace({...place, ...change}))
  const texts = messages.work
  return (
    <main className="page projects my-work">
      <header>
        <h1>{texts.title}</h1>
        <nav>
          <a href={projectsQuery}>{texts.projects}</a>
          <a href="/playground">{messages.projects.playground}</a>
          <AppearanceMenu />
          <UserMenu viewer={viewer} />
        </nav>
      </header>
      <nav className="work-tabs" aria-label={texts.lists}>
        {kinds.map(kind => (
          <a
            key={kind}
            href={'/' + writePlace({...place, kind})}
            aria-current={kind === place.kind ? 'page' : undefined}
            onClick={e => {
              if (e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return
              e.preventDefault()
              show({kind})
            }}
          >
            {texts.kinds[kind]}
          </a>
        ))}
      </nav>
      <div className="work-tools">
        <label>
          {texts.status}
          <select value={place.status} onChange={e => show({status: e.target.value as Place['status']})}>
            {statuses.map(s => (
              <option key={s} value={s}>
                {texts.statuses[s]}
              </option>
            ))}
          </select>
        </label>
        <label>
          {texts.order}
          <select value={place.order} onChange={e => show({order: e.target.value as Place['order']})}>
            {orders.map(o => (
              <option key={o} value={o}>
                {texts.orders[o]}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input type="checkbox" checked={place.byProject} onChange={e => show({byProject: e.target.checked})} />
          {texts.byProject}
        </label>
      </div>
      <Issues key={JSON.stringify(argumentsOf(place))} place={place} />
    </main>
  )
}

function Issues({place}: {place: Place}) {
  const {list, problem, loading, more, again} = useList(place)
  const texts = messages.work
  return (
    <>
      <p className="hint" role="status">
        {list ? texts.count(list.total, list.exact) : problem ? '' : texts.loading}
      </p>
      {problem && (
        <p className="form-problem" role="alert">
          {problem.message}{' '}
          <button type="button" onClick={again}>
            {messages.ui.tryAgain}
          </button>
        </p>
      )}
      {list?.edges.length === 0 && (
        <p>
          {texts.none[place.kind]} {place.status === 'open' && texts.noneOpen}
        </p>
      )}
      {list && place.byProject
        ? byProject(list.edges).map(({project, edges}) => (
            <section key={project.id} aria-label={project.name}>
              <h2>
                <a href={'/' + writeView(newView(project.id))} dir="auto">
                  {project.name}
                </a>
              </h2>
              <IssueList edges={edges} place={place} />
            </section>
          ))
        : list && <IssueList edges={list.edges} place={place} />}
      {list?.after && (
        <button type="button" disabled={loading} onClick={() => void more()}>
          {texts.more}
        </button>
      )}
    </>
  )
}

/** Returns the issues of a place, which are read again when the page gets the focus. */
function useList(place: Place) {
  const client = useApolloClient()
  const [list, setList] = useState<List | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [loading, setLoading] = useState(false)
  const latest = useRef<{list: List | null; at: number; turn: number}>({list: null, at: 0, turn: 0})
  // Another place is another component, by its key.
  const [variables] = useState(() => argumentsOf(place))
  const read = useCallback(
    async (first: number, known: List | null) => {
      const now = latest.current
      const turn = ++now.turn
      setLoading(true)
      try {
        const {data} = await client.query({query: WorkDocument, variables: {...variables, first, after: known?.after ?? null}, fetchPolicy: 'no-cache'})
        if (turn !== now.turn) return
        const page = data?.viewer?.issues
        if (!page) return
        now.list = withPage(known, page)
        now.at = Date.now()
        setList(now.list)
        setProblem(null)
      } catch (e) {
        if (turn === now.turn) setProblem(problemOf(e))
      } finally {
        if (turn === now.turn) setLoading(false)
      }
    },
    [client, variables],
  )
  const again = useCallback(() => void read(sizeOf(latest.current.list), null), [read])
  useEffect(() => {
    again()
    const focused = () => Date.now() - latest.current.at > old && again()
    window.addEventListener('focus', focused)
    window.addEventListener('online', again)
    return () => {
      window.removeEventListener('focus', focused)
      window.removeEventListener('online', again)
    }
  }, [again])
  return {list, problem, loading, again, more: () => read(pageSize, latest.current.list)}
}

function IssueList({edges, place}: {edges: readonly Edge[]; place: Place}) {
  const now = new Date()
  return (
    <ul className="work-issues">
      {edges.map(({node, ways}) => (
        <li key={node.id}>
          <a href={'/' + writeView({...newView(node.project.id), issue: node.num})}>
            <span className="key">
              {node.project.key}-{node.num}
            </span>
            <span className="name" dir="auto">
              {node.name || messages.panel.noName}
            </span>
          </a>
          {node.state && <Pill option={{...node.state, color: node.state.color ?? null, isClosed: !node.state.open}} name={node.state.name} />}
          {place.kind === 'teams' && (
            <span className="hint" dir="auto">
              {ways.map(w => w.participant?.name).join(', ')}
            </span>
          )}
          {node.assignees && node.assignees.length > 0 && (
            <span className="work-people" role="group" aria-label={messages.work.assignees}>
              {node.assignees.map(p => (
                <PersonName key={p.id} person={p} isShort />
              ))}
              {node.assigneeCount > node.assignees.length && <span className="hint">+{node.assigneeCount - node.assignees.length}</span>}
            </span>
          )}
          <time className="hint" dateTime={node.updatedAt} title={new Date(node.updatedAt).toLocaleString()}>
            {messages.work.updated(ago(node.updatedAt, now))}
          </time>
        </li>
      ))}
    </ul>
  )
}
