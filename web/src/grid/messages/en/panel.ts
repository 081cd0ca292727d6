import {counter} from '../counted'

const counted = counter('en')
const issues = (n: number) => counted(n, {one: 'issue', other: 'issues'})
const emptyFields = {one: 'empty field', other: 'empty fields'}

export const panel = {
  // in several places
  cancel: 'Cancel',
  close: 'Close',
  loading: 'Loading…',
  offline: 'You seem to be offline.',
  searchFields: 'Search fields',
  show: 'Show',
  showAll: 'Show all',
  showLess: 'Show less',
  showMore: 'Show more',
  tryAgain: 'Try again',
  undo: 'Undo',
  edit: (column: string) => `Edit ${column}`,

  // the panel
  back: 'Back',
  copied: (issue: string) => `Link to ${issue} copied.`,
  copyFailed: (link: string) => `The browser blocked copying. The link is ${link}`,
  copyLink: 'Copy link',
  delete: 'Delete…',
  details: 'Details',
  /** Read out before the key of the issue. */
  issue: 'Issue',
  loadFailed: 'The issue couldn’t be loaded',
  loadingIssue: 'Loading issue',
  loadsLater: 'The issue will load when the server can be reached again.',
  maybeOld: 'You seem to be offline. This may be out of date.',
  missing: (issue: string) => `Issue ${issue} doesn’t exist`,
  missingWhy: 'It was deleted or never existed. Deleted issues stay in the trash for 30 days.',
  more: 'More actions',
  next: 'Next issue',
  noName: '(no name)',
  offlineTitle: 'You seem to be offline',
  parts: 'Issue sections',
  previous: 'Previous issue',

  // fields and texts
  created: (created: string, changed: string) => `Created ${created} · Updated ${changed}`,
  createdReadOnly: (created: string, changed: string) => `Created ${created} · Updated ${changed}. You have read-only access to this project.`,
  fields: 'Fields',
  hideEmpty: (n: number) => `Hide ${counted(n, emptyFields)}`,
  noField: 'No matching fields.',
  noText: 'Empty',
  notSaved: 'Not saved yet.',
  save: 'Save',
  saveKeys: 'Ctrl+Enter to save',
  searchSome: (n: number) => `Search ${n} fields`,
  showEmpty: (n: number) => `Show ${counted(n, emptyFields)}`,
  /** A table in a text. */
  table: 'Table',

  history: {
    title: 'History',
    none: 'No changes are recorded. For imported issues, the creation isn’t recorded.',
    /** The author of a change, one of the `deeds`, and a time such as `2 hours ago`. */
    entry: '{who} {deed} {when}',
    deeds: {CREATED: 'created the issue', DELETED: 'moved the issue to the trash', RESTORED: 'restored the issue'},
    changed: (column: string) => `changed ${column}`,
    changedFields: (n: number) => `changed ${n} fields`,
    changedNothing: 'changed nothing',
    changedSome: (columns: string, last: string) => `changed ${columns} and ${last}`,
    somebody: 'Someone',
    actors: {
      JOB: {alone: 'A job', of: (person: string) => `${person} (job)`},
      IMPORT: {alone: 'An import', of: (person: string) => `${person} (import)`},
    },
    /** Read out between the old and the new value. */
    became: 'changed to',
    empty: '(empty)',
  },

  comments: {
    title: 'Comments',
    none: 'No comments yet.',
    write: 'Write a comment',
    writeReply: 'Write a reply',
    /** Sends a new comment. */
    comment: 'Comment',
    reply: 'Reply',
    edit: 'Edit',
    delete: 'Delete',
    edited: 'edited',
    changed: 'Someone else has changed the text meanwhile, to the one above. If you save again, yours replaces it.',
    preview: 'Preview',
    react: 'React',
    by: (author: string) => `Comment by ${author}`,
    rating: (n: number) => `rated ${n} of 5`,
    /** A reaction, and the number of users that have it. */
    reacted: (reaction: string, n: number) => `${reaction}: ${n.toLocaleString()}`,
    showReplies: (n: number) => `Show ${counted(n, {one: 'reply', other: 'replies'})}`,
    deleteTitle: 'Delete the comment?',
    deletesForever: 'It can’t be restored.',
    deletesReplies: (n: number) => `It and its ${counted(n, {one: 'reply', other: 'replies'})} can’t be restored.`,
    reactions: {
      THUMBS_UP: 'Thumbs up',
      THUMBS_DOWN: 'Thumbs down',
      LAUGH: 'Laughing face',
      HOORAY: 'Party popper',
      CONFUSED: 'Confused face',
      HEART: 'Heart',
      ROCKET: 'Rocket',
      EYES: 'Eyes',
    },
  },

  newIssue: {
    title: 'New issue',
    hint: 'New issue (Alt+N)',
    clear: 'Clear',
    create: 'Create',
    created: (issue: string) => `Created ${issue}`,
    creating: 'Creating…',
    fewerFields: 'Fewer fields',
    kept: 'Your draft was kept.',
    moreFields: (n: number) => counted(n, {one: 'more field', other: 'more fields'}),
    offline: 'You seem to be offline. Nothing is lost: try again when you’re back online.',
    required: 'A value is required',
    wrong: (n: number) => (n === 1 ? 'One field is invalid.' : `${n} fields are invalid.`),
  },

  deletion: {
    title: (issue: string) => `Delete ${issue}?`,
    titleSome: (n: number) => `Delete ${issues(n)}?`,
    titleFailed: (n: number) => `${issues(n)} not deleted`,
    /** An issue whose key is not known. */
    anIssue: '1 issue',
    delete: 'Delete',
    deleted: (issue: string) => `${issue} was moved to the trash.`,
    deletedSome: (n: number) => `${issues(n)} were moved to the trash.`,
    deleting: 'Deleting…',
    explanation: (n: number) => `${n === 1 ? 'It' : 'They'} will be moved to the trash and can be restored from there for 30 days.`,
    more: (n: number) => `and ${n.toLocaleString()} more`,
    undoFailed: (problem: string) => `Not everything was restored: ${problem}`,
  },

  trash: {
    title: (project: string) => `Trash: ${project}`,
    explanation: 'Deleted issues stay here for 30 days. Restoring an issue brings back its number, values, and history.',
    empty: 'The trash is empty.',
    deleted: 'Deleted {deleted}. It will be removed permanently {removed}.',
    deletedBy: '{by} deleted it {deleted}. It will be removed permanently {removed}.',
    gone: 'It’s no longer in the trash.',
    restore: 'Restore',
    restoreIssue: (issue: string) => `Restore ${issue}`,
    restored: 'Restored.',
    showIssue: (issue: string) => `Show ${issue}`,
    // the menu of the toolbar
    menu: 'More',
    open: 'Trash…',
    openPalette: 'Find an action, column, view, or issue',
    openShortcuts: 'Keyboard shortcuts',
  },
}
