// Dialogs whose code is loaded when they are first opened.
import {useState, type ComponentType, type ReactNode} from 'react'
import {messages} from '../messages'
import type {Toasts} from './ui'

/** The properties of a dialog by its kind, without onClose. */
type Kinds = Record<string, object>

/** Functions that load the dialogs. */
export type Loaders<Props extends Kinds> = {[Kind in keyof Props]: () => Promise<ComponentType<Props[Kind] & {onClose: () => void}>>}

/** Returns the open dialog and a function that opens one. */
export function useLazyDialog<Props extends Kinds>(
  loaders: Loaders<Props>,
  toasts: Toasts,
): [ReactNode, <Kind extends keyof Props>(kind: Kind, props: Props[Kind]) => void] {
  const [opened, setOpened] = useState<ReactNode>(null)
  const open = <Kind extends keyof Props>(kind: Kind, props: Props[Kind]) => {
    loaders[kind]().then(
      Of => setOpened(<Of {...props} onClose={() => setOpened(null)} />),
      () => toasts.error(messages.ui.notLoaded, {label: messages.ui.tryAgain, run: () => open(kind, props)}),
    )
  }
  return [opened, open]
}
