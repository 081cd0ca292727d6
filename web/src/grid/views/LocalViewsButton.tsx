// The menu of the views that are stored in the browser, as earlier versions of the page did. Without any, there is no menu.
import {useState} from 'react'
import {messages} from '../messages'
import {useGrid} from '../context/context'
import {writeView} from '../model/view'
import {Icon, MenuButton, type MenuItem} from '../ui/ui'
import {copyLink, LinkDialog} from './LinkDialog'
import {NameDialog} from './NameDialog'
import {useLocalViews} from './useLocalViews'
import {appliedView, changeTo, findView, longestName, queryOf, withoutView, withView, type NamedView} from './views'
import './views.css'

type Asked = {what: 'rename'; view: NamedView} | {what: 'link'; url: string}

export function LocalViewsButton() {
  const {view, setView, toasts} = useGrid()
  const [views, keep, save] = useLocalViews()
  const [asked, setAsked] = useState<Asked | null>(null)
  if (views.length === 0) return null

  const query = queryOf(view)
  const applied = appliedView(views, query, view.named)
  const choose = (name: string | null) => setView({named: name}, 'replace')
  const remove = (gone: NamedView) => {
    if (!keep(vs => withoutView(vs, gone.name))) return
    choose(null)
    toasts.info(messages.views.deleted(gone.name), {
      label: messages.ui.undo,
      run: () => void keep(vs => withView(vs, gone)),
    })
  }
  const items = (): MenuItem[] => {
    const current = applied?.view
    const url = location.origin + location.pathname + writeView({...view, at: null, issue: null, named: null})
    return [
      ...views.map(v => ({
        label: applied?.changed && v === current ? messages.views.changedView(v.name) : v.name,
        checked: v === current && !applied?.changed,
        onSelect: () => setView(changeTo(v.query, v.name)),
      })),
      {label: messages.views.saveLocal, icon: 'plus', separated: true, onSelect: () => void save()},
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
      {label: messages.views.actions.copyLink, icon: 'link', separated: true, onSelect: () => void copyLink(url, toasts, () => setAsked({what: 'link', url}))},
    ]
  }
  const close = () => setAsked(null)
  const texts = messages.views
  const label = !applied ? texts.local : applied.changed ? texts.appliedChanged(applied.view.name) : texts.applied(applied.view.name)
  return (
    <>
      <MenuButton label={label} className="tool views-button" items={items}>
        <Icon name="view" />
        <span className="views-name">{applied?.view.name ?? texts.local}</span>
        {applied?.changed && <em> {texts.changed}</em>}
      </MenuButton>
      {asked?.what === 'rename' && (
        <NameDialog
          title={texts.renameView(asked.view.name)}
          action={texts.rename}
          initial={asked.view.name}
          most={longestName}
          fault={name => {
            const taken = findView(withoutView(views, asked.view.name), name)
            return taken ? texts.nameTaken(taken.name) : null
          }}
          onClose={close}
          onName={name => {
            if (keep(vs => withView(withoutView(vs, asked.view.name), {...asked.view, name}))) choose(name)
            return Promise.resolve(null)
          }}
        />
      )}
      {asked?.what === 'link' && <LinkDialog url={asked.url} onClose={close} />}
    </>
  )
}
