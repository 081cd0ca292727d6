// The projects of a tenant, or of all tenants for an operator.
import {useApolloClient} from '@apollo/client/react'
import {useEffect, useState} from 'react'
import {ProjectsDocument, TenantsDocument, type ProjectCardFragment} from '../gql/graphql'
import {problemOf} from './data/client'
import {ask} from './data/source'
import {newView, writeView} from './model/view'
import type {Viewer} from './data/viewer'
import {UserMenu} from './UserMenu'

interface Tenant {
  id: string
  name: string
}

export function Projects({viewer}: {viewer: Viewer}) {
  const client = useApolloClient()
  const own = viewer.tenant
  const [tenants, setTenants] = useState<Tenant[] | null>(own ? [own] : null)
  const [more, setMore] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const load = (after: string | null) => {
    ask(client, TenantsDocument, {after}).then(
      ({tenants: page}) => {
        setTenants(sofar => [...(after ? (sofar ?? []) : []), ...page!.nodes])
        setMore(page!.pageInfo.hasNextPage ? (page!.pageInfo.endCursor ?? null) : null)
      },
      (e: unknown) => setError(problemOf(e).message),
    )
  }
  useEffect(() => {
    if (!own) load(null)
    // once
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  return (
    <main className="page projects">
      <header>
        <h1>Projects</h1>
        <nav>
          <a href="/playground">API playground</a>
          <UserMenu viewer={viewer} />
        </nav>
      </header>
      {error && <p role="alert">{error}</p>}
      {!tenants && !error && <p role="status">Loading …</p>}
      {tenants?.length === 0 && <p>There are no tenants yet. Create one with the mutation createTenant.</p>}
      {tenants?.map(t => (
        <TenantProjects key={t.id} tenant={t} />
      ))}
      {more && (
        <button type="button" onClick={() => load(more)}>
          More tenants
        </button>
      )}
    </main>
  )
}

function TenantProjects({tenant}: {tenant: Tenant}) {
  const client = useApolloClient()
  const [projects, setProjects] = useState<ProjectCardFragment[] | null>(null)
  const [more, setMore] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const load = (after: string | null) => {
    ask(client, ProjectsDocument, {tenant: tenant.id, after}).then(
      ({tenant: t}) => {
        setProjects(sofar => [...(after ? (sofar ?? []) : []), ...(t?.projects?.nodes ?? [])])
        setMore(t?.projects?.pageInfo.hasNextPage ? (t.projects.pageInfo.endCursor ?? null) : null)
      },
      (e: unknown) => setError(problemOf(e).message),
    )
  }
  useEffect(() => {
    load(null)
    // once per tenant, which is the key
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  return (
    <section aria-label={tenant.name}>
      <h2>{tenant.name}</h2>
      {error && <p role="alert">{error}</p>}
      {projects?.length === 0 && <p className="hint">No projects yet.</p>}
      <ul className="cards">
        {projects?.map(p => (
          <li key={p.id}>
            <a href={'/' + writeView(newView(p.id))}>
              <span className="key">{p.key}</span>
              <span className="name">{p.name}</span>
            </a>
          </li>
        ))}
      </ul>
      {more && (
        <button type="button" onClick={() => load(more)}>
          More projects
        </button>
      )}
    </section>
  )
}
