// The grid: a table as tall as all its rows, of which only the visible part is rendered (useSeenRows, useDrawnColumns).
//
// The grid element has the focus, and aria-activedescendant points to the active cell, so rows can be unmounted while the user navigates.
import {useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore, type KeyboardEvent} from 'react'
import {flushSync} from 'react-dom'
import {clearRange, copyRange, fillRange, pasteIntoInput, pasteRange, rowsOf} from './clipboard'
import {rowValue} from '../model/columns'
import type {Conflict} from '../data/edits'
import {useGrid} from '../context/context'
import {CellMenu} from './CellMenu'
import {EditorOf} from './EditorOf'
import {GridRowView, type RowActions} from './GridRowView'
import {GridState} from './GridState'
import {GroupRow, StickyGroup} from './GroupRow'
import {HeaderCell} from './HeaderCell'
import {MoreGroupsLine} from './MoreGroups'
import {FooterRow, isSummarized} from './FooterRow'
import {addWidth, checkWidth, footerHeight, headerHeight, rowHeights} from './layout'
import {useLazyDialog, type Loaders} from '../ui/lazy'
import {IconButton} from '../ui/ui'
import {isMovable} from './moves'
import {contains, footerRow, headerRow, keyMove, rectangle, type Place, type Selection} from './selection'
import {useSignal} from '../context/signals'
import {atPresent} from '../data/cursor'
import {rowKey} from '../data/rows'
import {readRow} from '../data/source'
import {messages} from '../messages'
import {folded, isFolded} from '../model/groups'
import {newView, writeView} from '../model/view'
import {useClipboard} from './useClipboard'
import {useFill} from './useFill'
import {useDrawnColumns} from './useDrawnColumns'
import {useGroupFigures} from './useGroupFigures'
import type {MoveMenuProps} from './MoveMenu'
import {useRowDrag} from './useRowDrag'
import {useSeenRows} from './useSeenRows'
import {isComposing, letterOf, typesSpecial} from '../ui/keys'

const menus: Loaders<{move: MoveMenuProps}> = {move: () => import('./MoveMenu').then(m => m.default)}

