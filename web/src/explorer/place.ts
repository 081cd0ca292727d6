// Chooses the project that the examples use.

import type {Field, Place, Row} from './examples'
import {ask, type Headers} from './exchange'

interface Candidate {
  id: string
  fields: Pick<Field, 'type' | 'sortable'>[]
  issues: {nodes: {id: string}[]}
}

interface Candidates {
  projects: {nodes: Candidate[]}
}

const candidates = `fragment Candidates on Tenant {
  projects(first: 10) { nodes { id fields { type sortable } issues(first: 1) { nodes { id } } } }
}`

export const viewerQuery = `query WhoAsks { viewer { canOperate tenant { ...Candidates } } } ${candidates}`

export const tenantsQuery = `query AllTenants { tenants(first: 10) { nodes { ...Candidates } } } ${candidates}`

export const placeQuery = `query ForExamples($project: ID!) {
  project(id: $project) {
    id
    key
    name
    fields { id name type sortable required options { id } }
    issues(first: 6) {
      edges { cursor node { id name version state { id } values { field { id } ... on SelectValue { option { id } } } } }
    }
  }
}`

/** Returns the project for the examples, or null if there is none. If the server rejects the request, the message of the error is for the user. */
export async function findPlace(headers: Headers, signal?: AbortSignal): Promise<Place | null> {
  const {viewer} = await ask<{viewer: {canOperate: boolean; tenant: Candidates | null}}>(viewerQuery, {}, headers, signal)
  let tenants = viewer.tenant ? [viewer.tenant] : []
  if (viewer.canOperate && !choose(tenants)) {
    tenants = (await ask<{tenants: {nodes: Candidates[]}}>(tenantsQuery, {}, headers, signal)).tenants.nodes
  }
  const chosen = choose(tenants)
  if (!chosen) return null
  const {project} = await ask<{project: Omit<Place, 'rows'> & {issues: {edges: Row[]}}}>(placeQuery, {project: chosen.id}, headers, signal)
  const {issues, ...rest} = project
  return {...rest, rows: issues.edges}
}

/**
 * Returns the project that suits most examples. It prefers issues to options to filter by, and those to a field to sort by. Of equal projects, it returns the
 * first.
 */
export function choose(tenants: Candidates[]): Candidate | undefined {
  let best: Candidate | undefined
  for (const project of tenants.flatMap(t => t.projects.nodes)) {
    if (!best || worth(project) > worth(best)) best = project
  }
  return best
}

function worth({issues, fields}: Candidate): number {
  return (issues.nodes.length > 0 ? 4 : 0) + (fields.some(f => f.type === 'SELECT') ? 2 : 0) + (fields.some(f => f.sortable) ? 1 : 0)
}
