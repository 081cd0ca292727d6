// The side panel with the issue of the view. It is next to the grid on wide screens, and covers the page on phones.
import {useEffect, useId, useRef, useState, useSyncExternalStore, type KeyboardEvent, type ReactNode, type RefObject} from 'react'
import type {Column} from '../model/columns'
import {useGrid} from '../context/context'
import {DeleteDialog} from './DeleteDialog'
import {Editable} from './Editable'
import type {Drafts} from './LongText'
import {messages} from '../messages'
import './panel.css'
import {LazyComments} from './LazyComments'
import {PanelFields} from './PanelFields'
import {PanelHistory} from './PanelHistory'
import {rowKey} from '../data/rows'
import {readRow} from '../data/source'
import {isComposing, letterOf} from '../ui/keys'
import {narrow, useMedia} from '../ui/media'
import {Icon, IconButton, MenuButton} from '../ui/ui'
import {useIssue, type IssueState} from './useIssue'
import type {Value} from '../model/values'
import {newView, writeView} from '../model/view'

/** The elements that undo by themselves. */
// eslint-disable-next-line no-restricted-syntax -- a selector
const inputs = 'input, textarea, select'

export function Panel() {
  const {view} = useGrid()
  const num = view.issue
  const drafts = useRef<Drafts>(new Map())
  const heading = useRef<HTMLHeadingElement>(null)
  const before = useRef(num)
  const wasOpened = useRef(false)
  useEffect(() => {
    const was = before.current
    before.current = num
    if (was === num) return
    wasOpened.current = num !== null
    const active = document.activeElement
    if (num === null) {
      if (active === null || active === document.body) document.querySelector<HTMLElement>('[role="grid"]')?.focus({preventScroll: true})
    } else if (!heading.current?.closest('aside')?.contains(active)) heading.current?.focus({preventScroll: true})
  }, [num])
  return num === null ? null : <OpenPanel num={num} heading={heading} drafts={drafts.current} wasOpened={wasOpened} />
}

interface OpenProps {
  num: number
  heading: RefObject<HTMLHeadingElement | null>
  drafts: Drafts
  /** Whether the entry before this one in the browser's history is the grid. */
  wasOpened: RefObject<boolean>
}

function OpenPanel({num, heading, drafts, wasOpened}: OpenProps) {
  const {project, setView, edits} = useGrid()
  const state = useIssue(num)
  const panel = useRef<HTMLElement>(null)
  const title = useId()
  const [deleting, setDeleting] = useState(false)
  const [tab, setTab] = useState(0)
  const isPage = useMedia(narrow)
  // As a page, the panel is left like one: its Back button and the browser's do the same.
  const close = () => (!isPage ? setView({issue: null}) : wasOpened.current ? history.back() : setView({issue: null}, 'replace'))
  useCover(panel)

  const keys = (e: KeyboardEvent) => {
    if (isComposing(e)) return
    const letter = letterOf(e)
    if (e.key === 'Escape') {
      e.preventDefault()
      close()
    } else if ((e.ctrlKey || e.metaKey) && !e.altKey && (letter === 'z' || letter === 'y') && !(e.target as Element).matches(inputs)) {
      e.preventDefault()
      void (e.shiftKey || letter === 'y' ? edits.redo() : edits.undo())
    }
  }
  return (
    <aside ref={panel} className="panel" aria-labelledby={title} data-testid="panel" onKeyDown={keys}>
      <header className="panel-head">
        {isPage && <IconButton label={messages.panel.back} icon="left" onClick={close} />}
        <h2 ref={heading} id={title} tabIndex={-1}>
          <span className="visually-hidden">{messages.panel.issue} </span>
          {project.key}-{num}
        </h2>
        <Steps id={state.issue?.id ?? null} />
        <span className="spacer" />
        <PanelMenu num={num} canDelete={project.viewerCanEdit && state.issue !== null} onDelete={() => setDeleting(true)} />
        {!isPage && <IconButton label={messages.panel.close} icon="close" onClick={close} />}
      </header>
      <PanelBody key={state.issue?.id ?? 'none'} num={num} state={state} drafts={drafts} tab={tab} onTab={setTab} onClose={close} />
      {deleting && state.issue && <DeleteDialog ids={[state.issue.id]} onClose={() => setDeleting(false)} onDeleted={close} />}
    </aside>
  )
}

