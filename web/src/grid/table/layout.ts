// The measures of the grid in pixels, and the layout of its columns.
import type {Column} from '../model/columns'
import type {RowSize} from '../model/view'

export const headerHeight = 36
/** The measures of the rows by their size. */
export const rowMeasures: Record<RowSize, {row: number; header: number}> = {
  compact: {row: 28, header: headerHeight},
  normal: {row: 34, header: headerHeight},
  tall: {row: 76, header: headerHeight},
}
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
