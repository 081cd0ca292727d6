// The rows of a grid in groups. A line is the header of a group or one of its rows. Each group has a RowStore of its own, which is made when the group comes into view
// and loads what is seen of it, so collapsed groups load nothing. Groups are found in pages, the next one when the end of the list comes into view.
import {isFolded, noFold, type Fold, type Group} from '../model/groups'
import {RowStore, type Count, type Entry, type GridRows, type Page, type Rows, type Source} from './rows'
import {Store} from './store'

export interface GroupPage {
  groups: readonly Group[]
  /** The first pages of rows, by the keys of their groups, if they were read with the groups. */
  rows?: ReadonlyMap<string, Page>
  /** The cursor of the next page; null if there is none. */
  next: string | null
  /** Whether the page ended before it was full. */
  incomplete: boolean
}

export interface GroupSource {
  /** Returns a page of groups. The rows of collapsed ones are not needed. */
  groups(after: string | null, fold: Fold): Promise<GroupPage>
  /** Returns the rows of a group. `count` is that of the group as it is known. */
  rows(key: string, count: () => Count): Source
  /** Counts the issues of all groups. An issue in several groups counts once. */
  count(): Promise<Count>
  /** Reports whether groups after a cursor are refused because the cursor is outdated. */
  refuses(error: unknown): boolean
}

export interface GroupedRows extends Rows {
  groups: readonly Group[]
  /** Whether there are groups that have not been read. */
  more: boolean
  /** Whether the search for more groups waits for goOn. */
  waits: boolean
}

/**
 * A page that is incomplete is continued as any other, when its end comes into view. But if it has shown nothing, there may be nothing to find for long: each
 * page costs as much as a page can, so the next one waits until somebody wants it.
 */
function waitsAfter({groups, next, incomplete}: GroupPage): boolean {
  return incomplete && next !== null && groups.length === 0
}

export interface Section {
  group: Group
  /** The line of its header. */
  top: number
  /** How many rows follow the header. */
  height: number
  rows: RowStore | null
  stop: () => void
}

export class GroupStore extends Store<GroupedRows> implements GridRows {
  protected sections: Section[] = []
  protected fold: Fold = noFold
  private wanted = {first: 0, last: 0}
  private next: string | null = null
  private refusals = 0 // of cursors, since the last page after one
  private begun = false
  private reading = false
  private turn = 0
  private readonly shifts = new Set<(by: number) => void>()

  constructor(
    private readonly source: GroupSource,
    private readonly pageSize?: number,
  ) {
    super({start: 0, entries: [], total: null, exact: false, height: 0, seeking: null, error: null, loaded: false, groups: [], more: false, waits: false})
  }

  onShift(listener: (by: number) => void): () => void {
    this.shifts.add(listener)
    return () => this.shifts.delete(listener)
  }

  /** Returns the group whose header is at a line. */
  header(index: number): Group | undefined {
    const section = this.section(index)
    return section?.top === index ? section.group : undefined
  }

  /** Returns the group of a line, with the line of its header. */
  around(index: number): {group: Group; top: number} | undefined {
    return this.section(index)
  }

  /** Returns the line of the header of a group, or -1. */
  topOf(key: string): number {
    return this.sections.find(s => s.group.key === key)?.top ?? -1
  }

  entry(index: number): Entry | undefined {
    const section = this.section(index)
    return section && index > section.top ? section.rows?.entry(index - section.top - 1) : undefined
  }

  indexOf(key: string): number {
    for (const {rows, top, group} of this.sections) {
      const at = rows && !isFolded(this.fold, group.key) ? rows.indexOf(key) : -1
      if (at >= 0) return top + 1 + at
    }
    return -1
  }

  open(): void {
    this.begun = true
    void this.recount()
    void this.read()
  }

  /** Collapses groups. */
  setFold(fold: Fold): void {
    this.fold = fold
    this.settle()
    this.load()
  }

