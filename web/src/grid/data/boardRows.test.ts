import {describe, expect, test} from 'vitest'
import {isFolded, type Fold} from '../model/groups'
import {group, pageOf, rowsOf, settled} from '../test/fixtures'
import {BoardStore, cardsAtOnce, countWith, type BoardSource} from './boardRows'
import type {Ask} from './rows'

/** Returns a board of cards in memory, which records what is asked for. Pages of groups have `groupsAtOnce`, each with its first cards. */
function boardOf(sizes: Record<string, number>, groupsAtOnce = 20, isFiltered = false) {
  const asked: string[] = []
  const all = new Map(Object.entries(sizes).map(([key, n]) => [key, Array.from({length: n}, (_, i) => `${key}${i}`)]))
  const page = (key: string, ask: Ask) => pageOf(all.get(key)!, ask, key)
  const groupOf = (key: string) => group({key, name: key, text: key, total: all.get(key)!.length})
  const held: (() => void)[] = []
  let holds = false
  let fails = false
  const source: BoardSource = {
    isFiltered,
    some: async (keys, fold) => {
      asked.push(`some ${keys.join()}`)
      if (fails) throw new Error('overloaded')
      const groups = keys.map(k => groupOf(k))
      const rows = new Map(keys.filter(k => !isFolded(fold, k)).map(k => [k, page(k, {first: cardsAtOnce})]))
      if (holds) await new Promise<void>(resolve => held.push(resolve))
      return {groups, rows}
    },
    groups: async (after, fold: Fold) => {
      asked.push(`groups ${after ?? ''}`.trim())
      const keys = [...all.keys()]
      const from = Number(after ?? 0)
      const some = keys.slice(from, from + groupsAtOnce)
      const next = from + groupsAtOnce < keys.length ? String(from + groupsAtOnce) : null
      const open = fold.all ? [] : some.filter(k => !fold.keys.includes(k))
      const groups = some.map(k => groupOf(k))
      const rows = new Map(open.map(k => [k, page(k, {first: cardsAtOnce})]))
      if (holds) await new Promise<void>(resolve => held.push(resolve))
      return {groups, rows, next, incomplete: false}
    },
    rows: key =>
      rowsOf(
        () => all.get(key)!,
        key,
        (_, {after}) => asked.push(`cards ${key} ${after ?? ''}`.trim()),
      ),
    refuses: () => false,
    count: () => {
      if (isFiltered) asked.push('count')
      return Promise.resolve({total: [...all.values()].flat().length, exact: true})
    },
  }
  const store = new BoardStore(source)
  const put = (id: string, to: string) => {
    for (const ids of all.values()) if (ids.includes(id)) ids.splice(ids.indexOf(id), 1)
    all.get(to)!.unshift(id)
  }
  return {
    store,
    asked,
    all,
    /** Holds back answers with groups until it is called again. */
    hold: (on: boolean) => {
      holds = on
      held.splice(0).forEach(answer => answer())
    },
    /** Answers the held requests in another order: the latest first. */
    releaseLast: () => held.pop()?.(),
    fail: (on: boolean) => (fails = on),
    /** Moves an issue to the begin of a group, as if the server had saved it. */
    put,
    /** Moves an issue, and tells the board that it is saved. */
    move: (id: string, to: string) => {
      const ended = store.moving([id], to)
      put(id, to)
      ended(new Set())
    },
    cards: (key: string) =>
      store
        .cards(key)
        ?.snapshot()
        .entries.map(e => e.id),
    counts: () => store.snapshot().groups.map(g => countWith(g, store.moves.snapshot())?.total),
    async begin() {
      store.open()
      store.showColumns(0, 3)
      await settled()
    },
  }
}

