// The page of a project: toolbar, filter, grid and side panel, and the state that they share.
import type {ApolloClient} from '@apollo/client'
import {useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore} from 'react'
import {CellsDocument, CursorAtDocument, type ValueInput} from '../gql/graphql'
import {AdminDialogs} from './admin/AdminDialogs'
import {failureOf} from './admin/jobs'
import {BulkBar} from './bulk/BulkBar'
import {messages} from './messages'
import {problemOf} from './data/client'
import {columnsOf, type Project} from './model/columns'
import {GridContext, type Grid as GridOf} from './context/context'
import type {Costs} from './data/costs'
import {Edits} from './data/edits'
import {Freshness} from './data/freshness'
import {Jobs} from './data/jobs'
import {FilterBar} from './filter/FilterBar'
import {Grid} from './table/Grid'
import {Shortcuts} from './table/Shortcuts'
import {Palette} from './palette/Palette'
import {Panel} from './panel/Panel'
import {Cards} from './phone/Cards'
import {rememberProject} from './projects/recent'
import {RowStore} from './data/rows'
import {ask, gridSource, queryOf, readRow, type Order} from './data/source'
import {Signals, useSignal} from './context/signals'
import {StatusBar} from './StatusBar'
import {Toolbar} from './Toolbar'
import {phone, useMedia} from './ui/media'
import type {Toasts} from './ui/ui'
import type {Viewer} from './data/viewer'
import {useFresh} from './useFresh'
import {useView} from './views/useView'
import {inputOf, type Value} from './model/values'
import {numberSort, orderBy, shownColumns} from './model/view'

interface Props {
  viewer: Viewer
  project: Project
  client: ApolloClient
  toasts: Toasts
  costs: Costs
  /** Takes a changed definition of the project, or reads it again. */
  onReload: (changed?: Project) => void
}

