// The bar above the grid.
import {useEffect, useState, useSyncExternalStore} from 'react'
import {messages} from './messages'
import {ColumnsButton} from './table/ColumnsButton'
import {useGrid} from './context/context'
import {isTyping} from './context/signals'
import {LayoutButton} from './board/LayoutButton'
import {FilesButton} from './csv/FilesButton'
import {GroupButton} from './table/GroupButton'
import {JumpButton} from './table/JumpButton'
import {SortButton} from './table/SortButton'
import {NewIssueButton} from './panel/NewIssueButton'
import {TrashButton} from './panel/TrashButton'
import {rowSizes} from './model/view'
import {AppearanceMenu} from './ui/AppearanceMenu'
import {Icon, IconButton} from './ui/ui'
import type {Viewer} from './data/viewer'
import {UserMenu} from './ui/UserMenu'
import {LocalViewsButton} from './views/LocalViewsButton'
import {projectsQuery} from './ui/url'
import {letterOf} from './ui/keys'

export function Toolbar({viewer}: {viewer: Viewer}) {
  const {project, edits, refresh, stale, signals, view, setView} = useGrid()
  /** Whether a phone shows the tools that it hides by default. */
  const [open, setOpen] = useState(false)
  const changes = useSyncExternalStore(edits.subscribe, edits.snapshot)
  useEffect(() => {
    // The keys of the whole page, except its inputs and dialogs.
    const keys = (e: KeyboardEvent) => {
      const key = letterOf(e)
      if (e.defaultPrevented || !(e.ctrlKey || e.metaKey) || e.altKey || (key !== 'z' && key !== 'y') || isTyping(e)) return
      e.preventDefault()
      void (key === 'y' || e.shiftKey ? edits.redo() : edits.undo())
    }
    document.addEventListener('keydown', keys)
    return () => document.removeEventListener('keydown', keys)
  }, [edits])
  return (
    <header className="toolbar">
      <nav aria-label={messages.page.path}>
        <a href={projectsQuery}>{messages.page.projects}</a>
        <span aria-hidden="true">/</span>
        <h1>
          <span className="key">{project.key}</span> {project.name}
        </h1>
      </nav>
      <div className={open ? 'tools' : 'tools folded'} role="toolbar" aria-label={messages.page.tools}>
        <NewIssueButton />
        <IconButton
          label={messages.page.moreTools}
          icon={open ? 'up' : 'more'}
          className="icon-button unfold"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
        <LocalViewsButton />
        <ColumnsButton />
        <SortButton />
        <GroupButton />
        <LayoutButton />
        <JumpButton />
        <FilesButton />
        <TrashButton />
        <IconButton
          label={changes.undo ? messages.page.undoStep(changes.undo) : messages.page.undo}
          icon="undo"
          disabled={!changes.undo}
          onClick={() => void edits.undo()}
        />
        <IconButton
          label={changes.redo ? messages.page.redoStep(changes.redo) : messages.page.redo}
          icon="redo"
          disabled={!changes.redo}
          onClick={() => void edits.redo()}
        />
        <button
          type="button"
          className={stale ? 'refresh' : 'icon-button'}
          aria-label={stale ? undefined : messages.page.refresh}
          title={stale ? messages.page.putInOrderHint : messages.page.refresh}
          onClick={() => void refresh()}
        >
          <Icon name="refresh" />
          {stale && messages.page.putInOrder}
        </button>
        {project.viewerCanAdminister && <IconButton label={messages.page.settings} icon="settings" onClick={() => signals.tell('settings', null)} />}
        <AppearanceMenu
          more={() => rowSizes.map(size => ({label: messages.ui.rowSizes[size], checked: view.size === size, onSelect: () => setView({size}, 'replace')}))}
        />
        <UserMenu viewer={viewer} />
      </div>
    </header>
  )
}
