// The tabs above the grid: the saved views of the project, and all issues.
import {useEffect, useRef, useState, type KeyboardEvent} from 'react'
import {messages} from '../messages'
import type {SavedView} from '../data/savedViews'
import {useGrid} from '../context/context'
import {Icon, IconButton, Menu, MenuButton, type MenuItem} from '../ui/ui'
import {ConflictDialog, DeleteDialog, SaveDialog} from './dialogs'
import {LinkDialog} from './LinkDialog'
import {NameDialog} from './NameDialog'
import {Problems} from './Problems'
import {actionsOf, longestName, tabsOf, type Action} from './saved'
import {idOf, useTabs} from './useTabs'
import './views.css'

type Asked =
  {what: 'save'} | {what: 'duplicate' | 'rename' | 'delete'; view: SavedView} | {what: 'conflict'; view: SavedView} | {what: 'link'; url: string} | null

const icons = {
  save: 'check',
  rename: 'edit',
  duplicate: 'plus',
  share: 'person',
  makePrivate: 'person',
  makeDefault: 'pin',
  noDefault: 'pin',
  copyLink: 'link',
  delete: 'trash',
} as const

export function ViewTabs() {
  const {project} = useGrid()
  const [asked, setAsked] = useState<Asked>(null)
  const tabs = useTabs(
    view => setAsked({what: 'conflict', view}),
    url => setAsked({what: 'link', url}),
  )
  const {views, current, isChanged} = tabs
  const list = tabsOf(views)
  const selected = list.indexOf(current)
  /** The view whose tab the Tab key reaches, by its ID; null for the selected one. */
  const [reached, setReached] = useState<string | null>(null)
  const [menu, setMenu] = useState<{anchor: Element; view: SavedView | null} | null>(null)
  const bar = useRef<HTMLDivElement>(null)
  const found = list.findIndex(v => idOf(v) === reached)
  const at = found < 0 ? selected : found
  useEffect(() => {
    bar.current?.querySelector('[aria-selected=true]')?.scrollIntoView({block: 'nearest', inline: 'nearest'})
  }, [selected])

  const run = (action: Action, view: SavedView | null) => {
    if (action === 'copyLink') return void tabs.copyLink(view)
    if (!view) return
    switch (action) {
      case 'save':
        return void tabs.save(view)
      case 'rename':
      case 'duplicate':
      case 'delete':
        return setAsked({what: action, view})
      case 'share':
        return void tabs.change(view, {shared: true})
      case 'makePrivate':
        return void tabs.change(view, {shared: false})
      case 'makeDefault':
        return void tabs.change(view, {isDefault: true})
      case 'noDefault':
        return void tabs.change(view, {isDefault: false})
    }
  }
  const may = (view: SavedView | null, action: Action) => actionsOf(view, project).includes(action)
  const items = (view: SavedView | null): MenuItem[] =>
    actionsOf(view, project)
      .filter(action => action !== 'save')
      .map(action => ({label: messages.views.actions[action], icon: icons[action], separated: action === 'delete', onSelect: () => run(action, view)}))

  const keys = (e: KeyboardEvent<HTMLElement>) => {
    const view = list[at] ?? null
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: list.length - 1}[e.key]
    if (to !== undefined) {
      const next = (to + list.length) % list.length
      e.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
    } else if (e.key === 'F2' && may(view, 'rename')) run('rename', view)
    else if (e.key === 'Delete' && may(view, 'delete')) run('delete', view)
    else if (e.key === 'ContextMenu' || (e.key === 'F10' && e.shiftKey)) setMenu({anchor: e.target as Element, view})
    else return
    e.preventDefault()
    e.stopPropagation()
  }
  const texts = messages.views
  const name = current?.name ?? texts.allIssues
  const close = () => setAsked(null)
  return (
    <section className="view-bar" aria-label={texts.views}>
      <div ref={bar} className="view-tabs" role="tablist" aria-label={texts.views} onKeyDown={keys} onBlur={() => setReached(null)}>
        {list.map((v, i) => (
          <Tab
            key={idOf(v)}
            view={v}
            selected={i === selected}
            changed={i === selected ? isChanged : tabs.hasDraft(v)}
            reached={i === at}
            onOpen={() => tabs.open(v)}
            onMenu={anchor => setMenu({anchor, view: v})}
            onReach={() => setReached(idOf(v))}
          />
        ))}
      </div>
      <MenuButton key={current?.id} className="icon-button" label={texts.menuOf(name)} title={texts.menuOf(name)} items={() => items(current)}>
        <Icon name="more" />
      </MenuButton>
      {isChanged && (
        <>
          {may(current, 'save') && (
            <button type="button" className="primary" disabled={tabs.busy} onClick={() => run('save', current)}>
              {texts.save}
            </button>
          )}
          <button type="button" onClick={() => setAsked({what: 'save'})}>
            {texts.saveAs}
          </button>
          <button type="button" className="quiet" onClick={tabs.discard}>
            {texts.discard}
          </button>
        </>
      )}
      {!isChanged && <IconButton label={texts.newView} icon="plus" onClick={() => setAsked({what: 'save'})} />}
      {current && current.problems.length > 0 && (
        <Problems problems={current.problems} onSave={may(current, 'save') ? () => void tabs.change(current, tabs.contentOf(current)) : undefined} />
      )}
      {menu && <Menu anchor={menu.anchor} label={texts.menuOf(menu.view?.name ?? texts.allIssues)} items={items(menu.view)} onClose={() => setMenu(null)} />}
      {asked?.what === 'save' && <SaveDialog onClose={close} onSave={tabs.saveAs} initial="" hasMore={tabs.hasMore} />}
      {asked?.what === 'duplicate' && (
        <SaveDialog onClose={close} onSave={(n, shared) => tabs.duplicate(asked.view, n, shared)} initial={texts.copyOf(asked.view.name)} hasMore={false} />
      )}
      {asked?.what === 'rename' && (
        <NameDialog
          title={texts.renameView(asked.view.name)}
          action={texts.rename}
          initial={asked.view.name}
          most={longestName}
          fault={() => null}
          onName={n => tabs.rename(asked.view, n)}
          onClose={close}
        />
      )}
      {asked?.what === 'delete' && <DeleteDialog view={asked.view} onClose={close} onDelete={() => tabs.remove(asked.view)} />}
      {asked?.what === 'conflict' && (
        <ConflictDialog view={asked.view} onClose={close} onReload={() => tabs.reload(asked.view)} onOverwrite={() => void tabs.overwrite(asked.view)} />
      )}
      {asked?.what === 'link' && <LinkDialog url={asked.url} onClose={close} />}
    </section>
  )
}

interface TabProps {
  view: SavedView | null
  selected: boolean
  changed: boolean
  reached: boolean
  onOpen: () => void
  onMenu: (anchor: Element) => void
  onReach: () => void
}

function Tab({view, selected, changed, reached, onOpen, onMenu, onReach}: TabProps) {
  const texts = messages.views
  const name = view?.name ?? texts.allIssues
  const about = [view?.shared === false && texts.private, view?.isDefault && texts.default, changed && texts.changed].filter(
    a => a !== false && a !== undefined,
  )
  const label = [name, ...about].join(', ')
  return (
    <button
      type="button"
      role="tab"
      aria-selected={selected}
      aria-label={label}
      title={label}
      tabIndex={reached ? 0 : -1}
      onClick={onOpen}
      onFocus={onReach}
      onContextMenu={e => {
        e.preventDefault()
        onMenu(e.currentTarget)
      }}
    >
      {view?.shared === false && <Icon name="person" />}
      {view?.isDefault && <Icon name="pin" />}
      <span className="views-name" dir="auto">
        {name}
      </span>
      {changed && (
        <span className="view-mark" aria-hidden="true">
          •
        </span>
      )}
    </button>
  )
}
