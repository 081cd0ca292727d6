import {counter} from '../counted'

const counted = counter('en')
const issues = (n: number) => counted(n, {one: 'issue', other: 'issues'})

export const bulk = {
  cancel: 'Cancel',
  close: 'Close',

  // the bar
  chooseAll: 'Select all in this view',
  chooseAllOf: (n: number) => `Select all ${n.toLocaleString()} in this view`,
  chooseFailed: (problem: string) => `Not all issues could be selected: ${problem}`,
  chooseFirst: (n: number) => `Select the first ${n.toLocaleString()} in this view`,
  choosing: 'Selecting issues',
  choosingStatus: 'Selecting issues…',
  chosen: (n: number) => `${n.toLocaleString()} selected`,
  chosenIssues: 'Selected issues',
  clear: 'Clear selection',
  delete: 'Delete…',
  edit: 'Edit…',
  export: 'Export selected',
  tryAgain: 'Try again',

  // the dialog
  title: (n: number) => `Edit ${issues(n)}`,
  change: (n: number) => `Change ${issues(n)}`,
  changed: (column: string, n: number) => `“${column}” was changed in ${issues(n)}.`,
  changing: 'Changing issues',
  column: 'Column',
  gone: 'A deleted issue',
  makeEmpty: 'Clear the value',
  moreFailed: (n: number) => `and ${n.toLocaleString()} more`,
  newValue: 'New value',
  noValue: 'Enter a value, or select “Clear the value”',
  progress: (done: number, of: number) => `${done.toLocaleString()} of ${issues(of)}`,
  someFailed: (changed: number, failed: number) => `${issues(changed)} changed, ${failed.toLocaleString()} failed:`,
  tryTheseAgain: 'Try these again',
  undo: 'Undo',
  willBeEmpty: (n: number, column: string) => `“${column}” will be cleared in ${issues(n)}.`,
  willBeSet: (n: number, column: string, value: string) => `“${column}” will be set to “${value}” in ${issues(n)}.`,
}
