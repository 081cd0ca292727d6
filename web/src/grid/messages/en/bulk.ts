import {counter} from '../counted'

const counted = counter('en')
const issues = (n: number) => counted(n, {one: 'issue', other: 'issues'})

export const bulk = {
  cancel: 'Cancel',
  close: 'Close',

  // the bar
  chooseAll: 'Choose all  of this view',
  chooseAllOf: (n: number) => `Choose all ${n.toLocaleString()} of this view`,
  chooseFailed: (problem: string) => `The issues can’t all be chosen: ${problem}`,
  chooseFirst: (n: number) => `Choose the first ${n.toLocaleString()} of this view`,
  choosing: 'Choosing',
  choosingStatus: 'Choosing …',
  chosen: (n: number) => `${n.toLocaleString()} chosen`,
  chosenIssues: 'Chosen issues',
  clear: 'Clear choice',
  delete: 'Delete…',
  edit: 'Edit…',
  export: 'Export chosen',
  tryAgain: 'Try again',

  // the dialog
  title: (n: number) => `Edit ${issues(n)}`,
  change: (n: number) => `Change ${issues(n)}`,
  changed: (column: string, n: number) => `${column} of ${issues(n)} is changed.`,
  changing: 'Changing',
  column: 'Column',
  gone: 'An issue that is gone',
  makeEmpty: 'Make it empty',
  moreFailed: (n: number) => `and ${counted(n, {one: 'more', other: 'mores'})}`,
  newValue: 'New value',
  noValue: 'Give a value, or choose to make it empty',
  progress: (done: number, of: number) => `${done.toLocaleString()} of ${issues(of)}`,
  someFailed: (changed: number, failed: number) => `${issues(changed)} changed, ${issues(failed)} not:`,
  tryTheseAgain: 'Try these again',
  undo: 'Undo',
  willBeEmpty: (n: number, column: string) => `${issues(n)} will have ${column} made empty.`,
  willBeSet: (n: number, column: string, value: string) => `${issues(n)} will have ${column} set to “${value}”.`,
}
