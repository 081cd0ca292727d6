// The signed-in user, and the way to sign out. Without authentication there is neither.
import {token} from '../data/client'
import type {Viewer} from '../data/viewer'
import {Icon, MenuButton} from './ui'

const roles: Record<Viewer['role'], string> = {READER: 'May read', EDITOR: 'May edit', ADMIN: 'Administrator', OPERATOR: 'Operator'}

export function UserMenu({viewer}: {viewer: Viewer}) {
  if (token.get() === null) return null
  const name = viewer.user ?? 'Signed in'
  return (
    <MenuButton
      label={`Signed in as ${name}`}
      className="quiet"
      items={() => [
        {label: viewer.tenant ? `${roles[viewer.role]}, ${viewer.tenant.name}` : roles[viewer.role], disabled: true, onSelect: () => undefined},
        {label: 'Sign out', separated: true, onSelect: signOut},
      ]}
    >
      <Icon name="person" />
      <span className="user-name">{name}</span>
    </MenuButton>
  )
}

/** Forgets the token and everything that was loaded with it. */
function signOut(): void {
  token.set(null)
  location.assign('/')
}
