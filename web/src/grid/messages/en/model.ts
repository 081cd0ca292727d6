// The names of columns, types and comparisons, and why a value is refused.
import {counter} from '../counted'

const counted = counter('en')
const count = (one: string, other: string) => (n: number) => counted(n, {one, other})

/** Returns texts with a number of each unit of time. */
const ofUnits = (text: (count: string) => string) => ({
  minute: (n: number) => text(count('minute', 'minutes')(n)),
  hour: (n: number) => text(count('hour', 'hours')(n)),
  day: (n: number) => text(count('day', 'days')(n)),
  week: (n: number) => text(count('week', 'weeks')(n)),
  month: (n: number) => text(count('month', 'months')(n)),
  quarter: (n: number) => text(count('quarter', 'quarters')(n)),
  year: (n: number) => text(count('year', 'years')(n)),
})

export const model = {
  justNow: 'just now',

  columns: {
    name: 'Name',
    state: 'State',
    description: 'Description',
    created: 'Created',
    updated: 'Updated',
    createdby: 'Created by',
    updatedby: 'Updated by',
  },
  numberDescription: 'Issue number',

  types: {
    TEXT: 'Text',
    LONG_TEXT: 'Long text',
    INTEGER: 'Integer',
    NUMBER: 'Number',
    DATE: 'Date',
    DATETIME: 'Date and time',
    BOOLEAN: 'Yes or no',
    SELECT: 'Single option',
    MULTI_SELECT: 'Multiple options',
    TAGS: 'Tags',
    USER: 'Person',
  },
  peopleType: 'People and teams',

  // values in cells
  yes: 'Yes',
  no: 'No',
  bytes: (n: string) => `${n} ${n === '1' ? 'byte' : 'bytes'}`,

  // comparisons; those of dates and times, and of people, first
  timeOperators: {lt: 'is before', lte: 'is on or before', gt: 'is after', gte: 'is on or after'},
  personOperators: {anyOf: 'has any of the names'},
  operators: {
    is: 'is',
    isNot: 'is not',
    exactly: 'is exactly',
    isMe: 'is me',
    isNotMe: 'is not me',
    isNameOnly: 'is only a name',
    isNotNameOnly: 'is not only a name',
    anyOf: 'is any of',
    noneOf: 'is none of',
    anyOfUsers: 'is any of',
    noneOfUsers: 'is none of',
    contains: 'contains',
    startsWith: 'begins with',
    lt: 'is less than',
    lte: 'is at most',
    gt: 'is greater than',
    gte: 'is at least',
    between: 'is between',
    hasAny: 'has any of',
    hasAll: 'has all of',
    hasNone: 'has none of',
    hasMe: 'includes me',
    hasNotMe: 'does not include me',
    empty: 'is empty',
    notEmpty: 'is not empty',
  },
  /** Dates and times relative to now. */
  relative: {
    now: 'now',
    periods: {
      day: {last: 'yesterday', this: 'today', next: 'tomorrow'},
      week: {last: 'last week', this: 'this week', next: 'next week'},
      month: {last: 'last month', this: 'this month', next: 'next month'},
      quarter: {last: 'last quarter', this: 'this quarter', next: 'next quarter'},
      year: {last: 'last year', this: 'this year', next: 'next year'},
    },
    last: ofUnits(n => `in the last ${n}`),
    next: ofUnits(n => `in the next ${n}`),
    ago: ofUnits(n => `${n} ago`),
    ahead: ofUnits(n => `${n} from now`),
    /** Comparisons with them, where they have other names. */
    operators: {lt: 'is before', lte: 'is on or before', gt: 'is after', gte: 'is on or after', between: 'is between'},
    /** Between the ends of a range. */
    and: ' and ',
  },
  condition: (column: string, operator: string, values: string) => `${column} ${operator} ${values}`.trim(),
  /** Between the ends of a range. */
  and: ' and ',
  andMore: (values: string, n: number) => `${values} and ${n} more`,

  // why a condition filters nothing
  missingColumn: 'This column no longer exists',
  missingOption: 'An option no longer exists',
  missingValue: 'A value is missing',
  periodNeeded: 'Select a day or period',
  notCompared: (column: string, operator: string) => `“${column}” can’t be compared with “${operator}”`,
  notText: (value: string) => `“${value}” is not text`,
  notWritten: (value: string) => `“${value}” is not in the expected format`,
  operandLength: (most: number) => `Text in a filter can have at most ${most} characters`,
  issueNumbers: (most: number) => `Issue numbers go up to ${most}`,

  // why a text is not a value
  required: 'A value is required',
  nameLength: 'A name can have at most 200 characters',
  neitherYesNorNo: (text: string) => `“${text}” is neither yes nor no`,
  notOption: (name: string) => `“${name}” is not one of the options`,
  tagCount: 'At most 100 tags are allowed',
  tagLength: (start: string) => `The tag “${start}…” has more than 100 characters`,
  notNumber: (text: string) => `“${text}” is not a number`,
  notInteger: (text: string) => `“${text}” is not an integer`,
  unclearNumber: (text: string, a: string, b: string) => `“${text}” is not clear: write ${a} or ${b}`,
  integerRange: 'The integer doesn’t fit in 64 bits',
  numberRange: 'A number must be 0 or between 1e-130 and 9.9e125, positive or negative',
  numberDigits: (text: string) => `“${text}” has more digits than can be stored`,
  notDate: (text: string) => `“${text}” is not a date (example: 2026-01-31)`,
  notTime: (text: string) => `“${text}” is not a time (example: 2026-01-31 18:30)`,
  firstYear: 'Years start at 0001',
  yearDigits: 'Write the year with four digits',
  notMonth: (month: number) => `${month} is not a month`,
  daysOfMonth: (month: string, year: number, days: number) => `${month} ${year} has ${days} days`,
  unclearDate: (text: string, a: string, b: string) => `“${text}” could be two dates: write ${a} or ${b}`,
  dateForm: (problem: string, example: string) => `${problem}: write dates like ${example} or 2026-12-24`,
  timeRange: 'A time must be in the years 0001 to 9999 (UTC)',
}
