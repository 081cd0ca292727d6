import {describe, expect, test} from 'vitest'
import {group, rowsOf, settled} from '../test/fixtures'
import {GroupStore, type GroupSource} from './groupRows'

const outdated = new Error('an outdated cursor')

/** Returns groups of rows in memory, which record what is asked for. Lists have pages of `pageSize`. */
function grid(sizes: Record<string, number>, pageSize = 100, ends: (after: string | null) => 'incomplete' | 'empty' | 'outdated' | null = () => null) {
  const asked: string[] = []
  const all = new Map(Object.entries(sizes).map(([key, n]) => [key, Array.from({length: n}, (_, i) => `${key}${i}`)]))
  const source: GroupSource = {
    groups: after => {
      asked.push(`groups ${after ?? ''}`.trim())
      const keys = [...all.keys()]
      const from = Number(after ?? 0)
      const end = ends(after)
      if (end === 'outdated') return Promise.reject(outdated)
      const size = end === 'empty' ? 0 : pageSize
      // Where the budget is spent, the cursor is after rows without any group.
      const next = end === 'empty' ? `${from}.0` : from + pageSize < keys.length ? String(from + pageSize) : null
      return Promise.resolve({
        groups: keys.slice(from, from + size).map(k => group({key: k, name: k, text: k, total: all.get(k)!.length})),
        next,
        incomplete: end !== null,
      })
    },
    rows: key =>
      rowsOf(
        () => all.get(key)!,
        key,
        what => asked.push(`${what} ${key}`),
      ),
    count: () => Promise.resolve({total: [...all.values()].flat().length, exact: true}),
    refuses: error => error === outdated,
  }
  const store = new GroupStore(source)
  const show = async (first: number, last = first + 9) => {
    store.show(first, last)
    await settled()
  }
  /** Returns the lines: the keys of headers, and the IDs of loaded rows. */
  const lines = () =>
    Array.from({length: store.snapshot().height}, (_, i) => {
      const header = store.header(i)
      return header ? `[${header.key}]` : (store.entry(i)?.id ?? '…')
    })
  return {store, asked, all, show, lines}
}

test('lines are headers with the rows of their groups', async () => {
  const {store, show, lines} = grid({a: 2, b: 1})
  store.open()
  await show(0)
  expect(lines()).toEqual(['[a]', 'a0', 'a1', '[b]', 'b0'])
  expect(store.snapshot()).toMatchObject({total: 3, exact: true, loaded: true, more: false, error: null})
  expect([store.around(2)?.top, store.around(3)?.group.key, store.around(5)]).toEqual([0, 'b', undefined])
  expect([store.indexOf('b b0'), store.indexOf('a b0'), store.topOf('b'), store.topOf('c')]).toEqual([4, -1, 3, -1])
})

test('only groups in view are loaded, each by its own pages', async () => {
  const {store, asked, show, lines} = grid({a: 250, b: 3, c: 3})
  store.open()
  await show(0)
  expect(asked).toEqual(['groups', 'page a'])
  expect(store.snapshot().height).toBe(259)
  await show(90)
  expect(asked).toEqual(['groups', 'page a', 'page a'])
  await show(244)
  expect(lines().slice(250)).toEqual(['a249', '[b]', 'b0', 'b1', 'b2', '[c]', '…', '…', '…'])
  await show(250)
  expect(lines().at(-1)).toBe('c2')
})

test('collapsed groups load nothing', async () => {
  const {store, asked, show, lines} = grid({a: 2, b: 2, c: 2})
  store.setFold({all: true, keys: []})
  store.open()
  await show(0)
  expect([lines(), asked]).toEqual([['[a]', '[b]', '[c]'], ['groups']])
  store.setFold({all: true, keys: ['b']})
  await settled()
  expect([lines(), asked]).toEqual([
    ['[a]', '[b]', 'b0', 'b1', '[c]'],
    ['groups', 'page b'],
  ])
  store.setFold({all: false, keys: ['b']})
  await settled()
  expect(lines()).toEqual(['[a]', 'a0', 'a1', '[b]', '[c]', 'c0', 'c1'])
  expect(store.snapshot().entries.map(e => e.id)).toEqual(['a0', 'a1', 'c0', 'c1'])
  expect(store.indexOf('b b0')).toBe(-1)
})

test('more groups are found when the end of the list is in view', async () => {
  const sizes = Object.fromEntries(Array.from({length: 25}, (_, i) => [`g${String(i).padStart(2, '0')}`, 1]))
  const {store, asked, show, lines} = grid(sizes, 10)
  store.setFold({all: true, keys: []})
  store.open()
  await show(0, 5)
  expect([asked, store.snapshot().height, lines().at(-1)]).toEqual([['groups'], 11, '…'])
  await show(5, 10)
  expect([asked, store.snapshot().height]).toEqual([['groups', 'groups 10'], 21])
  await show(15, 20)
  expect([store.snapshot().height, store.snapshot().more, lines().at(-1)]).toEqual([25, false, '[g24]'])
})

