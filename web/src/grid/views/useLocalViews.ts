// The views of a project that the browser stores.
import {useCallback, useEffect, useState} from 'react'
import {messages} from '../messages'
import {useGrid} from '../context/context'
import {upload} from './upload'
import {viewStore, withoutView, type NamedView} from './views'

/** Tells the other parts of the page that the stored views have changed; the browser tells only other tabs. */
const changed = 'issuegrid:views'

/**
 * Returns the views, a function that changes them and reports whether they were stored, and one that saves them on the server. Views that the server does not
 * keep in full remain in the browser, too.
 */
export function useLocalViews(): [readonly NamedView[], (change: (views: readonly NamedView[]) => NamedView[]) => boolean, () => Promise<void>] {
  const {columns, project, saved, toasts} = useGrid()
  const [views, setViews] = useState(() => viewStore.load(project.id))
  useEffect(() => {
    const read = () => setViews(viewStore.load(project.id))
    const stored = (e: StorageEvent) => viewStore.isKey(e.key, project.id) && read()
    window.addEventListener('storage', stored)
    window.addEventListener(changed, read)
    return () => {
      window.removeEventListener('storage', stored)
      window.removeEventListener(changed, read)
    }
  }, [project.id])
  /** Changes the stored views. It reads them first, because another tab may have changed them. */
  const keep = useCallback(
    (change: (views: readonly NamedView[]) => NamedView[]): boolean => {
      const kept = viewStore.save(project.id, change(viewStore.load(project.id)))
      if (kept) window.dispatchEvent(new Event(changed))
      else toasts.error(messages.views.notStored)
      return kept
    },
    [project.id, toasts],
  )
  const save = useCallback(async () => {
    const texts = messages.views
    const done = await upload(saved, viewStore.load(project.id), columns)
    keep(vs => done.saved.reduce((rest, name) => withoutView(rest, name), [...vs]))
    const count = done.saved.length + done.partly.length
    if (count > 0) toasts.info(texts.uploaded(count))
    if (done.partly.length > 0) toasts.error(texts.uploadedPartly(done.partly.join(', ')))
    for (const f of done.failed) toasts.error(texts.notUploaded(f.name, f.code === 'CONFLICT' ? texts.nameTaken(f.name) : f.message))
  }, [saved, project.id, columns, keep, toasts])
  return [views, keep, save]
}
