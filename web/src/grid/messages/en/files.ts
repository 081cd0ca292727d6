// The import and the export of files.
import {counter} from '../counted'

/** What an import has written. */
interface Counts {
  added: number
  changed: number
  rejected: number
}

const counted = counter('en')
const issues = (n: number) => counted(n, {one: 'issue', other: 'issues'})
const rows = (n: number) => counted(n, {one: 'row', other: 'rows'})
const written = ({added, changed, rejected}: Counts) => `${issues(added)} added, ${changed.toLocaleString()} changed, ${rows(rejected)} rejected`
const shown = (columns: number) => `${counted(columns, {one: 'column', other: 'columns'})} that are shown. Long texts are in it in full, times in UTC.`

export const files = {
  cancel: 'Cancel',
  close: 'Close',
  rows,

  // the menu, and files that are dropped on the page
  menu: {
    drop: (project: string) => `Drop a file to import it into ${project}`,
    export: 'Export CSV…',
    import: 'Import…',
    label: 'Import and export',
    tooMany: 'Drop one file at a time.',
  },

  // the dialog that exports
  export: {
    begin: 'Export',
    cancel: 'Cancel the export',
    chosen: (n: number, columns: number) => `${counted(n, {one: 'chosen issue', other: 'chosen issues'})}, with the ${shown(columns)}`,
    /** A part of the name of the file. */
    chosenFile: 'chosen',
    done: (name: string, n: number) => `${name} has ${rows(n)}. It is among your downloads.`,
    guard: 'Prevent spreadsheets from running text as formulas',
    guardHint:
      'Texts get apostrophes where a formula could begin: before {signs} or a tab, at their beginning and after commas, semicolons, bars and line ends. Numbers stay as they are, and an import here takes the apostrophes away again. Leave it out for programs that need the texts as they are.',
    mark: 'Begin with a byte order mark',
    markHint: 'Old versions of Excel show é and ü right only with it.',
    numberFirst: 'The number of the issue comes first in each row, so that none begins with a sign.',
    running: 'Exporting',
    settings: 'How the file is written',
    title: 'Export CSV',
    /** `total` is null if it is not known. */
    view: (total: number | null, exact: boolean, filtered: boolean, columns: number) => {
      const all = total === null ? 'All issues of this view' : exact ? issues(total) : `At least ${issues(total)}`
      return `${all}${filtered ? ' that match the filter' : ''}, in the order of the grid, with the ${shown(columns)}`
    },
  },

  // why the work has paused
  pause: {
    continues: (seconds: number) => `Continues automatically in ${seconds} s.`,
    correct: 'Nothing is lost; continue when this is corrected.',
    nothingLost: 'Nothing is lost.',
    paused: 'Paused.',
    resume: 'Resume',
  },

  // the dialog that imports
  import: {
    checkAgain: 'Check again',
    choose: 'Choose a file …',
    chooseHint:
      'or drop one here: CSV whose first line names the columns, or JSON Lines, in UTF-8, also compressed with gzip. Nothing is written before you have seen what the import will do.',
    chooseTitle: 'Import a file',
    begin: 'Import',
    title: (name: string) => `Import ${name}`,
    /** Instead of the name of a file that is not known yet. */
    unnamed: 'a file',
    // its progress
    asksAgain: 'The page asks again. Nothing is lost: an import continues without the page.',
    background: 'Continue in the background',
    cancel: 'Cancel the import',
    canceling: 'Canceling …',
    checking: 'Checking the file',
    progress: (done: number, total: number) => `${done.toLocaleString()} of ${rows(total)}`,
    /** By the server's names of the stages. */
    stages: {
      'reading types': 'Reading the types of the columns',
      'checking rows': 'Checking the rows',
      'comparing rows': 'Comparing the rows with the issues',
      importing: 'Importing',
    },
    uploading: 'Uploading',
    waiting: 'Waiting for other imports',
    waitingHint: (tenant: string | undefined) => `Another import of ${tenant ?? 'the tenant'} is running. This one begins when it has ended.`,
    // what it will do
    edited: 'Check the file again to see what the import will do.',
    noRows: (name: string) => `${name} names its columns, and has no rows below them.`,
    nothing: (counts: string) => `Nothing to import: ${counts}.`,
    notYet: 'Nothing can be imported yet.',
    onlyNew: 'Only add new issues',
    onlyNewHint: 'Otherwise a row that was imported before changes its issue, and its values replace those that users have changed since.',
    removeApostrophes: 'Take the apostrophe from texts such as {example}',
    removeApostrophesHint:
      'Exports put apostrophes where a spreadsheet would run a part of a text as a formula. A change of this starts again with the columns as the server infers them.',
    result: (counts: string) => `The import will have this result: ${counts}.`,
    settings: 'Settings',
    starting: 'Starting …',
    // its result, before and after the import
    alsoCreated: 'The import has also created:',
    alsoCreates: 'The import will also create:',
    cleaned: (n: number) => `Invisible characters are removed from the names of ${rows(n)}.`,
    counts: ({added, changed, unchanged, rejected}: Counts & {unchanged: number}) =>
      `${issues(added)} added, ${changed.toLocaleString()} changed, ${unchanged.toLocaleString()} unchanged, ${rows(rejected)} rejected`,
    example: (line: number, detail: string) => `(line ${line.toLocaleString()}: ${detail})`,
    /** `others` tells that no row is imported into the project of the page. */
    into: (done: boolean, others: boolean, projects: string) =>
      `The rows ${done ? 'were imported' : 'will be imported'} into ${others ? 'other projects' : 'several projects'}: ${projects}.`,
    moreCreated: (n: number) => `and ${counted(n, {one: 'other', other: 'others'})}`,
    projectRows: (project: string, n: number) => `${project} (${rows(n)})`,
    rejected: (n: number, reason: string) => `${rows(n)} rejected: ${reason}`,
    rejectedIn: (n: number, column: string, reason: string) => `${rows(n)} rejected, ${column}: ${reason}`,
    // when it has ended
    canceled: 'The import was canceled. Rows that were written before stay.',
    column: 'Column',
    download: 'Download the rejected rows',
    failed: 'The import has failed. Importing the file again continues it.',
    line: 'Line',
    moreRejected: (n: number) => `${counted(n, {one: 'more row', other: 'more rows'})}: they are in the file of rejected rows.`,
    reason: 'Reason',
    rejectedRows: 'Rejected rows',
  },

  // an import that has ended in the background
  ended: {
    canceled: (name: string, counts: Counts) => `The import of ${name} was canceled: ${written(counts)}.`,
    done: (name: string, counts: Counts) => `The import of ${name} has ended: ${written(counts)}.`,
    failed: (name: string, counts: Counts) => `The import of ${name} has failed: ${written(counts)}.`,
    show: 'Show',
  },

  // what becomes of the columns of a file
  mapping: {
    addMissing: {options: 'Add the missing options', states: 'Add the missing states'},
    allFit: 'all fit',
    allFitEmpty: (n: number) => `all fit, ${counted(n, {one: 'cell', other: 'cells'})} empty`,
    builtins: {
      name: 'Name',
      state: 'State',
      description: 'Description',
      num: 'Number',
      rowKey: 'Key of the row',
      createdAt: 'Created',
      updatedAt: 'Updated',
      projectKey: 'Key of the project',
      projectName: 'Name of the project',
    },
    cells: 'Cells',
    column: 'Column of the file',
    fault: (line: number, detail: string) => `Line ${line.toLocaleString()}: ${detail}`,
    format: 'Format',
    formatExample: 'ISO, or such as DD.MM.YYYY',
    formatOf: (column: string) => `Format of “${column}”`,
    groups: {builtin: 'Built-in columns', fields: 'Fields'},
    ignoreCase: 'Ignore upper and lower case',
    importAs: 'Import as',
    importColumnAs: (column: string) => `Import “${column}” as`,
    newField: 'New field …',
    newFieldName: (column: string) => `Name of the new field for “${column}”`,
    newFieldType: (column: string) => `Type of the new field for “${column}”`,
    onlyEmpty: 'only empty cells',
    separator: 'Separator',
    separatorIn: (column: string) => `Separator in “${column}”`,
    skip: 'Do not import',
    /** A choice of a column that another one has now. */
    taken: (choice: string, column: string) => `${choice} – now of “${column}”`,
    zone: 'Time zone of times without one',
    zoneExample: (zone: string) => `UTC, or such as ${zone}`,
    zoneOf: (column: string) => `Time zone of “${column}”`,
  },

  // why cells and requests are refused
  errors: {
    checkCanceled: 'The check of the file was canceled.',
    emptyFile: 'The file is empty.',
    longName: (most: number) => `A name has at most ${most.toLocaleString()} characters`,
    longText: 'A text has at most 2 MiB',
    lost: (reason: string) => `It is not known whether the import has ended, because the server refuses to say so: ${reason}`,
    nameRequired: 'A name is required',
    noProgress: 'The server does not get further in this view; try again.',
    noProject: 'The project is gone.',
    required: 'A value is required',
    status: (status: number) => `The response has the status ${status} and no reason.`,
    /** By the status of a response that is not in the server's format, such as that of a proxy. */
    statuses: {
      403: 'This server does not import files.',
      404: 'This server does not import files.',
      413: 'The file is larger than a proxy between the page and the server accepts.',
    },
  },
}
