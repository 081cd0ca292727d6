// The page of a project: toolbar, filter, grid and side panel, and the state that they share.
import type {ApolloClient} from '@apollo/client'
import {useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore} from 'react'
import {CellsDocument, CursorAtDocument, CursorAtIssueDocument, type ValueInput} from '../gql/graphql'
import {AdminDialogs} from './admin/AdminDialogs'
import {failureOf} from './admin/jobs'
import {BulkBar} from './bulk/BulkBar'
import {LazyBoard} from './board/LazyBoard'
import {messages} from './messages'
import {problemOf} from './data/client'
import {columnsOf, type Project} from './model/columns'
import {GridContext, useGrid, type Grid as GridOf, type Groups} from './context/context'
import type {Costs} from './data/costs'
import {Edits} from './data/edits'
import {Freshness} from './data/freshness'
import {Jobs} from './data/jobs'
import {SavedViews, type SavedView} from './data/savedViews'
import {FilterBar} from './filter/FilterBar'
import {Grid} from './table/Grid'
import {Shortcuts} from './table/Shortcuts'
import {Palette} from './palette/Palette'
import {Panel} from './panel/Panel'
import {Cards} from './phone/Cards'
import {rememberProject} from './projects/recent'
import {BoardStore} from './data/boardRows'
import {GroupStore} from './data/groupRows'
import {boardSource, groupSource} from './data/groupSource'
import {RowStore} from './data/rows'
import {ask, gridSource, queryOf, readRow} from './data/source'
import {Signals, useSignal} from './context/signals'
import {StatusBar} from './StatusBar'
import {Toolbar} from './Toolbar'
import {phone, useMedia} from './ui/media'
import type {Toasts} from './ui/ui'
import type {Viewer} from './data/viewer'
import {useFresh} from './useFresh'
import {useToday} from './useToday'
import {LocalViewsOffer} from './views/LocalViewsOffer'
import {useFreshViews} from './views/useFreshViews'
import {useView} from './views/useView'
import {ViewTabs} from './views/ViewTabs'
import {inputOf, type Value} from './model/values'
import {boardKeyOf, groupBy, groupKeyOf} from './model/groups'
import {orderBy, orderOf} from './model/sort'
import {shownColumns} from './model/view'

/** Reports whether an input of the page has the focus. */
// eslint-disable-next-line no-restricted-syntax -- a selector
const isEditing = () => document.activeElement?.matches('input, textarea, select') === true

interface Props {
  viewer: Viewer
  project: Project
  /** The saved views of the project. */
  views: readonly SavedView[]
  client: ApolloClient
  toasts: Toasts
  costs: Costs
  /** Takes a changed definition of the project, or reads it again. */
  onReload: (changed?: Project) => void
}

