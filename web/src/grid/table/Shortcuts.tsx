// The list of keys, opened by the key ? and from the menu.
import {useEffect, useState} from 'react'
import {useGrid} from '../context/context'
import {isTyping, useSignal} from '../context/signals'
import {messages} from '../messages'
import {Dialog} from '../ui/ui'

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
  const texts = messages.table.shortcuts
  return (
    <Dialog title={texts.title} wide onClose={() => setOpen(false)}>
      <table className="shortcuts">
        <thead>
          <tr>
            <th scope="col">{texts.keys}</th>
            <th scope="col">{texts.action}</th>
          </tr>
        </thead>
        <tbody>
          {texts.list.map(({keys, action}) => (
            <tr key={keys}>
              <th scope="row">{isMac ? keys.replaceAll(texts.ctrl, texts.command) : keys}</th>
              <td>{action}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  )
}
