// What went wrong between the page and the server, and what edits are called when they can be undone.
const issues = (n: number): string => (n === 1 ? 'an issue' : `${n} issues`)

export const data = {
  // why a request failed
  badStatus: (status: number) => `The server responded with status ${status}.`,
  changedTooOften: 'The issue is being changed too often.',
  issueGone: 'The issue no longer exists.',
  noReason: 'The server gave no reason.',
  notFromServer: 'The response is not from the server, or the server is not ready.',
  offline: 'The server can’t be reached.',
  projectGone: 'The project is gone.',

  // edits, as in “Undo creation of 12”
  changeOf: (column: string) => `change of ${column}`,
  changeOfIssues: (n: number) => `change of ${n} issues`,
  creationOf: (num: number) => `creation of ${num}`,
  creationOfIssues: (n: number) => `creation of ${issues(n)}`,
  deletionOf: (n: number) => `deletion of ${issues(n)}`,
  restoringOf: (n: number) => `restoring of ${issues(n)}`,
}