export function ProjectPage({viewer, project, client, toasts, costs, onReload}: Props) {
  const [view, setView] = useView()
  const isPhone = useMedia(phone)
  const columns = useMemo(() => columnsOf(project), [project])
  const chosen = view.columns?.join()
  const pinned = view.pinned.join()
  // The view changes with every scrolled row, but the columns depend only on these keys.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const shown = useMemo(() => shownColumns(view, columns), [chosen, pinned, columns])
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [stale, setStale] = useState(false)

  const sortKey = JSON.stringify(view.sort)
  const order = useMemo<Order>(() => {
    const column = columns.find(c => c.id === view.sort.column && c.sortable)
    const {descending, emptyFirst} = column ? view.sort : numberSort
    return {column: column ?? columns[0]!, descending, emptyFirst}
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [columns, sortKey])
  const fields = useMemo(() => [...new Set([...shown, order.column].filter(c => !c.builtin).map(c => c.id))], [shown, order])

  const latest = useRef({fields, issue: view.issue, order})
  useLayoutEffect(() => {
    // runs before the effects of the grid, which request rows
    latest.current = {fields, issue: view.issue, order}
  })
  const query = queryOf(project, view, columns)
  // A changed definition of the project leaves the rows in place, unless the query means something else by it.
  const queryKey = JSON.stringify(query)
  const rows = useMemo(() => {
    return new RowStore(
      gridSource(
        client,
        query,
        () => latest.current.order,
        () => latest.current.fields,
        num => num === latest.current.issue,
      ),
    )
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [client, queryKey])
  useEffect(() => {
    rows.open(view.at)
    const online = () => rows.snapshot().error !== null && rows.retry()
    window.addEventListener('online', online)
    return () => window.removeEventListener('online', online)
    // Only the position in the URL at the start counts.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [rows])

  // Ignores a position that the server rejects, such as one in the order of another column.
  const state = useSyncExternalStore(rows.subscribe, rows.snapshot)
  const isLost = state.error !== null && !state.loaded && view.at !== null && problemOf(state.error).code === 'BAD_USER_INPUT'
  useEffect(() => {
    if (!isLost) return
    setView({at: null}, 'replace')
    rows.retry()
  }, [isLost, setView, rows])

  // Loads the values of newly shown columns for the loaded rows.
  const had = useRef({rows, fields})
  useEffect(() => {
    const before = had.current
    had.current = {rows, fields}
    const added = fields.filter(f => !before.fields.includes(f))
    if (before.rows !== rows || added.length === 0) return
    const missing = rows.snapshot().entries.filter(e => !readRow(client.cache, e.id, added))
    for (let i = 0; i < missing.length; i += 100) {
      ask(client, CellsDocument, {ids: missing.slice(i, i + 100).map(e => e.id), fields: added}).catch((e: unknown) =>
        toasts.error(problemOf(e).message, {label: messages.ui.tryAgain, run: () => void rows.refresh()}),
      )
    }
  }, [rows, fields, client, toasts])

  useEffect(() => rememberProject(project.id), [project.id])
  const [signals] = useState(() => new Signals())
  const edits = useMemo(
    () =>
      new Edits(client, project.id, {
        // Retrying is pointless if the server has rejected the input.
        failed: (problem, retry) =>
          toasts.error(
            messages.page.notSaved(problem.message),
            ['BAD_USER_INPUT', 'NOT_FOUND', 'FORBIDDEN'].includes(problem.code) ? undefined : {label: messages.ui.tryAgain, run: retry},
          ),
        removed: ids => signals.tell('removed', ids),
        restored: () => signals.tell('restored', null),
        changed: columns =>
          signals.tell(
            'changed',
            columns.map(c => c.id),
          ),
      }),
    [client, project.id, toasts, signals],
  )
  const {pending, conflicts} = useSyncExternalStore(edits.subscribe, edits.snapshot)
  const isUnsaved = pending > 0 || conflicts.length > 0
  useEffect(() => {
    if (!isUnsaved) return
    const ask = (e: BeforeUnloadEvent) => e.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isUnsaved])
  const refresh = useCallback(async () => {
    try {
      await rows.refresh()
      setStale(false)
    } catch {
      // the grid shows the error
    }
  }, [rows])

  useSignal(signals, 'removed', ids => {
    rows.remove(ids)
    setSelected(s => new Set([...s].filter(id => !ids.has(id))))
  })
  useSignal(signals, 'restored', () => void refresh())
  // An edit of a filtered or sorted column marks the rows as stale. Only a refresh moves them, so that rows do not jump while the user edits.
  useSignal(signals, 'changed', ids => {
    if (ids.includes(view.sort.column) || view.search !== '' || view.conditions.some(c => ids.includes(c.column))) setStale(true)
  })
  useEffect(() => setStale(false), [rows])

  const jump = useCallback(
    async (to: {num: number} | {value: ValueInput | null}) => {
      try {
        const {project: p} = await ask(client, CursorAtDocument, {
          project: project.id,
          orderBy: orderBy(order.column.id === view.sort.column ? view.sort : numberSort, columns),
          ...to,
        })
        const index = await rows.goto(p!.cursorAt!)
        signals.tell('jumped', index)
        const entry = 'num' in to ? rows.entry(index) : undefined
        if ('num' in to && (!entry || readRow(client.cache, entry.id, [])?.num !== to.num)) toasts.info(messages.page.notMatching(`${project.key}-${to.num}`))
      } catch (error) {
        const problem = problemOf(error)
        toasts.error(problem.code === 'NOT_FOUND' && 'num' in to ? messages.page.noIssue(`${project.key}-${to.num}`) : problem.message)
      }
    },
    [client, project, order, view.sort, columns, rows, toasts, signals],
  )
  const jumpTo = useCallback((num: number) => jump({num}), [jump])
  const jumpToValue = useCallback((value: Value) => jump({value: inputOf(order.column.type, value)}), [jump, order])

  const latestReload = useRef(onReload)
  useEffect(() => {
    latestReload.current = onReload
  })
  const reload = useCallback((changed?: Project) => latestReload.current(changed), [])
  // When the last job ends, the definition and the values are what it made of them.
  const latestRefresh = useRef(refresh)
  useEffect(() => {
    latestRefresh.current = refresh
  })
  const jobs = useMemo(
    () =>
      new Jobs(client, project.id, {
        ended: job => {
          const failure = failureOf(job, project.key)
          if (failure) toasts.error(failure)
        },
        settled: () => {
          reload()
          void latestRefresh.current()
        },
      }),
    [client, project.id, project.key, toasts, reload],
  )
  const freshness = useMemo(() => new Freshness(client), [client])
  useFresh(freshness, rows, edits, fields, signals)
  const isRebuilding = project.rebuilding || project.fields!.some(f => f.rebuilding)
  useEffect(() => {
    if (isRebuilding) jobs.watch()
    return jobs.stop
  }, [jobs, isRebuilding])

  const grid = useMemo<GridOf>(
    () => ({
      client,
      project,
      columns,
      shown,
      fields,
      view,
      setView,
      order,
      rows,
      edits,
      jobs,
      freshness,
      reload,
      toasts,
      selected,
      setSelected,
      jumpTo,
      jumpToValue,
      refresh,
      stale,
      signals,
    }),
    [
      client,
      project,
      columns,
      shown,
      fields,
      view,
      setView,
      order,
      rows,
      edits,
      jobs,
      freshness,
      reload,
      toasts,
      selected,
      jumpTo,
      jumpToValue,
      refresh,
      stale,
      signals,
    ],
  )
  return (
    <GridContext value={grid}>
      <div className="project">
        <Toolbar viewer={viewer} />
        <FilterBar />
        <main className="work" aria-busy={!state.loaded}>
          {isPhone ? <Cards /> : <Grid />}
          <Panel />
        </main>
        <BulkBar />
        <StatusBar costs={costs} />
        <Shortcuts />
        <AdminDialogs />
        <Palette />
      </div>
    </GridContext>
  )
}
