// Creates a team, or changes one and its members.
import {useApolloClient} from '@apollo/client/react'
import {useEffect, useId, useState} from 'react'
import {
  AddTeamMembersDocument,
  CreateTeamDocument,
  RemoveTeamMembersDocument,
  TeamMembersDocument,
  UpdateTeamDocument,
  type AdminTeamFragment,
  type AdminUserFragment,
} from '../../gql/later/graphql'
import {once, problemOf} from '../data/client'
import {ask} from '../data/source'
import {messages} from '../messages'
import {PeopleList} from '../people/PeopleList'
import {PeoplePicker} from '../people/PeoplePicker'
import type {Person} from '../model/people'
import {useSender} from './changes'
import {MemberForm} from './MemberForm'
import {Problems} from './Problems'

interface Props {
  tenant: string
  /** The team to change; null for a new one. */
  team: AdminTeamFragment | null
  onDone: () => void
}

export function TeamForm({tenant, team: given, onDone}: Props) {
  const sender = useSender()
  const {send} = sender
  const [team, setTeam] = useState(given)
  const [name, setName] = useState(team?.name ?? '')
  const [description, setDescription] = useState(team?.description ?? '')
  const form = useId()
  const words = messages.admin.people
  const save = async () => {
    const about = description.trim() === '' ? '' : description
    if (team) {
      const change = {...(name === team.name ? {} : {name}), ...(about === (team.description ?? '') ? {} : {description: about})}
      if (await send(UpdateTeamDocument, {id: team.id, ...change, ...once()})) onDone()
      return
    }
    const data = await send(CreateTeamDocument, {tenantId: tenant, name, description: about, ...once()})
    if (data?.createTeam) setTeam(data.createTeam.team) // members are added to a team that exists
  }
  const activate = async (active: boolean) => {
    if (team && (await send(UpdateTeamDocument, {id: team.id, active, ...once()}))) onDone()
  }
  return (
    <MemberForm title={team ? team.name : words.newTeam} sender={sender} active={team && team.active} onSave={save} onActivate={activate} onDone={onDone}>
      <div className="field">
        <label htmlFor={`${form}-name`}>{messages.admin.name}</label>
        <input id={`${form}-name`} type="text" autoFocus autoComplete="off" value={name} onChange={e => setName(e.target.value)} />
      </div>
      <div className="field">
        <label htmlFor={`${form}-about`}>{messages.admin.description}</label>
        <textarea id={`${form}-about`} rows={2} value={description} onChange={e => setDescription(e.target.value)} />
      </div>
      {team && <Members tenant={tenant} team={team} />}
    </MemberForm>
  )
}

/** The members of a team. Changes of them are saved immediately. */
function Members({tenant, team}: {tenant: string; team: AdminTeamFragment}) {
  const client = useApolloClient()
  const {send, problems, busy} = useSender()
  const [members, setMembers] = useState<readonly AdminUserFragment[] | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [picking, setPicking] = useState(false)
  const name = useId()
  const words = messages.admin.people
  const load = () =>
    ask(client, TeamMembersDocument, {id: team.id}).then(
      ({node}) => node?.__typename === 'Team' && setMembers(node.members ?? []),
      (e: unknown) => setError(problemOf(e).message),
    )
  useEffect(() => {
    void load()
    // once per team
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  const add = async ({id}: Person) => {
    if (await send(AddTeamMembersDocument, {teamId: team.id, userIds: [id], ...once()})) await load()
  }
  const remove = async (id: string) => {
    if (await send(RemoveTeamMembersDocument, {teamId: team.id, userIds: [id], ...once()})) await load()
  }
  return (
    <div className="field" role="group" aria-labelledby={name} aria-busy={busy}>
      <span id={name}>{words.membersOf}</span>
      <p className="hint">{words.membersSaved}</p>
      <Problems of={problems} />
      {error && <p role="alert">{error}</p>}
      <PeopleList people={members ?? []} label={words.membersOf} busy={busy} removeLabel={words.removeMember} onRemove={m => void remove(m.id)} />
      {picking ? (
        <PeoplePicker
          tenant={tenant}
          label={words.addMember}
          self={null}
          without={new Set(members?.map(m => m.id))}
          teams={false}
          onPick={p => void add(p)}
          onClose={() => setPicking(false)}
        />
      ) : (
        team.active && (
          <p>
            <button type="button" className="link" onClick={() => setPicking(true)}>
              {words.addMember}
            </button>
          </p>
        )
      )}
    </div>
  )
}
