// Places on a board: which one a key leads to, and which column is below the pointer.

/** The place of a card, by indexes; -1 is the header of the column. */
export interface Place {
  column: number
  card: number
}

export const header = -1

interface Key {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
}

interface Size {
  columns: number
  /** Returns the number of cards in a column; 0 if it is collapsed. */
  cards: (column: number) => number
  /** The number of cards in view. */
  page: number
}

/** Returns the place to which a key leads; null for other keys. */
export function keyMove(e: Key, {column, card}: Place, {columns, cards, page}: Size): Place | null {
  if (e.altKey || e.shiftKey) return null
  const far = e.ctrlKey || e.metaKey
  const last = columns - 1
  /** A column without cards has its header alone. Below the last card of a column is nothing. */
  const at = (column: number, card: number): Place => {
    const to = Math.max(0, Math.min(column, last))
    return {column: to, card: Math.max(header, Math.min(card, cards(to) - 1))}
  }
  switch (e.key) {
    case 'ArrowDown':
      return at(column, far ? Infinity : card + 1)
    case 'ArrowUp':
      return at(column, far ? 0 : card - 1)
    case 'ArrowRight':
      return at(far ? last : column + 1, card)
    case 'ArrowLeft':
      return at(far ? 0 : column - 1, card)
    case 'Home':
      return at(far ? 0 : column, 0)
    case 'End':
      return at(far ? last : column, Infinity)
    case 'PageDown':
      return at(column, card + page)
    case 'PageUp':
      return at(column, Math.max(Math.min(card, 0), card - page))
    default:
      return null
  }
}

/** Returns the card nearest to one that may be hidden, because it is on its way to another column: the next one, or that before if there is none or `up` is set. */
export function shownCard(card: number, count: number, isHidden: (card: number) => boolean, up = false): number {
  if (card < 0 || card >= count || !isHidden(card)) return card
  const find = (by: number) => {
    let at = card + by
    while (at >= 0 && at < count && isHidden(at)) at += by
    return at >= 0 && at < count ? at : null
  }
  return (up ? find(-1) : (find(1) ?? find(-1))) ?? header
}

/** A box of the page with its key. */
export interface Box {
  key: string
  left: number
  right: number
}

/** Returns the key of the column below a position of the pointer inside the board; null if there is none. */
export function columnAt(x: number, y: number, board: {left: number; right: number; top: number; bottom: number}, columns: readonly Box[]): string | null {
  if (x < board.left || x > board.right || y < board.top || y > board.bottom) return null
  return columns.find(c => x >= c.left && x < c.right)?.key ?? null
}
