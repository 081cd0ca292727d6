// The list of keys, opened by the key ? and from the menu.
import {useEffect, useState} from 'react'
import {useGrid} from '../context/context'
import {isTyping, useSignal} from '../context/signals'
import {Dialog} from '../ui/ui'
import {shortcuts} from './shortcuts'

const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent)

export function Shortcuts() {
  const {signals} = useGrid()
  const [open, setOpen] = useState(false)
  useSignal(signals, 'shortcuts', () => setOpen(true))
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      if (e.key !== '?' || e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || isTyping(e)) return
      e.preventDefault()
      setOpen(true)
    }
    document.addEventListener('keydown', keys)
    return () => document.removeEventListener('keydown', keys)
  }, [])
  if (!open) return null
  return (
    <Dialog title="Keyboard shortcuts" wide onClose={() => setOpen(false)}>
      <table className="shortcuts">
        <thead>
          <tr>
            <th scope="col">Keys</th>
            <th scope="col">Action</th>
          </tr>
        </thead>
        <tbody>
          {shortcuts.map(([keys, action]) => (
            <tr key={keys}>
              <th scope="row">{isMac ? keys.replaceAll('Ctrl', 'Cmd') : keys}</th>
              <td>{action}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  )
}
