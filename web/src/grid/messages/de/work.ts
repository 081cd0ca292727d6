import {counter} from '../counted'
import type {work as en} from '../en/work'

const counted = counter('de')
const issues = {one: 'Vorgang', other: 'Vorgänge'}

export const work: typeof en = {
  title: 'Meine Arbeit',
  projects: 'Projekte',
  lists: 'Listen von Vorgängen',
  kinds: {mine: 'Mir zugewiesen', teams: 'Meinen Teams zugewiesen', watched: 'Beobachtet', created: 'Von mir erstellt'},
  status: 'Stand',
  statuses: {open: 'Offen', closed: 'Geschlossen', all: 'Offen und geschlossen'},
  order: 'Reihenfolge',
  orders: {updated: 'Zuletzt geändert', created: 'Zuletzt erstellt', number: 'Nummer'},
  byProject: 'Nach Projekt',
  count: (n, exact) => (exact ? counted(n, issues) : `mindestens ${counted(n, issues)}`),
  loading: 'Wird geladen …',
  more: 'Mehr anzeigen',
  none: {
    mine: 'Ihnen sind keine Vorgänge zugewiesen.',
    teams: 'Ihren Teams sind keine Vorgänge zugewiesen.',
    watched: 'Sie beobachten keine Vorgänge.',
    created: 'Sie haben keine Vorgänge erstellt.',
  },
  noneOpen: 'Nur offene Vorgänge werden angezeigt. Frühere sind unter „Geschlossen“.',
  assignees: 'Zuständig',
  updated: when => `geändert ${when}`,
}
