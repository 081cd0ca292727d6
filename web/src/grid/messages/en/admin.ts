// The dialogs that define tenants, projects, states and fields.

import {counter} from '../counted'

const counted = counter('en')
const name = (field: string | null) => (field === null ? 'a field' : `“${field}”`)

export const admin = {
  // what several dialogs have
  cancel: 'Cancel',
  delete: 'Delete…',
  key: 'Key',
  name: 'Name',
  options: 'Options',
  save: 'Save',

  /** The prompt above the input for a name that is typed to confirm a deletion. */
  confirm: 'To confirm, type {name}',

  // the choice of a color
  noColor: 'No color',
  anotherColor: 'Another color',
  colors: {
    gray: 'Gray',
    blue: 'Blue',
    green: 'Green',
    yellow: 'Yellow',
    orange: 'Orange',
    red: 'Red',
    pink: 'Pink',
    purple: 'Purple',
    teal: 'Teal',
    brown: 'Brown',
  },

  // the list of options or states, and the form that asks what replaces a removed one
  option: {
    list: 'Options',
    nameOf: (position: number) => `Name of option ${position}`,
    new: 'New option',
    atMost: (n: number) => `A field can have at most ${n} options.`,
    removing: 'Issues with this option will get the replacement below. This can’t be undone.',
  },
  state: {
    list: 'States',
    nameOf: (position: number) => `Name of state ${position}`,
    new: 'New state',
    atMost: (n: number) => `A project can have at most ${n} states.`,
    removing: 'Issues with this state will get the replacement below. This can’t be undone.',
  },
  add: 'Add',
  colorOf: (name: string) => `Color of ${name}`,
  kindOf: (name: string) => `Type of ${name}`,
  open: 'Open',
  closed: 'Closed',
  moveUp: (name: string) => `Move ${name} up`,
  moveDown: (name: string) => `Move ${name} down`,
  remove: (name: string) => `Remove ${name}`,
  askRemove: (name: string) => `Remove “${name}”?`,
  replaceWith: 'Replace it with',
  choose: 'Select…',
  noValue: 'No value',

  // the dialogs of a field
  newField: 'New field',
  createField: 'Create field',
  field: (name: string) => `Field: ${name}`,
  type: 'Type',
  typeIs: (type: string) => `Type: ${type}`,
  description: 'Description',
  mustHaveValue: 'Required for new issues',
  optionsSaved: 'Changes to options are saved immediately.',
  archive: 'Archive',
  unarchive: 'Restore from archive',
  deleteField: 'Delete field',
  deletingField: 'This deletes the field and its values in all issues, and can’t be undone. To keep the values, archive the field instead.',
  inPanel: (field: string) => `“${field}” appears in the issue panel. Use “Columns” to show it in the grid.`,
  isArchived: (field: string) => `“${field}” was archived. Its values are kept; you can restore it in the project settings.`,
  isColumn: (field: string) => `“${field}” is a column again.`,
  isDeleted: (field: string) => `“${field}” was deleted.`,

  // the form that changes the type of a field
  askType: 'Change type…',
  changeType: 'Change type',
  newTypeOf: (field: string) => `New type of ${field}`,
  createOptions: 'Create options for values that don’t have one',
  unconvertible: 'If a value can’t be converted',
  refuseValues: 'Change nothing, and list these values',
  removeValues: 'Remove it from the issue; the issue’s history keeps it',

  // the form that links the names in a field to users
  names: {
    ask: 'Link names to users…',
    hint: 'These values are only names. Choose the user that each name stands for; names without a user stay as they are.',
    none: 'No value of this field is only a name.',
    first: (n: number) => `These are the first ${n} names. The others follow after these have been linked.`,
    incomplete: 'The search ended early; there may be more names.',
    name: 'Name',
    issues: 'Issues',
    user: 'User',
    userOf: (name: string) => `User for “${name}”`,
    pick: 'Choose user…',
    pickFor: (name: string) => `Choose user for “${name}”`,
    remove: (name: string) => `Leave “${name}” without a user`,
    link: (n: number) => `Link ${counted(n, {one: 'name', other: 'names'})}`,
    started: (n: number) => (n === 1 ? '1 name is being linked to a user.' : `${n.toLocaleString()} names are being linked to users.`),
  },

  // a new project
  newProject: 'New project',
  createProject: 'Create project',
  newKeyHint: (key: string) => `It precedes issue numbers, as in ${key || 'KEY'}-1.`,
  statesOfIssues: 'Issue states',
  /** The states that a new project begins with. The user can rename them. */
  usualStates: {open: 'Open', doing: 'In progress', closed: 'Done'},

  // the settings of a project
  settingsOf: (project: string) => `Project settings: ${project}`,
  tabs: {general: 'Project', states: 'States', fields: 'Fields'},
  keyHint: (key: string) => `It precedes issue numbers, as in ${key}-1. If you change it, links that use the old key stop working.`,
  saved: 'Saved.',
  askDeleteProject: 'Delete project…',
  deletion: 'Delete project',
  deleteThis: (project: string) => `Delete “${project}”?`,
  deletingProject: 'It moves to the trash and can be restored from the list of projects.',
  deleteProject: 'Delete project',
  statesHint: 'New issues start in the first open state. Changes are saved immediately.',
  fields: 'Fields',
  fieldCount: (n: number) => `${n} of 400 fields`,
  required: 'required',
  archived: 'archived',

  // a tenant
  newTenant: 'New tenant',
  createTenant: 'Create tenant',
  tenant: (name: string) => `Tenant: ${name}`,
  deleteTenant: 'Delete tenant',
  deletingTenant: 'This deletes the tenant with all of its projects and issues, and can’t be undone.',

  // the projects in the trash
  deletedProjects: 'Deleted projects',
  nothingDeleted: 'No deleted projects.',
  until: (date: string) => `until ${date}`,
  restore: (project: string) => `Restore ${project}`,
  more: 'Show more',

  // the users and the teams of a tenant
  people: {
    title: 'Users and teams',
    users: 'Users',
    teams: 'Teams',
    search: 'Search names',
    inactive: 'Deactivated',
    newUser: 'New user',
    newTeam: 'New team',
    email: 'E-mail address',
    claim: 'Identity in tokens',
    claimHint: 'What identifies the user in tokens. Without it, the first token with the verified e-mail address becomes this user.',
    deactivate: 'Deactivate',
    activate: 'Activate',
    deactivateHint: 'A deactivated user can’t do anything, and stays on the issues and in the teams.',
    members: (n: number) => counted(n, {one: 'member', other: 'members'}),
    membersOf: 'Members',
    membersSaved: 'Changes to members are saved immediately.',
    addMember: 'Add member',
    removeMember: (name: string) => `Remove ${name} from the team`,
  },

  /** What jobs do, by their kinds. The field is null if the job has none or its name is unknown. */
  jobs: {
    CHANGE_FIELD_TYPE: (field: string | null) => `Changing the type of ${name(field)}`,
    LINK_USER_NAMES: (field: string | null) => `Linking names in ${name(field)} to users`,
    MERGE_OPTIONS: (field: string | null) => `Merging options of ${name(field)}`,
    MOVE_OPTIONS: (field: string | null) => `Applying the new order of ${name(field)}`,
    MERGE_STATES: () => 'Merging states',
    MOVE_STATES: () => 'Applying the new order of states',
    DELETE_FIELD: (field: string | null) => `Removing the values of ${name(field)}`,
    DELETE_PROJECT: () => 'Deleting the project',
    INDEX_EMPTY_VALUES: (field: string | null) => `Indexing the issues without a value of ${name(field)}`,
  },
  checking: (job: string) => `${job}: checking`,
  stop: 'Stop',
  stopJob: (job: string) => `Stop: ${job}`,
  jobFailed: (job: string, reasons: string) => `Nothing was changed. ${job} failed: ${reasons}.`,
  moreReasons: (n: number) => `and ${n.toLocaleString()} more`,
}
