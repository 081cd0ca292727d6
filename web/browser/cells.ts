// What people type and paste into cells, and what they mean. Each entry is the text and the value that the API is to show, or a part of the message.
// All forms of numbers, dates and words are in the tests of src/grid/model; here is one of each kind that takes another way through the page.
export type Case = [text: string, want: string | RegExp]
type Cases = Record<string, Case[]>

const every: Cases = {
  Vessel: [
    ['Aurora', 'Aurora'],
    ['  two  spaces  ', '  two  spaces  '],
    ['=1+1', '=1+1'],
    ['007', '007'],
    ['"quoted"', '"quoted"'],
    ['<b>bold</b>', '<b>bold</b>'],
    ['👩‍🚀 ship', '👩‍🚀 ship'],
  ],
  'Running Hours': [
    ['-17', '-17'],
    ['9223372036854775807', '9223372036854775807'],
    ['9223372036854775808', /64 bits/],
    ['12 bottles', /is not an integer/],
  ],
  Cost: [
    ['1.234.567,89', '1234567.89'],
    ['−8', '-8'],
    ['about 5', /is not a number/],
  ],
  Due: [
    ['24.12.2026', '2026-12-24'],
    ['2026-02-29', /February 2026 has 28 days/],
  ],
  Inspected: [
    ['2026-12-24 18:30 +02:00', '2026-12-24T16:30:00Z'],
    ['noonish', /is not a time/],
  ],
  Safety: [
    ['yes', 'true'],
    ['FALSE', 'false'],
    ['はい', 'true'],
    ['maybe', /is neither yes nor no/],
  ],
  Priority: [
    ['low', 'Low'],
    ['Urgent!', /is not one of the options/],
  ],
  Systems: [
    ['Engine', 'Engine'],
    ['"Hull","Engine"', 'Engine, Hull'],
    ['Engine, Warp drive', /is not one of the options/],
  ],
  Tags: [
    ['rust', 'rust'],
    ['"a, b", c', 'a, b, c'],
    ['x'.repeat(101), /more than 100 characters/],
  ],
  Assignee: [
    ['Ada Lovelace', 'Ada Lovelace'],
    ['  Zoë ', 'Zoë'],
    ['a'.repeat(201), /at most 200 characters/],
  ],
}

/** Returns the cases with some more, which differ between locales. */
const and = (more: Cases): Cases => ({...every, ...Object.fromEntries(Object.entries(more).map(([name, list]) => [name, [...every[name]!, ...list]]))})

/** A time in the time zone of the browser, as the API shows it. */
const local = (time: string): string => new Date(time).toISOString().replace('.000', '')

export const cases: Record<string, Cases> = {
  'en-US': and({
    'Running Hours': [
      ['1,234', '1234'],
      ['1.234', /is not an integer/],
    ],
    Cost: [
      ['1.234', '1.234'],
      ['1,5', /is not clear: write 1.5 or 15/],
    ],
    Due: [
      ['3/4/2026', '2026-03-04'],
      ['25/12/2026', /25 is not a month/],
    ],
    Inspected: [['12/24/2026 6:45 pm', local('2026-12-24T18:45')]],
  }),
  'de-DE': and({
    'Running Hours': [
      ['1.234', '1234'],
      ['1,234', /is not an integer/],
    ],
    Cost: [
      ['1.200,50 €', '1200.5'],
      ['1.5', /is not clear: write 1,5 or 15/],
    ],
    Due: [
      ['2. Februar 2024', '2024-02-02'],
      ['3/4/2026', /could be two dates/],
    ],
    Inspected: [['24.12.2026, 18:45', local('2026-12-24T18:45')]],
  }),
  'ja-JP': and({
    'Running Hours': [['１,２３４', '1234']],
    Cost: [['￥1,200', '1200']],
    Due: [['2026年12月25日', '2026-12-25']],
    Inspected: [['2026/12/24 18:45', local('2026-12-24T18:45')]],
  }),
}

/** Words for tomorrow, which are dates only as long as they are typed. */
export const tomorrow: Record<string, string> = {'en-US': 'tomorrow', 'de-DE': 'morgen', 'ja-JP': '明日'}
