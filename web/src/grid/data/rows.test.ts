import {expect, test} from 'vitest'
import {RowStore, type Ask, type Page, type Source} from './rows'

const outdated = new Error('an outdated cursor')

/** Returns an in-memory grid that records its requests. */
function grid(size: number, options: {near?: boolean; count?: (n: number) => {total: number; exact: boolean}} = {}) {
  const all = Array.from({length: size}, (_, i) => ({id: `i${i}`, cursor: `c${String(i).padStart(7, '0')}`}))
  const asks: Ask[] = []
  const held = new Set<string>()
  const refused = new Set<string>() // outdated cursors
  const page = (ask: Ask): Promise<Page> => {
    asks.push(ask)
    if (refused.has(ask.after ?? ask.before ?? '')) return Promise.reject(outdated)
    let from = ask.after === undefined ? 0 : all.findIndex(e => e.cursor > ask.after!)
    if (from < 0) from = all.length
    let to = ask.before === undefined ? all.length : all.findIndex(e => e.cursor >= ask.before!)
    if (to < 0) to = all.length
    if (ask.first !== undefined) to = Math.min(to, from + ask.first)
    else from = Math.max(from, to - ask.last!)
    const entries = all.slice(from, to)
    return Promise.resolve({
      entries,
      hasNext: to < all.length,
      hasPrevious: from > 0,
      start: entries[0]?.cursor ?? null,
      end: entries.at(-1)?.cursor ?? null,
    })
  }
  const source: Source = {
    page: async ask => {
      const p = await page(ask)
      p.entries.forEach(e => held.add(e.id))
      return p
    },
    skip: page,
    count: () => Promise.resolve(options.count?.(all.length) ?? {total: all.length, exact: true}),
    place: e => Promise.resolve(all.findIndex(x => x.cursor === e.cursor)),
    near: i => Promise.resolve(options.near ? {index: i - 740, cursor: all[i - 740]!.cursor} : null),
    forget: entries => entries.forEach(e => held.delete(e.id)),
    refuses: error => error === outdated,
  }
  /** Gives all rows other cursors and another order, as after a move of options. */
  const reorder = () => {
    const letter = `d${refused.size}`
    all.forEach(e => refused.add(e.cursor))
    all.splice(0, all.length, ...all.reverse().map(({id}, i) => ({id, cursor: letter + String(i).padStart(7, '0')})))
  }
  return {all, asks, source, held, reorder}
}

async function settled(store: RowStore): Promise<void> {
  for (let i = 0; i < 2000; i++) await Promise.resolve()
  expect(store.snapshot().seeking).toBeNull()
}

/** Returns the rows after the first page and the count. */
async function opened(source: Source) {
  const store = new RowStore(source)
  let top = 0
  store.onShift(by => (top += by))
  store.open(null)
  await settled(store)
  return {
    store,
    top: () => top,
    scroll: async (to: number) => {
      top = to
      store.show(to, to + 29)
      await settled(store)
    },
  }
}

test('the first page comes at once, and the count behind it', async () => {
  const {all, asks, source} = grid(1000)
  const {store} = await opened(source)
  const rows = store.snapshot()
  expect(asks[0]).toEqual({first: 100})
  expect(rows).toMatchObject({start: 0, total: 1000, exact: true, height: 1000, loaded: true})
  expect(rows.entries[0]).toEqual(all[0])
})

test('an empty grid', async () => {
  const {store} = await opened(grid(0).source)
  expect(store.snapshot()).toMatchObject({entries: [], total: 0, height: 0, loaded: true})
})

test('scrolling to the end and back shows every row in its place, and holds a bounded number', async () => {
  const {all, source, held} = grid(5230)
  const {store, scroll, top} = await opened(source)
  const look = () => {
    for (let i = top(); i < Math.min(top() + 30, all.length); i++) expect(store.entry(i)?.id).toBe(all[i]?.id)
    expect(held.size).toBeLessThanOrEqual(2100)
    expect(held.size).toBe(store.snapshot().entries.length)
  }
  for (let i = 0; i < all.length; i += 25) {
    await scroll(i)
    look()
  }
  for (let i = all.length - 30; i >= 0; i -= 25) {
    await scroll(i)
    look()
  }
})