  show(first: number, last: number): void {
    this.wanted = {first, last}
    this.load()
  }

  visible(): readonly Entry[] {
    return this.seen().flatMap(s => s.rows?.visible() ?? [])
  }

  /** Finds the groups again, and reads the visible rows. What is not visible is read when it comes into view. */
  async refresh(): Promise<void> {
    await this.readAgain()
  }

  /** Does what refresh does. It calls `found` when the groups are known, and returns false if it was overtaken by a later call. */
  protected async readAgain(found: () => void = () => undefined): Promise<boolean> {
    const turn = ++this.turn
    this.replaceState({...this.state, error: null})
    void this.recount()
    const groups: Group[] = []
    const first = new Map<string, Page>()
    let page: GroupPage | null = null
    try {
      do {
        page = await this.source.groups(page?.next ?? null, this.fold)
        groups.push(...page.groups)
        page.rows?.forEach((rows, key) => first.set(key, rows))
      } while (page.next !== null && groups.length < this.sections.length && turn === this.turn)
    } catch (error) {
      if (turn === this.turn) this.fail(error)
      throw error
    }
    if (turn !== this.turn) return false
    const seen = new Map(this.seen().map(s => [s.group.key, s]))
    const kept = groups.flatMap(group => seen.get(group.key) ?? [])
    for (const section of this.sections) if (!kept.includes(section)) section.stop()
    this.sections = groups.map(group => {
      const section = seen.get(group.key)
      return section ? Object.assign(section, {group}) : this.newSection(group)
    })
    this.next = page.next
    await this.renew(this.sections, first, found, {more: page.next !== null, waits: waitsAfter(page), loaded: true})
    return turn === this.turn
  }

  /** Replaces the first pages of groups with those that were read again, and reads the visible rows after them. */
  protected async renew(sections: readonly Section[], first: ReadonlyMap<string, Page>, found: () => void, change: Partial<GroupedRows> = {}): Promise<void> {
    const reading: Promise<void>[] = []
    for (const s of sections) {
      const page = first.get(s.group.key)
      // Rows that are not below the first page are there already.
      const isThere = page !== undefined && (!page.hasNext || this.rangeOf(s).last < page.entries.length)
      if (s.rows && !isThere) reading.push(s.rows.refresh())
      else this.take(s, page)
    }
    found()
    this.settle(change)
    await Promise.all(reading)
    this.load()
  }

  /** Takes the first page of a group. */
  private take(section: Section, page: Page | undefined): void {
    if (!page) return
    const rows = (section.rows ??= this.newRows(section))
    const {first, last} = this.rangeOf(section)
    rows.show(first, last)
    rows.take(page).catch(() => undefined) // the rows have the error
  }

  retry(): void {
    this.replaceState({...this.state, error: null})
    for (const {rows} of this.sections) if (rows?.snapshot().error) rows.retry()
    if (this.state.total === null) void this.recount()
    if (!this.state.loaded) void this.read()
    this.load()
  }

  /** Goes on finding groups. */
  goOn(): void {
    this.settle({waits: false})
    void this.read()
  }

  remove(ids: ReadonlySet<string>): void {
    for (const {rows} of this.sections) rows?.remove(ids)
    const {total, entries} = this.state
    if (total !== null) this.replaceState({...this.state, total: Math.max(total - ids.size, entries.length)})
  }

  /** Takes counts of groups that were read again. The rows stay in place. */
  setCounts(counts: ReadonlyMap<string, Count>): void {
    const groups = this.state.groups.map(g => {
      const count = counts.get(g.key)
      return count ? {...g, ...count} : g
    })
    groups.forEach((group, i) => (this.sections[i]!.group = group))
    this.replaceState({...this.state, groups})
  }

