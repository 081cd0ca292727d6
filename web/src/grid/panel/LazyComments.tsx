// The comments in the panel, whose code is loaded when they are first shown.
import {useGrid} from '../context/context'
import {messages} from '../messages'
import {useLazyPart} from '../ui/lazy'
import type {Drafts} from './LongText'

const load = async () => (await import('./PanelComments')).PanelComments

export function LazyComments(props: {id: string; drafts: Drafts}) {
  const {toasts} = useGrid()
  const PanelComments = useLazyPart(load, toasts)
  return PanelComments ? <PanelComments {...props} /> : <p role="status">{messages.panel.loading}</p>
}
