// The filter bar, its search, and the editor of a condition.
import {counter} from '../counted'

const counted = counter('en')
const compared = (n: number) => counted(n, {one: 'comparison', other: 'comparisons'})

export const filter = {
  // the search
  search: 'Search issues',
  searchHint: 'Search by issue number or key, or by words in names, texts, and people (/)',
  searchTooLong: (words: number, most: number) =>
    `The search has ${counted(words, {one: 'word', other: 'words'})}; with this filter, it can have at most ${most}.`,
  noRoom: (comparisons: number) => `With ${compared(comparisons)}, this filter leaves no room for the search. Remove some conditions.`,

  // the bar
  bar: 'Filter',
  chips: 'Filters',
  match: 'Rows must match',
  matchAll: 'All filters',
  matchAny: 'Any filter',
  add: 'Add filter',
  clear: 'Clear filters',
  tooMany: (comparisons: number, most: number) =>
    `This filter has ${compared(comparisons)}, counting each selected option; it can have at most ${most}. Remove some conditions.`,

  // a chip
  missingColumn: (operator: string) => `Missing column ${operator}…`,
  faulty: (filter: string, problem: string) => `${filter}: not applied. ${problem}.`,
  /** Read out between a filter and its problem. */
  faultyBetween: ': not applied. ',
  further: 'Further conditions',
  furtherHint: 'This view was saved by another program, with conditions that this page can apply but not edit',
  filtersNothing: 'Not applied',
  remove: 'Remove',
  removeFilter: (filter: string) => `Remove filter: ${filter}`,

  // the editor
  editorAdd: 'Add filter',
  editorChange: 'Edit filter',
  whichColumn: 'Select a column to filter by',
  anotherColumn: 'Select another column',
  comparison: 'Comparison',
  operand: (column: string, operator: string) => `${column} ${operator}`,
  from: 'From',
  to: 'To',
  backwards: 'The range ends before it begins',
  listHint: 'Separate values with commas; put quotes around a value that contains one.',
  zoneHint: 'In this browser’s time zone.',
  withThisTooMany: (comparisons: number, most: number) =>
    `This would give the filter ${compared(comparisons)}, counting each selected option; it can have at most ${most}.`,
  pickPerson: 'Choose from the list, or clear the text',
  removePerson: (name: string) => `Remove ${name}`,
  apply: 'Apply',

  // a date or a time
  /** The choice between a fixed and a relative value of an operand. */
  kind: (operand: string) => `${operand}: kind of value`,
  fixedDate: 'a date…',
  fixedTime: 'a date and time…',
  days: 'Days',
  weeks: 'Weeks',
  months: 'Months',
  quarters: 'Quarters',
  years: 'Years',
  counted: 'Before or after now',
  last: 'in the last…',
  next: 'in the next…',
  ago: '… ago',
  ahead: '… from now',
  count: (operand: string) => `${operand}: number`,
  unit: (operand: string) => `${operand}: unit`,
  units: {minute: 'minutes', hour: 'hours', day: 'days', week: 'weeks', month: 'months', quarter: 'quarters', year: 'years'},
  countRange: (most: number) => `Enter a whole number from 1 to ${most.toLocaleString()}`,
  /** What was understood of typed words. */
  moves: (time: string) => `${time} (relative)`,
}
