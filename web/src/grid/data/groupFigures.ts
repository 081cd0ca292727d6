// The summaries of groups, which are read when the headers of the groups come into view.
import type {Figure} from '../model/summaries'
import type {Count} from './rows'
import {Store} from './store'
import {patience} from './summaries'

/** The count of a group, if it was read, and its figures by the IDs of their columns. */
export interface GroupFigures {
  count: Count | null
  figures: ReadonlyMap<string, Figure>
}

export type KnownFigures = ReadonlyMap<string, GroupFigures>

/** How many groups are read at once, which is the limit of the API. */
const most = 100

export class GroupFigureStore extends Store<KnownFigures> {
  private timer: ReturnType<typeof setTimeout> | undefined
  private turn = 0
  private of = ''
  private old = new Set<string>()

  constructor(
    private readonly read: (keys: readonly string[]) => Promise<KnownFigures>,
    /** Called with what was read. */
    private readonly counted: (counts: ReadonlyMap<string, Count>) => void,
  ) {
    super(new Map())
  }

  /** Requests the figures of groups that are not known. `of` identifies what the figures are of. */
  request(of: string, keys: readonly string[]): void {
    if (of !== this.of) {
      this.of = of
      this.replaceState(new Map())
    }
    clearTimeout(this.timer)
    const missing = keys.filter(key => !this.state.has(key) || this.old.has(key)).slice(0, most)
    if (missing.length === 0) return
    const turn = ++this.turn
    this.timer = setTimeout(() => void this.readNow(missing, turn), patience)
  }

  /** Marks all figures as old, so that the next request reads them again. */
  age(keys: readonly string[]): void {
    this.old = new Set([...this.state.keys(), ...keys])
  }

  stop = (): void => {
    clearTimeout(this.timer)
    this.turn++
  }

  private async readNow(keys: readonly string[], turn: number): Promise<void> {
    const {of} = this
    const figures = await this.read(keys)
    if (turn !== this.turn || of !== this.of) return // requested again meanwhile
    for (const key of keys) this.old.delete(key)
    this.counted(new Map([...figures].flatMap(([key, {count}]) => (count ? [[key, count]] : []))))
    this.replaceState(new Map([...this.state, ...figures]))
  }
}