test('neighbouring pages are asked for once each', async () => {
  const {asks, source} = grid(1000)
  const {scroll} = await opened(source)
  for (let i = 0; i <= 970; i += 10) await scroll(i)
  expect(asks).toEqual([{first: 100}, ...Array.from({length: 9}, (_, i) => ({first: 100, after: `c${String(i * 100 + 99).padStart(7, '0')}`}))])
})

test('the end is asked for from the end', async () => {
  const {all, asks, source} = grid(100_000)
  const {store, scroll} = await opened(source)
  await scroll(99_970)
  expect(store.entry(99_999)?.id).toBe(all[99_999]?.id)
  expect(asks.length).toBeLessThanOrEqual(3)
})

test('the bottom is the end, also where the count was given up before it', async () => {
  const {all, asks, source} = grid(100_000, {count: () => ({total: 93_000, exact: false})})
  const {store, scroll} = await opened(source)
  await scroll(92_971)
  const rows = store.snapshot()
  expect(rows.entries.at(-1)?.id).toBe(all.at(-1)?.id)
  expect(store.entry(rows.height - 1)?.id).toBe(all.at(-1)?.id)
  expect(rows.exact).toBe(false)
  expect(asks.length).toBeLessThanOrEqual(4)
})

test('the middle is reached by positions alone, and found again without them', async () => {
  const {all, asks, source} = grid(20_000)
  const {store, scroll} = await opened(source)
  await scroll(9_000)
  expect(store.entry(9_000)?.id).toBe(all[9_000]?.id)
  expect(asks.filter(a => (a.first ?? a.last)! > 100)).toHaveLength(18)
  await scroll(0)
  const sofar = asks.length
  await scroll(8_600)
  expect(store.entry(8_600)?.id).toBe(all[8_600]?.id)
  expect(asks.length - sofar).toBeLessThanOrEqual(4)
})

test('where the order tells a cursor nearby, it is walked from there', async () => {
  const {all, asks, source} = grid(100_000, {near: true})
  const {store, scroll} = await opened(source)
  await scroll(50_000)
  expect(store.entry(50_000)?.id).toBe(all[50_000]?.id)
  expect(asks.filter(a => (a.first ?? a.last)! > 100)).toHaveLength(2)
})

test('a jump behind a cursor tells the place', async () => {
  const {all, source} = grid(3000)
  const {store} = await opened(source)
  expect(await store.goto(all[1499]!.cursor)).toBe(1500)
  expect(store.entry(1500)?.id).toBe('i1500')
  expect(await store.goto(all[2999]!.cursor)).toBe(2999) // past the last row: the last one
})

test('the last row is found where the number of rows is not known, and is not taken for it', async () => {
  const {all, source} = grid(640, {count: () => ({total: 300, exact: false})})
  const {store, scroll, top} = await opened(source)
  const at = await store.gotoEnd()
  expect(store.entry(at)?.id).toBe('i639')
  expect(store.snapshot()).toMatchObject({exact: false})
  await scroll(at)
  for (let i = 0; i < 64; i++) await scroll(Math.max(top() - 20, 0))
  expect(store.snapshot()).toMatchObject({start: 0, total: 640, exact: true})
  expect(store.entry(0)?.id).toBe(all[0]?.id)
})

test('a place that was estimated wrong is put right at the beginning, and what is seen does not jump', async () => {
  const {all, source} = grid(1000)
  source.place = () => Promise.resolve(40)
  const {store, scroll, top} = await opened(source)
  let at = await store.goto(all[499]!.cursor)
  expect(at).toBe(40)
  let seen = 500
  for (; seen > 0;) {
    const step = Math.min(20, seen)
    await scroll(Math.max(at - step, 0))
    const moved = at - step < 0 ? at : step
    at = top()
    seen -= moved
    expect(store.entry(at)?.id).toBe(all[seen]?.id)
  }
  expect(at).toBe(0)
  expect(store.snapshot().start).toBe(0)
})

test('a count that is too low or too high ends at the real end', async () => {
  for (const total of [300, 900]) {
    const {all, source} = grid(640, {count: () => ({total, exact: false})})
    const {store, scroll} = await opened(source)
    for (let i = 0; i < 640; i += 20) await scroll(i)
    expect(store.snapshot()).toMatchObject({total: 640, exact: true, height: 640})
    expect(store.entry(639)?.id).toBe(all[639]?.id)
  }
})

