// The issues of all projects in which the user takes part.
import {counter} from '../counted'

const counted = counter('en')
const issues = {one: 'issue', other: 'issues'}

export const work = {
  title: 'My work',
  projects: 'Projects',
  lists: 'Lists of issues',
  kinds: {mine: 'Assigned to me', teams: 'Assigned to my teams', watched: 'Watched', created: 'Created by me'},
  status: 'Status',
  statuses: {open: 'Open', closed: 'Closed', all: 'Open and closed'},
  order: 'Order',
  orders: {updated: 'Last updated', created: 'Last created', number: 'Number'},
  byProject: 'By project',
  count: (n: number, exact: boolean) => (exact ? counted(n, issues) : `at least ${counted(n, issues)}`),
  loading: 'Loading…',
  more: 'Show more',
  none: {
    mine: 'No issues are assigned to you.',
    teams: 'No issues are assigned to your teams.',
    watched: 'You watch no issues.',
    created: 'You have created no issues.',
  },
  noneOpen: 'Only open issues are shown. Issues of the past are under “Closed”.',
  assignees: 'Assignees',
  updated: (when: string) => `updated ${when}`,
}
