// Dialogs and other parts whose code is loaded when they are first shown.
import {useEffect, useState, type ComponentType, type ReactNode} from 'react'
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

/** Returns a part of the page; null until it is loaded. */
export function useLazyPart<Props>(load: () => Promise<ComponentType<Props>>, toasts: Toasts): ComponentType<Props> | null {
  const [part, setPart] = useState<ComponentType<Props> | null>(null)
  useEffect(() => {
    let current = true
    const begin = () =>
      void load().then(
        Part => current && setPart(() => Part),
        () => current && toasts.error(messages.ui.notLoaded, {label: messages.ui.tryAgain, run: begin}),
      )
    begin()
    return () => {
      current = false
    }
  }, [load, toasts])
  return part
}
