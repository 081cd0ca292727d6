// The rows of a grid, of which only some are there: one run of neighbouring pages around what is seen, grown at both ends by cursors, cut where it gets
// long. Cursors make it right: within the run, no row is missing and none is twice. The place of the run among all rows is only where the scrollbar says
// that it is; when a page tells better, the run is shifted, and with it what is seen, so that nothing jumps.
//
// Far away one gets from landmarks, rows whose places are known: the ends of the grid, and all that was passed. From the nearest one positions are
// skipped, 500 at a time, until a page is near.
//
// RowStore asks a Source and knows neither React nor GraphQL. Begin with show.

import {Store} from './store'

/** A row of the run: its issue, whose values the cache has, and its position in the order. */
export interface Entry {
  id: string
  cursor: string
}

/** A page as it was asked for: `first` with `after`, or `last` with `before`. */
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
  /** Where to go on from in either direction; null of an empty page. */
  start: string | null
  end: string | null
}

export interface Count {
  total: number
  exact: boolean
}

export interface Source {
  page(ask: Ask): Promise<Page>
  /** A page of positions alone, whose entries have no ids. */
  skip(ask: Ask): Promise<Page>
  count(): Promise<Count>
  /** About how many rows lie before one of the run; null where that can't be told. */
  place(entry: Entry): Promise<number | null>
  /** A landmark close to a place, where the order tells one; null elsewhere. */
  near(index: number, total: number): Promise<Landmark | null>
  /** The rows are not in the run any more. */
  forget(entries: readonly Entry[]): void
}

export const pageSize = 100
const skipSize = 500
/** The longest run. */
const most = 2000
/** Up to so far from the run, it is grown; beyond, another one is begun. */
const gap = 3 * pageSize
/** From so many positions to skip on, the source is asked whether it knows a cursor nearby. */
const far = 2 * skipSize

export interface Rows {
  /** The place of the first entry among all rows. */
  start: number
  entries: readonly Entry[]
  /** How many rows there are; null while that is not known. */
  total: number | null
  exact: boolean
  /** How many places a scrollbar has. */
  height: number
  /** The place to which positions are being skipped. */
  seeking: number | null
  error: unknown
  /** Whether a page has come since the store was made. */
  loaded: boolean
}

/** A row whose place is known, or where it would be. */
export interface Landmark {
  index: number
  cursor: string
}

type Step = () => Promise<unknown>

export class RowStore extends Store<Rows> {
  private readonly source: Source
  private readonly shifts = new Set<(by: number) => void>()
  private hasBefore = false
  private hasAfter = false
  private head: string | null = null // where the run goes on to the front
  private tail: string | null = null // and to the back
  private landmarks: Landmark[] = []
  private wanted: {first: number; last: number} = {first: 0, last: pageSize - 1}
  private jump: Step | null = null
  private begun = false // nothing is asked before it is known where to begin
  private working = false
  private counts = 0
  private sought = -1
  private guessed = false // whether the run may lie elsewhere than it is said to

  constructor(source: Source) {
    super({start: 0, entries: [], total: null, exact: false, height: 0, seeking: null, error: null, loaded: false})
    this.source = source
  }

  /** Tells when all places have moved, before the rows do. */
  onShift(listener: (by: number) => void): () => void {
    this.shifts.add(listener)
    return () => this.shifts.delete(listener)
  }

  entry(index: number): Entry | undefined {
    return this.state.entries[index - this.state.start]
  }

  /** Begins, at the first row or behind a cursor that was at a place. */
  open(at: {cursor: string; index: number} | null): void {
    this.begun = true
    if (at) this.jump = () => this.jumpBehind(at.cursor, at.index)
    void this.work()
  }

  /** The rows of these places are seen: they, and those around them, are to be there. */
  show(first: number, last: number): void {
    this.wanted = {first, last}
    if (!this.state.error) void this.work()
  }

  /** Makes the row behind a cursor the first that is seen, and tells its place; behind the last row, that of the last one. */
  async goto(cursor: string): Promise<number> {
    let place = 0
    await this.leap(async () => {
      place = await this.jumpBehind(cursor, null)
    })
    return place
  }

  /** Goes to the last row, also where the number of rows is not known, and tells its place. */
  async gotoEnd(): Promise<number> {
    let place = 0
    await this.leap(async () => {
      place = await this.jumpToLast()
    })
    return place
  }

  /** Reads again what is seen; before that, the old rows stay. The first place that is seen stays where it is. */
  async refresh(): Promise<void> {
    const before = this.entry(this.wanted.first - 1)
    const index = this.wanted.first
    this.landmarks = []
    void this.recount()
    if (before) await this.leap(() => this.jumpBehind(before.cursor, index))
    else await this.leap(() => this.jumpToStart())
  }

  /** Goes on after an error. */
  retry(): void {
    this.set({error: null})
    if (this.state.total === null) void this.recount()
    void this.work()
  }

  /** Takes out rows that are gone. */
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

