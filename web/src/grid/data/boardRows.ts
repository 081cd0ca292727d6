// The cards of a board, which has a column with a window of its own for each group. Groups are read together with their first cards. The other cards of a group
// are read when they come into view, and so are the groups after the last one that was read.
//
// A card that is moved is shown in its new group at once, before the server has answered. Until its groups are read again, it is hidden in the old one, stands
// apart in the new one, because only the server knows its position, and changes the counts of both. Of all groups, only these two are then read again.
import {isFolded, type Fold, type Group} from '../model/groups'
import {GroupStore, type GroupPage, type GroupSource, type Section} from './groupRows'
import type {Count, Entry, RowStore} from './rows'
import {Store} from './store'

/** How many cards of a group are read at once, and how many groups with their first cards. */
export const cardsAtOnce = 20
export const groupsAtOnce = 20
/** The most cards whose values are read again at once. */
const mostVisible = 100

export interface BoardSource extends GroupSource {
  /** Whether moves can change the count of all issues. */
  isFiltered: boolean
  /** Returns groups by their keys, with the first cards of those that are not collapsed. */
  some(keys: readonly string[], fold: Fold): Promise<Pick<GroupPage, 'groups'> & {rows: NonNullable<GroupPage['rows']>}>
}

export interface Move {
  id: string
  /** The keys of the groups; null if a group is not known. */
  from: string | null
  to: string | null
  /** The server has answered. */
  isSaved: boolean
  /** The counts of the groups include the move. */
  isCounted: boolean
  /** The earlier moves of the issue that this one replaces. */
  earlier: readonly Move[]
}

/** Returns the count of a group with the moves that it does not include yet. */
export function countWith({key, total, exact}: Group, moves: readonly Move[]): Count | null {
  if (total === null) return null
  const own = moves.filter(m => !m.isCounted && m.from !== m.to)
  return {total: Math.max(0, total + own.filter(m => m.to === key).length - own.filter(m => m.from === key).length), exact}
}

export class BoardStore extends GroupStore {
  private columns = {first: 0, last: 0}
  private readonly ranges = new Map<string, {first: number; last: number}>()
  /** The moves that are not in the groups yet. */
  readonly moves = new Moves()
  /** The groups to read again, null for all, each with the number of reads that had begun before. A group is due until a read that began later succeeds. */
  private readonly due = new Map<string | null, number>()
  private reads = 0

  constructor(private readonly board: BoardSource) {
    super(board, cardsAtOnce)
  }

  /** Sets the range of groups that are in view. */
  showColumns(first: number, last: number): void {
    this.columns = {first, last}
    this.load()
  }

  /** Sets the range of cards of a group that are in view. */
  showCards(key: string, first: number, last: number): void {
    this.ranges.set(key, {first, last})
    this.load()
  }

  /** Returns the cards of a group; null if none were read. */
  cards(key: string): RowStore | null {
    return this.sections.find(s => s.group.key === key)?.rows ?? null
  }

  /** Returns the indexes of an issue's group and of its card there; null if the card is not loaded. */
  find(id: string): {column: number; card: number} | null {
    for (const [column, {group, rows}] of this.sections.entries()) {
      const card = rows && !isFolded(this.fold, group.key) ? rows.indexOf(`${group.key} ${id}`) : -1
      if (card >= 0) return {column, card}
    }
    return null
  }

  override visible(): readonly Entry[] {
    return super.visible().slice(0, mostVisible)
  }

  /** Shows cards in another group, before they are saved. The returned function is called when they are, with the IDs of those that are not. */
  moving(ids: readonly string[], to: string | null): (failed: ReadonlySet<string>) => void {
    const from = (id: string) => this.sections.find(s => (s.rows?.indexOf(`${s.group.key} ${id}`) ?? -1) >= 0)?.group.key ?? null
    const own = ids.map((id): Move => ({id, from: from(id), to, isSaved: false, isCounted: false, earlier: []}))
    const shown = own.map(m => m.from)
    const end = this.moves.begin(own)
    // A read that began before may have put a card where an earlier move has left it.
    const groups = new Set([...shown, ...own.flatMap(m => [m, ...m.earlier]).flatMap(m => [m.from, m.to])])
    return failed => {
      for (const key of groups) this.due.set(key, this.reads)
      end(failed)
    }
  }

