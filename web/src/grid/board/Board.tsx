// The board: the same issues as the grid, as cards in a column for each group. Columns and cards are rendered only in view.
//
// The focus is on a card or on the header of a column. Each column has one card for Tab; arrow keys move among cards and columns.
import {defaultRangeExtractor, useVirtualizer} from '@tanstack/react-virtual'
import {useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore, type KeyboardEvent} from 'react'
import {useGrid, type Groups} from '../context/context'
import {useSignal} from '../context/signals'
import {countWith, type BoardStore} from '../data/boardRows'
import {messages} from '../messages'
import {folded, isFolded} from '../model/groups'
import '../phone/phone.css'
import {GridState} from '../table/GridState'
import {toggled} from '../table/issueItems'
import {MoreGroups} from '../table/MoreGroups'
import type {MoveMenuProps} from '../table/MoveMenu'
import {movedWith, whyNotMovable} from '../table/moves'
import {isSummarized} from '../table/FooterRow'
import {useGroupFigures} from '../table/useGroupFigures'
import {useLazyDialog, type Loaders} from '../ui/lazy'
import {phone, useMedia} from '../ui/media'
import './board.css'
import {BoardColumn, type CardActions} from './BoardColumn'
import {CardMenu} from './CardMenu'
import {header, keyMove, shownCard, type Place} from './places'
import {useCardDrag} from './useCardDrag'

const menus: Loaders<{move: MoveMenuProps}> = {move: () => import('../table/MoveMenu').then(m => m.default)}

/** The measures in pixels; board.css has the heights of the parts of a card. */
const measures = {column: 300, folded: 52, gap: 10, card: 92, value: 20, phoneEdge: 36}
/** The columns that each card has anyway, and how many others. */
const inHead = ['num', 'name', 'state']
const most = 3

export default function Board() {
  const {groups} = useGrid()
  return groups?.board ? <BoardOf key={groups.key.column.id} groups={groups} board={groups.board} /> : null
}

