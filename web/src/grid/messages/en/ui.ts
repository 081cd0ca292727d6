// Dialogs, messages, inputs and values, wherever they are.
export const ui = {
  // in several parts
  cancel: 'Cancel',
  tryAgain: 'Try again',
  undo: 'Undo',

  close: 'Close',
  closeMessage: 'Close message',
  notLoaded: 'This part of the page couldn’t be loaded. Check your connection, or reload the page.',
  openIssue: (number: string) => `Open issue ${number}`,

  // inputs
  add: (name: string) => `Add “${name}”`,
  create: (name: string) => `Create “${name}”`,
  noOption: 'No matching options.',
  search: 'Search',
  searchIn: (label: string) => `Search ${label}`,
  typeMore: 'Type to search for more.',
  typeName: 'Enter a name.',
  unclearPerson: (typed: string, match: string) => `“${typed}” could be ${match}: select a name, or add it`,
  severalPeople: (typed: string) => `Several users are called “${typed}”: select one`,
  calendarFor: (label: string) => `Calendar for ${label}`,
  dateForm: 'YYYY-MM-DD',
  timeForm: 'YYYY-MM-DD hh:mm',

  // the list of columns to choose from
  columns: 'Columns',
  noColumn: 'No matching columns.',

  // the appearance
  appearance: 'Appearance',
  rowSizes: {compact: 'Compact rows', normal: 'Normal rows', tall: 'Tall rows'},
  themes: {system: 'System theme', light: 'Light', dark: 'Dark'},
  browserLanguage: 'Browser language',

  // the user
  roles: {READER: 'Can view', EDITOR: 'Can edit', ADMIN: 'Administrator', OPERATOR: 'Operator'},
  signedIn: 'Signed in',
  signedInAs: (name: string) => `Signed in as ${name}`,
  signOut: 'Sign out',
}
