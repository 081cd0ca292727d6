// The projects of a tenant, or of all tenants for an operator.
import {useApolloClient} from '@apollo/client/react'
import {useEffect, useMemo, useState} from 'react'
import {ProjectsDocument, TenantsDocument, type ProjectCardFragment} from '../../gql/graphql'
import {problemOf} from '../data/client'
import {ask} from '../data/source'
import type {Viewer} from '../data/viewer'
import {ProjectFacts} from './facts'
import {messages} from '../messages'
import {folded} from '../model/values'
import {newView, writeView} from '../model/view'
import {ProjectCards} from './ProjectCards'
import {recentProjects} from './recent'
import {useLazyDialog, type Loaders} from '../ui/lazy'
import {Icon, MenuButton, type MenuItem, type Toasts} from '../ui/ui'
import {AppearanceMenu} from '../ui/AppearanceMenu'
import {UserMenu} from '../ui/UserMenu'

interface Tenant {
  id: string
  name: string
}

type Dialogs = {
  project: {tenant: string; onCreated: (id: string) => void}
  tenant: {tenant: Tenant | null; canDelete: boolean; onDone: () => void}
  trash: {tenant: string; onRestored: () => void}
  people: {tenant: string}
}

const dialogs: Loaders<Dialogs> = {
  project: () => import('../admin/ProjectDialog').then(m => m.default),
  tenant: () => import('../admin/TenantDialog').then(m => m.default),
  trash: () => import('../admin/TrashDialog').then(m => m.default),
  people: () => import('../admin/PeopleDialog').then(m => m.default),
}

