// The bar above the grid.
import {useState, useSyncExternalStore} from 'react'
import {ColumnsButton} from './table/ColumnsButton'
import {useGrid} from './context/context'
import {FilesButton} from './csv/FilesButton'
import {JumpButton} from './table/JumpButton'
import {NewIssueButton} from './panel/NewIssueButton'
import {TrashButton} from './panel/TrashButton'
import {SortButton} from './phone/SortButton'
import {applyTheme, chosenTheme, type Theme} from './ui/theme'
import {Icon, IconButton, MenuButton} from './ui/ui'
import type {Viewer} from './data/viewer'
import {UserMenu} from './ui/UserMenu'
import {ViewsButton} from './views/ViewsButton'

export function Toolbar({viewer}: {viewer: Viewer}) {
  const {project, edits, refresh, stale, signals} = useGrid()
  /** Whether a phone shows the tools that it hides by default. */
  const [open, setOpen] = useState(false)
  const changes = useSyncExternalStore(edits.subscribe, edits.snapshot)
  return (
    <header className="toolbar">
      <nav aria-label="Where you are">
        <a href="/">Projects</a>
        <span aria-hidden="true">/</span>
        <h1>
          <span className="key">{project.key}</span> {project.name}
        </h1>
      </nav>
      <div className={open ? 'tools' : 'tools folded'} role="toolbar" aria-label="Tools">
        <NewIssueButton />
        <IconButton label="More tools" icon={open ? 'up' : 'more'} className="icon-button unfold" aria-expanded={open} onClick={() => setOpen(!open)} />
        <SortButton />
        <ViewsButton />
        <ColumnsButton />
        <JumpButton />
        <FilesButton />
        <TrashButton />
        <IconButton label={changes.undo ? `Undo ${changes.undo}` : 'Undo'} icon="undo" disabled={!changes.undo} onClick={() => void edits.undo()} />
        <IconButton label={changes.redo ? `Redo ${changes.redo}` : 'Redo'} icon="redo" disabled={!changes.redo} onClick={() => void edits.redo()} />
        <button
          type="button"
          className={stale ? 'refresh' : 'icon-button'}
          aria-label={stale ? undefined : 'Refresh'}
          title={stale ? 'What you edited is sorted or filtered by: read it again in order' : 'Refresh'}
          onClick={() => void refresh()}
        >
          <Icon name="refresh" />
          {stale && 'Put in order'}
        </button>
        {project.viewerCanAdminister && <IconButton label="Settings" icon="settings" onClick={() => signals.tell('settings', null)} />}
        <MenuButton
          label="Appearance"
          className="icon-button"
          items={() =>
            (['system', 'light', 'dark'] as Theme[]).map(t => ({
              label: {system: 'As the system', light: 'Light', dark: 'Dark'}[t],
              checked: chosenTheme() === t,
              onSelect: () => applyTheme(t),
            }))
          }
        >
          <Icon name="moon" />
        </MenuButton>
        <UserMenu viewer={viewer} />
      </div>
    </header>
  )
}
