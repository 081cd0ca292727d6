// What the menus of cells and cards have for an issue.
import type {Grid} from '../context/context'
import {messages} from '../messages'
import {newView, writeView} from '../model/view'
import type {MenuItem} from '../ui/ui'

/** Returns the items that open an issue and copy its link. */
export function issueItems({project, setView, toasts}: Grid, num: number): MenuItem[] {
  const texts = messages.table.menu
  const name = `${project.key}-${num}`
  const link = location.origin + '/' + writeView({...newView(project.id), issue: num})
  const copyLink = () =>
    navigator.clipboard.writeText(link).then(
      () => toasts.info(texts.linkCopied(name)),
      () => toasts.info(texts.noWriting),
    )
  return [
    {label: texts.open(name), icon: 'panel', onSelect: () => setView({issue: num})},
    {label: texts.openTab, icon: 'link', onSelect: () => void window.open(link, '_blank', 'noopener')},
    {label: texts.copyLink, onSelect: () => void copyLink()},
  ]
}

/** Returns the item that selects an issue, or deselects it. */
export const selectItem = ({selected, setSelected}: Grid, id: string): MenuItem => ({
  label: selected.has(id) ? messages.table.menu.unselectRow : messages.table.menu.selectRow,
  icon: 'box',
  onSelect: () => setSelected(toggled(selected, id)),
})

/** Returns a set with an ID, or without it if it is there. */
export const toggled = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> => new Set(ids.has(id) ? [...ids].filter(x => x !== id) : [...ids, id])
