// The cost of operations.
import type {Answered} from './client'
import {Store} from './store'

/** The cost of the last page of rows, and the totals since the page was loaded. */
export interface Spent {
  page: Answered | null
  calls: number
  rcu: number
  wcu: number
}

export const callsOf = (a: Answered): number => Object.values(a.cost.calls).reduce((x, y) => x + y, 0)

/** Adds up the cost of operations. */
export class Costs extends Store<Spent> {
  constructor() {
    super({page: null, calls: 0, rcu: 0, wcu: 0})
  }

  answered = (a: Answered): void => {
    const {page, calls, rcu, wcu} = this.state
    this.replaceState({page: a.operation === 'GridPage' ? a : page, calls: calls + callsOf(a), rcu: rcu + a.cost.rcu, wcu: wcu + a.cost.wcu})
  }
}