export function Grid() {
  const grid = useGrid()
  const {rows, groups, shown, fields, setView, edits, client, toasts, signals} = grid
  const canAdd = grid.project.viewerCanAdminister
  const state = useSyncExternalStore(rows.subscribe, rows.snapshot)
  const {conflicts} = useSyncExternalStore(edits.subscribe, edits.snapshot)
  const fresh = useSyncExternalStore(grid.freshness.subscribe, grid.freshness.snapshot)
  const fill = useFill()
  const viewport = useRef<HTMLDivElement>(null)
  const [selection, setSelection] = useState<Selection>({active: {row: 0, column: 0}, anchor: null})
  const [moveMenu, openMenu] = useLazyDialog(menus, toasts)
  const [menu, setMenu] = useState<{place: Place; at: DOMRect} | null>(null)
  const [editing, setEditing] = useState<{row: string; column: number; initial?: string} | null>(null)
  const hasFooter = isSummarized(grid.view, shown)
  const footHeight = hasFooter ? footerHeight : 0

  // When the footer disappears, the last row becomes active.
  if (!hasFooter && selection.active.row === footerRow)
    setSelection(s => ({active: {row: Math.max(0, state.height - 1), column: s.active.column}, anchor: null}))
  // The editor follows its issue when the row moves, and closes when the row is unloaded.
  if (editing && !state.entries.some(e => rowKey(e) === editing.row)) setEditing(null)

  const {columns, widths, pinnedCount, pinnedWidth, totalWidth, resize} = useDrawnColumns(viewport)
  const moved = useCallback((by: number) => {
    // the header and the footer stay active
    setSelection(s => ({
      active: s.active.row < 0 ? s.active : {...s.active, row: Math.max(0, s.active.row + by)},
      anchor: s.anchor && {...s.anchor, row: s.anchor.row + by},
    }))
  }, [])
  const reset = useCallback(() => {
    setSelection(s => ({active: {row: Math.min(s.active.row, 0), column: s.active.column}, anchor: null})) // the header and the footer stay active
    setEditing(null)
  }, [])
  // The active cell follows its issue when rows before it are added or removed.
  const known = useRef<{row: number; key: string} | null>(null)
  const {row: activeRow} = selection.active
  useLayoutEffect(() => {
    const was = known.current
    const entry = rows.entry(activeRow)
    const key = entry && rowKey(entry)
    const at = was?.row === activeRow && key !== was.key ? rows.indexOf(was.key) : -1
    known.current = key === undefined ? null : {row: activeRow, key}
    if (at < 0 || !was) return
    const by = at - activeRow
    known.current = {row: at, key: was.key}
    moved(by)
  }, [rows, state.entries, state.start, activeRow, moved])
  const rowHeight = rowHeights[grid.view.size]
  const {items, totalHeight, seen} = useSeenRows(viewport, moved, reset, rowHeight, headerHeight + footHeight)
  const dragging = useRowDrag(viewport, rowHeight, footHeight)
  const movable = isMovable(grid)
  /** Returns the IDs of the loaded issues in the selected range. */
  const idsInRange = () => rowsOf(grid, rectangle(selection)).flatMap(line => rows.entry(line)?.id ?? [])

  const scrollTo = useCallback(
    (place: Place) => {
      const v = viewport.current
      if (!v) return
      if (place.row >= 0) {
        const top = place.row * rowHeight
        const room = v.clientHeight - headerHeight - footHeight
        // The header of the group covers the first line.
        const covered = groups && !groups.store.header(place.row) ? rowHeight : 0
        if (top - covered < v.scrollTop) v.scrollTop = top - covered
        else if (top + rowHeight > v.scrollTop + room) v.scrollTop = top + rowHeight - room
      }
      if (place.column < pinnedCount) return
      const left = checkWidth + widths.slice(0, place.column).reduce((a, b) => a + b, 0)
      const width = widths[place.column] ?? 0
      if (left - pinnedWidth < v.scrollLeft) v.scrollLeft = left - pinnedWidth
      else if (left + width > v.scrollLeft + v.clientWidth) v.scrollLeft = left + width - v.clientWidth
    },
    [pinnedCount, pinnedWidth, widths, rowHeight, footHeight, groups],
  )
  const move = useCallback(
    (to: Place, extend = false) => {
      const row = to.row === footerRow && hasFooter ? footerRow : Math.max(headerRow, Math.min(to.row, state.height - 1))
      const place = {row, column: Math.max(0, Math.min(to.column, shown.length - 1))}
      setSelection(s => ({active: place, anchor: extend && place.row >= 0 ? (s.anchor ?? s.active) : null}))
      scrollTo(place)
    },
    [state.height, shown.length, scrollTo, hasFooter],
  )

  // Only the grid knows the positions of rows.
  useSignal(signals, 'jumped', index => {
    if (viewport.current) viewport.current.scrollTop = index * rowHeight
    setSelection(s => ({active: {row: index, column: s.active.column}, anchor: null}))
    viewport.current?.focus({preventScroll: true})
  })
  /** The column to go to as soon as it is shown. */
  const [wanted, setWanted] = useState<string | null>(null)
  useSignal(signals, 'column', setWanted)
  const wantedIndex = wanted === null ? -1 : shown.findIndex(c => c.id === wanted)
  useEffect(() => {
    if (wantedIndex < 0) return
    setWanted(null)
    move({row: Math.max(0, selection.active.row), column: wantedIndex})
    viewport.current?.focus({preventScroll: true})
    // The other values are those of the moment when the column is shown.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wantedIndex])
  useSignal(signals, 'row', index => move({row: index, column: selection.active.column}))

  const edit = useCallback(
    (place: Place, initial?: string) => {
      const column = shown[place.column]
      const entry = rows.entry(place.row)
      if (!column || !entry) return
      if (column.id === 'num' || column.type === 'LONG_TEXT') {
        const row = readRow(client.cache, entry.id, [])
        if (!row) return
        move(place) // the focus returns to this cell
        setView({issue: row.num})
        return
      }
      if (!column.editable) {
        toasts.info(grid.project.viewerCanEdit ? messages.table.notEditable(column.label) : messages.table.notEditableForReaders(column.label))
        return
      }
      setEditing({row: rowKey(entry), column: place.column, initial})
    },
    [shown, rows, client, setView, toasts, grid.project.viewerCanEdit, move],
  )

  const toggle = useCallback(
    (place: Place) => {
      const column = shown[place.column]
      const entry = rows.entry(place.row)
      const row = entry && readRow(client.cache, entry.id, fields)
      if (!column || !row) return
      const before = rowValue(row, column, fields) ?? null
      void edits.change([{id: row.id, cells: [{column, before, value: before !== true}]}], messages.data.changeOf(column.label))
    },
    [shown, rows, client, fields, edits],
  )

  const toggleGroup = (key: string) => {
    const {fold} = grid.view
    setView({fold: folded(fold, key, !isFolded(fold, key))}, 'replace')
  }
  // The group of the first visible line, if its header has left the view.
  const firstLine = items.find(i => i.end > (viewport.current?.scrollTop ?? 0))?.index ?? 0
  const around = groups?.store.around(firstLine)
  const stuck = around && around.top !== firstLine ? around : null
  const inView = new Set([...(stuck ? [stuck.group.key] : []), ...items.flatMap(i => groups?.store.header(i.index)?.key ?? [])])
  const figures = useGroupFigures([...inView])
  /** The line with the button that goes on finding groups, or -1. */
  const moreLine = groups?.store.snapshot().waits ? state.height - 1 : -1

  const onKeyDown = (e: KeyboardEvent<HTMLDivElement>) => {
    if (editing || e.target !== e.currentTarget) return
    const {active} = selection
    const command = e.ctrlKey || e.metaKey
    const letter = letterOf(e)
    if (command && !e.shiftKey && !e.altKey && ['a', 'd', 'r'].includes(letter) && active.row >= 0) {
      e.preventDefault()
      if (letter === 'a') setSelection({active: {row: 0, column: 0}, anchor: {row: state.height - 1, column: shown.length - 1}})
      else void fillRange(grid, rectangle(selection), letter === 'd' ? 'down' : 'right')
      return
    }
    const header = groups?.store.header(active.row)
    if (header && !command && !e.altKey && !e.shiftKey && ['Enter', ' ', 'ArrowLeft', 'ArrowRight'].includes(e.key)) {
      e.preventDefault()
      const isOpen = !isFolded(grid.view.fold, header.key)
      if (e.key === 'ArrowLeft' ? isOpen : e.key === 'ArrowRight' ? !isOpen : true) toggleGroup(header.key)
      return
    }
    if (moreLine >= 0 && active.row === moreLine && !command && !e.altKey && !e.shiftKey && (e.key === 'Enter' || e.key === ' ')) {
      e.preventDefault()
      groups?.store.goOn()
      return
    }
    const to = keyMove(e, active, {rows: state.height, columns: shown.length, page: seen - 1, hasFooter})
    if (to) {
      e.preventDefault()
      move(to, e.shiftKey)
      return
    }
    if (e.key === 'ContextMenu' || (e.key === 'F10' && e.shiftKey)) {
      if (active.row < 0) return
      e.preventDefault()
      const cell = document.getElementById(`c-${active.row}-${active.column}`)
      if (cell) setMenu({place: active, at: cell.getBoundingClientRect()})
      return
    }
    const isSpecial = typesSpecial(e, e.getModifierState('AltGraph'))
    if ((command || e.altKey) && !isSpecial) return
    if (e.key === '/' || e.key === '?') return // of the page: the search and the list of keys
    if (active.row >= 0 && (isComposing(e) || e.key === 'Process' || e.key === 'Dead')) {
      // An input method starts with this key, whatever letter it has. The editor must have the focus before that, so that it receives the composed text.
      flushSync(() => edit(active, ''))
      return
    }
    if (isSpecial && active.row >= 0) {
      e.preventDefault()
      edit(active, e.key)
      return
    }
    if (active.row < 0) return // the header and the footer handle their own keys
    if (e.key === 'Enter' || e.key === 'F2') {
      e.preventDefault()
      edit(active)
    } else if (e.key === ' ') {
      e.preventDefault()
      const column = shown[active.column]
      if (column?.type === 'BOOLEAN' && column.editable && !e.shiftKey) return toggle(active)
      const entry = rows.entry(active.row)
      if (entry) {
        const chosen = new Set(grid.selected)
        if (!chosen.delete(entry.id)) chosen.add(entry.id)
        grid.setSelected(chosen)
      }
    } else if (e.key === 'Escape') {
      setSelection(s => ({...s, anchor: null}))
      if (grid.selected.size > 0) grid.setSelected(new Set())
    } else if (e.key === 'F8') {
      e.preventDefault()
      const id = rows.entry(active.row)?.id
      signals.tell('conflicts', id ? {id, column: shown[active.column]!.id} : null)
    } else if (e.key === 'Delete' || e.key === 'Backspace') {
      e.preventDefault()
      void clearRange(grid, rectangle(selection))
    } else if (e.key.length === 1) {
      e.preventDefault()
      edit(active, e.key)
    }
  }

  useClipboard(viewport, {
    copy: to => copyRange(grid, rectangle(selection), to),
    clear: () => void clearRange(grid, rectangle(selection)),
    paste: pasted => void pasteRange(grid, rectangle(selection), pasted),
  })
  // Text inputs of the page accept cells copied from the grid.
  useEffect(() => {
    document.addEventListener('paste', pasteIntoInput)
    return () => document.removeEventListener('paste', pasteIntoInput)
  }, [])

  // Rows are memoized, so they call the latest actions through this ref.
  const actions = useRef<RowActions>(null)
  useEffect(() => {
    actions.current = {
      pick(place, extend) {
        move(place, extend)
        viewport.current?.focus({preventScroll: true})
      },
      over(place) {
        if (dragging.isActive()) return
        if (fill.target) fill.over(place)
        else if (selection.anchor || place.row !== selection.active.row || place.column !== selection.active.column) this.pick(place, true)
      },
      fill: () => fill.begin(rectangle(selection)),
      drag: (row, down) => dragging.begin(down, row, selection.anchor && contains(rectangle(selection), row) ? idsInRange() : undefined),
      edit,
      toggle,
      href: num => '/' + writeView({...newView(grid.project.id), issue: num}),
      menu(place, at) {
        const range = rectangle(selection)
        const isInside = contains(range, place.row) && place.column >= range.left && place.column <= range.right
        if (!isInside) move(place)
        viewport.current?.focus({preventScroll: true})
        setMenu({place, at})
      },
      review: (id, column) => signals.tell('conflicts', {id, column}),
      choose(row, on, extend) {
        const chosen = new Set(grid.selected)
        const other = extend ? selection.active.row : row
        for (let i = Math.min(other, row); i <= Math.max(other, row); i++) {
          const id = rows.entry(i)?.id
          if (id && on) chosen.add(id)
          else if (id) chosen.delete(id)
        }
        grid.setSelected(chosen)
        move({row, column: selection.active.column})
        viewport.current?.focus({preventScroll: true}) // so that keys work on after the check box
      },
    }
  })

  const {issue} = grid.view
  /** The ID of the issue in the panel, if its row is loaded. */
  const opened = useMemo(
    () => (issue === null ? undefined : state.entries.find(e => readRow(client.cache, e.id, [])?.num === issue)?.id),
    [client, issue, state.entries],
  )
  const range = fill.target ?? (selection.anchor ? rectangle(selection) : null)
  const rangeKey = JSON.stringify(range)
  // The status line summarizes the range.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  useEffect(() => signals.tell('range', range), [signals, rangeKey])
  useEffect(() => () => signals.tell('range', null), [signals]) // of the board or the cards that replace the table
  const {active} = selection
  const edge = active.row === headerRow ? 'h' : 'f'
  const isHeader = groups?.store.header(active.row) !== undefined || (active.row >= 0 && active.row === moreLine)
  const activeID = isHeader ? `g-${active.row}` : active.row < 0 ? `${edge}-${shown[active.column]?.id}` : `c-${active.row}-${active.column}`
  const isDrawn = (isHeader || columns.some(d => d.index === active.column)) && (active.row < 0 || items.some(r => r.index === active.row))

  return (
    <div className="grid-frame">
      <div
        ref={viewport}
        className={`grid ${grid.view.size}`}
        role="grid"
        tabIndex={0}
        aria-label={messages.table.issuesOf(grid.project.name)}
        aria-rowcount={state.exact ? state.height + (hasFooter ? 2 : 1) : -1}
        aria-colcount={shown.length + (canAdd ? 2 : 1)}
        aria-multiselectable="true"
        aria-busy={!state.loaded}
        aria-activedescendant={isDrawn ? activeID : undefined}
        data-testid="grid"
        onKeyDown={onKeyDown}
      >
        <div className="grid-head" role="rowgroup" style={{width: totalWidth + (canAdd ? addWidth : 0), height: headerHeight}}>
          <div role="row" aria-rowindex={1} className="grid-row" style={{height: headerHeight}}>
            <div role="columnheader" className="cell check pinned" aria-colindex={1} style={{left: 0, width: checkWidth}}>
              <input
                type="checkbox"
                tabIndex={-1}
                aria-label={messages.table.chooseAll}
                checked={state.entries.length > 0 && state.entries.every(x => grid.selected.has(x.id))}
                onChange={e => {
                  grid.setSelected(e.target.checked ? new Set([...grid.selected, ...state.entries.map(x => x.id)]) : new Set())
                  viewport.current?.focus({preventScroll: true})
                }}
              />
            </div>
            {columns.map(d => (
              <HeaderCell
                key={d.column.id}
                drawn={d}
                active={active.row === headerRow && active.column === d.index}
                resize={resize(d.column.id)}
                onActivate={() => move({row: headerRow, column: d.index})}
              />
            ))}
            {canAdd && (
              <div role="columnheader" className="cell check" aria-colindex={shown.length + 2} style={{left: totalWidth, width: addWidth}}>
                <IconButton label={messages.table.addField} icon="plus" tabIndex={-1} onClick={() => grid.signals.tell('field', null)} />
              </div>
            )}
          </div>
        </div>
        <div className="grid-body" role="rowgroup" style={{width: totalWidth, height: totalHeight}}>
          {dragging.target && (
            <div
              className="drop-target"
              data-testid="drop-target"
              style={{transform: `translateY(${dragging.target.top * rowHeight}px)`, height: dragging.target.lines * rowHeight}}
            />
          )}
          {stuck && (
            <StickyGroup
              group={stuck.group}
              width={pinnedWidth}
              height={rowHeight}
              columns={columns}
              figures={figures.get(stuck.group.key)?.figures ?? null}
              onToggle={() => {
                signals.tell('row', stuck.top)
                toggleGroup(stuck.group.key)
              }}
            />
          )}
          {items.map(item => {
            const entry = rows.entry(item.index)
            const header = groups?.store.header(item.index)
            if (header)
              return (
                <GroupRow
                  key={`group-${header.key}`}
                  group={header}
                  index={item.index}
                  top={item.start}
                  height={rowHeight}
                  width={pinnedWidth}
                  columns={columns}
                  figures={figures.get(header.key)?.figures ?? null}
                  active={active.row === item.index}
                  onToggle={() => {
                    move({row: item.index, column: active.column})
                    viewport.current?.focus({preventScroll: true})
                    toggleGroup(header.key)
                  }}
                />
              )
            if (item.index === moreLine)
              return (
                <MoreGroupsLine
                  key="more"
                  index={item.index}
                  top={item.start}
                  height={rowHeight}
                  active={active.row === item.index}
                  onGone={() => viewport.current?.focus({preventScroll: true})}
                />
              )
            const inRange = range && contains(range, item.index) ? range : null
            const editedHere = entry && editing?.row === rowKey(entry) ? editing : null
            return (
              <GridRowView
                key={entry ? `${entry.group ?? ''} ${atPresent(entry.cursor)}` : `place-${item.index}`}
                index={item.index}
                top={item.start}
                size={grid.view.size}
                id={entry?.id ?? null}
                columns={columns}
                fields={fields}
                activeColumn={selection.active.row === item.index ? selection.active.column : -1}
                rangeFrom={inRange ? inRange.left : -1}
                rangeTo={inRange ? inRange.right : -1}
                isTop={inRange?.top === item.index}
                isBottom={inRange?.bottom === item.index}
                isOpen={entry !== undefined && entry.id === opened}
                fresh={(entry && fresh.get(entry.id)) ?? null}
                chosen={entry ? grid.selected.has(entry.id) : false}
                conflicts={entry ? conflictsOf(conflicts, entry.id) : null}
                movable={movable}
                actions={actions}
                editor={
                  editedHere && entry ? (
                    <EditorOf
                      entryID={entry.id}
                      column={shown[editedHere.column]!}
                      initial={editedHere.initial}
                      onEnd={direction => {
                        setEditing(null)
                        viewport.current?.focus({preventScroll: true})
                        if (direction === 'down') move({row: item.index + 1, column: editedHere.column})
                        if (direction === 'up') move({row: item.index - 1, column: editedHere.column})
                        if (direction === 'right') move({row: item.index, column: editedHere.column + 1})
                        if (direction === 'left') move({row: item.index, column: editedHere.column - 1})
                      }}
                    />
                  ) : null
                }
                editedColumn={editedHere ? editedHere.column : -1}
              />
            )
          })}
        </div>
        {hasFooter && (
          <FooterRow
            columns={columns}
            index={state.height + 2}
            width={totalWidth}
            activeColumn={active.row === footerRow ? active.column : -1}
            onActivate={column => {
              move({row: footerRow, column})
              viewport.current?.focus({preventScroll: true})
            }}
          />
        )}
      </div>
      <GridState />
      {menu && (
        <CellMenu
          {...menu}
          range={rectangle(selection)}
          onEdit={() => edit(menu.place)}
          onMove={() => openMenu('move', {at: menu.at, ids: idsInRange()})}
          onClose={() => setMenu(null)}
        />
      )}
      {moveMenu}
      {dragging.label}
    </div>
  )
}

/** Returns the IDs of an issue's columns that are in conflict, as one string, which rows compare; null if there is none. */
const conflictsOf = (conflicts: readonly Conflict[], id: string): string | null =>
  conflicts
    .filter(c => c.id === id)
    .map(c => c.change.column.id)
    .join(' ') || null
