// Users and teams: their names, pickers, and what they are to an issue.
export const people = {
  inactive: (name: string) => `${name} (deactivated)`,
  search: 'Search people and teams',
  none: 'Nobody found.',
  missing: 'a user or team that was not found',
  mention: 'Mention',
  assignees: {
    title: 'Assignees',
    add: 'Add assignee',
    addSelf: 'Assign to me',
    remove: (name: string) => `Remove ${name} from assignees`,
  },
  watchers: {
    title: 'Watchers',
    add: 'Add watcher',
    addSelf: 'Watch',
    remove: (name: string) => `Remove ${name} from watchers`,
  },
}
