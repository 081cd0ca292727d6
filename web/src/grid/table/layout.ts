// The measures of the grid in pixels, and the layout of its columns.
import type {Column} from '../model/columns'

export const rowHeight = 34
export const headerHeight = 36
/** The width of the first column, with the checkboxes. */
export const checkWidth = 40
/** The width of the button after the last header, which adds a field. */
export const addWidth = 44

/** A rendered column with its position and width. */
export interface Drawn {
  column: Column
  index: number
  left: number
  width: number
  pinned: boolean
  /** Whether it is the last pinned column. */
  isEdge: boolean
}