export function Projects({viewer, toasts}: {viewer: Viewer; toasts: Toasts}) {
  const client = useApolloClient()
  const own = viewer.tenant
  const [tenants, setTenants] = useState<Tenant[] | null>(own ? [own] : null)
  const [more, setMore] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [search, setSearch] = useState('')
  const [facts] = useState(() => new ProjectFacts(client))
  const [dialog, open] = useLazyDialog(dialogs, toasts)
  const load = (after: string | null) => {
    ask(client, TenantsDocument, {after}).then(
      ({tenants: page}) => {
        setTenants(sofar => [...(after ? (sofar ?? []) : []), ...page!.nodes])
        setMore(page!.pageInfo.hasNextPage ? (page!.pageInfo.endCursor ?? null) : null)
      },
      (e: unknown) => setError(problemOf(e).message),
    )
  }
  // The list of tenants is only for operators. Others read their own one with its projects.
  const reload = () => (viewer.canOperate ? load(null) : location.reload())
  useEffect(() => {
    if (!own) load(null)
    // once
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  const change = (tenant: Tenant | null) =>
    open('tenant', {
      tenant,
      canDelete: viewer.canOperate,
      onDone: () => reload(),
    })
  return (
    <main className="page projects">
      <header>
        <h1>{messages.projects.title}</h1>
        <nav>
          <input
            type="search"
            className="projects-search"
            aria-label={messages.projects.search}
            placeholder={messages.projects.search}
            value={search}
            onChange={e => setSearch(e.target.value)}
          />
          {viewer.user && <a href="/">{messages.work.title}</a>}
          <a href="/playground">{messages.projects.playground}</a>
          <AppearanceMenu />
          <UserMenu viewer={viewer} />
        </nav>
      </header>
      {error && <p role="alert">{error}</p>}
      {!tenants && !error && <p role="status">{messages.projects.loading}</p>}
      {tenants?.length === 0 && <p className="hint">{messages.projects.noTenants}</p>}
      {tenants?.map(t => (
        <TenantProjects
          key={t.id}
          tenant={t}
          search={search}
          facts={facts}
          canAdminister={viewer.canAdminister}
          onNewProject={() => open('project', {tenant: t.id, onCreated: id => location.assign('/' + writeView(newView(id)))})}
          onPeople={() => open('people', {tenant: t.id})}
          onTrash={onRestored => open('trash', {tenant: t.id, onRestored})}
          onChange={viewer.canOperate ? () => change(t) : undefined}
        />
      ))}
      <p className="actions">
        {more && (
          <button type="button" onClick={() => load(more)}>
            {messages.projects.moreTenants}
          </button>
        )}
        {viewer.canOperate && tenants && (
          <button type="button" className={tenants.length === 0 ? 'primary' : undefined} onClick={() => change(null)}>
            {messages.projects.newTenant}
          </button>
        )}
      </p>
      {dialog}
    </main>
  )
}

interface TenantProps {
  tenant: Tenant
  search: string
  facts: ProjectFacts
  canAdminister: boolean
  onNewProject: () => void
  onPeople: () => void
  onTrash: (onRestored: () => void) => void
  onChange?: (() => void) | undefined
}

function TenantProjects({tenant, search, facts, canAdminister, onNewProject, onPeople, onTrash, onChange}: TenantProps) {
  const client = useApolloClient()
  const [projects, setProjects] = useState<ProjectCardFragment[] | null>(null)
  const [more, setMore] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const load = (after: string | null) => {
    ask(client, ProjectsDocument, {tenant: tenant.id, after, nameStartsWith: null}).then(
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
  const wanted = folded(search)
  // If not all projects are loaded, the server finds the others, by the beginning of their names.
  const [others, setOthers] = useState<readonly ProjectCardFragment[]>([])
  const isPartial = more !== null
  useEffect(() => {
    if (wanted === '' || !isPartial) return setOthers([])
    let current = true
    const timer = setTimeout(() => {
      ask(client, ProjectsDocument, {tenant: tenant.id, after: null, nameStartsWith: search.trim()}).then(
        ({tenant: t}) => current && setOthers(t?.projects?.nodes ?? []),
        (e: unknown) => current && setError(problemOf(e).message),
      )
    }, 200)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [client, tenant.id, wanted, search, isPartial])
  const found = useMemo(() => {
    const all = projects ?? []
    if (wanted === '') return all
    const here = all.filter(p => folded(`${p.key} ${p.name}`).includes(wanted))
    return [...here, ...others.filter(o => !here.some(p => p.id === o.id))]
  }, [projects, others, wanted])
  const [recentIDs] = useState(recentProjects)
  const recent = recentIDs.flatMap(id => projects?.find(p => p.id === id) ?? [])
  const items = (): MenuItem[] => [
    {label: messages.projects.people, icon: 'team', onSelect: onPeople},
    {label: messages.projects.deletedProjects, icon: 'trash', onSelect: () => onTrash(() => load(null))},
    ...(onChange ? [{label: messages.projects.editTenant, icon: 'edit' as const, onSelect: onChange}] : []),
  ]
  return (
    <section aria-label={tenant.name}>
      <h2>
        <span dir="auto">{tenant.name}</span>
        {canAdminister && (
          <span className="section-tools">
            <button type="button" onClick={onNewProject}>
              <Icon name="plus" />
              {messages.projects.newProject}
            </button>
            <MenuButton label={messages.projects.moreFor(tenant.name)} className="icon-button" items={items}>
              <Icon name="more" />
            </MenuButton>
          </span>
        )}
      </h2>
      {error && <p role="alert">{error}</p>}
      {projects?.length === 0 && <p className="hint">{messages.projects.noProjects}</p>}
      {wanted !== '' && projects && projects.length > 0 && found.length === 0 && <p className="hint">{messages.projects.nothingFound}</p>}
      {wanted === '' && recent.length > 0 && found.length > 8 && (
        <>
          <h3>{messages.projects.recent}</h3>
          <ProjectCards label={messages.projects.recent} projects={recent} facts={facts} />
          <h3>{messages.projects.all}</h3>
        </>
      )}
      <ProjectCards label={messages.projects.title} projects={found} facts={facts} />
      {more && wanted === '' && (
        <button type="button" onClick={() => load(more)}>
          {messages.projects.moreProjects}
        </button>
      )}
    </section>
  )
}
