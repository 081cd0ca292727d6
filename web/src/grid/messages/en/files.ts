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
const shown = (columns: number) => `${counted(columns, {one: 'visible column', other: 'visible columns'})}. Long texts are included in full; times are in UTC.`

export const files = {
  cancel: 'Cancel',
  close: 'Close',
  rows,

  // the menu, and files that are dropped on the page
  menu: {
    drop: (project: string) => `Drop a file to import it into “${project}”`,
    export: 'Export CSV…',
    import: 'Import…',
    label: 'Import and export',
    tooMany: 'Drop one file at a time.',
  },

  // the dialog that exports
  export: {
    begin: 'Export',
    cancel: 'Cancel export',
    chosen: (n: number, columns: number) => `${counted(n, {one: 'selected issue', other: 'selected issues'})}, with the ${shown(columns)}`,
    /** A part of the name of the file. */
    chosenFile: 'selected',
    done: (name: string, n: number) => `${name} has ${rows(n)}. It’s in your downloads.`,
    guard: 'Prevent spreadsheets from running text as formulas',
    guardHint:
      'Texts get an apostrophe wherever a formula could begin: before {signs} or a tab, at the start of a text and after commas, semicolons, vertical bars, and line breaks. Numbers stay as they are, and an import here removes the apostrophes. Turn this off for programs that need the texts unchanged.',
    mark: 'Start with a byte order mark (BOM)',
    markHint: 'Old versions of Excel need it to display é and ü correctly.',
    numberFirst: 'Each row starts with the issue number, so that no row starts with one of these signs.',
    running: 'Exporting',
    settings: 'File format',
    title: 'Export CSV',
    /** `total` is null if it is not known. */
    view: (total: number | null, exact: boolean, filtered: boolean, columns: number) => {
      const all = total === null ? 'All issues in this view' : exact ? issues(total) : `At least ${issues(total)}`
      const matching = total === 1 ? ' that matches the filter' : ' that match the filter'
      return `${all}${filtered ? matching : ''}, in the order of the grid, with the ${shown(columns)}`
    },
  },

  // why the work has paused
  pause: {
    continues: (seconds: number) => `Continues automatically in ${seconds} s.`,
    correct: 'Nothing is lost; resume when the problem is fixed.',
    nothingLost: 'Nothing is lost.',
    paused: 'Paused.',
    resume: 'Resume',
  },

  // the dialog that imports
  import: {
    checkAgain: 'Check again',
    choose: 'Choose a file…',
    chooseHint:
      'or drop one here: CSV with column names in the first line, or JSON Lines, in UTF-8, optionally compressed with gzip. Nothing is written until you have seen what the import will do.',
    chooseTitle: 'Import a file',
    begin: 'Import',
    title: (name: string) => `Import ${name}`,
    /** Instead of the name of a file that is not known yet. */
    unnamed: 'a file',
    // its progress
    asksAgain: 'Retrying. Nothing is lost: the import continues without this page.',
    background: 'Continue in the background',
    cancel: 'Cancel import',
    canceling: 'Canceling…',
    checking: 'Checking the file',
    progress: (done: number, total: number) => `${done.toLocaleString()} of ${rows(total)}`,
    /** By the server's names of the stages. */
    stages: {
      'reading types': 'Detecting column types',
      'checking rows': 'Checking rows',
      'comparing rows': 'Comparing rows with issues',
      importing: 'Importing',
    },
    uploading: 'Uploading',
    waiting: 'Waiting for other imports',
    waitingHint: (tenant: string | undefined) =>
      `Another import for ${tenant === undefined ? 'this tenant' : `“${tenant}”`} is running. This one starts when it’s done.`,
    // what it will do
    edited: 'Check the file again to see what the import will do.',
    noRows: (name: string) => `${name} has column names but no rows.`,
    nothing: (counts: string) => `Nothing to import: ${counts}.`,
    notYet: 'Nothing can be imported yet.',
    onlyNew: 'Only add new issues',
    onlyNewHint: 'Otherwise, rows that were imported before change their issues, and their values replace those that users have changed since.',
    reading: 'How the file is read',
    encoding: 'Encoding',
    delimiter: 'Columns are separated by',
    delimiterName: (delimiter: string) => ({',': 'Comma', ';': 'Semicolon', '\t': 'Tab', '|': 'Vertical bar'})[delimiter] ?? delimiter,
    header: 'Names of the columns',
    headerLine: (line: number) => (line > 0 ? `In line ${line.toLocaleString()}` : 'None'),
    removeApostrophes: 'Remove the apostrophe from texts such as {example}',
    removeApostrophesHint:
      'Exports add apostrophes where a spreadsheet would run part of a text as a formula. Changing this resets the columns to what the server infers.',
    result: (counts: string) => `Expected result: ${counts}.`,
    settings: 'Settings',
    starting: 'Starting…',
    // its result, before and after the import
    alsoCreated: 'The import also created:',
    alsoCreates: 'The import will also create:',
    notes: 'What the mapping assumes:',
    skipped: (n: number) => `Skipped: ${rows(n)} before the names of the columns.`,
    blank: (n: number) => `Skipped: ${rows(n)} without any content.`,
    cleaned: (n: number) => `Invisible characters are removed from the names in ${rows(n)}.`,
    counts: ({added, changed, unchanged, rejected}: Counts & {unchanged: number}) =>
      `${issues(added)} added, ${changed.toLocaleString()} changed, ${unchanged.toLocaleString()} unchanged, ${rows(rejected)} rejected`,
    example: (line: number, detail: string) => `(line ${line.toLocaleString()}: ${detail})`,
    /** `others` reports whether no row is imported into the project of the page. */
    into: (done: boolean, others: boolean, projects: string) =>
      `The rows ${done ? 'were imported' : 'will be imported'} into ${others ? 'other projects' : 'several projects'}: ${projects}.`,
    moreOutcomes: (n: number) => `and ${n.toLocaleString()} more`,
    projectRows: (project: string, n: number) => `${project} (${rows(n)})`,
    rejected: (n: number, reason: string) => `${rows(n)} rejected: ${reason}`,
    rejectedIn: (n: number, column: string, reason: string) => `${rows(n)} rejected, ${column}: ${reason}`,
    // when it has ended
    canceled: 'The import was canceled. Rows already written are kept.',
    column: 'Column',
    download: 'Download rejected rows',
    failed: 'The import failed. To continue it, import the file again.',
    line: 'Line',
    moreRejected: (n: number) => `${counted(n, {one: 'more row is', other: 'more rows are'})} in the file of rejected rows.`,
    reason: 'Reason',
    rejectedRows: 'Rejected rows',
  },

  // an import that has ended in the background
  ended: {
    canceled: (name: string, counts: Counts) => `The import of ${name} was canceled: ${written(counts)}.`,
    done: (name: string, counts: Counts) => `The import of ${name} is complete: ${written(counts)}.`,
    failed: (name: string, counts: Counts) => `The import of ${name} failed: ${written(counts)}.`,
    notBegun: (name: string) => `The import of ${name} could not begin.`,
    show: 'Show',
  },

  // what becomes of the columns of a file
  mapping: {
    addMissing: {options: 'Add missing options', states: 'Add missing states'},
    allFit: 'all fit',
    allFitEmpty: (n: number) => `all fit, ${counted(n, {one: 'cell', other: 'cells'})} empty`,
    builtins: {
      name: 'Name',
      state: 'State',
      description: 'Description',
      num: 'Number',
      rowKey: 'Row key',
      createdAt: 'Created',
      updatedAt: 'Updated',
      projectKey: 'Project key',
      projectName: 'Project name',
    },
    cells: 'Cells',
    column: 'Column in file',
    decimal: 'Decimal separator',
    decimalIn: (column: string) => `Decimal separator in “${column}”`,
    decimals: {none: 'As programs write numbers: 1234.5', point: 'Point: 1,234.5', comma: 'Comma: 1.234,5'},
    fault: (line: number, detail: string) => `Line ${line.toLocaleString()}: ${detail}`,
    format: 'Format',
    formatExample: 'ISO, or for example DD.MM.YYYY',
    formatOf: (column: string) => `Format of “${column}”`,
    groups: {builtin: 'Built-in columns', fields: 'Fields'},
    ignoreCase: 'Ignore case',
    importAs: 'Import as',
    importColumnAs: (column: string) => `Import “${column}” as`,
    newField: 'New field…',
    newFieldName: (column: string) => `Name of the new field for “${column}”`,
    newFieldType: (column: string) => `Type of the new field for “${column}”`,
    onlyEmpty: 'only empty cells',
    separator: 'Separator',
    separatorIn: (column: string) => `Separator in “${column}”`,
    skip: 'Don’t import',
    /** A choice of a column that another one has now. */
    taken: (choice: string, column: string) => `${choice} – currently used by “${column}”`,
    unclear: (cell: string, ways: number) => (ways > 1 ? `“${cell}” can be read in two ways. It means:` : `“${cell}” may mean:`),
    zone: 'Default time zone',
    zoneExample: (zone: string) => `UTC, or for example ${zone}`,
    zoneOf: (column: string) => `Time zone of “${column}”`,
  },

  // why cells and requests are refused
  errors: {
    checkCanceled: 'The check of the file was canceled.',
    emptyFile: 'The file is empty.',
    longName: (most: number) => `A name can have at most ${most.toLocaleString()} characters`,
    longText: 'Text can have at most 2 MiB',
    lost: (reason: string) => `It is not known whether the import has ended, because the server refused to say: ${reason}`,
    nameRequired: 'A name is required',
    noProgress: 'The server can’t continue reading this view; try again.',
    noProject: 'The project no longer exists.',
    required: 'A value is required',
    status: (status: number) => `The server responded with status ${status} and gave no reason.`,
    /** By the status of a response that is not in the server's format, such as that of a proxy. */
    statuses: {
      403: 'This server doesn’t import files.',
      404: 'This server doesn’t import files.',
      413: 'The file is larger than a proxy between this page and the server accepts.',
    },
  },
}
