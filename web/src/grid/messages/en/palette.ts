// The palette, which finds actions, columns, views and issues.
export const palette = {
  title: 'Find',
  prompt: 'An action, a column, a view or an issue',
  found: 'Found',
  kinds: {issue: 'Issues', action: 'Actions', view: 'Views', column: 'Columns'},
  searchIssues: (text: string) => `Search issues for “${text}”`,
  /** A key together with the Control key. */
  ctrl: (key: string) => `Ctrl+${key}`,

  // actions
  newIssue: 'New issue',
  goToRow: 'Go to a row',
  columns: 'Show and hide columns',
  import: 'Import a file',
  export: 'Export as CSV',
  trash: 'Trash',
  undo: (step: string) => `Undo ${step}`,
  redo: (step: string) => `Redo ${step}`,
  refresh: 'Refresh',
  clear: 'Clear the filter and the search',
  settings: 'Settings of the project',
  newField: 'New field',
  editField: (field: string) => `Edit the field ${field}`,
  lightTheme: 'Light theme',
  darkTheme: 'Dark theme',
  systemTheme: 'Theme of the system',
  shortcuts: 'Keyboard shortcuts',
  allProjects: 'All projects',
  playground: 'API playground',
  defaultView: 'Default view',
}
