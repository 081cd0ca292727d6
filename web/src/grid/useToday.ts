// The current day in the browser's time zone.
import {useSyncExternalStore} from 'react'

/** How often the day is read, in milliseconds. A timer that ends at midnight would be late after a computer has slept. */
const interval = 15_000

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, interval)
  window.addEventListener('focus', listener)
  document.addEventListener('visibilitychange', listener)
  return () => {
    clearInterval(timer)
    window.removeEventListener('focus', listener)
    document.removeEventListener('visibilitychange', listener)
  }
}

/** Returns the day, and renders again when another one begins. */
export const useToday = (): string => useSyncExternalStore(subscribe, () => new Date().toDateString())
