import {CombinedGraphQLErrors} from '@apollo/client'
import {expect, test} from 'vitest'
import {column} from '../test/fixtures'
import {pageSize, walk} from './walk'
import {fileName, writeRecord} from './write'

const all = Array.from({length: 1234}, (_, i) => i)
const page = (first: number, after: string | undefined) => {
  const from = after === undefined ? 0 : Math.floor(Number(after))
  const rows = all.slice(from, from + first)
  return Promise.resolve({rows, hasNext: from + first < all.length, end: String(from + rows.length)})
}
async function collected<Row>(pages: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const p of pages) rows.push(...p)
  return rows
}

test('a walk passes every row once', async () => {
  expect(await collected(walk(500, page))).toEqual(all)
  expect(await collected(walk(500, () => Promise.resolve({rows: [], hasNext: false, end: null})))).toEqual([])
})

test('a page that ended at the work budget is gone on from, even when it is empty', async () => {
  let call = 0
  const rows = await collected(
    walk(500, async (first, after) => {
      const full = await page(first, after)
      if (++call % 3 === 0) return {rows: [], hasNext: true, end: `${Math.floor(Number(after ?? 0))}.${call}`}
      return full
    }),
  )
  expect(rows).toEqual(all)
})

test('a page that is too large is asked for in halves', async () => {
  const asked: number[] = []
  const rows = await collected(
    walk(500, (first, after) => {
      asked.push(first)
      if (first > 130) throw new CombinedGraphQLErrors({errors: [{message: 'too much', extensions: {code: 'BAD_USER_INPUT'}}]})
      return page(first, after)
    }),
  )
  expect(rows).toEqual(all)
  expect(asked.slice(0, 4)).toEqual([500, 250, 125, 125])
})

test('any other failure ends it', async () => {
  await expect(collected(walk(500, () => Promise.reject(new Error('lost'))))).rejects.toThrow('lost')
  await expect(collected(walk(500, () => Promise.resolve({rows: [1], hasNext: true, end: '7'})))).rejects.toThrow(/continue/)
})

test('pages are smaller where rows are larger', () => {
  const of = (n: number) => Array.from({length: n}, () => column('TEXT'))
  expect(pageSize(of(12))).toBe(500)
  expect(pageSize(of(400))).toBe(100)
  expect(pageSize([...of(2), column('LONG_TEXT')])).toBe(50)
})

test('records', () => {
  expect(writeRecord(['a', 'b c', 'd,e', 'f"g', 'h\ni', ' j', ''])).toBe('a,b c,"d,e","f""g","h\ni"," j",\r\n')
  expect(writeRecord([''])).toBe('""\r\n')
  expect(fileName('FLEET', '', new Date(2026, 0, 5))).toBe('FLEET-2026-01-05.csv')
  expect(fileName('FLEET', 'chosen', new Date(2026, 0, 5))).toBe('FLEET-chosen-2026-01-05.csv')
})
