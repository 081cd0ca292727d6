// The widths at which the page changes its parts. The style sheets repeat them.
import {useCallback, useSyncExternalStore} from 'react'

/** Matches when a list of cards replaces the table. */
export const phone = '(max-width: 640px)'
/** Matches when the panel covers the page. */
export const narrow = '(max-width: 700px)'

/** Returns whether a media query matches now. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}
