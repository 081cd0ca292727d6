// The users and the teams of a tenant: lists of both, and a form for one of them.
import {useApolloClient} from '@apollo/client/react'
import {useEffect, useId, useState} from 'react'
import {AdminTeamsDocument, AdminUsersDocument, type AdminTeamFragment, type AdminUserFragment} from '../../gql/later/graphql'
import {problemOf} from '../data/client'
import {ask} from '../data/source'
import {messages} from '../messages'
import '../people/people.css'
import {PersonName} from '../ui/PersonName'
import {Dialog, Icon} from '../ui/ui'
import {TeamForm} from './TeamForm'
import {UserForm} from './UserForm'
import './admin.css'

const tabs = ['users', 'teams'] as const
type Tab = (typeof tabs)[number]
type One = AdminUserFragment | AdminTeamFragment
const isUser = (one: One): one is AdminUserFragment => one.__typename === 'User'

export default function PeopleDialog({tenant, onClose}: {tenant: string; onClose: () => void}) {
  const [tab, setTab] = useState<Tab>('users')
  /** What the form changes: null for a new user or team, undefined while there is no form. */
  const [edited, setEdited] = useState<One | null | undefined>(undefined)
  const id = useId()
  const leave = () => setEdited(undefined)
  const user = edited && isUser(edited) ? edited : null
  const team = edited && !isUser(edited) ? edited : null
  return (
    <Dialog title={messages.admin.people.title} onClose={onClose} wide>
      <div
        className="tabs"
        role="tablist"
        onKeyDown={e => {
          if (e.key !== 'ArrowRight' && e.key !== 'ArrowLeft') return
          const next = tab === 'users' ? 'teams' : 'users'
          setTab(next)
          leave()
          document.getElementById(`${id}-${next}`)?.focus()
        }}
      >
        {tabs.map(t => (
          <button
            key={t}
            type="button"
            id={`${id}-${t}`}
            role="tab"
            aria-selected={t === tab}
            aria-controls={`${id}-panel`}
            tabIndex={t === tab ? 0 : -1}
            onClick={() => {
              setTab(t)
              leave()
            }}
          >
            {messages.admin.people[t]}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${tab}`} className="admin-panel">
        {edited === undefined ? (
          <List key={tab} tenant={tenant} tab={tab} onEdit={setEdited} />
        ) : tab === 'users' ? (
          <UserForm tenant={tenant} user={user} onDone={leave} />
        ) : (
          <TeamForm tenant={tenant} team={team} onDone={leave} />
        )}
      </div>
    </Dialog>
  )
}

/** The delay in milliseconds after a key before names are searched. */
const calm = 200

function List({tenant, tab, onEdit}: {tenant: string; tab: Tab; onEdit: (one: One | null) => void}) {
  const client = useApolloClient()
  const [list, setList] = useState<{nodes: readonly One[]; after: string | null} | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [search, setSearch] = useState('')
  const [active, setActive] = useState(true)
  const wanted = search.trim()
  const texts = messages.admin.people
  const read = async (after: string | null) => {
    const variables = {tenant, after, nameStartsWith: wanted || null, active}
    if (tab === 'users') return (await ask(client, AdminUsersDocument, variables)).tenant?.users
    return (await ask(client, AdminTeamsDocument, variables)).tenant?.teams
  }
  const load = (after: string | null, isCurrent: () => boolean) =>
    read(after).then(
      page => {
        if (!page || !isCurrent()) return
        setError(null)
        setList(known => ({
          nodes: [...(after ? (known?.nodes ?? []) : []), ...page.nodes],
          after: page.pageInfo.hasNextPage ? (page.pageInfo.endCursor ?? null) : null,
        }))
      },
      (e: unknown) => isCurrent() && setError(problemOf(e).message),
    )
  useEffect(() => {
    let current = true
    const timer = setTimeout(() => void load(null, () => current), wanted === '' ? 0 : calm)
    return () => {
      current = false
      clearTimeout(timer)
    }
    // The tab is the key.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted, active])
  return (
    <>
      <p className="actions">
        <input type="search" aria-label={texts.search} placeholder={texts.search} value={search} onChange={e => setSearch(e.target.value)} />
        <label>
          <input type="checkbox" checked={!active} onChange={e => setActive(!e.target.checked)} /> {texts.inactive}
        </label>
        <button type="button" className="primary" onClick={() => onEdit(null)}>
          <Icon name="plus" />
          {tab === 'users' ? texts.newUser : texts.newTeam}
        </button>
      </p>
      {error && <p role="alert">{error}</p>}
      {list?.nodes.length === 0 && <p className="hint">{messages.people.none}</p>}
      <ul className="admin-fields admin-people" aria-label={texts[tab]}>
        {list?.nodes.map(one => (
          <li key={one.id}>
            <button type="button" className="link" onClick={() => onEdit(one)}>
              <PersonName person={one} />
            </button>
            <span className="hint" dir="auto">
              {isUser(one) ? one.email : texts.members(one.memberCount)}
            </span>
          </li>
        ))}
      </ul>
      {list?.after && (
        <button type="button" onClick={() => void load(list.after, () => true)}>
          {messages.admin.more}
        </button>
      )}
    </>
  )
}