test('an error stops the work, and a retry goes on', async () => {
  const {all, source} = grid(1000)
  const {page} = source
  const {store, scroll} = await opened(source)
  source.page = () => Promise.reject(new Error('lost'))
  await scroll(150)
  expect(store.snapshot().error).toEqual(new Error('lost'))
  source.page = page
  store.retry()
  await settled(store)
  expect(store.snapshot().error).toBeNull()
  expect(store.entry(170)?.id).toBe(all[170]?.id)
})

test('a refresh keeps the first row that is seen', async () => {
  const {all, source} = grid(3000)
  const {store, scroll} = await opened(source)
  await scroll(120)
  all.splice(5, 3) // removes three earlier rows
  await store.refresh()
  await settled(store)
  expect(store.entry(120)?.id).toBe('i120')
  expect(store.snapshot().total).toBe(2997)
})

test('a refresh and a link begin a new walk, and pages continue theirs', async () => {
  const {all, asks, source} = grid(3000)
  let walk = 1
  const bare = (ask: Ask): Ask => Object.fromEntries(Object.entries(ask).map(([k, v]) => [k, typeof v === 'string' ? v.replace(/\..*/, '') : v]))
  const {page} = source
  source.page = async ask => {
    const at = /\.(.*)/.exec(ask.after ?? ask.before ?? '')?.[1] ?? walk
    const p = await page(bare(ask))
    const entries = p.entries.map(e => ({...e, cursor: `${e.cursor}.${at}`}))
    asks.splice(-1, 1, ask)
    return {...p, entries, start: entries[0]!.cursor, end: entries.at(-1)!.cursor}
  }
  const {store, scroll} = await opened(source)
  await scroll(120)
  walk = 2
  await scroll(180)
  expect(asks.at(-1)?.after).toMatch(/\.1$/)
  await store.refresh()
  await settled(store)
  expect(store.entry(180)?.id).toBe(all[180]!.id)
  expect(store.snapshot().entries.every(e => e.cursor.endsWith('.2'))).toBe(true)
  walk = 3
  const other = new RowStore(source)
  other.open({cursor: store.entry(99)!.cursor, index: 100})
  await settled(other)
  expect(other.entry(100)?.id).toBe(all[100]!.id)
  expect(other.entry(100)?.cursor).toMatch(/\.3$/)
})

test('rows that are removed leave no gap', async () => {
  const {all, source} = grid(300)
  const {store, scroll} = await opened(source)
  await scroll(10)
  all.splice(11, 1)
  store.remove(new Set(['i11']))
  await settled(store)
  expect(store.entry(11)?.id).toBe('i12')
  expect(store.snapshot().total).toBe(299)
})

test('a page that ended at its work budget is gone on from', async () => {
  const {all, source} = grid(400)
  const {page} = source
  source.page = async ask => {
    const p = await page(ask)
    if (ask.first === undefined || p.entries.length < 50) return p
    const entries = p.entries.slice(0, 30)
    return {...p, entries, hasNext: true, end: entries.at(-1)!.cursor}
  }
  const {store, scroll} = await opened(source)
  for (let i = 0; i < 400; i += 20) await scroll(i)
  for (let i = 0; i < 400; i++) expect(store.entry(i)?.id).toBe(all[i]?.id)
})

test('rows with outdated cursors are read again where the user is', async () => {
  const {all, source, reorder} = grid(10_000)
  const {store, scroll} = await opened(source)
  await scroll(300)
  reorder()
  await scroll(380)
  const {entries, start, error} = store.snapshot()
  expect(error).toBeNull()
  expect(entries.map(e => e.id)).toEqual(all.slice(start, start + entries.length).map(e => e.id))
  expect(start).toBeLessThanOrEqual(380)
  expect(start + entries.length).toBeGreaterThan(410)

  // Once more while positions are skipped.
  let skips = 0
  const {skip} = source
  source.skip = ask => {
    if (++skips === 2) reorder()
    return skip(ask)
  }
  reorder()
  await scroll(5000)
  expect(skips).toBeGreaterThan(2)
  expect(store.snapshot()).toMatchObject({error: null, loaded: true})
  expect(store.entry(5010)?.id).toBe(all[5010]!.id)
  await scroll(390)

  reorder()
  await store.refresh()
  await settled(store)
  expect(store.snapshot().error).toBeNull()
  expect(store.entry(390)?.id).toBe(all[390]!.id)
})
