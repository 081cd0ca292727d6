// Finds actions, columns, views and issues by what is typed.
import {useEffect, useId, useMemo, useRef, useState, type KeyboardEvent} from 'react'
import {FindIssuesDocument} from '../../gql/later/graphql'
import {messages} from '../messages'
import {parseNumber} from '../model/columns'
import {allIssues, isFiltered, noFilter, otherLayout, rowSizes} from '../model/view'
import {useGrid, type Grid} from '../context/context'
import {ask} from '../data/source'
import {matches, type Command} from './matches'
import {applyTheme} from '../ui/theme'
import {Dialog, Icon, type IconName} from '../ui/ui'
import {projectsQuery} from '../ui/url'
import {Links, shownAs, tabsOf} from '../views/saved'
import {changeTo, viewStore} from '../views/views'
import './palette.css'
import {isComposing} from '../ui/keys'

const icons: Record<Command['kind'], IconName> = {issue: 'panel', action: 'right', view: 'view', column: 'columns'}

/** How many commands are listed. */
const most = 50
/** The delay between the last key and the request for issues, in milliseconds. */
const pause = 250

export default function PaletteDialog({onClose}: {onClose: () => void}) {
  const {setView} = useGrid()
  const commands = useCommands()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const id = useId()
  const issues = useIssues(text)
  const found = useMemo(() => [...issues, ...matches(commands, text).slice(0, most), ...searches(text, setView)], [issues, commands, text, setView])
  const at = Math.min(active, found.length - 1)
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({block: 'nearest'})
  }, [at])

  const run = (command: Command | undefined) => {
    if (!command) return
    onClose()
    setTimeout(command.run) // after the dialog has returned the focus, so that what opens now can take it
  }
  const keys = (e: KeyboardEvent) => {
    if (isComposing(e)) return
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      e.preventDefault()
      setActive((at + (e.key === 'ArrowDown' ? 1 : -1) + found.length) % Math.max(1, found.length))
    } else if (e.key === 'Enter') {
      e.preventDefault()
      run(found[at])
    }
  }
  return (
    <Dialog title={messages.palette.title} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        className="palette-input"
        data-autofocus
        aria-label={messages.palette.prompt}
        placeholder={messages.palette.prompt}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={e => {
          setText(e.target.value)
          setActive(0)
        }}
        onKeyDown={keys}
      />
      <ul ref={list} id={id} role="listbox" aria-label={messages.palette.found} className="palette-list">
        {found.map((c, i) => (
          <li
            key={`${i} ${c.kind} ${c.label}`}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === at}
            onPointerMove={() => setActive(i)}
            onClick={() => run(c)}
          >
            <Icon name={icons[c.kind]} />
            <span dir="auto">{c.label}</span>
            <span className="hint">{c.keys ?? messages.palette.kinds[c.kind]}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** Returns the issues that a text names: by the number or key, or by the beginning of the name. */
function useIssues(text: string): Command[] {
  const {client, project, jumpTo, setView, toasts} = useGrid()
  const [named, setNamed] = useState<{text: string; issues: readonly {num: number; name: string}[]}>({text: '', issues: []})
  const wanted = text.trim()
  useEffect(() => {
    if (wanted.length < 2) return
    let current = true
    const timer = setTimeout(() => {
      ask(client, FindIssuesDocument, {project: project.id, name: wanted}).then(
        ({project: p}) => current && setNamed({text: wanted, issues: p?.issues?.nodes ?? []}),
        () => undefined, // the other commands are found without the server
      )
    }, pause)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [client, project.id, wanted, toasts])
  return useMemo(() => {
    const open = (num: number, label: string): Command => ({kind: 'issue', label, run: () => void jumpTo(num).then(() => setView({issue: num}))})
    const num = parseNumber(project, wanted)
    return [
      ...(num === null ? [] : [open(num, `${project.key}-${num}`)]),
      ...(named.text !== '' && wanted.startsWith(named.text) ? named.issues : [])
        .filter(i => i.num !== num && i.name.toLowerCase().startsWith(wanted.toLowerCase()))
        .map(i => open(i.num, `${project.key}-${i.num} ${i.name}`)),
    ]
  }, [project, wanted, named, jumpTo, setView])
}

/** Returns the search of the grid for a text, the last command of the list. */
function searches(text: string, setView: Grid['setView']): Command[] {
  const wanted = text.trim()
  return wanted === '' ? [] : [{kind: 'issue', label: messages.palette.searchIssues(wanted), run: () => setView({search: wanted, at: null})}]
}

/** Returns everything that can be done without knowing an issue. */
function useCommands(): Command[] {
  const {columns, edits, project, refresh, saved, setView, shown, signals, user, view} = useGrid()
  return useMemo(() => {
    const action = (label: string, run: () => void, keys?: string): Command => ({kind: 'action', label, run, keys})
    const texts = messages.palette
    const canEdit = project.viewerCanEdit
    const {undo, redo} = edits.snapshot()
    return [
      ...(canEdit ? [action(texts.newIssue, () => signals.tell('open', 'issue'), 'Alt+N')] : []),
      action(texts.goToRow, () => signals.tell('open', 'jump'), texts.ctrl('G')),
      action(texts.columns, () => signals.tell('open', 'columns')),
      action(texts.sort, () => signals.tell('open', 'sort')),
      action(view.layout === 'board' ? texts.grid : texts.board, () => setView(otherLayout(view))),
      ...(canEdit ? [action(texts.import, () => signals.tell('open', 'import'))] : []),
      action(texts.export, () => signals.tell('open', 'export')),
      action(texts.trash, () => signals.tell('open', 'trash')),
      ...(undo ? [action(texts.undo(undo), () => void edits.undo(), texts.ctrl('Z'))] : []),
      ...(redo ? [action(texts.redo(redo), () => void edits.redo(), texts.ctrl('Y'))] : []),
      action(texts.refresh, () => void refresh()),
      ...(isFiltered(view) ? [action(texts.clear, () => setView(noFilter))] : []),
      ...(project.viewerCanAdminister
        ? [
            action(texts.settings, () => signals.tell('settings', null)),
            action(texts.newField, () => signals.tell('field', null)),
            ...columns.filter(c => !c.builtin).map(c => action(texts.editField(c.label), () => signals.tell('field', c.id))),
          ]
        : []),
      ...rowSizes.map(size => action(messages.ui.rowSizes[size], () => setView({size}, 'replace'))),
      action(texts.lightTheme, () => applyTheme('light')),
      action(texts.darkTheme, () => applyTheme('dark')),
      action(texts.systemTheme, () => applyTheme('system')),
      action(texts.shortcuts, () => signals.tell('shortcuts', null), '?'),
      action(texts.allProjects, () => location.assign('/' + projectsQuery)),
      ...(user ? [action(messages.work.title, () => location.assign('/'))] : []),
      action(texts.playground, () => location.assign('/playground')),
      ...tabsOf(saved.snapshot()).map((v): Command => ({
        kind: 'view',
        label: v?.name ?? texts.allIssues,
        run: () => setView(shownAs(new Links(saved.snapshot(), columns), v?.id ?? allIssues, view)),
      })),
      ...viewStore.load(project.id).map((v): Command => ({kind: 'view', label: v.name, run: () => setView(changeTo(v.query, v.name))})),
      ...columns
        .filter(c => c.showable)
        .map((c): Command => ({
          kind: 'column',
          label: c.label,
          run: () => {
            if (!shown.includes(c)) setView({columns: [...shown.map(s => s.id), c.id]})
            signals.tell('column', c.id)
          },
        })),
    ]
  }, [columns, edits, project, refresh, saved, setView, shown, signals, user, view])
}
