// The rows of a grid, loaded partially. RowStore holds one window of consecutive rows around the visible ones. The window grows at both ends by cursors and is
// cut when it gets too long. Because of the cursors, no row in the window is missing or duplicated. The index of the window among all rows may be an estimate;
// when a page gives a better one, the window and the visible range shift together, so that nothing jumps.
//
// A distant index is reached from landmarks, rows whose index is known: the ends of the grid, and rows loaded before. From the nearest landmark, RowStore skips
// 500 positions at a time until a page is in reach.
//
// RowStore reads from a Source and depends on neither React nor GraphQL. Begin with show.

import {atPresent} from './cursor'
import {Store} from './store'

/** A row of the window: the ID of its issue, whose values are in the cache, and its cursor. */
export interface Entry {
  id: string
  cursor: string
  /** The key of its group. An issue can be in several groups. */
  group?: string
}

/** Identifies a row among all of a grid. */
export const rowKey = ({id, group}: Pick<Entry, 'id' | 'group'>): string => (group === undefined ? id : `${group} ${id}`)

/** The arguments of a page: `first` with `after`, or `last` with `before`. */
export interface Ask {
  first?: number
  after?: string
  last?: number
  before?: string
}

export interface Page {
  entries: Entry[]
  hasNext: boolean
  hasPrevious: boolean
  /** The cursors of the first and last entry; null if the page is empty. */
  start: string | null
  end: string | null
}

export interface Count {
  total: number
  exact: boolean
}

export interface Source {
  page(ask: Ask): Promise<Page>
  /** Returns a page of cursors only; its entries have no IDs. */
  skip(ask: Ask): Promise<Page>
  count(): Promise<Count>
  /** Returns about how many rows precede a row of the window, or null if that is unknown. */
  place(entry: Entry): Promise<number | null>
  /** Returns a landmark close to an index, or null if the order has none. */
  near(index: number, total: number): Promise<Landmark | null>
  /** Called with rows that have left the window. */
  forget(entries: readonly Entry[]): void
  /** Reports whether a request failed because of its cursor: options of the order were moved since it was returned, for example. */
  refuses(error: unknown): boolean
}

const usualPage = 100
const skipSize = 500
/** The maximum length of the window. */
const most = 2000
/** The largest distance from the window at which it grows, in pages. Beyond it, a new window is loaded. */
const gap = 3
/** The distance from which the source is asked for a landmark before positions are skipped. */
const far = 2 * skipSize

export interface Rows {
  /** The index of the first entry among all rows. */
  start: number
  entries: readonly Entry[]
  /** The number of rows, or null while it is unknown. */
  total: number | null
  exact: boolean
  /** The number of rows that the scrollbar covers. */
  height: number
  /** The target index while positions are being skipped. */
  seeking: number | null
  error: unknown
  /** Whether a page has been loaded since the store was created. */
  loaded: boolean
}

/** A row with a known index, or a position between rows. */
export interface Landmark {
  index: number
  cursor: string
}

type Step = () => Promise<unknown>

/** What the grid needs of its rows. */
export interface GridRows {
  subscribe(listener: () => void): () => void
  snapshot(): Rows
  /** Adds a listener that is called when all indexes shift, before the rows change. */
  onShift(listener: (by: number) => void): () => void
  entry(index: number): Entry | undefined
  /** Returns the index of a loaded row by its key, or -1. */
  indexOf(key: string): number
  open(at: {cursor: string; index: number} | null): void
  show(first: number, last: number): void
  visible(): readonly Entry[]
  refresh(): Promise<void>
  retry(): void
  remove(ids: ReadonlySet<string>): void
}

export class RowStore extends Store<Rows> implements GridRows {
  private readonly source: Source
  private readonly shifts = new Set<(by: number) => void>()
  private hasBefore = false
  private hasAfter = false
  private head: string | null = null // the cursor for loading rows before the window
  private tail: string | null = null // the cursor for loading rows after it
  private landmarks: Landmark[] = []
  private wanted: {first: number; last: number}
  private jump: Step | null = null
  private begun = false // no requests before open
  private working = false
  private counts = 0
  private sought = -1
  private guessed = false // whether start is an estimate
  private outdated = false // whether the cursors of the window are

