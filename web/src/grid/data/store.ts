// State outside of components. React reads it with useSyncExternalStore(store.subscribe, store.snapshot).

export class Store<State> {
  private readonly listeners = new Set<() => void>()

  constructor(protected state: State) {}

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  snapshot = (): State => this.state

  /** Replaces the state and notifies the listeners. */
  protected replaceState(state: State): void {
    this.state = state
    for (const listener of this.listeners) listener()
  }
}
