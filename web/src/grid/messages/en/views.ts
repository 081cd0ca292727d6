// The tabs of saved views and their dialogs, and the views that the browser stores.
import {counter} from '../counted'

const counted = counter('en')

export const views = {
  // the tabs
  views: 'Views',
  allIssues: 'All issues',
  private: 'private',
  default: 'default',
  changed: 'changed',
  menuOf: (view: string) => `Menu for view: ${view}`,
  save: 'Save',
  saveAs: 'Save as…',
  newView: 'Save as a new view',
  discard: 'Discard changes',
  updated: (view: string) => `“${view}” was saved.`,
  deleted: (view: string) => `View “${view}” was deleted.`,
  goneMeanwhile: (view: string) => `“${view}” was deleted, or made private by another user. What it showed is still here.`,
  noSuchView: 'The view in this link does not exist, or it is a private view of another user.',
  problems: 'Parts of this view are left out:',
  saveWithout: 'Save without them',
  problem: (part: string, message: string) => `${part}: ${message}`,
  parts: {columns: 'Columns', filter: 'Filter', orderBy: 'Order', groupBy: 'Groups', summaries: 'Summaries', view: 'View'},

  // the menu of a tab
  actions: {
    save: 'Save',
    rename: 'Rename…',
    duplicate: 'Duplicate…',
    share: 'Share',
    makePrivate: 'Make private',
    makeDefault: 'Make default',
    noDefault: 'Remove as default',
    copyLink: 'Copy link',
    delete: 'Delete…',
  },
  copied: 'Link to this view copied.',

  // the dialogs of the tabs
  saveThis: 'Save view',
  sharedWithAll: 'Share with all users',
  notKept: 'The search, pinned columns and the height of rows are not saved with the view. They stay in the link.',
  copyOf: (view: string) => `${view} (copy)`,
  rename: 'Rename',
  renameView: (view: string) => `Rename view: ${view}`,
  name: 'Name',
  nameRequired: 'A name is required',
  nameLength: (most: number) => `A name can have at most ${most} characters`,
  nameTaken: (view: string) => `A view named “${view}” already exists`,
  deleteThis: (view: string) => `Delete view: ${view}`,
  deletesForAll: 'The view is deleted for all users. This cannot be undone.',
  deletesPrivate: 'This cannot be undone.',
  conflict: (view: string) => `“${view}” was changed by another user`,
  conflictHint: 'You can show their version, which discards your changes, or overwrite what you both have changed.',
  reload: 'Show their version',
  overwrite: 'Overwrite',

  // the dialog for a link
  link: 'Link to this view',
  copyByHand: 'The browser blocked copying. Copy the link from here:',

  // the views that the browser stores
  local: 'Views in this browser',
  applied: (view: string) => `Views in this browser: ${view}`,
  appliedChanged: (view: string) => `Views in this browser: ${view} changed`,
  changedView: (view: string) => `${view} (changed)`,
  update: (view: string) => `Update view: ${view}`,
  askRename: (view: string) => `Rename view: ${view}…`,
  delete: (view: string) => `Delete view: ${view}`,
  notStored: 'This browser can’t store the view: its storage is full or turned off. The link still works.',
  offer: (count: number) =>
    `This browser stores ${counted(count, {one: 'view', other: 'views'})} of this project. On the server, you have them in every browser.`,
  saveOnServer: 'Save on the server',
  saveLocal: 'Save on the server as private views',
  notNow: 'Not now',
  uploaded: (count: number) => `${counted(count, {one: 'view was', other: 'views were'})} saved on the server.`,
  uploadedPartly: (views: string) =>
    `The server does not save the search, pinned columns and the height of rows. So these views are also still in this browser: ${views}`,
  notUploaded: (view: string, reason: string) => `“${view}” was not saved on the server: ${reason}`,
}
