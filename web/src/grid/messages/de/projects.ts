import type {projects as en} from '../en/projects'

export const projects: typeof en = {
  title: 'Projekte',
  search: 'Projekte durchsuchen',
  playground: 'API-Playground',
  loading: 'Wird geladen …',
  noTenants: 'Es gibt noch keine Mandanten. Ein Mandant enthält die Projekte eines Kunden oder einer Organisation.',
  moreTenants: 'Weitere Mandanten',
  newTenant: 'Neuer Mandant',

  // the projects of a tenant
  newProject: 'Neues Projekt',
  moreFor: tenant => `Weitere Aktionen für ${tenant}`,
  deletedProjects: 'Gelöschte Projekte …',
  people: 'Personen und Teams …',
  editTenant: 'Mandant bearbeiten …',
  noProjects: 'Noch keine Projekte.',
  nothingFound: 'Keine passenden Projekte.',
  recent: 'Zuletzt verwendet',
  all: 'Alle',
  moreProjects: 'Weitere Projekte',

  // the number of open issues
  open: n => `${n.toLocaleString()} offen`,
  atLeastOpen: n => `mindestens ${n.toLocaleString()} offen`,
}