  /** Reports whether a change of issues is that of moves that are not saved yet. When they are, readMoved is called. */
  isMoving(ids: readonly string[]): boolean {
    return ids.every(id => this.moves.snapshot().some(m => m.id === id && !m.isSaved))
  }

  /** Reads the groups of saved moves again, or all groups if one of them is not known. */
  readMoved(): Promise<void> {
    return this.readDue()
  }

  override refresh(): Promise<void> {
    this.due.set(null, this.reads)
    return this.readDue()
  }

  /** Continues after an error. What could not be read again is still due. */
  override retry(): void {
    super.retry()
    if (this.due.size > 0) this.readDue().catch(() => undefined) // the board shows the error
  }

  /** Reads what is due. A later call overtakes an earlier one, and reads what was due for that one as well. */
  private async readDue(): Promise<void> {
    if (this.due.size > groupsAtOnce) this.due.set(null, this.reads)
    const turn = ++this.reads
    const saved = this.moves.saved()
    const count = () => this.moves.count(saved)
    const keys = [...this.due.keys()].filter(key => key !== null)
    const isDone = this.due.has(null) ? await this.readAgain(count) : await this.readSome(keys, count, () => turn === this.reads)
    if (!isDone) return
    for (const [key, before] of this.due) if (before < turn) this.due.delete(key)
    this.moves.end(saved)
  }

  /** Does for some groups what readAgain does for all. */
  private async readSome(keys: readonly string[], found: () => void, isLast: () => boolean): Promise<boolean> {
    this.replaceState({...this.state, error: null})
    if (this.board.isFiltered) void this.recount()
    let page: Awaited<ReturnType<BoardSource['some']>>
    try {
      page = await this.board.some(keys, this.fold)
    } catch (error) {
      if (isLast()) this.fail(error)
      throw error
    }
    if (!isLast()) return false
    const groups = new Map(page.groups.map(g => [g.key, g]))
    const seen = this.seen()
    const sections = this.sections.filter(s => groups.has(s.group.key))
    for (const section of sections) {
      section.group = groups.get(section.group.key)!
      if (seen.includes(section)) continue
      section.stop()
      section.rows = null
    }
    await this.renew(sections, page.rows, found)
    return isLast()
  }

  protected override seen(): Section[] {
    const {first, last} = this.columns
    return this.sections.slice(first, last + 1).filter(s => !isFolded(this.fold, s.group.key))
  }

  protected override rangeOf({group}: Section): {first: number; last: number} {
    return this.ranges.get(group.key) ?? {first: 0, last: 0}
  }

  protected override isAtEnd(): boolean {
    return this.columns.last >= this.sections.length - 1
  }
}

class Moves extends Store<readonly Move[]> {
  constructor() {
    super([])
  }

  /** A later move of an issue replaces an earlier one, and begins where that one began. */
  begin(moves: readonly Move[]): (failed: ReadonlySet<string>) => void {
    for (const move of moves) {
      const before = this.state.find(m => m.id === move.id)
      if (!before) continue
      move.earlier = [...before.earlier, before]
      move.from = before.isCounted ? before.to : before.from
    }
    this.replaceState([...this.state.filter(m => !moves.some(x => x.id === m.id)), ...moves])
    return failed => {
      for (const move of moves) move.isSaved = !failed.has(move.id)
      this.replaceState(this.state.filter(m => !moves.includes(m) || m.isSaved))
    }
  }

  /** Returns the moves that are saved, also those that later ones have replaced. */
  saved(): ReadonlySet<Move> {
    return new Set(this.state.flatMap(m => [...m.earlier, m]).filter(m => m.isSaved))
  }

  /** The groups that were read include these moves. What has replaced one of them begins where it ended. */
  count(moves: ReadonlySet<Move>): void {
    if (moves.size === 0) return
    for (const move of this.state) {
      const counted = move.earlier.findLast(m => moves.has(m))
      if (counted && !move.isCounted) move.from = counted.to
      if (moves.has(move)) move.isCounted = true
    }
    this.replaceState([...this.state])
  }

  end(moves: ReadonlySet<Move>): void {
    if (moves.size > 0) this.replaceState(this.state.filter(m => !moves.has(m)))
  }
}