describe('an incomplete page', () => {
  const sizes = {a: 0, b: 0, c: 0}

  test('is continued when its end is in view, and says nothing', async () => {
    const {store, asked, show, lines} = grid(sizes, 2, () => 'incomplete')
    store.setFold({all: true, keys: []})
    store.open()
    await settled()
    expect([lines(), store.snapshot().waits]).toEqual([['[a]', '[b]', '…'], false])
    await show(1, 2)
    expect(asked).toEqual(['groups', 'groups 2'])
  })

  test('without any group waits until somebody wants to go on from its end', async () => {
    const {store, asked, show, lines} = grid(sizes, 2, after => (after === '2' ? 'empty' : null))
    store.setFold({all: true, keys: []})
    store.open()
    await show(0)
    expect(asked).toEqual(['groups', 'groups 2'])
    expect([lines(), store.snapshot().waits]).toEqual([['[a]', '[b]', '…'], true])
    await show(1)
    expect(asked).toEqual(['groups', 'groups 2'])
    store.goOn()
    expect(store.snapshot().waits).toBe(false)
    await settled()
    expect(asked).toEqual(['groups', 'groups 2', 'groups 2.0'])
    expect([lines(), store.snapshot().waits]).toEqual([['[a]', '[b]', '[c]'], false])
  })
})

describe('a refresh', () => {
  test('finds the groups again, and reads what is in view', async () => {
    const {store, asked, all, show, lines} = grid({a: 2, b: 2, c: 200})
    store.open()
    await show(0)
    await show(150)
    await show(0, 4)
    asked.length = 0
    all.get('a')!.splice(0, 1)
    all.get('b')!.push('a0')
    all.set('d', ['d0'])
    await store.refresh()
    await settled()
    expect(lines().slice(0, 6)).toEqual(['[a]', 'a1', '[b]', 'b0', 'b1', 'a0'])
    expect(asked).toContain('page a')
    expect(store.snapshot().groups.map(g => [g.key, g.total])).toEqual([
      ['a', 1],
      ['b', 3],
      ['c', 200],
      ['d', 1],
    ])
  })

  test('drops groups that are gone', async () => {
    const {store, all, show, lines} = grid({a: 2, b: 1})
    store.open()
    await show(0)
    all.delete('a')
    await store.refresh()
    await settled()
    expect(lines()).toEqual(['[b]', 'b0'])
    expect(store.snapshot().entries.map(e => e.id)).toEqual(['b0'])
  })
})

test('removed rows leave all groups, and counts follow when they are read', async () => {
  const {store, show, lines} = grid({a: 2, b: 1})
  store.open()
  await show(0)
  store.remove(new Set(['a0']))
  expect(lines()).toEqual(['[a]', 'a1', '[b]', 'b0'])
  expect(store.snapshot().total).toBe(2)
  store.setCounts(new Map([['a', {total: 1, exact: true}]]))
  expect(store.snapshot().groups.map(g => g.total)).toEqual([1, 1])
  expect(store.header(0)?.total).toBe(1)
})

test('an error is kept until it is retried', async () => {
  const {store, asked, show, lines} = grid({a: 1})
  const broken = new Error('broken')
  let fails = true
  const source = (store as unknown as {source: GroupSource}).source
  const {groups} = source
  source.groups = (after, fold) => (fails ? Promise.reject(broken) : groups(after, fold))
  store.open()
  await show(0)
  expect(store.snapshot()).toMatchObject({error: broken, loaded: false})
  fails = false
  store.retry()
  await settled()
  expect([store.snapshot().error, lines(), asked]).toEqual([null, ['[a]', 'a0'], ['groups', 'page a']])
})

test('groups after an outdated cursor are found again from the first one', async () => {
  let isMoved = false
  const {store, asked, show, lines} = grid({a: 20, b: 0, c: 0, d: 0}, 2, after => {
    if (after !== '2' || !isMoved) return null
    isMoved = false
    return 'outdated'
  })
  store.open()
  await settled()
  asked.length = 0
  isMoved = true
  await show(15)
  expect(asked.filter(a => a.startsWith('groups'))).toEqual(['groups 2', 'groups', 'groups 2'])
  expect(store.snapshot()).toMatchObject({error: null, more: false})
  expect(lines().filter(l => l.startsWith('['))).toEqual(['[a]', '[b]', '[c]', '[d]'])
})
