// The page with the projects of the tenants.
export const projects = {
  title: 'Projects',
  search: 'Search projects',
  playground: 'API playground',
  loading: 'Loading…',
  noTenants: 'There are no tenants yet. A tenant holds the projects of one customer or organization.',
  moreTenants: 'More tenants',
  newTenant: 'New tenant',

  // the projects of a tenant
  newProject: 'New project',
  moreFor: (tenant: string) => `More actions for ${tenant}`,
  deletedProjects: 'Deleted projects…',
  people: 'Users and teams…',
  editTenant: 'Edit tenant…',
  noProjects: 'No projects yet.',
  nothingFound: 'No matching projects.',
  recent: 'Recently used',
  all: 'All',
  moreProjects: 'More projects',

  // the number of open issues
  open: (n: number) => `${n.toLocaleString()} open`,
  atLeastOpen: (n: number) => `at least ${n.toLocaleString()} open`,
}
