import type {people as en} from '../en/people'

export const people: typeof en = {
  inactive: name => `${name} (deaktiviert)`,
  search: 'Personen und Teams suchen',
  none: 'Niemand gefunden.',
  missing: 'eine unbekannte Person oder ein unbekanntes Team',
  mention: 'Erwähnen',
  assignees: {
    title: 'Zuständig',
    add: 'Zuständige hinzufügen',
    addSelf: 'Mir zuweisen',
    remove: name => `${name} ist nicht mehr zuständig`,
  },
  watchers: {
    title: 'Beobachtende',
    add: 'Beobachtende hinzufügen',
    addSelf: 'Beobachten',
    remove: name => `${name} beobachtet nicht mehr`,
  },
}