  constructor(
    source: Source,
    private readonly pageSize = usualPage,
  ) {
    super({start: 0, entries: [], total: null, exact: false, height: 0, seeking: null, error: null, loaded: false})
    this.source = source
    this.wanted = {first: 0, last: pageSize - 1}
  }

  onShift(listener: (by: number) => void): () => void {
    this.shifts.add(listener)
    return () => this.shifts.delete(listener)
  }

  entry(index: number): Entry | undefined {
    return this.state.entries[index - this.state.start]
  }

  indexOf(key: string): number {
    const at = this.state.entries.findIndex(e => rowKey(e) === key)
    return at < 0 ? -1 : this.state.start + at
  }

  /** Starts loading at the first row, or after a cursor with a known index. Relative times in the filter refer to the current time. */
  open(at: {cursor: string; index: number} | null): void {
    this.begun = true
    if (at) this.jump = () => this.jumpBehind(atPresent(at.cursor), at.index)
    void this.work()
  }

  /** Takes the first page, which was read together with others, instead of reading it. */
  take(page: Page): Promise<void> {
    this.begun = true
    void this.recount()
    return this.leap(() => Promise.resolve(this.replace(page, 0)))
  }

  /** Sets the visible range of indexes; its rows and those around them are loaded. */
  show(first: number, last: number): void {
    this.wanted = {first, last}
    if (!this.state.error) void this.work()
  }

  /** Returns the visible rows that are loaded. */
  visible(): readonly Entry[] {
    const {start, entries} = this.state
    return entries.slice(Math.max(0, this.wanted.first - start), Math.max(0, this.wanted.last + 1 - start))
  }

  /** Makes the row after a cursor the first visible one and returns its index. After the last row, this is the last row itself. */
  async goto(cursor: string): Promise<number> {
    let place = 0
    await this.leap(async () => {
      place = await this.jumpBehind(cursor, null)
    })
    return place
  }

  /** Goes to the last row, even if the number of rows is unknown, and returns its index. */
  async gotoEnd(): Promise<number> {
    let place = 0
    await this.leap(async () => {
      place = await this.jumpToLast()
    })
    return place
  }

  /** Reads the visible rows again, at the current time, and keeps the old rows until then. The first visible index does not change. */
  async refresh(): Promise<void> {
    const before = this.entry(this.wanted.first - 1)
    const index = this.wanted.first
    this.landmarks = []
    void this.recount()
    const read = (before: Entry) => this.jumpBehind(atPresent(before.cursor), index).catch((error: unknown) => this.startAgain(error, true))
    if (before) await this.leap(() => read(before))
    else await this.leap(() => this.jumpToStart())
  }

  /** Continues after an error. */
  retry(): void {
    this.set({error: null})
    if (this.state.total === null) void this.recount()
    void this.work()
  }

  /** Removes deleted rows. */
  remove(ids: ReadonlySet<string>): void {
    const entries = this.state.entries.filter(e => !ids.has(e.id))
    const gone = this.state.entries.length - entries.length
    if (gone === 0) return
    this.landmarks = []
    this.set({entries, total: this.state.total === null ? null : Math.max(this.state.total - gone, entries.length)})
    void this.work()
  }

  private async recount(): Promise<void> {
    const turn = ++this.counts
    try {
      const {total, exact} = await this.source.count()
      if (turn !== this.counts) return
      this.set({total, exact})
      void this.work()
    } catch (error) {
      this.fail(error)
    }
  }

  private leap(step: Step): Promise<void> {
    return new Promise((resolve, reject) => {
      this.jump = () =>
        step().then(
          () => resolve(),
          (error: Error) => {
            reject(error)
            throw error
          },
        )
      if (this.state.error) this.set({error: null})
      void this.work()
    })
  }

  /** Runs one step after the other until the wanted range is loaded. The wanted range may change meanwhile. */
  private async work(): Promise<void> {
    if (!this.begun || this.working) return
    this.working = true
    try {
      for (let step = this.next(); step; step = this.next()) await step().catch((error: unknown) => this.startAgain(error))
    } catch (error) {
      this.fail(error)
    } finally {
      this.working = false
    }
    if (this.state.seeking !== null) this.set({seeking: null})
  }

