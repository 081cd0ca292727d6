// The page around the grid: loading, signing in, the toolbar, conflicts, and the line below the grid.
import {counter} from '../counted'

const counted = counter('en')
const calls = (n: number) => counted(n, {one: 'call', other: 'calls'})
const issues = (n: number) => counted(n, {one: 'issue', other: 'issues'})

export const page = {
  loading: 'Loading…',

  // a page that failed
  failed: 'Something went wrong',
  failures: {
    OFFLINE: 'The server can’t be reached',
    NOT_FOUND: 'This project doesn’t exist',
    FORBIDDEN: 'You don’t have access',
  },
  allProjects: 'All projects',
  otherUser: 'Use another account',

  // signing in
  signIn: 'Sign in',
  signInAgain: 'Sign in again',
  tokenHint: 'This server requires a signed token (JWT) from your identity provider. Paste yours here. It’s kept in this tab only, until you close it.',
  token: 'Token',
  notToken: 'This is not a token: it contains characters that tokens can’t have.',
  tokenRefused: (problem: string) => `The token wasn’t accepted: ${problem}`,

  // the toolbar
  path: 'Breadcrumb',
  projects: 'Projects',
  tools: 'Tools',
  moreTools: 'More tools',
  undo: 'Undo',
  undoStep: (step: string) => `Undo ${step}`,
  redo: 'Redo',
  redoStep: (step: string) => `Redo ${step}`,
  refresh: 'Refresh',
  putInOrder: 'Re-sort',
  putInOrderHint: 'Something that sorts or filters the rows has changed. Select to update them.',
  settings: 'Settings',

  // the grid
  notSaved: (problem: string) => `Not saved: ${problem}`,
  noIssue: (issue: string) => `Issue ${issue} doesn’t exist.`,
  notMatching: (issue: string) => `${issue} doesn’t match the filter. It would appear here.`,

  // conflicts
  conflicts: {
    title: 'Conflicts',
    heading: 'Also changed by others',
    count: (n: number) => counted(n, {one: 'conflict', other: 'conflicts'}),
    /** The other user is null, and the time is empty, if they are not known. */
    told: (column: string, issue: string, by: string | null, time: string) =>
      `“${column}” in ${issue} was also changed by ${by ?? 'someone else'}${time && ` (${time})`}. Your value isn’t saved yet.`,
    review: 'Review',
    cell: '{column} in {issue}',
    cellName: (column: string, issue: string) => `${column} in ${issue}`,
    before: 'Before',
    someone: 'Someone else',
    mine: 'You',
    useMine: 'Use mine',
    keepTheirs: 'Keep theirs',
    kept: (column: string, issue: string, value: string) => `“${column}” in ${issue} stays ${value}.`,
    empty: '(empty)',
  },

  // the line below the grid
  issues,
  atLeastIssues: (n: number) => `at least ${issues(n)}`,
  selected: (n: number) => `${n.toLocaleString()} selected`,
  saving: (n: number) => `Saving ${counted(n, {one: 'change', other: 'changes'})}…`,
  cost: 'Cost',
  lastPage: (n: number, rcu: number, milliseconds: number) => `Last page: ${calls(n)} · ${rcu} RCU · ${milliseconds} ms`,
  totalCost: (n: number, rcu: number, wcu: number) => `DynamoDB usage since the page was opened: ${calls(n)}, ${rcu} RCU, ${wcu} WCU`,
  explain: 'Explain this view',
}
