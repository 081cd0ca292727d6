// The table, its dialogs and menus, and the cards that replace it on phones.
import {counter} from '../counted'

const counted = counter('en')
const columns = {one: 'column', other: 'columns'}
const issues = {one: 'issue', other: 'issues'}
const rows = {one: 'row', other: 'rows'}
const pastedRows = {one: 'pasted row is', other: 'pasted rows are'}

export const table = {
  addField: 'Add a field',
  chooseAll: 'Choose all rows that are loaded',
  chooseIssue: (num: number) => `Choose ${num}`,
  chooseRow: 'Choose the row',
  inConflict: (column: string) => `${column} was also changed by others: choose a value`,
  issuesOf: (project: string) => `Issues of ${project}`,
  notEditable: (column: string) => `${column} can’t be changed.`,
  notEditableForReaders: (column: string) => `${column} can’t be changed: you may only read this project.`,
  notSaved: (column: string, problem: string) => `${column} was not saved: ${problem}.`,

  // instead of rows or in addition to them
  clearFilter: 'Clear the filter',
  clearSearch: 'Clear the search',
  clearSearchAndFilter: 'Clear the search and the filter',
  goingTo: (row: number) => `Going to row ${row.toLocaleString()} …`,
  howToBegin: 'Create the first one with “New issue”, or drop a CSV file here.',
  loadFailed: (problem: string) => `The rows can’t be loaded: ${problem}`,
  noIssues: 'No issues yet',
  noneForFilter: 'No issue matches the filter',
  noneForSearch: 'No issue matches the search',
  offline: 'You seem to be offline. What is loaded can still be read.',

  /** Steps that can be undone, as in “Undo filling of 3 rows”. */
  steps: {
    clear: 'clearing of cells',
    fill: (n: number) => `filling of ${counted(n, rows)}`,
    paste: (n: number) => `pasting into ${counted(n, rows)}`,
  },

  header: {
    title: (column: string) => `Column ${column}`,
    menu: (column: string) => `Menu of ${column}`,
    ascending: 'Sort ascending',
    descending: 'Sort descending',
    emptyFirst: 'Empty values first',
    filter: 'Filter…',
    pin: 'Pin',
    unpin: 'Unpin',
    left: 'Move left',
    right: 'Move right',
    fit: 'Fit to the values',
    wider: 'Wider',
    narrower: 'Narrower',
    hide: 'Hide',
    editField: 'Edit field…',
  },

  /** The menu of a cell. */
  menu: {
    title: (column: string, issue: string) => `${column} of ${issue}`,
    open: (issue: string) => `Open ${issue}`,
    openTab: 'Open in a new tab',
    copyLink: 'Copy link',
    edit: 'Edit',
    copy: 'Copy',
    cut: 'Cut',
    paste: 'Paste',
    fillDown: 'Fill down',
    clear: 'Clear',
    onlyThis: (column: string) => `Only issues with this ${column}`,
    onlyWithout: (column: string) => `Only issues without ${column}`,
    selectRow: 'Select the row',
    unselectRow: 'Clear the selection of the row',
    editField: (field: string) => `Edit the field ${field}…`,
    linkCopied: (issue: string) => `The link of ${issue} is copied.`,
    noReading: 'The browser does not let the page read the clipboard. Use Ctrl+V.',
    noWriting: 'The browser does not let the page write to the clipboard.',
  },

  clipboard: {
    notCopied: (n: number) => `${n} of the rows are not loaded and were not copied.`,
    readOnly: 'You may only read this project.',
    readOnlyColumns: (labels: string) => `${labels} can’t be changed here.`,
    someNotLoaded: 'Nothing was changed. Some of the rows are not loaded.',
    tooManyRows: (most: number) => `At most ${most} rows can be changed at once; import a CSV file for more.`,
    tooWide: (copied: number, room: number) =>
      `Nothing was changed. ${counted(copied, columns)} were copied, and from here on there ${room === 1 ? 'is' : 'are'} ${counted(room, columns)}.`,
    // what is wrong with a paste
    nothingChanged: (problem: string) => `Nothing was changed. ${problem}.`,
    nothingChangedMore: (problem: string, more: number) => `Nothing was changed. ${problem} (and ${more} more).`,
    notLoaded: (row: number) => `Row ${row} is not loaded`,
    wrong: (column: string, num: number, problem: string) => `${column} of ${num}: ${problem}`,
    wrongInNew: (column: string, row: number, problem: string) => `${column} of new row ${row}: ${problem}`,
    // rows that were pasted below the last issue
    below: (n: number) => `${counted(n, pastedRows)} below the last issue.`,
    belowWithout: (n: number, column: string) => `${counted(n, pastedRows)} below the last issue, and not pasted: a new issue needs a value in ${column}.`,
    create: (n: number) => `Create ${counted(n, issues)}`,
    created: (n: number) => `${counted(n, issues)} created.`,
    notCreated: (failed: number, all: number, problem: string) => `${failed} of ${counted(all, issues)} not created: ${problem}`,
  },

  /** What the status line says about the selected cells. */
  summary: {
    cells: (n: number) => `${n.toLocaleString()} cells`,
    loaded: (n: number, of: number) => `${n.toLocaleString()} of ${of.toLocaleString()} cells are loaded`,
    filled: (n: number) => `, ${n.toLocaleString()} filled`,
    sum: 'Sum',
    average: 'Average',
    min: 'Min',
    max: 'Max',
    earliest: 'Earliest',
    latest: 'Latest',
  },

  /** The dialog that shows, hides and orders columns. */
  columns: {
    title: 'Columns',
    search: 'Search columns',
    shown: (n: number, of: number) => `${n} of ${of} shown`,
    found: (n: number) => `, ${n} found`,
    none: 'No column has this name.',
    keys: 'Alt+↑ and Alt+↓ move a column',
    moveUp: (column: string) => `Move ${column} up`,
    moveDown: (column: string) => `Move ${column} down`,
    pin: (column: string) => `Pin ${column}`,
    showAll: 'Show all',
    showUsual: 'Show the usual ones',
    done: 'Done',
    // what is read out
    allShown: 'All columns are shown',
    usualShown: 'The usual columns are shown',
    moved: (column: string, position: number, of: number) => `${column} is column ${position} of ${of}`,
    notMoved: (column: string) => `${column} can’t be moved further`,
    oneNeeded: 'One column has to be shown',
    pinned: (column: string) => `${column} is pinned`,
    unpinned: (column: string) => `${column} is no longer pinned`,
  },

  /** The popover that goes to a row. */
  jump: {
    title: 'Go to a row',
    button: 'Go to',
    hint: 'Go to a row (Ctrl+G)',
    number: 'Issue number',
    numberNeeded: (key: string) => `A number is required, such as ${key}-12 or 12`,
    sortedBy: '(sorted by)',
    value: (column: string) => `${column}, by which the grid is sorted`,
    go: 'Go',
    first: 'First row',
    last: 'Last row',
  },

  /** The menu that sorts the cards on phones. */
  sort: {
    byAscending: (column: string) => `Sort: ${column}, ascending`,
    byDescending: (column: string) => `Sort: ${column}, descending`,
    ascending: 'Ascending',
    descending: 'Descending',
  },

  shortcuts: {
    title: 'Keyboard shortcuts',
    keys: 'Keys',
    action: 'Action',
    /** The name of the Control key in the list, and of the key that a Mac has instead. */
    ctrl: 'Ctrl',
    command: 'Cmd',
    /** The English list is also in docs/client.md. */
    list: [
      {keys: 'arrows, Home, End, Page up, Page down; with Ctrl to the ends', action: 'move'},
      {keys: 'with Shift', action: 'select a range'},
      {keys: 'Ctrl+A', action: 'select all cells'},
      {keys: 'Enter, F2, or a character', action: 'edit; for options, people and tags: search'},
      {keys: 'Enter, Shift+Enter, Tab, Shift+Tab', action: 'save, and move down, up, right, left'},
      {keys: 'Alt+Enter', action: 'a line break'},
      {keys: 'Comma', action: 'one more option or tag'},
      {keys: 'Escape', action: 'cancel the edit; clear the range and the selected rows'},
      {keys: 'Delete', action: 'clear the cells'},
      {keys: 'Ctrl+C, Ctrl+X, Ctrl+V', action: 'clipboard'},
      {
        keys: 'Ctrl+D, Ctrl+R',
        action: 'fill the range down from its first row, right from its first column; a single cell from the one above, or to the left',
      },
      {keys: 'Ctrl+Z, Ctrl+Shift+Z or Ctrl+Y', action: 'undo, redo'},
      {keys: 'Space', action: 'change a check box; select the row'},
      {keys: 'Shift+Space', action: 'select the row'},
      {keys: '/', action: 'search'},
      {keys: 'Ctrl+K', action: 'find an action, a column, a view or an issue'},
      {keys: 'F8', action: 'list the conflicts'},
      {keys: 'Enter on a number', action: 'open the issue; a click with Ctrl or the middle button opens it in a new tab'},
      {keys: 'Shift+F10, or the menu key', action: 'the menu of the cell'},
      {keys: 'Arrow up from the first row', action: 'go to the headers: Enter sorts, Alt+Arrow down opens the menu'},
      {keys: 'Ctrl+G', action: 'jump to a number, or to a value of the sorted column'},
      {keys: 'Alt+N', action: 'new issue'},
      {keys: '?', action: 'this list'},
    ],
  },
}
