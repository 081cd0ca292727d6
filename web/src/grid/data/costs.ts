// What operations have cost.
import type {Answered} from './client'
import {Store} from './store'

/** What the last page of rows cost, and everything since the page was opened. */
export interface Spent {
  page: Answered | null
  calls: number
  rcu: number
  wcu: number
}

export const callsOf = (a: Answered): number => Object.values(a.cost.calls).reduce((x, y) => x + y, 0)

/** Adds up what operations cost. */
export class Costs extends Store<Spent> {
  constructor() {
    super({page: null, calls: 0, rcu: 0, wcu: 0})
  }

  answered = (a: Answered): void => {
    const {page, calls, rcu, wcu} = this.state
    this.replaceState({page: a.operation === 'GridPage' ? a : page, calls: calls + callsOf(a), rcu: rcu + a.cost.rcu, wcu: wcu + a.cost.wcu})
  }
}
