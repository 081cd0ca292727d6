// The menu of named views and its dialogs.
export const views = {
  // the button and its menu
  button: 'Views',
  applied: (view: string) => `Views: ${view}`,
  appliedChanged: (view: string) => `Views: ${view} changed`,
  changed: 'changed',
  changedView: (view: string) => `${view} (changed)`,
  standard: 'Default view',
  saveAs: 'Save as…',
  update: (view: string) => `Update view: ${view}`,
  updated: (view: string) => `“${view}” was updated.`,
  askRename: (view: string) => `Rename view: ${view}…`,
  delete: (view: string) => `Delete view: ${view}`,
  deleted: (view: string) => `View “${view}” was deleted.`,
  copyLink: 'Copy link',
  copied: 'Link to this view copied.',
  notStored: 'This browser can’t store the view: its storage is full or turned off. The link still works.',

  // the dialog for a name
  save: 'Save',
  saveThis: 'Save this view',
  rename: 'Rename',
  renameView: (view: string) => `Rename view: ${view}`,
  replace: 'Replace',
  name: 'Name',
  nameRequired: 'A name is required',
  nameLength: (most: number) => `A name can have at most ${most} characters`,
  nameTaken: (view: string) => `A view named “${view}” already exists`,
  replaces: (view: string) => `This replaces the view “${view}”.`,
  keptHere: 'Saved in this browser. To share the view, copy its link.',

  // the dialog for a link
  link: 'Link to this view',
  copyByHand: 'The browser blocked copying. Copy the link from here:',
}
