// The menu for importing and exporting files, and the import of dropped files.
import {useEffect, useRef, useState} from 'react'
import {createPortal} from 'react-dom'
import {useGrid} from '../context/context'
import './files.css'
import {useFilesDialog} from './open'
import {Icon, MenuButton} from '../ui/ui'

export function FilesButton() {
  const {project, toasts} = useGrid()
  const [dialog, open] = useFilesDialog(toasts)
  const canImport = project.viewerCanEdit
  const dragging = useDrop(
    canImport,
    file => open('import', {file}),
    () => toasts.error('Drop one file at a time.'),
  )
  return (
    <>
      <MenuButton
        label="Import and export"
        title="Import and export"
        className="icon-button"
        items={() => [
          ...(canImport ? [{label: 'Import CSV…', icon: 'import' as const, onSelect: () => open('import', {file: null})}] : []),
          {label: 'Export CSV…', icon: 'export', onSelect: () => open('export', {ids: null})},
        ]}
      >
        <Icon name="export" />
      </MenuButton>
      {dialog}
      {dragging &&
        createPortal(
          <div className="files-drop" role="status">
            <p>
              <Icon name="import" /> Drop a CSV file to import it into {project.name}
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