function BoardOf({groups, board}: {groups: Groups; board: BoardStore}) {
  const grid = useGrid()
  const {edits, freshness, project, selected, setSelected, setView, shown, signals, toasts, view} = grid
  const state = useSyncExternalStore(board.subscribe, board.snapshot)
  const moves = useSyncExternalStore(board.moves.subscribe, board.moves.snapshot)
  const {conflicts} = useSyncExternalStore(edits.subscribe, edits.snapshot)
  useSyncExternalStore(freshness.subscribe, freshness.snapshot) // of the cards
  const isPhone = useMedia(phone)
  const viewport = useRef<HTMLDivElement>(null)
  const focusing = useRef(false)
  const [active, setActive] = useState<Place>({column: 0, card: 0})
  const [menu, setMenu] = useState<{id: string; at: DOMRect} | null>(null)
  const [moveMenu, openMenu] = useLazyDialog(menus, toasts)
  const known = state.groups
  const isOpen = (column: number) => known[column] !== undefined && !isFolded(view.fold, known[column].key)

  const columns = useMemo(() => shown.filter(c => !inHead.includes(c.id) && c.id !== groups.key.column.id).slice(0, most), [shown, groups.key.column.id])
  const cardHeight = measures.card + columns.length * measures.value

  const foldKey = JSON.stringify(view.fold)
  const keys = known.map(g => g.key).join()
  const virtualizer = useVirtualizer({
    horizontal: true,
    count: known.length + (state.more ? 1 : 0),
    getScrollElement: () => viewport.current,
    estimateSize: i => (known[i] && !isOpen(i) ? measures.folded : isPhone ? (viewport.current?.clientWidth ?? 390) - measures.phoneEdge : measures.column),
    gap: measures.gap,
    paddingStart: measures.gap,
    paddingEnd: measures.gap,
    overscan: 1,
    rangeExtractor: range =>
      [...new Set([...defaultRangeExtractor(range), Math.min(active.column, known.length - 1)])].filter(i => i >= 0).sort((a, b) => a - b),
  })
  const boardWidth = virtualizer.scrollRect?.width
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, foldKey, isPhone, boardWidth, keys])
  const items = virtualizer.getVirtualItems()
  const {startIndex = 0, endIndex = 0} = virtualizer.range ?? {}
  useEffect(() => board.showColumns(startIndex, endIndex + 1), [board, startIndex, endIndex, known.length])

  const figures = useGroupFigures(isSummarized(view, shown) ? items.flatMap(i => known[i.index]?.key ?? []) : [])

  const cardsIn = (column: number) => (isOpen(column) ? (board.cards(known[column]!.key)?.snapshot().height ?? 0) : 0)
  const hiddenIn = (key: string) => new Set(moves.filter(m => m.from === key && m.to !== key).map(m => m.id))
  /** Moves the focus to a place, as soon as it is rendered. Instead of a hidden card, it goes to the nearest one. */
  const goTo = ({column, card}: Place, up = false) => {
    const key = known[column]?.key
    const hidden = hiddenIn(key ?? '')
    const rows = key === undefined ? null : board.cards(key)
    const place = {column, card: shownCard(card, cardsIn(column), i => hidden.has(rows?.entry(i)?.id ?? ''), up)}
    focusing.current = true
    setActive(place)
    virtualizer.scrollToIndex(place.column)
  }

  // After a move by the menu, the focus follows the card. If the element with the focus is gone otherwise, the next card gets it.
  const followed = useRef<{id: string; from: Place; isReached?: boolean} | null>(null)
  const hadFocus = useRef(false)
  // Whoever goes to another part of the page stays there.
  useEffect(() => {
    const leave = (e: FocusEvent) => {
      if (viewport.current?.contains(e.target as Node)) return
      followed.current = null
      hadFocus.current = false
      focusing.current = false
    }
    document.addEventListener('focusin', leave)
    return () => document.removeEventListener('focusin', leave)
  }, [])
  useLayoutEffect(() => {
    const follow = followed.current
    const moving = follow && moves.find(m => m.id === follow.id)
    if (moving) {
      // Only once: while the card waits for its position, the keys lead away from it.
      if (follow.isReached) return
      const column = known.findIndex(g => g.key === moving.to)
      if (column >= 0) virtualizer.scrollToIndex(column)
      const arriving = viewport.current?.querySelector<HTMLElement>(`[data-arriving="${CSS.escape(moving.id)}"] a`)
      arriving?.focus({preventScroll: true})
      follow.isReached = arriving !== null || !isOpen(column)
      return
    }
    followed.current = null
    const isLost = hadFocus.current && document.activeElement === document.body
    if (!follow && !isLost) return
    hadFocus.current = false
    const from = follow?.from ?? active
    goTo((follow && board.find(follow.id)) ?? {...from, card: Math.min(from.card, cardsIn(from.column) - 1)})
  })

  // Only the board knows the positions of cards.
  useSignal(signals, 'row', index => {
    const line = board.around(index)
    const column = line ? known.findIndex(g => g.key === line.group.key) : -1
    if (!line || column < 0) return
    setActive({column, card: index - line.top - 1})
    virtualizer.scrollToIndex(column)
  })
  // The focus returns to the card of the issue that was open.
  const open = useRef(view.issue)
  useEffect(() => {
    const was = open.current
    open.current = view.issue
    if (was === null || view.issue !== null || document.activeElement !== document.body) return
    viewport.current?.querySelector<HTMLElement>(`[data-num='${was}']`)?.focus({preventScroll: true})
  }, [view.issue])

  const fold = (key: string) => setView({fold: folded(view.fold, key, !isFolded(view.fold, key))}, 'replace')
  const drag = useCardDrag(viewport)
  const reason = whyNotMovable(grid)
  const actions: CardActions = {press: drag.press, fold, menu: (id, at) => setMenu({id, at})}

  const onKeyDown = (e: KeyboardEvent<HTMLDivElement>) => {
    const target = e.target as HTMLElement
    if (target.matches('input') || !viewport.current?.contains(target)) return
    const column = target.closest<HTMLElement>('.board-column')
    // A card without a position is next to the header.
    const at = placeOf(target) ?? (column && {column: Number(column.dataset.index), card: header})
    if (!at) return
    const to = keyMove(e, at, {columns: known.length, cards: cardsIn, page: Math.max(1, Math.floor((viewport.current.clientHeight - 60) / cardHeight))})
    if (to) {
      e.preventDefault()
      followed.current = null
      goTo(to, to.column === at.column && to.card < at.card)
      return
    }
    const id = target.closest<HTMLElement>('[data-id]')?.dataset.id
    if (e.key === 'Escape' && selected.size > 0) setSelected(new Set())
    if (id === undefined) return
    if (e.key === 'ContextMenu' || (e.key === 'F10' && e.shiftKey)) {
      e.preventDefault()
      setMenu({id, at: target.getBoundingClientRect()})
    } else if (e.key === ' ') {
      e.preventDefault()
      setSelected(toggled(selected, id))
    } else if (e.key === 'F8') {
      e.preventDefault()
      signals.tell('conflicts', {id, column: groups.key.column.id})
    }
  }

  const move = (id: string, at: DOMRect) => {
    const ids = movedWith(grid, id)
    openMenu('move', {at, ids, onMove: () => (followed.current = {id, from: active})})
  }
  return (
    <div className="grid-frame">
      <div
        ref={viewport}
        className="board"
        role="group"
        aria-label={messages.board.boardOf(project.name, groups.key.column.label)}
        aria-busy={!state.loaded}
        data-testid="board"
        onKeyDown={onKeyDown}
        onFocus={e => {
          hadFocus.current = true
          const place = placeOf(e.target)
          if (place && followed.current?.isReached) followed.current = null
          if (place && (place.column !== active.column || place.card !== active.card)) setActive(place)
        }}
        onBlur={() => (hadFocus.current = false)}
        onPointerDown={() => (followed.current = null)}
      >
        <div className="board-columns" style={{width: virtualizer.getTotalSize()}}>
          {items.map(item => {
            const group = known[item.index]
            if (!group)
              return (
                <div
                  key="more"
                  className={`board-column ${state.waits ? 'waiting-column' : 'bone-column'}`}
                  style={{transform: `translateX(${item.start}px)`, width: item.size}}
                  data-testid={state.waits ? 'more-groups' : undefined}
                >
                  <MoreGroups />
                </div>
              )
            return (
              <BoardColumn
                key={group.key}
                group={group}
                index={item.index}
                of={state.more ? null : known.length}
                left={item.start}
                width={item.size}
                rows={board.cards(group.key)}
                count={countWith(group, moves)}
                columns={columns}
                cardHeight={cardHeight}
                hidden={hiddenIn(group.key)}
                arriving={moves
                  .filter(m => m.to === group.key && m.from !== group.key && (board.cards(group.key)?.indexOf(`${group.key} ${m.id}`) ?? -1) < 0)
                  .map(m => m.id)}
                figures={figures.get(group.key)?.figures ?? null}
                conflicts={conflicts}
                opened={view.issue}
                movable={reason === null}
                hint={reason ?? undefined}
                isTarget={drag.target === group.key}
                active={active.column === item.index ? active.card : null}
                focusing={focusing}
                actions={actions}
              />
            )
          })}
        </div>
      </div>
      <GridState />
      {menu && <CardMenu {...menu} onMove={() => move(menu.id, menu.at)} onClose={() => setMenu(null)} />}
      {moveMenu}
      {drag.label}
    </div>
  )
}

/** Returns the place of an element of the board; null if it is none, or a card without a position. */
function placeOf(element: Element): Place | null {
  const column = element.closest<HTMLElement>('.board-column')
  if (!column) return null
  const card = element.closest<HTMLElement>('[data-card]')
  if (!card && !element.closest('.board-head')) return null
  return {column: Number(column.dataset.index), card: card ? Number(card.dataset.card) : header}
}
