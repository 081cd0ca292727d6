// The actions for the selected issues.
import {useRef, useState, useSyncExternalStore} from 'react'
import {BulkEdit} from './BulkEdit'
import './bulk.css'
import {problemOf} from '../data/client'
import {useGrid} from '../context/context'
import {useFilesDialog} from '../csv/open'
import {viewIDs} from '../csv/walk'
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
    document.querySelector<HTMLElement>('[role=grid]')?.focus({preventScroll: true}) // the button is gone
  }
  const chooseAll = async () => {
    const {signal} = (stop.current = new AbortController())
    setChoosing(0)
    try {
      const all = new Set<string>()
      for await (const page of viewIDs(grid, signal)) {
        for (const id of page) if (all.size < mostChosen) all.add(id)
        setChoosing(all.size)
        if (signal.aborted || all.size >= mostChosen) break
      }
      if (!signal.aborted) setSelected(all)
    } catch (error) {
      if (!signal.aborted) toasts.error(`The issues can’t all be chosen: ${problemOf(error).message}`, {label: 'Try again', run: () => void chooseAll()})
    } finally {
      setChoosing(null)
    }
  }

  const {total} = state
  const few = total !== null && total <= mostChosen
  const words = count === 0 ? '' : `${count.toLocaleString()} chosen`
  return (
    <>
      <span className="visually-hidden" role="status">
        {choosing === null ? words : 'Choosing …'}
      </span>
      {(count > 0 || choosing !== null) && (
        <div className="bulk" role="region" aria-label="Chosen issues">
          <strong>{words}</strong>
          {choosing === null ? (
            <>
              {project.viewerCanEdit && (
                <>
                  <button type="button" onClick={() => setDialog({is: 'edit', ids: ids()})}>
                    <Icon name="edit" /> Edit…
                  </button>
                  <button type="button" className="danger" onClick={() => setDialog({is: 'delete', ids: ids()})}>
                    <Icon name="trash" /> Delete…
                  </button>
                </>
              )}
              <button type="button" onClick={() => open('export', {ids: ids()})}>
                <Icon name="export" /> Export chosen
              </button>
              {total !== null && count < Math.min(total, mostChosen) && (
                <button type="button" onClick={() => void chooseAll()}>
                  Choose {few ? `all ${state.exact ? total.toLocaleString() : ''}` : `the first ${mostChosen.toLocaleString()}`} of this view
                </button>
              )}
              <span className="spacer" />
              <button type="button" onClick={clear}>
                <Icon name="close" /> Clear choice
              </button>
            </>
          ) : (
            <>
              <progress aria-label="Choosing" value={choosing} max={total === null ? undefined : Math.min(total, mostChosen)} />
              <span>{choosing.toLocaleString()}</span>
              <button type="button" onClick={() => stop.current?.abort()}>
                Cancel
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
