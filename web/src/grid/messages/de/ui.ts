import type {ui as en} from '../en/ui'

export const ui: typeof en = {
  // in several parts
  cancel: 'Abbrechen',
  tryAgain: 'Erneut versuchen',
  undo: 'Rückgängig machen',

  close: 'Schließen',
  closeMessage: 'Meldung schließen',
  notLoaded: 'Dieser Teil der Seite konnte nicht geladen werden. Prüfen Sie Ihre Verbindung oder laden Sie die Seite neu.',
  openIssue: number => `Vorgang ${number} öffnen`,

  // inputs
  add: name => `„${name}“ hinzufügen`,
  create: name => `„${name}“ erstellen`,
  noOption: 'Keine passenden Optionen.',
  search: 'Suchen',
  searchIn: label => `Durchsuchen: ${label}`,
  typeMore: 'Tippen, um weitere zu suchen.',
  typeName: 'Einen Namen eingeben.',
  unclearPerson: (typed, match) => `„${typed}“ könnte ${match} sein: Namen auswählen oder hinzufügen`,
  severalPeople: typed => `„${typed}“ heißen mehrere Personen: eine auswählen`,
  calendarFor: label => `Kalender für ${label}`,
  dateForm: 'JJJJ-MM-TT',
  timeForm: 'JJJJ-MM-TT hh:mm',

  // the list of columns to choose from
  columns: 'Spalten',
  noColumn: 'Keine passenden Spalten.',

  // the appearance
  appearance: 'Darstellung',
  rowSizes: {compact: 'Niedrige Zeilen', normal: 'Normale Zeilen', tall: 'Hohe Zeilen'},
  themes: {system: 'Systemdesign', light: 'Hell', dark: 'Dunkel'},
  browserLanguage: 'Sprache des Browsers',

  // the user
  roles: {READER: 'Darf lesen', EDITOR: 'Darf bearbeiten', ADMIN: 'Administrator', OPERATOR: 'Betreiber'},
  signedIn: 'Angemeldet',
  signedInAs: name => `Angemeldet als ${name}`,
  signOut: 'Abmelden',
}
