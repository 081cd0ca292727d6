import type {views as en} from '../en/views'

export const views: typeof en = {
  // the button and its menu
  button: 'Ansichten',
  applied: view => `Ansichten: ${view}`,
  appliedChanged: view => `Ansichten: ${view} geändert`,
  changed: 'geändert',
  changedView: view => `${view} (geändert)`,
  standard: 'Standardansicht',
  saveAs: 'Speichern unter …',
  update: view => `Ansicht aktualisieren: ${view}`,
  updated: view => `„${view}“ wurde aktualisiert.`,
  askRename: view => `Ansicht umbenennen: ${view} …`,
  delete: view => `Ansicht löschen: ${view}`,
  deleted: view => `Die Ansicht „${view}“ wurde gelöscht.`,
  copyLink: 'Link kopieren',
  copied: 'Link zu dieser Ansicht kopiert.',
  notStored: 'Dieser Browser kann die Ansicht nicht speichern: Sein Speicher ist voll oder ausgeschaltet. Der Link funktioniert trotzdem.',

  // the dialog for a name
  save: 'Speichern',
  saveThis: 'Ansicht speichern',
  rename: 'Umbenennen',
  renameView: view => `Ansicht umbenennen: ${view}`,
  replace: 'Ersetzen',
  name: 'Name',
  nameRequired: 'Ein Name ist erforderlich',
  nameLength: most => `Ein Name darf höchstens ${most} Zeichen haben`,
  nameTaken: view => `Eine Ansicht mit dem Namen „${view}“ gibt es bereits`,
  replaces: view => `Dies ersetzt die Ansicht „${view}“.`,
  keptHere: 'Wird in diesem Browser gespeichert. Um die Ansicht zu teilen, kopieren Sie ihren Link.',

  // the dialog for a link
  link: 'Link zu dieser Ansicht',
  copyByHand: 'Der Browser hat das Kopieren blockiert. Den Link hier kopieren:',
}
