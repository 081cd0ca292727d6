// The events of the clipboard while the grid has the focus. They are events of the document: in Firefox, their target is not the focused element.
import {useEffect, useRef, type RefObject} from 'react'
import {readClipboard, type Pasted} from './clipboard'

interface Actions {
  copy: (to: DataTransfer) => void
  clear: () => void
  paste: (pasted: Pasted) => void
}

export function useClipboard(grid: RefObject<HTMLElement | null>, actions: Actions): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const handle = (e: ClipboardEvent) => {
      // An editor has the focus itself.
      if (document.activeElement !== grid.current || !e.clipboardData) return
      e.preventDefault()
      if (e.type === 'paste') {
        const pasted = readClipboard(e.clipboardData)
        if (pasted) latest.current.paste(pasted)
        return
      }
      latest.current.copy(e.clipboardData)
      if (e.type === 'cut') latest.current.clear()
    }
    const types = ['copy', 'cut', 'paste'] as const
    for (const type of types) document.addEventListener(type, handle)
    return () => {
      for (const type of types) document.removeEventListener(type, handle)
    }
  }, [grid])
}