  /** After an outdated cursor, approaches the wanted index without the known cursors. The old rows are shown until then. Any other error is thrown. */
  private startAgain(error: unknown, usedOne = this.landmarks.length > 0 || (this.state.loaded && !this.outdated)): void {
    if (!usedOne || !this.source.refuses(error)) throw error
    this.landmarks = []
    this.sought = -1
    this.outdated = true
  }

  private next(): Step | null {
    const {jump} = this
    if (jump) {
      this.jump = null
      return jump
    }
    const {start, entries, loaded} = this.state
    const end = start + entries.length
    const {first, last} = this.wanted
    if (!loaded || this.outdated) return () => this.approach(first)
    const beyond = first > end + gap * this.pageSize && this.hasAfter
    const ahead = last < start - gap * this.pageSize && this.hasBefore
    if (beyond || ahead) return () => this.approach(first)
    const missingBehind = this.hasAfter && last + this.pageSize / 2 >= end
    const missingBefore = this.hasBefore && first - this.pageSize / 2 < start
    if (missingBefore && (!missingBehind || first < start)) return () => this.growFront()
    if (missingBehind) return () => this.growBack()
    return null
  }

  /** Gets closer to an index: loads a page if a landmark is at most one page away, and skips positions otherwise. */
  private async approach(index: number): Promise<void> {
    const {total, exact, height} = this.state
    const from = this.nearest(index)
    const distance = Math.abs(index - from.index)
    // At the bottom of the scrollbar the user wants the last rows, even if the count is not exact.
    if (!exact && total !== null && this.wanted.last >= height - 1 && distance > this.pageSize) return this.jumpToEnd()
    if (distance > far && total !== null && this.sought !== index) {
      this.sought = index // only once: a near index is reached by skipping
      this.set({seeking: index})
      const near = await this.source.near(index, total)
      if (near !== null) return this.mark(near.index, near.cursor)
    }
    if (index > from.index) {
      const after = from.cursor === undefined ? {} : {after: from.cursor}
      if (distance <= this.pageSize) return this.replace(await this.source.page({first: this.pageSize, ...after}), from.index + 1)
      this.set({seeking: index})
      const page = await this.source.skip({first: Math.min(skipSize, distance - 1), ...after})
      this.mark(from.index + page.entries.length, page.end)
      if (page.hasNext) return
      if (!this.guessed) this.set({total: from.index + page.entries.length + 1, exact: true})
      await this.jumpToEnd()
      return
    }
    const before = from.cursor === undefined ? {} : {before: from.cursor}
    if (distance <= this.pageSize) {
      const page = await this.source.page({last: this.pageSize, ...before})
      return this.replace(page, from.index - page.entries.length)
    }
    this.set({seeking: index})
    const page = await this.source.skip({last: Math.min(skipSize, distance - 1), ...before})
    this.mark(from.index - page.entries.length, page.start)
    if (!page.hasPrevious) await this.jumpToStart()
  }

  /** Returns the landmark nearest to an index. The start of the grid is index -1 and its end is total; neither has a cursor. */
  private nearest(index: number): {index: number; cursor: string | undefined} {
    const {total, exact} = this.state
    let best: {index: number; cursor: string | undefined} = {index: -1, cursor: undefined}
    const better = (l: {index: number; cursor: string | undefined}) => {
      if (l.index !== index && Math.abs(index - l.index) < Math.abs(index - best.index)) best = l
    }
    if (total !== null && exact) better({index: total, cursor: undefined})
    this.landmarks.forEach(better)
    return best
  }

  private mark(index: number, cursor: string | null): void {
    if (cursor === null) return
    const at = this.landmarks.findIndex(l => l.index >= index)
    if (at >= 0 && this.landmarks[at]?.index === index) this.landmarks[at] = {index, cursor}
    else this.landmarks.splice(at < 0 ? this.landmarks.length : at, 0, {index, cursor})
  }

  private async jumpToStart(): Promise<void> {
    this.replace(await this.source.page({first: this.pageSize}), 0)
  }

  private async jumpToEnd(): Promise<void> {
    const page = await this.source.page({last: this.pageSize})
    this.replace(page, Math.max((this.state.total ?? 0) - page.entries.length, 0), !this.state.exact)
  }

