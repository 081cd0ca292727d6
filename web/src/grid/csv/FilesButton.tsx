// The menu for importing and exporting files, and the import of dropped files.
import {useEffect, useRef, useState} from 'react'
import {createPortal} from 'react-dom'
import {useGrid} from '../context/context'
import {useSignal} from '../context/signals'
import './files.css'
import {isOpen, serverOf} from './imports'
import {useFilesDialog} from './open'
import {ImportRun} from './run'
import {messages} from '../messages'
import {Icon, MenuButton} from '../ui/ui'

export function FilesButton() {
  const {project, toasts, signals, reload} = useGrid()
  const [dialog, open] = useFilesDialog(toasts)
  const latest = useRef<ImportRun | null>(null)
  /** Where the ID of the import that runs is kept, so that a page that is loaded again can follow it. */
  const kept = `issuegrid:import:${project.id}`
  const canImport = project.viewerCanEdit
  const dragging = useDrop(
    canImport,
    file => openImport(file),
    () => toasts.error(messages.files.menu.tooMany),
  )
  /** Opens the import that runs in the background, if there is one and no file is given. */
  const openImport = (file: File | null) => {
    const begun = latest.current
    const run = !file && begun && !begun.stopped() && begun.snapshot().phase !== 'done' ? begun : null
    open('import', {file, run, onRun})
  }
  /** Follows an import to its end, also after its dialog is closed. */
  const onRun = (run: ImportRun) => {
    const leave = run.subscribe(() => {
      const {phase, shown, failures} = run.snapshot()
      const action = {label: messages.files.ended.show, run: () => open('import', {file: null, run, onRun})}
      // The dialog was closed before the server refused to begin the import.
      if (phase === 'review' && failures.length > 0 && !run.watched) toasts.error(messages.files.ended.notBegun(run.file.name), action)
      if (run.begun()) latest.current = run
      if (phase === 'importing' && shown) {
        sessionStorage.setItem(kept, shown.id)
      }
      if (phase === 'done' && sessionStorage.getItem(kept) === shown?.id) sessionStorage.removeItem(kept)
      if (phase !== 'done' || !shown || isOpen(shown)) return
      leave()
      // Rows that a server wrote before it was stopped count as unchanged.
      reload()
      signals.tell('restored', null)
      if (run.watched) return
      const {added = 0, changed = 0, rejected = 0} = shown.summary ?? {}
      const {canceled, done, failed} = messages.files.ended
      const text = (shown.status === 'CANCELED' ? canceled : shown.status === 'FAILED' ? failed : done)(shown.name, {added, changed, rejected})
      if (shown.status === 'DONE' && rejected === 0) toasts.info(text, action)
      else toasts.error(text, action)
    })
  }
  useSignal(signals, 'open', tool => {
    if (tool === 'import' && canImport) openImport(null)
    if (tool === 'export') open('export', {ids: null})
  })
  const resume = useRef(() => {
    const id = sessionStorage.getItem(kept)
    if (!id || latest.current) return
    const run = new ImportRun({name: messages.files.import.unnamed, size: 0}, serverOf(project))
    latest.current = run
    onRun(run)
    void run.resume(id).then(() => {
      if (run.snapshot().phase === 'refused') sessionStorage.removeItem(kept)
    })
  })
  useEffect(() => {
    resume.current()
    return () => {
      latest.current?.close()
      latest.current = null
    }
  }, [])
  return (
    <>
      <MenuButton
        label={messages.files.menu.label}
        title={messages.files.menu.label}
        className="icon-button"
        items={() => [
          ...(canImport ? [{label: messages.files.menu.import, icon: 'import' as const, onSelect: () => openImport(null)}] : []),
          {label: messages.files.menu.export, icon: 'export', onSelect: () => open('export', {ids: null})},
        ]}
      >
        <Icon name="export" />
      </MenuButton>
      {dialog}
      {dragging &&
        createPortal(
          <div className="files-drop" role="status">
            <p>
              <Icon name="import" /> {messages.files.menu.drop(project.name)}
            </p>
          </div>,
          document.body,
        )}
    </>
  )
}

const hasFiles = (e: DragEvent): boolean => e.dataTransfer?.types.includes('Files') ?? false

/** Takes files dropped anywhere on the page, and reports whether a file is being dragged over it. Without this, the browser would open the dropped file. */
function useDrop(active: boolean, take: (file: File) => void, tooMany: () => void): boolean {
  const [dragging, setDragging] = useState(false)
  const latest = useRef({active, take, tooMany})
  useEffect(() => {
    latest.current = {active, take, tooMany}
  })
  useEffect(() => {
    let inside = 0 // nested elements under the file
    const free = () => latest.current.active && document.querySelector('dialog[open]') === null
    const enter = (e: DragEvent) => {
      if (!hasFiles(e)) return
      inside++
      if (free()) setDragging(true)
    }
    const leave = (e: DragEvent) => {
      if (!hasFiles(e)) return
      inside = Math.max(0, inside - 1)
      if (inside === 0) setDragging(false)
    }
    const over = (e: DragEvent) => {
      if (!hasFiles(e)) return
      e.preventDefault()
      if (e.dataTransfer && !(e.target as Element).closest('.files-choose')) e.dataTransfer.dropEffect = free() ? 'copy' : 'none'
    }
    const drop = (e: DragEvent) => {
      inside = 0
      setDragging(false)
      if (!hasFiles(e) || e.defaultPrevented) return
      e.preventDefault()
      const files = e.dataTransfer?.files
      if (!files?.[0] || !free()) return
      if (files.length > 1) latest.current.tooMany()
      else latest.current.take(files[0])
    }
    document.addEventListener('dragenter', enter)
    document.addEventListener('dragleave', leave)
    document.addEventListener('dragover', over)
    document.addEventListener('drop', drop)
    return () => {
      document.removeEventListener('dragenter', enter)
      document.removeEventListener('dragleave', leave)
      document.removeEventListener('dragover', over)
      document.removeEventListener('drop', drop)
    }
  }, [])
  return dragging
}
