// Aligns the decimal points of a column: a cell is followed by as much invisible space as the longest fraction needs that the column has shown.
import {useEffect, useSyncExternalStore} from 'react'
import {Store} from '../data/store'

/** The greatest number of digits that is waited for; longer fractions are not aligned. */
const most = 6

/** The length of the longest fraction of each column that was shown, with its separator. */
class Fractions extends Store<ReadonlyMap<string, number>> {
  show(column: string, length: number): void {
    if (length <= most + 1 && length > (this.state.get(column) ?? 0)) this.replaceState(new Map(this.state).set(column, length))
  }
}

const fractions = new Fractions(new Map())

/** Returns the invisible characters that follow a number of a column, whose decimal separator and fraction are given; empty for an integer. */
export function usePadding(column: string, fraction: string): string {
  const longest = useSyncExternalStore(fractions.subscribe, () => fractions.snapshot().get(column) ?? 0)
  useEffect(() => fractions.show(column, fraction.length), [column, fraction])
  const missing = Math.max(0, longest - fraction.length)
  return fraction === '' && missing > 0 ? `.${'0'.repeat(missing - 1)}` : '0'.repeat(missing)
}
