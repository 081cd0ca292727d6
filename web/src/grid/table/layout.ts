// The measures of the grid in pixels, and the layout of its columns.
import type {Column} from '../model/columns'
import type {RowSize} from '../model/view'

export const headerHeight = 36
export const footerHeight = 32
/** The heights of rows by their size. */
export const rowHeights: Record<RowSize, number> = {compact: 28, normal: 34, tall: 76}
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