  private section(index: number): Section | undefined {
    let [low, high] = [0, this.sections.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.sections[middle]!.top <= index) low = middle + 1
      else high = middle
    }
    const section = this.sections[low - 1]
    return section && index <= section.top + section.height ? section : undefined
  }

  /** Returns the sections of visible rows. */
  protected seen(): Section[] {
    const {first, last} = this.wanted
    return this.sections.filter(s => s.height > 0 && s.top + s.height >= first && s.top < last + 1)
  }

  /** Returns the visible rows of a section. */
  protected rangeOf({top, height}: Section): {first: number; last: number} {
    const {first, last} = this.wanted
    return {first: Math.max(0, first - top - 1), last: Math.max(0, Math.min(last - top - 1, height - 1))}
  }

  /** Reports whether what follows the last known group is in view. */
  protected isAtEnd(): boolean {
    return this.wanted.last >= this.state.height - 2
  }

  private newSection(group: Group): Section {
    return {group, top: 0, height: 0, rows: null, stop: () => undefined}
  }

  protected async recount(): Promise<void> {
    const {turn} = this
    try {
      const {total, exact} = await this.source.count()
      if (turn === this.turn) this.replaceState({...this.state, total, exact})
    } catch (error) {
      if (turn === this.turn) this.fail(error)
    }
  }

  /** Reads the next page of groups. */
  private async read(): Promise<void> {
    if (this.reading || !this.begun) return
    this.reading = true
    const {turn} = this
    try {
      const page = await this.source.groups(this.next, this.fold)
      if (turn !== this.turn) return
      this.sections.push(...page.groups.map(g => this.newSection(g)))
      for (const section of this.sections) if (!section.rows) this.take(section, page.rows?.get(section.group.key))
      this.next = page.next
      this.refusals = 0
      this.settle({more: page.next !== null, waits: waitsAfter(page), loaded: true})
    } catch (error) {
      if (turn !== this.turn) return
      if (this.refusals++ > 2 || !this.source.refuses(error)) {
        this.fail(error)
        return
      }
      await this.refresh().catch(() => undefined) // it shows its error
    } finally {
      this.reading = false
    }
    this.load()
  }

  /** Loads what is visible. */
  protected load(): void {
    if (!this.begun || !this.state.loaded || this.state.error) return
    for (const section of this.seen()) {
      const rows = (section.rows ??= this.newRows(section))
      const {first, last} = this.rangeOf(section)
      rows.show(first, last)
      rows.open(null)
    }
    if (this.state.more && !this.state.waits && this.isAtEnd()) void this.read()
  }

  private newRows(section: Section): RowStore {
    const count = () => ({total: section.group.total ?? 0, exact: section.group.total !== null && section.group.exact})
    const rows = new RowStore(this.source.rows(section.group.key, count), this.pageSize)
    const stops = [
      rows.subscribe(() => this.settle()),
      rows.onShift(by => {
        const {first} = this.wanted
        if (first > section.top && first <= section.top + section.height) for (const shift of this.shifts) shift(by)
      }),
    ]
    section.stop = () => stops.forEach(stop => stop())
    return rows
  }

  /** Places the sections below each other, and notifies the listeners. */
  private settle(change: Partial<GroupedRows> = {}): void {
    let line = 0
    let error: unknown = null
    const entries: Entry[] = []
    for (const section of this.sections) {
      section.top = line++
      const rows = section.rows?.snapshot()
      const isOpen = !isFolded(this.fold, section.group.key)
      // Until its rows are loaded, a group is as tall as it has issues.
      section.height = !isOpen ? 0 : rows?.loaded ? rows.height : Math.max(section.group.total ?? 1, 1)
      line += section.height
      if (!isOpen || !rows) continue
      entries.push(...rows.entries)
      error ??= rows.error
    }
    const state = {...this.state, ...change}
    this.replaceState({...state, entries, groups: this.sections.map(s => s.group), height: line + (state.more ? 1 : 0), error: error ?? state.error})
  }

  protected fail(error: unknown): void {
    this.replaceState({...this.state, error})
  }
}