describe('loading', () => {
  test('one request has the groups and their first cards, also of groups without any', async () => {
    const {store, asked, begin, cards} = boardOf({a: 50, b: 0, c: 2})
    await begin()
    expect(asked).toEqual(['groups'])
    expect([cards('a')?.length, cards('b'), cards('c')]).toEqual([cardsAtOnce, [], ['c0', 'c1']])
    expect(store.snapshot()).toMatchObject({total: 52, loaded: true, more: false})
    expect([store.cards('a')?.snapshot().height, store.cards('b')?.snapshot().height]).toEqual([50, 0])
  })

  test('more cards of a column come into view, after its last cursor', async () => {
    const {store, asked, begin, cards} = boardOf({a: 50, b: 30})
    await begin()
    store.showCards('a', 0, 7)
    await settled()
    expect(asked).toEqual(['groups'])
    store.showCards('a', 6, 13)
    await settled()
    expect([asked, cards('a')?.length, cards('b')?.length]).toEqual([['groups', 'cards a a19'], 40, 20])
  })

  test('more groups come into view', async () => {
    const sizes = Object.fromEntries(Array.from({length: 9}, (_, i) => [`g${i}`, 1]))
    const {store, asked, begin} = boardOf(sizes, 5)
    await begin()
    expect([asked, store.snapshot().groups.length, store.snapshot().more]).toEqual([['groups'], 5, true])
    store.showColumns(2, 5)
    await settled()
    expect([asked, store.snapshot().groups.length, store.snapshot().more]).toEqual([['groups', 'groups 5'], 9, false])
  })

  test('a collapsed column has no cards until it is expanded', async () => {
    const {store, asked, begin, cards} = boardOf({a: 3, b: 3})
    store.setFold({all: false, keys: ['a']})
    await begin()
    expect([asked, cards('a'), cards('b')?.length]).toEqual([['groups'], undefined, 3])
    store.setFold({all: false, keys: []})
    await settled()
    expect([asked, cards('a')?.length]).toEqual([['groups', 'cards a'], 3])
  })

  test('a refresh takes the first cards of all columns from one request, and reads where a column is scrolled', async () => {
    const {store, asked, all, begin, cards} = boardOf({a: 100, b: 3})
    await begin()
    store.showCards('a', 30, 37)
    await settled()
    asked.length = 0
    all.get('b')!.push('new')
    all.get('a')!.splice(31, 1)
    await store.refresh()
    await settled()
    expect(asked.filter(a => a.startsWith('groups'))).toEqual(['groups'])
    expect(asked.some(a => a.startsWith('cards b'))).toBe(false)
    expect(asked.some(a => a.startsWith('cards a'))).toBe(true)
    expect(cards('b')).toEqual(['b0', 'b1', 'b2', 'new'])
    expect(cards('a')).not.toContain('a31')
  })

  test('cards are found by their issues', async () => {
    const {store, begin} = boardOf({a: 2, b: 2})
    await begin()
    expect([store.find('b1'), store.find('c0')]).toEqual([{column: 1, card: 1}, null])
    store.setFold({all: false, keys: ['b']})
    expect(store.find('b1')).toBeNull()
  })
})

describe('a move', () => {
  test('changes the counts at once, and ends when the groups were read again', async () => {
    const {store, all, begin, counts, cards, hold} = boardOf({a: 3, b: 1})
    await begin()
    const ended = store.moving(['a1'], 'b')
    expect([counts(), store.moves.snapshot()]).toEqual([[2, 2], [expect.objectContaining({id: 'a1', from: 'a', to: 'b'})]])
    all.get('a')!.splice(1, 1)
    all.get('b')!.unshift('a1')
    ended(new Set())
    expect(counts()).toEqual([2, 2])
    hold(true)
    const refreshed = store.refresh()
    await settled()
    expect([counts(), cards('a')?.length]).toEqual([[2, 2], 3])
    hold(false)
    await refreshed
    expect([counts(), cards('a'), cards('b'), store.moves.snapshot()]).toEqual([[2, 2], ['a0', 'a2'], ['a1', 'b0'], []])
  })

  test('that is refused is taken back', async () => {
    const {store, begin, counts} = boardOf({a: 3, b: 1})
    await begin()
    const ended = store.moving(['a0', 'a1'], 'b')
    expect(counts()).toEqual([1, 3])
    ended(new Set(['a1']))
    expect([counts(), store.moves.snapshot().map(m => m.id)]).toEqual([[2, 2], ['a0']])
  })

  test('is not ended by groups that were read before it was saved', async () => {
    const {store, begin, counts, hold} = boardOf({a: 3, b: 1})
    await begin()
    hold(true)
    const early = store.refresh()
    const ended = store.moving(['a0'], 'b')
    ended(new Set())
    hold(false)
    await early
    expect([counts(), store.moves.snapshot().length]).toEqual([[2, 2], 1])
  })

  test('that follows another one of the same issue begins where that one began', async () => {
    const {store, begin, counts} = boardOf({a: 3, b: 1, c: 0})
    await begin()
    const first = store.moving(['a0'], 'b')
    const second = store.moving(['a0'], 'c')
    expect(counts()).toEqual([2, 1, 1])
    first(new Set())
    expect(counts()).toEqual([2, 1, 1])
    second(new Set())
    expect(store.moves.snapshot()).toEqual([expect.objectContaining({from: 'a', to: 'c', isSaved: true})])
  })

  test('to a group that is not known leaves its column', async () => {
    const {store, begin, counts} = boardOf({a: 3, b: 1})
    await begin()
    store.moving(['a0'], null)
    expect(counts()).toEqual([2, 1])
  })

  test('does not change a count that is not known', () => {
    expect(countWith(group({key: 'a', total: null}), [{id: 'x', from: 'b', to: 'a', isSaved: false, isCounted: false, earlier: []}])).toBeNull()
  })
})

