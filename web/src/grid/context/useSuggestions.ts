// The values of a column that are suggested for what is typed.
import {useCallback, useEffect, useMemo, useSyncExternalStore} from 'react'
import {useGrid} from './context'
import {readSuggestions, SuggestionStore, type Suggestion} from '../data/suggestions'
import type {Column} from '../model/columns'

/** Returns the suggestions for the text that was requested last. */
export function useSuggestions(column: Column): {values: readonly Suggestion[]; request: (typed: string) => void} {
  const {client, project} = useGrid()
  const store = useMemo(
    () => new SuggestionStore((prefix, signal) => readSuggestions(client, project.id, column, prefix, signal)),
    // A column with the same ID has the same values.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [client, project.id, column.id],
  )
  useEffect(() => store.stop, [store])
  const request = useCallback((typed: string) => store.request(typed), [store])
  return {values: useSyncExternalStore(store.subscribe, store.snapshot), request}
}