  // The following methods set the wanted range themselves, because a listener may change it before their caller continues.

  private async jumpToLast(): Promise<number> {
    await this.jumpToEnd()
    const last = Math.max(this.state.start + this.state.entries.length - 1, 0)
    this.wanted = {first: last, last}
    return last
  }

  private async jumpBehind(cursor: string, index: number | null): Promise<number> {
    const page = await this.source.page({first: this.pageSize, after: cursor})
    const [first] = page.entries
    if (!first && !page.hasNext) return this.jumpToLast()
    const known = index ?? (first ? await this.source.place(first) : null)
    const place = known ?? Math.floor((this.state.total ?? 0) / 2)
    // There may be rows before a cursor, but a forward page does not check.
    this.replace({...page, hasPrevious: page.hasPrevious || place > 0}, place, known === null)
    const {start} = this.state
    this.wanted = {first: start, last: start + (this.wanted.last - this.wanted.first)}
    return start
  }

  private replace(page: Page, start: number, guessed = false): void {
    this.guessed = guessed
    this.outdated = false
    // The count takes longer than a page, so it starts after the first page.
    if (!this.state.loaded) void this.recount()
    const kept = new Set(page.entries.map(e => e.id))
    this.source.forget(this.state.entries.filter(e => !kept.has(e.id)))
    this.hasBefore = page.hasPrevious
    this.hasAfter = page.hasNext
    this.head = page.start
    this.tail = page.end
    this.state = {...this.state, start, entries: page.entries, loaded: true}
    this.settle()
  }

  private async growBack(): Promise<void> {
    const {tail} = this
    const page = await this.source.page(tail === null ? {first: this.pageSize} : {first: this.pageSize, after: tail})
    this.hasAfter = page.hasNext
    this.tail = page.end ?? tail
    const entries = [...this.state.entries, ...page.entries]
    const cut = Math.max(entries.length - most, 0)
    if (cut > 0) {
      const gone = entries.splice(0, cut)
      this.source.forget(gone)
      this.hasBefore = true
      this.head = entries[0]?.cursor ?? null
    }
    this.state = {...this.state, entries, start: this.state.start + cut}
    this.settle()
  }

  private async growFront(): Promise<void> {
    const {head} = this
    const page = await this.source.page(head === null ? {last: this.pageSize} : {last: this.pageSize, before: head})
    this.hasBefore = page.hasPrevious
    this.head = page.start ?? head
    const entries = [...page.entries, ...this.state.entries]
    if (entries.length > most) {
      const gone = entries.splice(most)
      this.source.forget(gone)
      this.hasAfter = true
      this.tail = entries[entries.length - 1]?.cursor ?? null
    }
    this.state = {...this.state, entries, start: this.state.start - page.entries.length}
    this.settle()
  }

  /** Aligns the window with the known ends of the grid and notifies the listeners. */
  private settle(): void {
    const {start, entries, total} = this.state
    let place = start
    if (!this.hasBefore) {
      place = 0
      this.guessed = false
    } else if (!this.hasAfter && total !== null && total > entries.length) place = total - entries.length
    else if (start < 1) place = this.pageSize // leaves space to scroll to the rows before
    if (place !== start) {
      for (const l of this.landmarks) l.index += place - start
      this.landmarks = this.landmarks.filter(l => l.index >= 0)
      this.wanted = {first: this.wanted.first + place - start, last: this.wanted.last + place - start}
      this.state = {...this.state, start: place}
      if (this.state.loaded) for (const shift of this.shifts) shift(place - start)
    }
    for (let i = 0; i < entries.length; i += this.pageSize) this.mark(place + i, entries[i]?.cursor ?? null)
    const end = place + entries.length
    if (!this.hasAfter) this.set({total: end, exact: this.state.exact || !this.guessed})
    else this.set({total: total === null ? null : Math.max(total, end + 1)})
  }

  private set(change: Partial<Rows>): void {
    const state = {...this.state, ...change}
    const end = state.start + state.entries.length
    state.height = Math.max(state.total ?? 0, end + (this.hasAfter ? 1 : 0))
    this.replaceState(state)
  }

  private fail(error: unknown): void {
    this.set({error, seeking: null})
  }
}
