// The signed-in user, and the way to sign out. Without authentication there is neither.
import {messages} from '../messages'
import {token} from '../data/client'
import type {Viewer} from '../data/viewer'
import {Icon, MenuButton} from './ui'

export function UserMenu({viewer}: {viewer: Viewer}) {
  if (token.get() === null) return null
  const roles: Record<Viewer['role'], string> = messages.ui.roles
  const name = viewer.userName ?? messages.ui.signedIn
  return (
    <MenuButton
      label={viewer.userName ? messages.ui.signedInAs(viewer.userName) : name}
      className="quiet"
      items={() => [
        {label: viewer.tenant ? `${roles[viewer.role]}, ${viewer.tenant.name}` : roles[viewer.role], disabled: true, onSelect: () => undefined},
        {label: messages.ui.signOut, separated: true, onSelect: signOut},
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
