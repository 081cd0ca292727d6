/** A value that components read with useSyncExternalStore. */
export class Store<T> {
  #value: T
  readonly #followers = new Set<() => void>()

  constructor(value: T) {
    this.#value = value
  }

  readonly get = (): T => this.#value

  readonly set = (value: T): void => {
    this.#value = value
    this.#followers.forEach(f => f())
  }

  readonly follow = (follower: () => void): (() => void) => {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }
}
