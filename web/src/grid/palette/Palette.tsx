// Opens the palette by its keys.
import {useEffect} from 'react'
import {useGrid} from '../context/context'
import {useSignal} from '../context/signals'
import {useLazyDialog, type Loaders} from '../ui/lazy'
import {letterOf} from '../ui/keys'

type Dialogs = {palette: object}

const dialogs: Loaders<Dialogs> = {palette: () => import('./PaletteDialog').then(m => m.default)}

export function Palette() {
  const {signals, toasts} = useGrid()
  const [dialog, open] = useLazyDialog(dialogs, toasts)
  useSignal(signals, 'open', tool => tool === 'palette' && open('palette', {}))
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      if (letterOf(e) !== 'k' || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey || document.querySelector('dialog[open]')) return
      e.preventDefault()
      signals.tell('open', 'palette')
    }
    document.addEventListener('keydown', keys)
    return () => document.removeEventListener('keydown', keys)
  }, [signals])
  return dialog
}
