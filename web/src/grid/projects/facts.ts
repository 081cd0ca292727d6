// What the list of projects shows besides names: the number of open issues, and the last change. Both are read only for projects that are visible, together for
// those that become visible at the same time.
import type {ApolloClient} from '@apollo/client'
import {ProjectFactsDocument} from '../../gql/graphql'
import {ask} from '../data/source'
import {Store} from '../data/store'

export interface Facts {
  open: number
  /** Whether the number is exact or a lower bound. */
  exact: boolean
  /** When an issue was last changed; null if there is none. */
  changed: string | null
}

/** How many projects a request asks for. */
const most = 10

export class ProjectFacts extends Store<ReadonlyMap<string, Facts>> {
  private readonly asked = new Set<string>()
  private waiting: string[] = []

  constructor(private readonly client: ApolloClient) {
    super(new Map())
  }

  want(id: string): void {
    if (this.asked.has(id)) return
    this.asked.add(id)
    if (this.waiting.push(id) === 1) queueMicrotask(() => void this.load())
  }

  private async load(): Promise<void> {
    while (this.waiting.length > 0) {
      const ids = this.waiting.slice(0, most)
      try {
        const {nodes} = await ask(this.client, ProjectFactsDocument, {ids})
        const known = new Map(this.state)
        for (const node of nodes ?? [])
          if (node?.__typename === 'Project' && node.open && node.changed)
            known.set(node.id, {
              open: node.open.totalCount ?? 0,
              exact: node.open.totalCountPrecision === 'EXACT',
              changed: node.changed.nodes[0]?.updatedAt ?? null,
            })
        this.replaceState(known)
      } catch {
        // the list is complete without them
      }
      this.waiting = this.waiting.slice(ids.length)
    }
  }
}