export function ProjectPage({viewer, project, views, client, toasts, costs, onReload}: Props) {
  const isPhone = useMedia(phone)
  const {userName = null, user = null} = viewer
  const columns = useMemo(() => columnsOf(project), [project])
  const [saved] = useState(() => new SavedViews(client, project.id, views))
  const [view, setView] = useView(saved, columns)
  const refreshViews = useFreshViews(saved, project, view, setView, toasts)
  const chosen = view.columns?.join()
  const pinned = view.pinned.join()
  // The view changes with every scrolled row, but the columns depend only on these keys.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const shown = useMemo(() => shownColumns(view, columns), [chosen, pinned, columns])
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [stale, setStale] = useState(false)

  const sortKey = JSON.stringify(view.sort)
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const order = useMemo(() => orderOf(view.sort, columns), [columns, sortKey])
  const isBoard = view.layout === 'board'
  const grouping = JSON.stringify(isPhone && !isBoard ? null : view.group)
  // The cards of a phone have no groups.
  const groupKey = useMemo(
    () => (isBoard ? boardKeyOf(view.group, columns) : isPhone ? null : groupKeyOf(view.group, columns)),
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [columns, grouping, isBoard, isPhone],
  )
  const fields = useMemo(() => {
    const needed = [...shown, ...order.map(k => k.column), ...(groupKey ? [groupKey.column] : [])]
    return [...new Set(needed.filter(c => !c.builtin).map(c => c.id))]
  }, [shown, order, groupKey])

  const latest = useRef({fields, issue: view.issue, order})
  useLayoutEffect(() => {
    // runs before the effects of the grid, which request rows
    latest.current = {fields, issue: view.issue, order}
  })
  const query = queryOf(project, view, columns)
  // A changed definition of the project leaves the rows in place, unless the query means something else by it.
  const queryKey = JSON.stringify(query)
  const by = groupKey && [groupBy(groupKey)]
  const groupingKey = JSON.stringify(by)
  const {plain, grouped} = useMemo(() => {
    const fields = () => latest.current.fields
    const source = gridSource(
      client,
      query,
      () => latest.current.order,
      fields,
      num => num === latest.current.issue,
    )
    const groupQuery = by && {...query, by}
    const board = groupQuery && isBoard ? new BoardStore(boardSource(client, groupQuery, source.count, fields)) : null
    const grouped = groupQuery && {query: groupQuery, board, store: board ?? new GroupStore(groupSource(client, groupQuery, source.count, fields))}
    return {plain: grouped ? null : new RowStore(source), grouped}
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [client, queryKey, groupingKey, isBoard])
  const rows = (grouped?.store ?? plain)!
  const groups = useMemo<Groups | null>(() => groupKey && grouped && {key: groupKey, ...grouped}, [groupKey, grouped])
  const foldKey = JSON.stringify(view.fold)
  useLayoutEffect(() => {
    grouped?.store.setFold(view.fold)
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [grouped, foldKey])
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
        changed: (columns, issues) => signals.tell('changed', {columns: columns.map(c => c.id), issues}),
        moved: column => signals.tell('moved', column.id),
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
  const refresh = useCallback(
    async (what: 'all' | 'rows' = 'all') => {
      if (what === 'all') signals.tell('refreshed', null)
      try {
        await Promise.all([rows.refresh(), what === 'all' && refreshViews()])
        setStale(false)
      } catch {
        // the grid shows the error
      }
    },
    [rows, refreshViews, signals],
  )

  useSignal(signals, 'removed', ids => {
    rows.remove(ids)
    setSelected(s => new Set([...s].filter(id => !ids.has(id))))
    if (groups?.board) void refresh() // for its counts
  })
  useSignal(signals, 'restored', () => void refresh())
  // An edit of a filtered or sorted column marks the rows as stale. Only a refresh moves them, so that rows do not jump while the user edits.
  // A board has no cells to edit, so a card goes to its new group at once. After a move, moveTo does that.
  useSignal(signals, 'changed', ({columns: ids, issues}) => {
    if (groups?.board && ids.includes(groups.key.column.id)) {
      if (!issues || !groups.board.isMoving(issues)) void refresh('rows')
    } else if (
      [...order, ...(groupKey ? [groupKey] : [])].some(k => ids.includes(k.column.id)) ||
      view.search !== '' ||
      view.filter !== null ||
      view.conditions.some(c => ids.includes(c.column))
    )
      setStale(true)
  })
  // Rows that were moved are in their groups, and not where they were edited. So they do not stay in place when the move is undone or redone.
  useSignal(signals, 'moved', id => {
    if (groups?.key.column.id === id && !groups.board) void refresh('rows')
  })
  useEffect(() => setStale(false), [rows])
  // At midnight, the rows of a filter such as today are others. While somebody edits, they stay in place until the user wants to see them.
  const today = useToday()
  const shownDay = useRef({rows, today})
  useEffect(() => {
    const before = shownDay.current
    shownDay.current = {rows, today}
    if (before.rows !== rows || before.today === today || query.timeZone === undefined) return
    if (stale || isEditing()) setStale(true)
    else void refresh()
  }, [rows, today, query.timeZone, stale, refresh])

  const jump = useCallback(
    async (to: {num: number} | {value: ValueInput}) => {
      if (!plain) {
        if ('num' in to) setView({issue: to.num})
        return
      }
      try {
        const of = {project: project.id, orderBy: orderBy(order)}
        const cursor =
          'num' in to
            ? (await ask(client, CursorAtIssueDocument, {...of, ...to})).project!.cursorAtIssue!
            : (await ask(client, CursorAtDocument, {...of, ...to})).project!.cursorAt!
        const index = await plain.goto(cursor)
        signals.tell('jumped', index)
        const entry = 'num' in to ? plain.entry(index) : undefined
        if ('num' in to && (!entry || readRow(client.cache, entry.id, [])?.num !== to.num)) toasts.info(messages.page.notMatching(`${project.key}-${to.num}`))
      } catch (error) {
        const problem = problemOf(error)
        toasts.error(problem.code === 'NOT_FOUND' && 'num' in to ? messages.page.noIssue(`${project.key}-${to.num}`) : problem.message)
      }
    },
    [client, project, order, plain, setView, toasts, signals],
  )
  const jumpTo = useCallback((num: number) => jump({num}), [jump])
  const jumpToValue = useCallback((value: Value) => jump({value: inputOf(order[0].column.type, value)!}), [jump, order])

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
      userName,
      user,
      project,
      columns,
      shown,
      fields,
      view,
      setView,
      saved,
      order,
      rows,
      plain,
      groups,
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
      userName,
      user,
      project,
      columns,
      shown,
      fields,
      view,
      setView,
      saved,
      order,
      rows,
      plain,
      groups,
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
        <ViewTabs />
        <LocalViewsOffer />
        <FilterBar />
        <main className="work" aria-busy={!state.loaded}>
          {isBoard ? <LazyBoard /> : isPhone ? <Cards /> : <Grid />}
          <Panel />
        </main>
        <BulkBar />
        <Said />
        <StatusBar costs={costs} />
        <Shortcuts />
        <AdminDialogs />
        <Palette />
      </div>
    </GridContext>
  )
}

/** Reads out what a part of the page says. */
function Said() {
  const {signals} = useGrid()
  const [text, setText] = useState('')
  useSignal(signals, 'said', setText)
  return (
    <span className="visually-hidden" role="status" data-testid="said">
      {text}
    </span>
  )
}
