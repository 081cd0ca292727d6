import type {palette as en} from '../en/palette'

export const palette: typeof en = {
  title: 'Suchen',
  prompt: 'Aktion, Spalte, Ansicht oder Vorgang suchen',
  found: 'Ergebnisse',
  kinds: {issue: 'Vorgänge', action: 'Aktionen', view: 'Ansichten', column: 'Spalten'},
  searchIssues: text => `Vorgänge nach „${text}“ durchsuchen`,
  ctrl: key => `Strg+${key}`,

  // actions
  newIssue: 'Neuer Vorgang',
  goToRow: 'Zu einer Zeile springen',
  columns: 'Spalten ein- oder ausblenden',
  import: 'Datei importieren',
  export: 'Als CSV exportieren',
  trash: 'Papierkorb',
  undo: step => `${step} rückgängig machen`,
  redo: step => `${step} wiederholen`,
  refresh: 'Aktualisieren',
  clear: 'Suche und Filter zurücksetzen',
  settings: 'Projekteinstellungen',
  newField: 'Neues Feld',
  editField: field => `Feld bearbeiten: ${field}`,
  lightTheme: 'Helles Design',
  darkTheme: 'Dunkles Design',
  systemTheme: 'Systemdesign',
  shortcuts: 'Tastenkürzel',
  allProjects: 'Alle Projekte',
  playground: 'API-Playground',
  defaultView: 'Standardansicht',
}
