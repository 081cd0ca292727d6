import {InMemoryCache} from '@apollo/client'
import {relayStylePagination} from '@apollo/client/utilities'
import possibleTypes from '../generated/possibleTypes.ts'

export const cache = () =>
  new InMemoryCache({
    ...possibleTypes,
    typePolicies: {
      // Pages are joined; grids of another order or filter are other lists.
      Query: {fields: {tenants: relayStylePagination()}},
      Tenant: {fields: {projects: relayStylePagination(), deletedProjects: relayStylePagination()}},
      Project: {fields: {issues: relayStylePagination(['orderBy', 'where', 'timeZone']), history: relayStylePagination(), deletedIssues: relayStylePagination()}},
      // The list of all values may get shorter.
      Issue: {fields: {history: relayStylePagination(), values: {merge: false}}},
      // Without an id, but one thing in its place, of which operations may ask for different parts.
      CustomValue: {merge: true},
      Viewer: {merge: true},
    },
  })
