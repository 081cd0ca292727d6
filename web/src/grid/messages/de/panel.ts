import {counter} from '../counted'
import type {panel as en} from '../en/panel'

const counted = counter('de')
const issues = (n: number) => counted(n, {one: 'Vorgang', other: 'Vorgänge'})
const emptyFields = {one: 'leeres Feld', other: 'leere Felder'}

export const panel: typeof en = {
  // in several places
  cancel: 'Abbrechen',
  close: 'Schließen',
  loading: 'Wird geladen …',
  offline: 'Die Verbindung ist anscheinend unterbrochen.',
  searchFields: 'Felder durchsuchen',
  show: 'Anzeigen',
  showAll: 'Alles anzeigen',
  showLess: 'Weniger anzeigen',
  showMore: 'Mehr anzeigen',
  tryAgain: 'Erneut versuchen',
  undo: 'Rückgängig machen',
  edit: column => `Bearbeiten: ${column}`,

  // the panel
  back: 'Zurück',
  copied: issue => `Link zu ${issue} kopiert.`,
  copyFailed: link => `Der Browser hat das Kopieren blockiert. Der Link lautet ${link}`,
  copyLink: 'Link kopieren',
  delete: 'Löschen …',
  details: 'Details',
  issue: 'Vorgang',
  loadFailed: 'Der Vorgang konnte nicht geladen werden',
  loadingIssue: 'Vorgang wird geladen',
  loadsLater: 'Der Vorgang wird geladen, sobald der Server wieder erreichbar ist.',
  maybeOld: 'Die Verbindung ist anscheinend unterbrochen. Die Angaben sind möglicherweise nicht aktuell.',
  missing: issue => `Den Vorgang ${issue} gibt es nicht`,
  missingWhy: 'Er wurde gelöscht oder hat nie existiert. Gelöschte Vorgänge bleiben 30 Tage im Papierkorb.',
  more: 'Weitere Aktionen',
  next: 'Nächster Vorgang',
  noName: '(ohne Namen)',
  offlineTitle: 'Die Verbindung ist anscheinend unterbrochen',
  parts: 'Bereiche des Vorgangs',
  previous: 'Voriger Vorgang',

  // fields and texts
  created: (created, changed) => `Erstellt am ${created} · Geändert am ${changed}`,
  createdReadOnly: (created, changed) => `Erstellt am ${created} · Geändert am ${changed}. Für dieses Projekt besteht nur Lesezugriff.`,
  fields: 'Felder',
  hideEmpty: n => `${counted(n, emptyFields)} ausblenden`,
  noField: 'Keine passenden Felder.',
  noText: 'Leer',
  notSaved: 'Noch nicht gespeichert.',
  save: 'Speichern',
  saveKeys: 'Strg+Eingabe zum Speichern',
  searchSome: n => `${n} Felder durchsuchen`,
  showEmpty: n => `${counted(n, emptyFields)} anzeigen`,
  table: 'Tabelle',

  history: {
    title: 'Verlauf',
    none: 'Es sind keine Änderungen aufgezeichnet. Bei importierten Vorgängen wird das Erstellen nicht aufgezeichnet.',
    entry: '{who} {deed} · {when}',
    deeds: {
      CREATED: 'hat den Vorgang erstellt',
      DELETED: 'hat den Vorgang in den Papierkorb verschoben',
      RESTORED: 'hat den Vorgang wiederhergestellt',
    },
    changed: column => `hat ${column} geändert`,
    changedFields: n => `hat ${n} Felder geändert`,
    changedNothing: 'hat nichts geändert',
    changedSome: (columns, last) => `hat ${columns} und ${last} geändert`,
    somebody: 'Jemand',
    actors: {
      JOB: {alone: 'Ein Auftrag', of: person => `${person} (Auftrag)`},
      IMPORT: {alone: 'Ein Import', of: person => `${person} (Import)`},
    },
    became: 'geändert in',
    empty: '(leer)',
  },

  newIssue: {
    title: 'Neuer Vorgang',
    hint: 'Neuer Vorgang (Alt+N)',
    clear: 'Leeren',
    create: 'Erstellen',
    created: issue => `${issue} wurde erstellt`,
    creating: 'Wird erstellt …',
    fewerFields: 'Weniger Felder',
    kept: 'Ihr Entwurf wurde beibehalten.',
    moreFields: n => counted(n, {one: 'weiteres Feld', other: 'weitere Felder'}),
    offline: 'Die Verbindung ist anscheinend unterbrochen. Es geht nichts verloren: Versuchen Sie es erneut, sobald sie wieder besteht.',
    required: 'Ein Wert ist erforderlich',
    wrong: n => (n === 1 ? 'Ein Feld ist ungültig.' : `${n} Felder sind ungültig.`),
  },

  deletion: {
    title: issue => `${issue} löschen?`,
    titleSome: n => `${issues(n)} löschen?`,
    titleFailed: n => `${issues(n)} nicht gelöscht`,
    anIssue: '1 Vorgang',
    delete: 'Löschen',
    deleted: issue => `${issue} wurde in den Papierkorb verschoben.`,
    deletedSome: n => `${issues(n)} wurden in den Papierkorb verschoben.`,
    deleting: 'Wird gelöscht …',
    explanation: n =>
      n === 1
        ? 'Der Vorgang wird in den Papierkorb verschoben und kann dort 30 Tage lang wiederhergestellt werden.'
        : 'Die Vorgänge werden in den Papierkorb verschoben und können dort 30 Tage lang wiederhergestellt werden.',
    more: n => `und ${counted(n, {one: 'weiterer', other: 'weitere'})}`,
    undoFailed: problem => `Nicht alles konnte wiederhergestellt werden: ${problem}`,
  },

  trash: {
    title: project => `Papierkorb: ${project}`,
    explanation: 'Gelöschte Vorgänge bleiben 30 Tage hier. Nach dem Wiederherstellen sind sie wie zuvor, mit Nummer, Werten und Verlauf.',
    empty: 'Der Papierkorb ist leer.',
    deleted: 'Gelöscht {deleted}. Der Vorgang wird {removed} endgültig entfernt.',
    deletedBy: '{by} hat den Vorgang {deleted} gelöscht. Er wird {removed} endgültig entfernt.',
    gone: 'Der Vorgang ist nicht mehr im Papierkorb.',
    restore: 'Wiederherstellen',
    restoreIssue: issue => `${issue} wiederherstellen`,
    restored: 'Wiederhergestellt.',
    showIssue: issue => `${issue} anzeigen`,
    // the menu of the toolbar
    menu: 'Mehr',
    open: 'Papierkorb …',
    openPalette: 'Aktion, Spalte, Ansicht oder Vorgang suchen',
    openShortcuts: 'Tastenkürzel',
  },
}
