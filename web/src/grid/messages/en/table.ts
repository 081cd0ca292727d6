// The table, its dialogs and menus, and the cards that replace it on phones.
import {counter} from '../counted'

const counted = counter('en')
const columns = {one: 'column', other: 'columns'}
const issues = {one: 'issue', other: 'issues'}
const rows = {one: 'row', other: 'rows'}

export const table = {
  addField: 'Add a field',
  chooseAll: 'Select all loaded rows',
  chooseIssue: (num: number) => `Select issue ${num}`,
  chooseRow: 'Select row',
  inConflict: (column: string) => `${column} was also changed by others: choose a value`,
  issuesOf: (project: string) => `Issues in ${project}`,
  notEditable: (column: string) => `“${column}” can’t be changed.`,
  notEditableForReaders: (column: string) => `“${column}” can’t be changed: you have read-only access to this project.`,
  notSaved: (column: string, problem: string) => `“${column}” was not saved: ${problem}.`,

  // instead of rows or in addition to them
  clearFilter: 'Clear filters',
  clearSearch: 'Clear search',
  clearSearchAndFilter: 'Clear search and filters',
  goingTo: (row: number) => `Going to row ${row.toLocaleString()}…`,
  howToBegin: 'Create the first one with “New issue”, or drop a CSV file here.',
  loadFailed: (problem: string) => `The rows couldn’t be loaded: ${problem}`,
  noIssues: 'No issues yet',
  noneForFilter: 'No issues match the filters',
  noneForSearch: 'No issues match the search',
  searched: 'The search finds issue numbers, keys, names, texts, and people. For options, tags, and long texts, add a filter.',
  offline: 'You seem to be offline. You can still read what’s loaded.',

  /** Steps that can be undone, as in “Undo filling 3 rows”. */
  steps: {
    clear: 'clearing cells',
    fill: (n: number) => `filling ${counted(n, rows)}`,
    paste: (n: number) => `pasting into ${counted(n, rows)}`,
  },

  header: {
    title: (column: string) => `Column: ${column}`,
    menu: (column: string) => `Menu for ${column}`,
    ascending: 'Sort ascending',
    descending: 'Sort descending',
    emptyFirst: 'Empty values first',
    filter: 'Filter…',
    pin: 'Pin',
    unpin: 'Unpin',
    left: 'Move left',
    right: 'Move right',
    fit: 'Fit to content',
    wider: 'Wider',
    narrower: 'Narrower',
    hide: 'Hide',
    editField: 'Edit field…',
  },

  /** The menu of a cell. */
  menu: {
    title: (column: string, issue: string) => `${column} in ${issue}`,
    open: (issue: string) => `Open ${issue}`,
    openTab: 'Open in new tab',
    copyLink: 'Copy link',
    edit: 'Edit',
    copy: 'Copy',
    cut: 'Cut',
    paste: 'Paste',
    fillDown: 'Fill down',
    clear: 'Clear',
    onlyThis: (column: string) => `Only issues with this ${column}`,
    onlyWithout: (column: string) => `Only issues without ${column}`,
    selectRow: 'Select row',
    unselectRow: 'Deselect row',
    editField: (field: string) => `Edit field: ${field}…`,
    linkCopied: (issue: string) => `Link to ${issue} copied.`,
    noReading: 'The browser blocked reading the clipboard. Press Ctrl+V instead.',
    noWriting: 'The browser blocked copying.',
  },

  clipboard: {
    notCopied: (n: number) => `${counted(n, {one: 'row is not loaded and was', other: 'rows are not loaded and were'})} not copied.`,
    readOnly: 'You have read-only access to this project.',
    readOnlyColumns: (labels: string) => `${labels} can’t be changed here.`,
    someNotLoaded: 'Nothing was changed. Some rows are not loaded.',
    tooManyRows: (most: number) => `At most ${most.toLocaleString()} rows can be changed at once. To change more, import a CSV file.`,
    tooWide: (copied: number, room: number) =>
      `Nothing was changed. ${counted(copied, columns)} were copied, but there’s only room for ${room.toLocaleString()} here.`,
    // what is wrong with a paste
    nothingChanged: (problem: string) => `Nothing was changed. ${problem}.`,
    nothingChangedMore: (problem: string, more: number) => `Nothing was changed. ${problem} (and ${more} more).`,
    notLoaded: (row: number) => `Row ${row} is not loaded`,
    wrong: (column: string, num: number, problem: string) => `“${column}” in issue ${num}: ${problem}`,
    wrongInNew: (column: string, row: number, problem: string) => `“${column}” in new row ${row}: ${problem}`,
    // rows that were pasted below the last issue
    below: (n: number) => `${counted(n, {one: 'pasted row is', other: 'pasted rows are'})} below the last issue.`,
    belowWithout: (n: number, column: string) =>
      `${counted(n, rows)} below the last issue ${n === 1 ? 'was' : 'were'} not pasted: new issues need a value in “${column}”.`,
    create: (n: number) => `Create ${counted(n, issues)}`,
    created: (n: number) => `${counted(n, issues)} created.`,
    notCreated: (failed: number, all: number, problem: string) =>
      `${failed.toLocaleString()} of ${counted(all, issues)} ${failed === 1 ? 'was' : 'were'} not created: ${problem}`,
  },

  /** What the status line says about the selected cells. */
  summary: {
    cells: (n: number) => counted(n, {one: 'cell', other: 'cells'}),
    loaded: (n: number, of: number) => `${n.toLocaleString()} of ${of.toLocaleString()} cells loaded`,
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
    none: 'No matching columns.',
    keys: 'Move a column with Alt+↑ or Alt+↓',
    moveUp: (column: string) => `Move ${column} up`,
    moveDown: (column: string) => `Move ${column} down`,
    pin: (column: string) => `Pin ${column}`,
    showAll: 'Show all',
    showUsual: 'Show default columns',
    done: 'Done',
    // what is read out
    allShown: 'All columns are shown',
    usualShown: 'The default columns are shown',
    moved: (column: string, position: number, of: number) => `“${column}” is column ${position} of ${of}`,
    notMoved: (column: string) => `“${column}” can’t be moved further`,
    oneNeeded: 'At least one column must be shown',
    pinned: (column: string) => `“${column}” is pinned`,
    unpinned: (column: string) => `“${column}” is no longer pinned`,
  },

  /** The popover that goes to a row. */
  jump: {
    title: 'Go to a row',
    button: 'Go to',
    hint: 'Go to a row (Ctrl+G)',
    number: 'Issue number',
    numberNeeded: (key: string) => `Enter a number, such as ${key}-12 or 12`,
    sortedBy: '(sort column)',
    value: (column: string) => `${column} (sort column)`,
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
      {keys: 'Arrow keys, Home, End, Page Up, Page Down; with Ctrl, to the edge', action: 'move to another cell'},
      {keys: 'with Shift', action: 'select a range'},
      {keys: 'Ctrl+A', action: 'select all cells'},
      {keys: 'Enter, F2, or any character', action: 'edit; for options, people, and tags: search'},
      {keys: 'Enter, Shift+Enter, Tab, Shift+Tab', action: 'save, and move down, up, right, or left'},
      {keys: 'Alt+Enter', action: 'insert a line break'},
      {keys: 'Comma', action: 'add another option or tag'},
      {keys: 'Escape', action: 'cancel the edit; clear the range and the selected rows'},
      {keys: 'Delete', action: 'clear the cells'},
      {keys: 'Ctrl+C, Ctrl+X, Ctrl+V', action: 'copy, cut, paste'},
      {
        keys: 'Ctrl+D, Ctrl+R',
        action: 'fill the range down from its first row, or right from its first column; a single cell from the one above or to the left',
      },
      {keys: 'Ctrl+Z, Ctrl+Shift+Z or Ctrl+Y', action: 'undo, redo'},
      {keys: 'Space', action: 'toggle a checkbox; select the row'},
      {keys: 'Shift+Space', action: 'select the row'},
      {keys: '/', action: 'search'},
      {keys: 'Ctrl+K', action: 'find an action, column, view, or issue'},
      {keys: 'F8', action: 'list the conflicts'},
      {keys: 'Enter on an issue number', action: 'open the issue; Ctrl+click or a middle click opens it in a new tab'},
      {keys: 'Shift+F10 or the menu key', action: 'open the menu of the cell'},
      {keys: 'Arrow up from the first row', action: 'go to the headers: Enter sorts, Alt+Arrow down opens the menu'},
      {keys: 'Ctrl+G', action: 'go to an issue number, or to a value in the sort column'},
      {keys: 'Alt+N', action: 'create an issue'},
      {keys: '?', action: 'show this list'},
    ],
  },
}
