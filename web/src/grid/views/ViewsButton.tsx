// The menu of named views. It shows the applied view and whether it was changed since.
import {useEffect, useId, useState, type FormEvent} from 'react'
import {messages} from '../messages'
import {useGrid} from '../context/context'
import {Dialog, Icon, MenuButton, type MenuItem} from '../ui/ui'
import {writeView} from '../model/view'
import {appliedView, changeTo, findView, longestName, nameError, queryOf, viewStore, withoutView, withView, type NamedView} from './views'
import './views.css'

type Asked = {what: 'save'} | {what: 'rename'; view: NamedView} | {what: 'link'; url: string}

export function ViewsButton() {
  const {project, view, setView, toasts} = useGrid()
  const [views, setViews] = useState(() => viewStore.load(project.id))
  const [asked, setAsked] = useState<Asked | null>(null)
  useEffect(() => {
    const stored = (e: StorageEvent) => viewStore.isKey(e.key, project.id) && setViews(viewStore.load(project.id))
    window.addEventListener('storage', stored)
    return () => window.removeEventListener('storage', stored)
  }, [project.id])

  const query = queryOf(view)
  const applied = appliedView(views, query, view.named)
  const choose = (name: string | null) => setView({named: name}, 'replace')
  /** Changes the stored views. It reads them first, because another tab may have changed them. */
  const keep = (change: (views: readonly NamedView[]) => NamedView[]): boolean => {
    const next = change(viewStore.load(project.id))
    const kept = viewStore.save(project.id, next)
    if (kept) setViews(viewStore.load(project.id))
    else toasts.error(messages.views.notStored)
    return kept
  }
  const apply = (to: NamedView) => setView(changeTo(to.query, to.name))
  const remove = (gone: NamedView) => {
    if (!keep(vs => withoutView(vs, gone.name))) return
    choose(null)
    toasts.info(messages.views.deleted(gone.name), {
      label: messages.ui.undo,
      run: () => void keep(vs => withView(vs, gone)),
    })
  }
  const copyLink = async () => {
    const url = location.origin + location.pathname + writeView({...view, at: null, issue: null, named: null})
    try {
      await navigator.clipboard.writeText(url)
      toasts.info(messages.views.copied)
    } catch {
      setAsked({what: 'link', url})
    }
  }

  const items = (): MenuItem[] => {
    const current = applied?.view
    const named = views.map(v => ({
      label: applied?.changed && v === current ? messages.views.changedView(v.name) : v.name,
      checked: v === current && !applied?.changed,
      onSelect: () => apply(v),
    }))
    const standard = {
      label: messages.views.standard,
      checked: query === '',
      onSelect: () => setView(changeTo('', null)),
    }
    return [
      standard,
      ...named,
      {label: messages.views.saveAs, icon: 'plus', separated: true, onSelect: () => setAsked({what: 'save'})},
      ...(current
        ? ([
            {
              label: messages.views.update(current.name),
              icon: 'refresh',
              disabled: !applied.changed,
              onSelect: () => {
                if (keep(vs => withView(vs, {name: current.name, query}))) toasts.info(messages.views.updated(current.name))
              },
            },
            {label: messages.views.askRename(current.name), icon: 'edit', onSelect: () => setAsked({what: 'rename', view: current})},
            {label: messages.views.delete(current.name), icon: 'trash', onSelect: () => remove(current)},
          ] as const)
        : []),
      {label: messages.views.copyLink, icon: 'link', separated: true, onSelect: () => void copyLink()},
    ]
  }
  const close = () => setAsked(null)
  const texts = messages.views
  const label = !applied ? texts.button : applied.changed ? texts.appliedChanged(applied.view.name) : texts.applied(applied.view.name)
  return (
    <>
      <MenuButton label={label} className="tool views-button" items={items}>
        <Icon name="view" />
        <span className="views-name">{applied?.view.name ?? messages.views.button}</span>
        {applied?.changed && <em> {messages.views.changed}</em>}
      </MenuButton>
      {asked?.what === 'save' && (
        <NameDialog
          title={messages.views.saveThis}
          action={messages.views.save}
          views={views}
          initial=""
          mayReplace
          onClose={close}
          onName={name => {
            close()
            if (keep(vs => withView(vs, {name, query}))) choose(name)
          }}
        />
      )}
      {asked?.what === 'rename' && (
        <NameDialog
          title={messages.views.renameView(asked.view.name)}
          action={messages.views.rename}
          views={withoutView(views, asked.view.name)}
          initial={asked.view.name}
          onClose={close}
          onName={name => {
            close()
            if (keep(vs => withView(withoutView(vs, asked.view.name), {...asked.view, name}))) choose(name)
          }}
        />
      )}
      {asked?.what === 'link' && (
        <Dialog title={messages.views.link} onClose={close}>
          <p>{messages.views.copyByHand}</p>
          <input className="views-link" data-autofocus readOnly aria-label={messages.views.link} value={asked.url} onFocus={e => e.currentTarget.select()} />
        </Dialog>
      )}
    </>
  )
}

interface NameProps {
  title: string
  action: string
  /** The existing views, whose names are taken. */
  views: readonly NamedView[]
  initial: string
  mayReplace?: boolean
  onClose: () => void
  onName: (name: string) => void
}

function NameDialog({title, action, views, initial, mayReplace = false, onClose, onName}: NameProps) {
  const [name, setName] = useState(initial)
  const [tried, setTried] = useState(false)
  const id = useId()
  const taken = findView(views, name)
  const error = nameError(name) ?? (taken && !mayReplace ? messages.views.nameTaken(taken.name) : null)
  const submit = (e: FormEvent) => {
    e.preventDefault()
    setTried(true)
    if (error === null) onName(name.trim())
  }
  const shown = tried ? error : null
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <button type="button" onClick={onClose}>
            {messages.ui.cancel}
          </button>
          <button type="submit" form={`${id}-form`} className="primary">
            {taken && mayReplace ? messages.views.replace : action}
          </button>
        </>
      }
    >
      <form id={`${id}-form`} className="field" noValidate onSubmit={submit}>
        <label htmlFor={id}>{messages.views.name}</label>
        <input
          id={id}
          data-autofocus
          autoComplete="off"
          maxLength={2 * longestName}
          value={name}
          required
          aria-invalid={shown !== null || undefined}
          aria-describedby={`${id}-note`}
          onFocus={e => e.currentTarget.select()}
          onChange={e => setName(e.target.value)}
        />
        <p id={`${id}-note`} className={shown === null ? 'hint' : 'error'} role="status">
          {shown ?? (taken && mayReplace ? messages.views.replaces(taken.name) : messages.views.keptHere)}
        </p>
      </form>
    </Dialog>
  )
}
