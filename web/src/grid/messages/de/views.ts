import type {views as en} from '../en/views'

export const views: typeof en = {
  // the button and its menu
  button: 'Ansichten',
  applied: view => `Ansichten: ${view}`,
  appliedChanged: view => `Ansichten: ${view}, geändert`,
  changed: 'geändert',
  changedView: view => `${view} (geändert)`,
  standard: 'Standardansicht',
  saveAs: 'Speichern unter …',
  update: view => `„${view}“ aktualisieren`,
  updated: view => `„${view}“ ist jetzt das, was Sie sehen.`,
  askRename: view => `„${view}“ umbenennen …`,
  delete: view => `„${view}“ löschen`,
  deleted: view => `Die Ansicht „${view}“ wurde gelöscht.`,
  copyLink: 'Link kopieren',
  copied: 'Der Link zu dieser Ansicht wurde kopiert.',
  notStored: 'Dieser Browser kann die Ansicht nicht speichern: Sein Speicher ist voll oder ausgeschaltet. Der Link funktioniert trotzdem.',

  // the dialog for a name
  save: 'Speichern',
  saveThis: 'Ansicht speichern',
  rename: 'Umbenennen',
  renameView: view => `„${view}“ umbenennen`,
  replace: 'Ersetzen',
  name: 'Name',
  nameRequired: 'Ein Name ist erforderlich',
  nameLength: most => `Ein Name hat höchstens ${most} Zeichen`,
  nameTaken: view => `Eine Ansicht „${view}“ gibt es bereits`,
  replaces: view => `Dies ersetzt die Ansicht „${view}“.`,
  keptHere: 'Wird in diesem Browser gespeichert. Über den Link sehen auch andere diese Ansicht.',

  // the dialog for a link
  link: 'Link zu dieser Ansicht',
  copyByHand: 'Der Browser lässt das Kopieren nicht zu. Bitte hier kopieren:',
}
