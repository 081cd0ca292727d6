// Measures of the grid, in pixels, and the columns as they are drawn.
import type {Column} from '../model/columns'

export const rowHeight = 34
export const headerHeight = 36
/** The first column, with the check boxes. */
export const checkWidth = 40

/** A column as it is drawn: where it begins, and how wide it is. */
export interface Drawn {
  column: Column
  index: number
  left: number
  width: number
  pinned: boolean
}
