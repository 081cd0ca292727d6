// The dialogs that define tenants, projects, states and fields.
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
    atMost: (n: number) => `There are at most ${n} options.`,
    removing: 'The issues that have this option get another one. This can’t be undone.',
  },
  state: {
    list: 'States',
    nameOf: (position: number) => `Name of state ${position}`,
    new: 'New state',
    atMost: (n: number) => `There are at most ${n} states.`,
    removing: 'The issues that have this state get another one. This can’t be undone.',
  },
  add: 'Add',
  colorOf: (name: string) => `Color of ${name}`,
  kindOf: (name: string) => `Kind of ${name}`,
  open: 'Open',
  closed: 'Closed',
  moveUp: (name: string) => `Move ${name} up`,
  moveDown: (name: string) => `Move ${name} down`,
  remove: (name: string) => `Remove ${name}`,
  askRemove: (name: string) => `Remove ${name}?`,
  replaceWith: 'Replace it with',
  choose: 'Choose …',
  noValue: 'No value',

  // the dialogs of a field
  newField: 'New field',
  createField: 'Create field',
  field: (name: string) => `Field ${name}`,
  type: 'Type',
  typeIs: (type: string) => `Type: ${type}`,
  description: 'Description',
  mustHaveValue: 'New issues must have a value',
  optionsSaved: 'Changes of options are saved at once.',
  archive: 'Archive',
  unarchive: 'Restore from the archive',
  deleteField: 'Delete field',
  deletingField: 'This deletes the field and its values in all issues. It can’t be undone. To keep the values, archive the field instead.',
  inPanel: (field: string) => `${field} is in the panel of an issue. “Columns” shows it in the grid.`,
  isArchived: (field: string) => `${field} is archived. Its values are kept; the settings of the project restore it.`,
  isColumn: (field: string) => `${field} is a column again.`,
  isDeleted: (field: string) => `${field} is deleted.`,

  // the form that changes the type of a field
  askType: 'Change type…',
  changeType: 'Change type',
  newTypeOf: (field: string) => `New type of ${field}`,
  createOptions: 'Create an option for each value that has none',
  unconvertible: 'If a value can’t be converted',
  refuseValues: 'change nothing, and list these values',
  removeValues: 'remove it from its issue; the history of the issue keeps it',

  // a new project
  newProject: 'New project',
  createProject: 'Create project',
  newKeyHint: (key: string) => `It is before the numbers of issues, as in ${key || 'KEY'}-1.`,
  statesOfIssues: 'States of issues',
  /** The states that a new project begins with. The user can rename them. */
  usualStates: {open: 'Open', doing: 'In progress', closed: 'Done'},

  // the settings of a project
  settingsOf: (project: string) => `Settings of ${project}`,
  tabs: {general: 'Project', states: 'States', fields: 'Fields'},
  keyHint: (key: string) => `It is before the numbers of issues, as in ${key}-1. If it changes, links by the old key end to work.`,
  saved: 'Saved.',
  askDeleteProject: 'Delete project…',
  deletion: 'Delete the project',
  deleteThis: (project: string) => `Delete ${project}?`,
  deletingProject: 'It goes into the trash, and can be restored from the list of projects.',
  deleteProject: 'Delete project',
  statesHint: 'New issues start in the first open state. Changes are saved at once.',
  fields: 'Fields',
  fieldCount: (n: number) => `${n} of at most 400 fields`,
  required: 'required',
  archived: 'archived',

  // a tenant
  newTenant: 'New tenant',
  createTenant: 'Create tenant',
  tenant: (name: string) => `Tenant ${name}`,
  deleteTenant: 'Delete tenant',
  deletingTenant: 'This deletes the tenant with all of its projects and issues. It can’t be undone.',

  // the projects in the trash
  deletedProjects: 'Deleted projects',
  nothingDeleted: 'There are none.',
  until: (date: string) => `until ${date}`,
  restore: (project: string) => `Restore ${project}`,
  more: 'More',

  /** What jobs do, by their kinds. The field is null if the job has none or its name is unknown. */
  jobs: {
    CHANGE_TYPE: (field: string | null) => `Changing the type of ${field ?? 'a field'}`,
    MERGE_OPTIONS: (field: string | null) => `Merging options of ${field ?? 'a field'}`,
    MOVE_OPTIONS: (field: string | null) => `Sorting by the new order of ${field ?? 'a field'}`,
    MERGE_STATES: () => 'Merging states',
    MOVE_STATES: () => 'Sorting by the new order of the states',
    DELETE_FIELD: (field: string | null) => `Removing the values of ${field ?? 'a field'}`,
    DELETE_PROJECT: () => 'Deleting the project',
  },
  checking: (job: string) => `${job}: checking`,
  stop: 'Stop',
  stopJob: (job: string) => `Stop: ${job}`,
  jobFailed: (job: string, reasons: string) => `Nothing was changed. ${job} is not possible: ${reasons}.`,
  moreReasons: (n: number) => `and ${n.toLocaleString()} more`,
}