/** Makes the elements that the panel covers inert, so that the keyboard cannot reach them. */
function useCover(panel: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const media = matchMedia(narrow)
    let covered: HTMLElement[] = []
    const uncover = () => covered.forEach(e => (e.inert = false))
    const cover = () => {
      uncover()
      covered = []
      if (!media.matches) return
      const page = panel.current?.closest('.project')
      for (let at: Element | null = panel.current; at && at !== page; at = at.parentElement) {
        for (const e of at.parentElement?.children ?? [])
          if (e !== at && e instanceof HTMLElement && !(e instanceof HTMLDialogElement) && !e.inert) covered.push(e)
      }
      covered.forEach(e => (e.inert = true))
    }
    cover()
    media.addEventListener('change', cover)
    return () => {
      media.removeEventListener('change', cover)
      uncover()
    }
  }, [panel])
}

/** Buttons to the previous and next issue of the grid. */
function Steps({id}: {id: string | null}) {
  const {rows, groups, client, setView, signals} = useGrid()
  const {entries, start, height} = useSyncExternalStore(rows.subscribe, rows.snapshot)
  const at = id === null ? -1 : entries.findIndex(e => e.id === id)
  const index = at < 0 ? -1 : groups ? rows.indexOf(rowKey(entries[at]!)) : start + at
  // Loads more rows near the ends of the loaded ones, so that there is always a next issue.
  const atEnd = at >= 0 && (at >= entries.length - 2 || at < 2)
  useEffect(() => {
    if (atEnd && !groups && height > entries.length) rows.show(Math.max(0, index - 2), index + 2)
  }, [atEnd, groups, height, entries.length, rows, index])
  const to = (index: number) => {
    const entry = rows.entry(index)
    const row = entry && readRow(client.cache, entry.id, [])
    if (!row) return undefined
    return () => {
      signals.tell('row', index)
      setView({issue: row.num}, 'replace')
    }
  }
  const [previous, next] = index < 0 ? [] : [to(index - 1), to(index + 1)]
  // Uses aria-disabled, because disabled buttons would lose the focus at the ends.
  return (
    <>
      <IconButton label={messages.panel.previous} icon="up" aria-disabled={!previous} onClick={previous} />
      <IconButton label={messages.panel.next} icon="down" aria-disabled={!next} onClick={next} />
    </>
  )
}

function PanelMenu({num, canDelete, onDelete}: {num: number; canDelete: boolean; onDelete: () => void}) {
  const {project, toasts} = useGrid()
  const copy = () => {
    const link = location.origin + location.pathname + writeView({...newView(project.id), issue: num})
    const failed = () => toasts.error(messages.panel.copyFailed(link))
    // Without TLS, the browser has no clipboard API.
    if (!(navigator.clipboard as Clipboard | undefined)) return failed()
    navigator.clipboard.writeText(link).then(() => toasts.info(messages.panel.copied(`${project.key}-${num}`)), failed)
  }
  return (
    <MenuButton
      label={messages.panel.more}
      className="icon-button"
      items={() => [
        {label: messages.panel.copyLink, icon: 'export', onSelect: copy},
        ...(canDelete ? [{label: messages.panel.delete, icon: 'trash' as const, separated: true, onSelect: onDelete}] : []),
      ]}
    >
      <Icon name="more" />
    </MenuButton>
  )
}

interface BodyProps {
  num: number
  state: IssueState
  drafts: Drafts
  tab: number
  onTab: (tab: number) => void
  onClose: () => void
}

