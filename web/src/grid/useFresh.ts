// Keeps the visible rows fresh: they are read again when the page gets the focus, and every 15 seconds while it is visible.
import {useEffect, useRef} from 'react'
import type {Edits} from './data/edits'
import type {Freshness} from './data/freshness'
import type {GridRows} from './data/rows'
import type {Signals} from './context/signals'

const interval = 15_000
/** The shortest time between two reads, in milliseconds. */
const shortest = 1000

export function useFresh(freshness: Freshness, rows: GridRows, edits: Edits, fields: readonly string[], signals: Signals): void {
  const latest = useRef(fields)
  useEffect(() => {
    latest.current = fields
  })
  useEffect(() => {
    let last = Date.now()
    let reading = false
    const read = async () => {
      const ids = rows.visible().map(e => e.id)
      if (reading || document.hidden || Date.now() - last < shortest || ids.length === 0 || edits.snapshot().pending > 0) return
      last = Date.now()
      reading = true
      try {
        const {gone, changed} = await freshness.read(ids, latest.current)
        if (gone.size > 0) signals.tell('removed', gone)
        if (changed.length > 0) signals.tell('changed', {columns: changed, issues: null})
      } catch {
        // what is shown stays; the next read may succeed
      } finally {
        reading = false
      }
    }
    const now = () => void read()
    const timer = setInterval(now, interval)
    window.addEventListener('focus', now)
    document.addEventListener('visibilitychange', now)
    return () => {
      clearInterval(timer)
      window.removeEventListener('focus', now)
      document.removeEventListener('visibilitychange', now)
    }
  }, [freshness, rows, edits, signals])
}