  /** Takes one step after the other until what is wanted is there. What is wanted may change meanwhile. */
  private async work(): Promise<void> {
    if (!this.begun || this.working) return
    this.working = true
    try {
      for (let step = this.next(); step; step = this.next()) await step()
    } catch (error) {
      this.fail(error)
    } finally {
      this.working = false
    }
    if (this.state.seeking !== null) this.set({seeking: null})
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
    if (!loaded) return () => this.approach(first)
    const beyond = first > end + gap && this.hasAfter
    const ahead = last < start - gap && this.hasBefore
    if (beyond || ahead) return () => this.approach(first)
    const missingBehind = this.hasAfter && last + pageSize / 2 >= end
    const missingBefore = this.hasBefore && first - pageSize / 2 < start
    if (missingBefore && (!missingBehind || first < start)) return () => this.growFront()
    if (missingBehind) return () => this.growBack()
    return null
  }

  /** Gets nearer to a place: by a page where it is within one of a landmark, else by skipping positions. */
  private async approach(index: number): Promise<void> {
    const {total, exact, height} = this.state
    const from = this.nearest(index)
    const distance = Math.abs(index - from.index)
    // Who scrolls to the bottom wants the last rows, wherever a count that was given up has put the bottom.
    if (!exact && total !== null && this.wanted.last >= height - 1 && distance > pageSize) return this.jumpToEnd()
    if (distance > far && total !== null && this.sought !== index) {
      this.sought = index // once: what is near enough is walked
      this.set({seeking: index})
      const near = await this.source.near(index, total)
      if (near !== null) return this.mark(near.index, near.cursor)
    }
    if (index > from.index) {
      const after = from.cursor === undefined ? {} : {after: from.cursor}
      if (distance <= pageSize) return this.replace(await this.source.page({first: pageSize, ...after}), from.index + 1)
      this.set({seeking: index})
      const page = await this.source.skip({first: Math.min(skipSize, distance - 1), ...after})
      this.mark(from.index + page.entries.length, page.end)
      if (page.hasNext) return
      if (!this.guessed) this.set({total: from.index + page.entries.length + 1, exact: true})
      await this.jumpToEnd()
      return
    }
    const before = from.cursor === undefined ? {} : {before: from.cursor}
    if (distance <= pageSize) {
      const page = await this.source.page({last: pageSize, ...before})
      return this.replace(page, from.index - page.entries.length)
    }
    this.set({seeking: index})
    const page = await this.source.skip({last: Math.min(skipSize, distance - 1), ...before})
    this.mark(from.index - page.entries.length, page.start)
    if (!page.hasPrevious) await this.jumpToStart()
  }

  /** The landmark nearest to a place. The first row comes behind -1, the last one before the total; neither has a cursor. */
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
    this.replace(await this.source.page({first: pageSize}), 0)
  }

  private async jumpToEnd(): Promise<void> {
    const page = await this.source.page({last: pageSize})
    this.replace(page, Math.max((this.state.total ?? 0) - page.entries.length, 0), !this.state.exact)
  }

  // These tell the place at once: whoever is told of the change may want other rows before a caller goes on.

  private async jumpToLast(): Promise<number> {
    await this.jumpToEnd()
    const last = Math.max(this.state.start + this.state.entries.length - 1, 0)
    this.wanted = {first: last, last}
    return last
  }

  private async jumpBehind(cursor: string, index: number | null): Promise<number> {
    const page = await this.source.page({first: pageSize, after: cursor})
    const [first] = page.entries
    if (!first && !page.hasNext) return this.jumpToLast()
    const known = index ?? (first ? await this.source.place(first) : null)
    const place = known ?? Math.floor((this.state.total ?? 0) / 2)
    // A cursor tells that there may be rows before it, and pages forwards do not look.
    this.replace({...page, hasPrevious: page.hasPrevious || place > 0}, place, known === null)
    const {start} = this.state
    this.wanted = {first: start, last: start + (this.wanted.last - this.wanted.first)}
    return start
  }

  private replace(page: Page, start: number, guessed = false): void {
    this.guessed = guessed
    // The count takes longer than a page, and would make it wait.
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
    const page = await this.source.page(tail === null ? {first: pageSize} : {first: pageSize, after: tail})
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
    const page = await this.source.page(head === null ? {last: pageSize} : {last: pageSize, before: head})
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

  /** Puts the run where it must lie by what is known of the ends of the grid, and tells everybody. */
  private settle(): void {
    const {start, entries, total} = this.state
    let place = start
    if (!this.hasBefore) {
      place = 0
      this.guessed = false
    } else if (!this.hasAfter && total !== null && total > entries.length) place = total - entries.length
    else if (start < 1) place = pageSize // so that there is room to scroll to what lies before
    if (place !== start) {
      for (const l of this.landmarks) l.index += place - start
      this.landmarks = this.landmarks.filter(l => l.index >= 0)
      this.wanted = {first: this.wanted.first + place - start, last: this.wanted.last + place - start}
      this.state = {...this.state, start: place}
      if (this.state.loaded) for (const shift of this.shifts) shift(place - start)
    }
    for (let i = 0; i < entries.length; i += pageSize) this.mark(place + i, entries[i]?.cursor ?? null)
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
