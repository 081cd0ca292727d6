// The palette, which finds actions, columns, views and issues.
export const palette = {
  title: 'Find',
  prompt: 'Find an action, column, view, or issue',
  found: 'Results',
  kinds: {issue: 'Issues', action: 'Actions', view: 'Views', column: 'Columns'},
  searchIssues: (text: string) => `Search issues for “${text}”`,
  /** A key together with the Control key. */
  ctrl: (key: string) => `Ctrl+${key}`,

  // actions
  newIssue: 'New issue',
  goToRow: 'Go to a row',
  columns: 'Show or hide columns',
  import: 'Import a file',
  export: 'Export as CSV',
  trash: 'Trash',
  undo: (step: string) => `Undo ${step}`,
  redo: (step: string) => `Redo ${step}`,
  refresh: 'Refresh',
  clear: 'Clear search and filters',
  settings: 'Project settings',
  newField: 'New field',
  editField: (field: string) => `Edit field: ${field}`,
  lightTheme: 'Light theme',
  darkTheme: 'Dark theme',
  systemTheme: 'System theme',
  shortcuts: 'Keyboard shortcuts',
  allProjects: 'All projects',
  playground: 'API playground',
  defaultView: 'Default view',
}
