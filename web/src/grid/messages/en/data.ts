// What went wrong between the page and the server, and what edits are called when they can be undone.
import {counter} from '../counted'

const counted = counter('en')
const issues = (n: number) => counted(n, {one: 'issue', other: 'issues'})

export const data = {
  // why a request failed
  badStatus: (status: number) => `The server responded with status ${status}.`,
  changedTooOften: 'The issue is being changed too often.',
  issueGone: 'The issue no longer exists.',
  noReason: 'The server gave no reason.',
  notFromServer: 'The response didn’t come from the server, or the server isn’t ready.',
  offline: 'The server can’t be reached.',
  projectGone: 'The project no longer exists.',

  // edits, as in “Undo creating issue 12”
  changeOf: (column: string) => `changing ${column}`,
  changeOfIssues: (n: number) => `changing ${issues(n)}`,
  creationOf: (num: number) => `creating issue ${num}`,
  creationOfIssues: (n: number) => `creating ${issues(n)}`,
  deletionOf: (n: number) => `deleting ${issues(n)}`,
  restoringOf: (n: number) => `restoring ${issues(n)}`,
}
