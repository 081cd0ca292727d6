// The actions for the selected issues.
import {useRef, useState, useSyncExternalStore} from 'react'
import {BulkEdit} from './BulkEdit'
import './bulk.css'
import {problemOf} from '../data/client'
import {useGrid} from '../context/context'
import {useFilesDialog} from '../csv/open'
import {messages} from '../messages'
import {DeleteDialog} from '../panel/DeleteDialog'
import {Icon} from '../ui/ui'

/** The maximum number of selected issues. */
const mostChosen = 5000

export function BulkBar() {
  const grid = useGrid()
  const {project, rows, selected, setSelected, toasts} = grid
  const state = useSyncExternalStore(rows.subscribe, rows.snapshot)
  const [dialog, setDialog] = useState<{is: 'edit' | 'delete'; ids: readonly string[]} | null>(null)
  const [files, open] = useFilesDialog(toasts)
  const [choosing, setChoosing] = useState<number | null>(null)
  const stop = useRef<AbortController>(null)
  const count = selected.size
  const ids = () => [...selected]

  const clear = () => {
    stop.current?.abort()
    setSelected(new Set())
    document.querySelector<HTMLElement>('[role=grid], .board [tabindex="0"]')?.focus({preventScroll: true}) // the button is gone
  }
  const chooseAll = async () => {
    const {signal} = (stop.current = new AbortController())
    setChoosing(0)
    try {
      const {viewIDs} = await import('../csv/walk')
      const all = new Set<string>()
      for await (const page of viewIDs(grid, signal)) {
        for (const id of page) if (all.size < mostChosen) all.add(id)
        setChoosing(all.size)
        if (signal.aborted || all.size >= mostChosen) break
      }
      if (!signal.aborted) setSelected(all)
    } catch (error) {
      if (!signal.aborted) toasts.error(messages.bulk.chooseFailed(problemOf(error).message), {label: messages.bulk.tryAgain, run: () => void chooseAll()})
    } finally {
      setChoosing(null)
    }
  }

  const {total} = state
  const few = total !== null && total <= mostChosen
  const words = count === 0 ? '' : messages.bulk.chosen(count)
  return (
    <>
      <span className="visually-hidden" role="status">
        {choosing === null ? words : messages.bulk.choosingStatus}
      </span>
      {(count > 0 || choosing !== null) && (
        <div className="bulk" role="region" aria-label={messages.bulk.chosenIssues}>
          <strong>{words}</strong>
          {choosing === null ? (
            <>
              {project.viewerCanEdit && (
                <>
                  <button type="button" onClick={() => setDialog({is: 'edit', ids: ids()})}>
                    <Icon name="edit" /> {messages.bulk.edit}
                  </button>
                  <button type="button" className="danger" onClick={() => setDialog({is: 'delete', ids: ids()})}>
                    <Icon name="trash" /> {messages.bulk.delete}
                  </button>
                </>
              )}
              <button type="button" onClick={() => open('export', {ids: ids()})}>
                <Icon name="export" /> {messages.bulk.export}
              </button>
              {total !== null && count < Math.min(total, mostChosen) && (
                <button type="button" onClick={() => void chooseAll()}>
                  {!few ? messages.bulk.chooseFirst(mostChosen) : state.exact ? messages.bulk.chooseAllOf(total) : messages.bulk.chooseAll}
                </button>
              )}
              <span className="spacer" />
              <button type="button" onClick={clear}>
                <Icon name="close" /> {messages.bulk.clear}
              </button>
            </>
          ) : (
            <>
              <progress aria-label={messages.bulk.choosing} value={choosing} max={total === null ? undefined : Math.min(total, mostChosen)} />
              <span>{choosing.toLocaleString()}</span>
              <button type="button" onClick={() => stop.current?.abort()}>
                {messages.bulk.cancel}
              </button>
            </>
          )}
        </div>
      )}
      {dialog?.is === 'edit' && <BulkEdit ids={dialog.ids} onClose={() => setDialog(null)} />}
      {dialog?.is === 'delete' && <DeleteDialog ids={dialog.ids} onClose={() => setDialog(null)} />}
      {files}
    </>
  )
}
