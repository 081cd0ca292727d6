// The page around the grid: loading, signing in, the toolbar, conflicts, and the line below the grid.
import {counter} from '../counted'

const counted = counter('en')
const calls = (n: number) => counted(n, {one: 'call', other: 'calls'})
const issues = (n: number) => counted(n, {one: 'issue', other: 'issues'})

export const page = {
  loading: 'Loading …',

  // a page that failed
  failed: 'That did not work',
  failures: {
    OFFLINE: 'The server can’t be reached',
    NOT_FOUND: 'There is no such project',
    FORBIDDEN: 'You may not see this',
  },
  allProjects: 'All projects',
  otherUser: 'Sign in as somebody else',

  // signing in
  signIn: 'Sign in',
  signInAgain: 'Sign in again',
  tokenHint: 'This server takes signed tokens (JWT) of your identity provider. Paste yours; it stays in this tab, and is gone when you close it.',
  token: 'Token',
  notToken: 'This is not a token: it has characters that no token has.',
  tokenRefused: (problem: string) => `The token was not accepted: ${problem}`,

  // the toolbar
  path: 'Where you are',
  projects: 'Projects',
  tools: 'Tools',
  moreTools: 'More tools',
  undo: 'Undo',
  undoStep: (step: string) => `Undo ${step}`,
  redo: 'Redo',
  redoStep: (step: string) => `Redo ${step}`,
  refresh: 'Refresh',
  putInOrder: 'Put in order',
  putInOrderHint: 'What you edited is sorted or filtered by: read it again in order',
  settings: 'Settings',

  // the grid
  notSaved: (problem: string) => `Not saved: ${problem}`,
  noIssue: (issue: string) => `There is no issue ${issue}.`,
  notMatching: (issue: string) => `${issue} does not match the filter. It would be here.`,

  // conflicts
  conflicts: {
    title: 'Conflicts',
    heading: 'Changed by others, too',
    count: (n: number) => counted(n, {one: 'conflict', other: 'conflicts'}),
    /** The other user is null, and the time is empty, if they are not known. */
    told: (column: string, issue: string, by: string | null, time: string) =>
      `${column} of ${issue} was also changed by ${by ?? 'someone else'}${time && ` at ${time}`}. Your value is not saved yet.`,
    review: 'Review',
    cell: '{column} of {issue}',
    cellName: (column: string, issue: string) => `${column} of ${issue}`,
    before: 'It was',
    someone: 'someone else',
    mine: 'You',
    useMine: 'Use mine',
    keepTheirs: 'Keep theirs',
    kept: (column: string, issue: string, value: string) => `${column} of ${issue} stays ${value}.`,
    empty: '(empty)',
  },

  // the line below the grid
  issues,
  atLeastIssues: (n: number) => `at least ${issues(n)}`,
  selected: (n: number) => `${n.toLocaleString()} selected`,
  saving: (n: number) => `Saving ${n} …`,
  cost: 'Cost',
  lastPage: (n: number, rcu: number, milliseconds: number) => `Last page: ${calls(n)} · ${rcu} RCU · ${milliseconds} ms`,
  totalCost: (n: number, rcu: number, wcu: number) => `In DynamoDB since the page was opened: ${calls(n)}, ${rcu} RCU, ${wcu} WCU`,
  explain: 'Explain this view',
}
