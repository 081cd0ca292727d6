// The summaries of the groups whose headers are rendered.
import {useEffect, useMemo, useSyncExternalStore} from 'react'
import {useGrid} from '../context/context'
import {useSignal} from '../context/signals'
import {GroupFigureStore, type KnownFigures} from '../data/groupFigures'
import {readGroupFigures} from '../data/groupSource'
import {keyOf} from '../data/summaries'
import {chosenOf} from '../model/summaries'

/** Returns what is known of groups. The counts of groups are read again after changes, even without summaries. */
export function useGroupFigures(keys: readonly string[]): KnownFigures {
  const {client, groups, shown, signals, view} = useGrid()
  const requested = chosenOf(view.summaries, shown)
  const of = requested.map(([c, p]) => keyOf(c, p)).join()
  const store = useMemo(
    () =>
      new GroupFigureStore(
        keys => (groups ? readGroupFigures(client, groups.query, keys, requested) : Promise.resolve(new Map())),
        counts => groups?.board ?? groups?.store.setCounts(counts), // a board reads its counts with its cards
      ),
    // of stands for requested
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [client, groups, of],
  )
  useEffect(() => store.stop, [store])
  const keyList = keys.join()
  useEffect(() => {
    if (groups && of !== '') store.request(of, keys)
    // keyList stands for keys
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [groups, store, of, keyList])
  const again = () => {
    store.age(keys)
    if (groups) store.request(of, keys)
  }
  useSignal(signals, 'removed', again)
  useSignal(signals, 'restored', again)
  useSignal(signals, 'refreshed', again)
  useSignal(signals, 'changed', ({columns: ids}) => {
    const isShown = requested.some(([c]) => ids.includes(c.id) || c.id === 'updated' || c.id === 'updatedby')
    if (isShown || groups?.query.where || ids.includes(groups?.key.column.id ?? '')) again()
  })
  return useSyncExternalStore(store.subscribe, store.snapshot)
}
