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
  update: (view: string) => `Update “${view}”`,
  updated: (view: string) => `“${view}” is what you see now.`,
  askRename: (view: string) => `Rename “${view}”…`,
  delete: (view: string) => `Delete “${view}”`,
  deleted: (view: string) => `The view “${view}” is deleted.`,
  copyLink: 'Copy link',
  copied: 'The link of this view is copied.',
  notStored: 'This browser cannot store the view: its storage is full or turned off. The link still works.',

  // the dialog for a name
  save: 'Save',
  saveThis: 'Save this view',
  rename: 'Rename',
  renameView: (view: string) => `Rename “${view}”`,
  replace: 'Replace',
  name: 'Name',
  nameRequired: 'A name is required',
  nameLength: (most: number) => `A name has at most ${most} characters`,
  nameTaken: (view: string) => `There is a view “${view}” already`,
  replaces: (view: string) => `This replaces the view “${view}”.`,
  keptHere: 'Kept in this browser. Its link shows the same to others.',

  // the dialog for a link
  link: 'Link of this view',
  copyByHand: 'The browser did not let the page copy it. Copy it from here:',
}
