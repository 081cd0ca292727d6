// The active cell and the selected rectangle of cells.

/** The row of the header, and that of the footer. Other rows are not negative. */
export const headerRow = -1
export const footerRow = -2

/** The position of a cell. */
export interface Place {
  row: number
  column: number
}

export interface Selection {
  active: Place
  /** The corner of the rectangle opposite the active cell; null if only that cell is selected. */
  anchor: Place | null
}

export interface Rectangle {
  top: number
  bottom: number
  left: number
  right: number
}

export function rectangle({active, anchor}: Selection): Rectangle {
  const other = anchor ?? active
  return {
    top: Math.min(active.row, other.row),
    bottom: Math.max(active.row, other.row),
    left: Math.min(active.column, other.column),
    right: Math.max(active.column, other.column),
  }
}

export const contains = (r: Rectangle, row: number): boolean => row >= r.top && row <= r.bottom

/** Returns a range extended to a cell below it or to its right, whichever is farther; the range itself for a cell inside, above or to the left. */
export function extended(r: Rectangle, {row, column}: Place): Rectangle {
  const [down, right] = [row - r.bottom, column - r.right]
  if (down <= 0 && right <= 0) return r
  return down >= right ? {...r, bottom: row} : {...r, right: column}
}

interface Key {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
}

interface Size {
  rows: number
  columns: number
  page: number
  /** Whether there is a footer. It is reached with Arrow down from the last row. */
  hasFooter?: boolean
}

/** Returns the cell to which a key moves, as in the ARIA grid pattern; null for other keys. It may be below the last row or to the right of the last column. */
export function keyMove(e: Key, from: Place, size: Size): Place | null {
  const isFooter = from.row === footerRow
  const to = move(e, isFooter ? {...from, row: size.rows} : from, size)
  const isDown = isFooter || (e.key === 'ArrowDown' && from.row === size.rows - 1)
  return to && size.hasFooter && isDown && to.row >= size.rows ? {...to, row: footerRow} : to
}

function move(e: Key, {row, column}: Place, size: Size): Place | null {
  if (e.altKey) return null
  const far = e.ctrlKey || e.metaKey
  switch (e.key) {
    case 'ArrowDown':
      return far ? {row: size.rows - 1, column} : {row: row + 1, column}
    case 'ArrowUp':
      return far ? {row: 0, column} : {row: row - 1, column}
    case 'ArrowRight':
      return far ? {row, column: size.columns - 1} : {row, column: column + 1}
    case 'ArrowLeft':
      return far ? {row, column: 0} : {row, column: column - 1}
    case 'Home':
      return far ? {row: 0, column: 0} : {row, column: 0}
    case 'End':
      return far ? {row: size.rows - 1, column: size.columns - 1} : {row, column: size.columns - 1}
    case 'PageDown':
      return {row: row + size.page, column}
    case 'PageUp':
      return {row: Math.max(Math.min(row, 0), row - size.page), column}
    default:
      return null
  }
}
