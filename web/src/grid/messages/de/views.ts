import {counter} from '../counted'
import type {views as en} from '../en/views'

const counted = counter('de')

export const views: typeof en = {
  // the tabs
  views: 'Ansichten',
  allIssues: 'Alle Vorgänge',
  private: 'privat',
  default: 'Standard',
  changed: 'geändert',
  menuOf: view => `Menü der Ansicht: ${view}`,
  save: 'Speichern',
  saveAs: 'Speichern unter …',
  newView: 'Als neue Ansicht speichern',
  discard: 'Änderungen verwerfen',
  updated: view => `„${view}“ wurde gespeichert.`,
  deleted: view => `Die Ansicht „${view}“ wurde gelöscht.`,
  goneMeanwhile: view => `„${view}“ wurde gelöscht oder von jemand anderem privat gemacht. Was die Ansicht zeigte, ist noch hier.`,
  noSuchView: 'Die Ansicht in diesem Link gibt es nicht, oder sie ist eine private Ansicht von jemand anderem.',
  problems: 'Teile dieser Ansicht sind ausgelassen:',
  saveWithout: 'Ohne sie speichern',
  problem: (part, message) => `${part}: ${message}`,
  parts: {columns: 'Spalten', filter: 'Filter', orderBy: 'Sortierung', groupBy: 'Gruppen', summaries: 'Zusammenfassungen', view: 'Ansicht'},

  // the menu of a tab
  actions: {
    save: 'Speichern',
    rename: 'Umbenennen …',
    duplicate: 'Duplizieren …',
    share: 'Für alle freigeben',
    makePrivate: 'Privat machen',
    makeDefault: 'Als Standard festlegen',
    noDefault: 'Nicht mehr als Standard',
    copyLink: 'Link kopieren',
    delete: 'Löschen …',
  },
  copied: 'Link zu dieser Ansicht kopiert.',

  // the dialogs of the tabs
  saveThis: 'Ansicht speichern',
  sharedWithAll: 'Für alle Benutzer freigeben',
  notKept: 'Die Suche, fixierte Spalten und die Zeilenhöhe werden nicht mit der Ansicht gespeichert. Sie bleiben im Link.',
  copyOf: view => `${view} (Kopie)`,
  rename: 'Umbenennen',
  renameView: view => `Ansicht umbenennen: ${view}`,
  name: 'Name',
  nameRequired: 'Ein Name ist erforderlich',
  nameLength: most => `Ein Name darf höchstens ${most} Zeichen haben`,
  nameTaken: view => `Eine Ansicht mit dem Namen „${view}“ gibt es bereits`,
  deleteThis: view => `Ansicht löschen: ${view}`,
  deletesForAll: 'Die Ansicht wird für alle Benutzer gelöscht. Das kann nicht rückgängig gemacht werden.',
  deletesPrivate: 'Das kann nicht rückgängig gemacht werden.',
  conflict: view => `„${view}“ wurde von jemand anderem geändert`,
  conflictHint: 'Sie können deren Version anzeigen und Ihre Änderungen verwerfen, oder überschreiben, was Sie beide geändert haben.',
  reload: 'Deren Version anzeigen',
  overwrite: 'Überschreiben',

  // the dialog for a link
  link: 'Link zu dieser Ansicht',
  copyByHand: 'Der Browser hat das Kopieren blockiert. Den Link hier kopieren:',

  // the views that the browser stores
  local: 'Ansichten in diesem Browser',
  applied: view => `Ansichten in diesem Browser: ${view}`,
  appliedChanged: view => `Ansichten in diesem Browser: ${view} geändert`,
  changedView: view => `${view} (geändert)`,
  update: view => `Ansicht aktualisieren: ${view}`,
  askRename: view => `Ansicht umbenennen: ${view} …`,
  delete: view => `Ansicht löschen: ${view}`,
  notStored: 'Dieser Browser kann die Ansicht nicht speichern: Sein Speicher ist voll oder ausgeschaltet. Der Link funktioniert trotzdem.',
  offer: count =>
    `Dieser Browser speichert ${counted(count, {one: 'Ansicht', other: 'Ansichten'})} dieses Projekts. Auf dem Server haben Sie sie in jedem Browser.`,
  saveOnServer: 'Auf dem Server speichern',
  saveLocal: 'Auf dem Server als private Ansichten speichern',
  notNow: 'Nicht jetzt',
  uploaded: count => `${counted(count, {one: 'Ansicht wurde', other: 'Ansichten wurden'})} auf dem Server gespeichert.`,
  uploadedPartly: views =>
    `Der Server speichert die Suche, fixierte Spalten und die Zeilenhöhe nicht. Deshalb sind diese Ansichten auch weiterhin in diesem Browser: ${views}`,
  notUploaded: (view, reason) => `„${view}“ wurde nicht auf dem Server gespeichert: ${reason}`,
}
