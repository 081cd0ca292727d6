import {counter} from '../counted'
import type {panel as en} from '../en/panel'

const counted = counter('de')
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
  changeOf: column => `Änderung von ${column}`,
  edit: column => `${column} bearbeiten`,

  // the panel
  back: 'Zurück',
  copied: issue => `Der Link zu ${issue} wurde kopiert.`,
  copyFailed: link => `Der Browser lässt das Kopieren nicht zu. Der Link lautet ${link}`,
  copyLink: 'Link kopieren',
  delete: 'Löschen …',
  details: 'Details',
  issue: 'Vorgang',
  loadFailed: 'Der Vorgang kann nicht geladen werden',
  loadingIssue: 'Der Vorgang wird geladen',
  loadsLater: 'Der Vorgang wird geladen, sobald der Server wieder erreichbar ist.',
  maybeOld: 'Die Verbindung ist anscheinend unterbrochen. Die Angaben sind möglicherweise nicht aktuell.',
  missing: issue => `Es gibt keinen Vorgang ${issue}`,
  missingWhy: 'Er wurde gelöscht oder hat nie existiert. Gelöschte Vorgänge bleiben 30 Tage im Papierkorb.',
  more: 'Weitere Aktionen für diesen Vorgang',
  next: 'Nächster Vorgang',
  noName: '(ohne Namen)',
  offlineTitle: 'Die Verbindung ist anscheinend unterbrochen',
  parts: 'Teile des Vorgangs',
  previous: 'Voriger Vorgang',

  // fields and texts
  created: (created, changed) => `Erstellt am ${created}, geändert am ${changed}`,
  createdReadOnly: (created, changed) => `Erstellt am ${created}, geändert am ${changed}. Für dieses Projekt besteht nur Lesezugriff.`,
  fields: 'Felder',
  hideEmpty: n => `${counted(n, emptyFields)} ausblenden`,
  noField: 'Kein Feld hat diesen Namen.',
  noText: 'Kein Text',
  notSaved: 'Noch nicht gespeichert.',
  save: 'Speichern',
  saveKeys: 'Strg+Eingabe speichert',
  searchSome: n => `${n} Felder durchsuchen`,
  showEmpty: n => `${counted(n, emptyFields)} anzeigen`,
  table: 'Tabelle',

  history: {
    title: 'Verlauf',
    none: 'Es sind keine Änderungen aufgezeichnet. Bei importierten Vorgängen wird das Erstellen nicht aufgezeichnet.',
    entry: '{who} {deed} {when}',
    deeds: {
      CREATED: 'hat den Vorgang erstellt',
      DELETED: 'hat den Vorgang in den Papierkorb verschoben',
      RESTORED: 'hat den Vorgang aus dem Papierkorb wiederhergestellt',
    },
    changed: column => `hat ${column} geändert`,
    changedFields: n => `hat ${n} Felder geändert`,
    changedNothing: 'hat nichts geändert',
    changedSome: (columns, last) => `hat ${columns} und ${last} geändert`,
    somebody: 'Unbekannt',
    // without articles, because they also follow „durch“
    actors: {
      JOB: {alone: 'Auftrag', of: person => `Auftrag von ${person}`},
      IMPORT: {alone: 'Import', of: person => `Import von ${person}`},
    },
    became: 'wurde zu',
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
    kept: 'Der begonnene Entwurf wurde beibehalten.',
    moreFields: n => counted(n, {one: 'weiteres Feld', other: 'weitere Felder'}),
    offline: 'Die Verbindung ist anscheinend unterbrochen. Es geht nichts verloren: erneut versuchen, sobald sie wieder besteht.',
    required: 'Ein Wert ist erforderlich',
    wrong: n => (n === 1 ? 'Ein Feld ist nicht richtig ausgefüllt.' : `${n} Felder sind nicht richtig ausgefüllt.`),
  },

  deletion: {
    title: issue => `${issue} löschen?`,
    titleSome: n => `${n.toLocaleString()} Vorgänge löschen?`,
    titleFailed: n => `${n.toLocaleString()} nicht gelöscht`,
    anIssue: '1 Vorgang',
    delete: 'Löschen',
    deleted: issue => `${issue} ist im Papierkorb.`,
    deletedSome: n => `${n.toLocaleString()} Vorgänge sind im Papierkorb.`,
    deleting: 'Wird gelöscht …',
    explanation: n =>
      n === 1
        ? 'Der Vorgang wird in den Papierkorb verschoben und kann dort 30 Tage lang wiederhergestellt werden.'
        : 'Die Vorgänge werden in den Papierkorb verschoben und können dort 30 Tage lang wiederhergestellt werden.',
    more: n => `und ${counted(n, {one: 'weiterer', other: 'weitere'})}`,
    undoFailed: problem => `Nicht alles konnte wiederhergestellt werden: ${problem}`,
  },

  trash: {
    title: project => `Papierkorb von ${project}`,
    explanation: 'Gelöschte Vorgänge bleiben 30 Tage hier. Nach dem Wiederherstellen sind sie wie zuvor, mit Nummer, Werten und Verlauf.',
    empty: 'Der Papierkorb ist leer.',
    deleted: 'Gelöscht {deleted}, wird {removed} endgültig entfernt',
    deletedBy: 'Gelöscht {deleted} durch {by}, wird {removed} endgültig entfernt',
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
