// The board, which has a column of cards for each group.
export const board = {
  title: 'Board',
  show: 'Show the issues as cards in columns',
  showGrid: 'Show the issues as a table',
  boardOf: (project: string, column: string) => `Board of ${project} by ${column}`,
  /** Read out for a column. */
  column: (group: string, count: string, position: number, of: number | null) =>
    [group, ...(count ? [count] : []), of === null ? `column ${position}` : `column ${position} of ${of}`].join(', '),
  /** Read out for its button. */
  fold: (group: string) => `Collapse ${group}`,
  unfold: (group: string) => `Expand ${group}`,
  empty: 'No issues',
  menu: (issue: string) => `Actions for ${issue}`,
  inConflict: (issue: string) => `${issue} was also changed by others: choose a value`,
}
