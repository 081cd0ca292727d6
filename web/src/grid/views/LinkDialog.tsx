// The dialog with a link that the browser did not let the page copy.
import {messages} from '../messages'
import {Dialog, type Toasts} from '../ui/ui'

/** Copies a link, and calls `refused` if the browser does not allow it. */
export async function copyLink(url: string, toasts: Toasts, refused: () => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(url)
    toasts.info(messages.views.copied)
  } catch {
    refused()
  }
}

export function LinkDialog({url, onClose}: {url: string; onClose: () => void}) {
  return (
    <Dialog title={messages.views.link} onClose={onClose}>
      <p>{messages.views.copyByHand}</p>
      <input className="views-link" data-autofocus readOnly aria-label={messages.views.link} value={url} onFocus={e => e.currentTarget.select()} />
    </Dialog>
  )
}
