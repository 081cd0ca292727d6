// The filter bar, its search, and the editor of a condition.
export const filter = {
  // the search
  search: 'Search issues',
  searchHint: 'Finds the number or the key of an issue, and words in its name, texts and people (/)',
  searchTooLong: (words: number, most: number) => `The search has ${words} words, and next to this filter it can have ${most}.`,
  noRoom: (comparisons: number) => `Next to ${comparisons} comparisons there is no room for the search, which finds nothing now. Remove some.`,

  // the bar
  bar: 'Filter',
  chips: 'Filters',
  match: 'Which of the filters rows must meet',
  matchAll: 'All of these',
  matchAny: 'Any of these',
  add: 'Add filter',
  clear: 'Clear all',
  tooMany: (comparisons: number, most: number) => `${comparisons} comparisons, each choice counted; a filter can have ${most}. Remove some.`,

  // a chip
  missingColumn: (operator: string) => `A missing column ${operator} …`,
  faulty: (filter: string, problem: string) => `${filter}: filters nothing. ${problem}.`,
  /** Read out between a filter and its problem. */
  faultyBetween: ': filters nothing. ',
  filtersNothing: 'Filters nothing',
  remove: 'Remove',
  removeFilter: (filter: string) => `Remove the filter ${filter}`,

  // the editor
  editorAdd: 'Add a filter',
  editorChange: 'Change a filter',
  whichColumn: 'Filter by which column?',
  columns: 'Columns',
  noColumn: 'No column has this name.',
  anotherColumn: 'Choose another column',
  comparison: 'Comparison',
  operand: (column: string, operator: string) => `${column} ${operator}`,
  from: 'From',
  to: 'To',
  backwards: 'The range ends before it begins',
  listHint: 'Between commas; one with a comma in it in quotes.',
  zoneHint: 'In the time zone of this browser.',
  withThisTooMany: (comparisons: number, most: number) => `With this the filter has ${comparisons} comparisons, each choice counted; it can have ${most}.`,
  apply: 'Apply',
}