describe('after a move', () => {
  test('only its two groups are read again, with their first cards', async () => {
    const {store, asked, begin, cards, counts, move} = boardOf({a: 3, b: 1, c: 2})
    await begin()
    move('a1', 'b')
    asked.length = 0
    await store.readMoved()
    await settled()
    expect(asked).toEqual(['some a,b'])
    expect([counts(), cards('a'), cards('b'), store.moves.snapshot()]).toEqual([[2, 2, 2], ['a0', 'a2'], ['a1', 'b0'], []])
  })

  test('all issues are counted again if the view has a filter', async () => {
    const {store, asked, begin, move} = boardOf({a: 3, b: 1}, 20, true)
    await begin()
    move('a1', 'b')
    asked.length = 0
    await store.readMoved()
    await settled()
    expect(asked).toEqual(['count', 'some a,b'])
  })

  test('all groups are read again if one of them is not known', async () => {
    const {store, asked, begin} = boardOf({a: 3, b: 1})
    await begin()
    store.moving(['a1'], null)(new Set())
    asked.length = 0
    await store.readMoved()
    await settled()
    expect(asked).toEqual(['groups'])
  })

  test('a collapsed group gets its count alone, and its cards when it is expanded', async () => {
    const {store, asked, begin, cards, counts, move} = boardOf({a: 3, b: 1})
    store.setFold({all: false, keys: ['b']})
    await begin()
    move('a1', 'b')
    await store.readMoved()
    expect([counts(), cards('b')]).toEqual([[2, 2], undefined])
    store.setFold({all: false, keys: []})
    await settled()
    expect([cards('b'), asked.at(-1)]).toEqual([['a1', 'b0'], 'cards b'])
  })

  test('a second move of the card while the first is read again', async () => {
    const {store, begin, put, hold, cards, counts, move} = boardOf({a: 3, b: 1, c: 0})
    await begin()
    move('a1', 'b')
    hold(true)
    const early = store.readMoved()
    const second = store.moving(['a1'], 'c')
    hold(false)
    await early
    // What was read has the first move, so the second one begins there.
    expect([counts(), cards('b'), store.moves.snapshot()]).toEqual([[2, 1, 1], ['a1', 'b0'], [expect.objectContaining({from: 'b', to: 'c'})]])
    put('a1', 'c')
    second(new Set())
    await store.readMoved()
    await settled()
    expect([counts(), cards('a'), cards('b'), cards('c'), store.moves.snapshot()]).toEqual([[2, 1, 1], ['a0', 'a2'], ['b0'], ['a1'], []])
  })

  test('answers that come in the wrong order do not bring it back', async () => {
    const {store, begin, hold, releaseLast, cards, counts, move} = boardOf({a: 3, b: 1, c: 0})
    await begin()
    move('a1', 'b')
    hold(true)
    const early = store.readMoved()
    move('a1', 'c')
    const late = store.readMoved()
    releaseLast()
    await late
    hold(false)
    await early
    await settled()
    expect([counts(), cards('a'), cards('b'), cards('c'), store.moves.snapshot()]).toEqual([[2, 1, 1], ['a0', 'a2'], ['b0'], ['a1'], []])
  })

  test('a refresh that it overtakes is made up for', async () => {
    const {store, asked, all, begin, hold, cards, move} = boardOf({a: 3, b: 1, c: 0})
    await begin()
    hold(true)
    const early = store.refresh()
    all.get('c')!.push('new')
    move('a1', 'b')
    asked.length = 0
    const late = store.readMoved()
    hold(false)
    await Promise.all([early, late])
    await settled()
    expect([asked, cards('b'), cards('c'), store.moves.snapshot()]).toEqual([['groups'], ['a1', 'b0'], ['new'], []])
  })

  test('it stays where it was dropped if its groups cannot be read, until Try again reads them', async () => {
    const {store, begin, fail, cards, counts, move} = boardOf({a: 3, b: 1})
    await begin()
    move('a1', 'b')
    fail(true)
    await expect(store.readMoved()).rejects.toThrow('overloaded')
    expect([store.snapshot().error, store.moves.snapshot().length, counts()]).toEqual([new Error('overloaded'), 1, [2, 2]])
    fail(false)
    store.retry()
    await settled()
    expect([store.snapshot().error, store.moves.snapshot(), cards('b'), counts()]).toEqual([null, [], ['a1', 'b0'], [2, 2]])
  })

  test('its own change is not read again before it is saved, and other changes are', async () => {
    const {store, begin} = boardOf({a: 3, b: 1})
    await begin()
    const ended = store.moving(['a0', 'a1'], 'b')
    expect([store.isMoving(['a1', 'a0']), store.isMoving(['a2']), store.isMoving(['a0', 'a2'])]).toEqual([true, false, false])
    ended(new Set())
    expect(store.isMoving(['a0'])).toBe(false)
  })
})
