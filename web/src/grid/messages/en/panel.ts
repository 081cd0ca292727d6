import {counter} from '../counted'

const counted = counter('en')
const emptyFields = {one: 'empty field', other: 'empty fields'}

export const panel = {
  // in several places
  cancel: 'Cancel',
  close: 'Close',
  loading: 'Loading …',
  offline: 'You seem to be offline.',
  searchFields: 'Search fields',
  show: 'Show',
  showAll: 'Show all',
  showLess: 'Show less',
  showMore: 'Show more',
  tryAgain: 'Try again',
  undo: 'Undo',
  /** The label of a step that can be undone. */
  changeOf: (column: string) => `change of ${column}`,
  edit: (column: string) => `Edit ${column}`,

  // the panel
  back: 'Back',
  copied: (issue: string) => `The link to ${issue} is copied.`,
  copyFailed: (link: string) => `The browser does not let the page copy. The link is ${link}`,
  copyLink: 'Copy link',
  delete: 'Delete …',
  details: 'Details',
  /** Read out before the key of the issue. */
  issue: 'Issue',
  loadFailed: 'The issue can’t be loaded',
  loadingIssue: 'Loading the issue',
  loadsLater: 'The issue is loaded when the server can be reached again.',
  maybeOld: 'You seem to be offline. This may not be the latest.',
  missing: (issue: string) => `There is no issue ${issue}`,
  missingWhy: 'It was deleted, or never existed. Deleted issues stay in the trash for 30 days.',
  more: 'More of this issue',
  next: 'Next issue',
  noName: '(no name)',
  offlineTitle: 'You seem to be offline',
  parts: 'Parts of the issue',
  previous: 'Previous issue',

  // fields and texts
  created: (created: string, changed: string) => `Created ${created}, changed ${changed}`,
  createdReadOnly: (created: string, changed: string) => `Created ${created}, changed ${changed}. You may only read this project.`,
  fields: 'Fields',
  hideEmpty: (n: number) => `Hide ${counted(n, emptyFields)}`,
  noField: 'No field has this name.',
  noText: 'None',
  notSaved: 'This is not saved yet.',
  save: 'Save',
  saveKeys: 'Ctrl+Enter saves',
  searchSome: (n: number) => `Search ${n} fields`,
  showEmpty: (n: number) => `Show ${counted(n, emptyFields)}`,
  /** A table in a text. */
  table: 'Table',

  history: {
    title: 'History',
    none: 'There are no recorded changes. An imported issue has none for its creation.',
    /** Who has done what, such as `somebody`, one of the `deeds` and `2 hours ago`. */
    entry: '{who} {deed} {when}',
    deeds: {CREATED: 'made the issue', DELETED: 'put the issue into the trash', RESTORED: 'took the issue out of the trash'},
    changed: (column: string) => `changed ${column}`,
    changedFields: (n: number) => `changed ${n} fields`,
    changedNothing: 'changed nothing',
    changedSome: (columns: string, last: string) => `changed ${columns} and ${last}`,
    somebody: 'Somebody',
    actors: {
      JOB: {alone: 'A job', of: (person: string) => `A job of ${person}`},
      IMPORT: {alone: 'An import', of: (person: string) => `An import of ${person}`},
    },
    /** Read out between the old and the new value. */
    became: 'became',
    empty: '(empty)',
  },

  newIssue: {
    title: 'New issue',
    hint: 'New issue (Alt+N)',
    clear: 'Clear',
    create: 'Create',
    created: (issue: string) => `Created ${issue}`,
    creating: 'Creating …',
    fewerFields: 'Fewer fields',
    kept: 'This is what you had begun to write.',
    moreFields: (n: number) => counted(n, {one: 'more field', other: 'more fields'}),
    offline: 'You seem to be offline. Nothing is lost: try again when you are back.',
    required: 'A value is required',
    wrong: (n: number) => (n === 1 ? 'One field is not right.' : `${n} fields are not right.`),
  },

  deletion: {
    title: (issue: string) => `Delete ${issue}?`,
    titleSome: (n: number) => `Delete ${n.toLocaleString()} issues?`,
    titleFailed: (n: number) => `${n.toLocaleString()} not deleted`,
    /** An issue whose key is not known. */
    anIssue: 'An issue',
    delete: 'Delete',
    deleted: (issue: string) => `${issue} is in the trash.`,
    deletedSome: (n: number) => `${n.toLocaleString()} issues are in the trash.`,
    deleting: 'Deleting …',
    explanation: (n: number) => `${n === 1 ? 'It goes' : 'They go'} into the trash, and can be restored from there for 30 days.`,
    more: (n: number) => `and ${n.toLocaleString()} more`,
    undoFailed: (problem: string) => `Not everything came back: ${problem}`,
  },

  trash: {
    title: (project: string) => `Trash of ${project}`,
    explanation: 'Deleted issues stay here for 30 days. Restored, they are as they were: number, values and history.',
    empty: 'The trash is empty.',
    deleted: 'Deleted {deleted}, removed permanently {removed}',
    deletedBy: 'Deleted {deleted} by {by}, removed permanently {removed}',
    gone: 'It is no longer in the trash.',
    restore: 'Restore',
    restoreIssue: (issue: string) => `Restore ${issue}`,
    restored: 'Restored.',
    showIssue: (issue: string) => `Show ${issue}`,
    // the menu of the toolbar
    menu: 'More',
    open: 'Trash …',
    openPalette: 'Find an action, a column, a view or an issue',
    openShortcuts: 'Keyboard shortcuts',
  },
}