function PanelBody({num, state, drafts, tab, onTab, onClose}: BodyProps) {
  const {project} = useGrid()
  const {issue, problem, fields, reload, saveText} = state
  if (!issue && problem?.code === 'NOT_FOUND') {
    return (
      <Message>
        <h3>{messages.panel.missing(`${project.key}-${num}`)}</h3>
        <p>{messages.panel.missingWhy}</p>
        <p className="actions">
          <button type="button" onClick={onClose}>
            {messages.panel.close}
          </button>
        </p>
      </Message>
    )
  }
  if (!issue && problem) {
    const isOffline = problem.code === 'OFFLINE'
    return (
      <Message>
        <h3>{isOffline ? messages.panel.offlineTitle : messages.panel.loadFailed}</h3>
        <p>{isOffline ? messages.panel.loadsLater : problem.message}</p>
        <p className="actions">
          <button type="button" className="primary" onClick={() => void reload()}>
            {messages.panel.tryAgain}
          </button>
        </p>
      </Message>
    )
  }
  if (!issue) {
    return (
      <div className="panel-body panel-bones" role="status" aria-label={messages.panel.loadingIssue}>
        {Array.from({length: 8}, (_, i) => (
          <span key={i} className="bone" />
        ))}
      </div>
    )
  }
  return (
    <div className="panel-body">
      {problem && (
        <p className="panel-problem" role="alert">
          {problem.code === 'OFFLINE' ? messages.panel.maybeOld : problem.message}{' '}
          <button type="button" onClick={() => void reload()}>
            {messages.panel.tryAgain}
          </button>
        </p>
      )}
      <Name issue={issue} />
      <Tabs
        open={tab}
        onOpen={onTab}
        tabs={[
          {label: messages.panel.details, content: () => <PanelFields issue={issue} fields={fields} drafts={drafts} onSaveText={saveText} reload={reload} />},
          {label: messages.panel.comments.title, content: () => <LazyComments id={issue.id} drafts={drafts} />},
          {label: messages.panel.history.title, content: () => <PanelHistory id={issue.id} version={issue.row.version} />},
        ]}
      />
    </div>
  )
}

function Message({children}: {children: ReactNode}) {
  return (
    <div className="panel-body panel-message" role="status">
      {children}
    </div>
  )
}

function Name({issue: {id, row}}: {issue: NonNullable<IssueState['issue']>}) {
  const {columns, edits} = useGrid()
  const column = columns.find(c => c.builtin === 'NAME')!
  const save = (column: Column, before: Value, value: Value) => edits.change([{id, cells: [{column, before, value}]}], messages.data.changeOf(column.label))
  return (
    <div className="panel-name">
      <Editable column={column} value={row.name} onSave={save}>
        {row.name ? <span dir="auto">{row.name}</span> : <span className="hint">{messages.panel.noName}</span>}
      </Editable>
    </div>
  )
}

function Tabs({tabs, open, onOpen}: {tabs: {label: string; content: () => ReactNode}[]; open: number; onOpen: (tab: number) => void}) {
  const id = useId()
  const keys = (e: KeyboardEvent<HTMLElement>) => {
    const to = {ArrowRight: open + 1, ArrowLeft: open - 1, Home: 0, End: tabs.length - 1}[e.key]
    if (to === undefined) return
    e.preventDefault()
    const next = (to + tabs.length) % tabs.length
    onOpen(next)
    e.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus()
  }
  return (
    <>
      <div className="tabs" role="tablist" aria-label={messages.panel.parts} onKeyDown={keys}>
        {tabs.map((t, i) => (
          <button
            key={t.label}
            type="button"
            role="tab"
            id={`${id}-tab-${i}`}
            aria-controls={`${id}-panel`}
            aria-selected={i === open}
            tabIndex={i === open ? 0 : -1}
            onClick={() => onOpen(i)}
          >
            {t.label}
          </button>
        ))}
      </div>
      <div key={open} role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${open}`} className="tab-panel">
        {tabs[open]?.content()}
      </div>
    </>
  )
}
