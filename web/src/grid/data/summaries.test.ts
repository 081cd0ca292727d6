import {ApolloClient, ApolloLink} from '@apollo/client'
import {print} from 'graphql'
import {of, throwError} from 'rxjs'
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest'
import type {Column} from '../model/columns'
import type {Figure} from '../model/summaries'
import {column, textColumn} from '../test/fixtures'
import {newCache} from './client'
import {figuresOf, patience, readSummaries, SummaryStore, type Requested, type SummaryQuery} from './summaries'
import {slots} from './summaryDocuments'

const cost = column('NUMBER', {id: 'cost'})
const name = textColumn('name', {builtin: 'NAME'})
const query: SummaryQuery = {project: 'p', where: undefined, timeZone: undefined}

type Sent = {text: string; variables: Record<string, unknown>}

/** Returns the figures that are read of an answer, and what was sent. */
async function read(requested: Requested, answer: (sent: Sent) => ApolloLink.Result | Error) {
  const sent: Sent[] = []
  const link = new ApolloLink(({query, variables}) => {
    sent.push({text: print(query), variables})
    const result = answer(sent.at(-1)!)
    return result instanceof Error ? throwError(() => result) : of(result)
  })
  const figures = await readSummaries(new ApolloClient({cache: newCache(), link}), query, requested)
  return {sent, figures: Object.fromEntries(figures)}
}

const project = (issues: unknown) => ({project: {__typename: 'Project', id: 'p', issues}})
const all = (sent: Sent) => ({
  data: project(
    Object.fromEntries(Object.keys(sent.variables).flatMap(v => (/^on/.test(v) ? [[`c${v.slice(2)}`, {precision: 'EXACT', filled: Number(v.slice(2))}]] : []))),
  ),
})

test('one operation has a slot for each column, with the chosen part', async () => {
  const {sent} = await read(
    [
      [cost, 'average'],
      [name, 'filled'],
    ],
    () => ({data: project({})}),
  )
  expect(sent.map(s => s.variables)).toEqual(
    [{project: 'p', timeZone: 'UTC', c0: {fieldId: 'cost'}, on0: true, average0: true, sum0: true, c1: {builtin: 'NAME'}, on1: true, filled1: true}].map(
      v => expect.objectContaining(v) as unknown,
    ),
  )
  const on = Object.entries(sent[0]!.variables).filter(([name, value]) => value === true && !/^on/.test(name))
  expect(on.map(([name]) => name).sort()).toEqual(['average0', 'filled1', 'sum0'])
})

test('more columns than slots are read in several operations with the same text', async () => {
  const requested = Array.from({length: slots + 1}, (_, i) => [textColumn(`f${i}`), 'filled'] as const)
  const {sent, figures} = await read(requested, all)
  expect(sent.length).toBe(2)
  expect(new Set(sent.map(s => s.text)).size).toBe(1)
  expect(figures[`f${slots - 1}`]?.summary?.filled).toBe(slots - 1)
  expect(figures[`f${slots}`]?.summary?.filled).toBe(0)
})

describe('an error', () => {
  const two: Requested = [
    [cost, 'sum'],
    [name, 'filled'],
  ]
  const good = {precision: 'EXACT', filled: 3} as const

  test.each<[string, (string | number)[], Record<string, string | null>]>([
    ['of a part', ['project', 'issues', 'c0', 'sum'], {cost: 'bad', name: null}],
    ['of a column', ['project', 'issues', 'c0'], {cost: 'bad', name: null}],
    ['of the grid', ['project', 'issues'], {cost: 'bad', name: null}],
  ])('%s does not affect other columns', (_, path, want) => {
    const figures = figuresOf(two, {c0: null, c1: good}, [{message: 'bad', path}])
    expect(Object.fromEntries([...figures].map(([id, f]) => [id, f.problem]))).toEqual(want)
    expect(figures.get('name')?.summary).toEqual(good)
  })

  test('of the grid concerns all columns', async () => {
    const {figures} = await read(two, () => ({data: project(null), errors: [{message: 'late', path: ['project', 'issues']}]}))
    expect(figures).toEqual({cost: {summary: null, problem: 'late'}, name: {summary: null, problem: 'late'}})
  })

  test('of the network concerns all columns', async () => {
    const {figures} = await read(two, () => new Error('broken'))
    expect(figures).toEqual({cost: {summary: null, problem: 'broken'}, name: {summary: null, problem: 'broken'}})
  })
})

describe('the store', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const other = {...query, where: {open: true}}
  const figure = (n: number): Figure => ({summary: {precision: 'EXACT', filled: n}, problem: null})

  function setUp() {
    const asked: [where: unknown, columns: string[]][] = []
    const waiting: (() => void)[] = []
    const store = new SummaryStore((query, requested) => {
      const n = asked.push([query.where ?? null, requested.map(([c]) => c.id)])
      return new Promise(done => waiting.push(() => done(new Map(requested.map(([c]) => [c.id, figure(n)])))))
    })
    const answer = async () => {
      waiting.splice(0).forEach(go => go())
      await vi.advanceTimersByTimeAsync(0)
    }
    const known = () => Object.fromEntries([...store.snapshot().known].map(([key, f]) => [key, f.summary?.filled]))
    return {asked, store, answer, known, wait: () => vi.advanceTimersByTimeAsync(patience)}
  }
  const filled = (...columns: Column[]): Requested => columns.map(c => [c, 'filled'])

  test('waits for further changes', async () => {
    const {asked, store, wait, answer, known} = setUp()
    store.request(query, filled(cost))
    store.request(query, filled(cost, name))
    store.request(other, filled(cost, name))
    expect(asked).toEqual([])
    expect(store.snapshot().reading).toBe(true)
    await wait()
    expect(asked).toEqual([[{open: true}, ['cost', 'name']]])
    await answer()
    expect(known()).toEqual({'cost:filled': 1, 'name:filled': 1})
    expect(store.snapshot().reading).toBe(false)
  })

  test('reads only what it does not know', async () => {
    const {asked, store, wait, answer, known} = setUp()
    store.request(query, filled(cost))
    await wait()
    await answer()
    store.request(query, filled(cost))
    await wait()
    expect(asked.length).toBe(1)
    store.request(query, filled(cost, name))
    await wait()
    await answer()
    expect(asked[1]).toEqual([null, ['name']])
    expect(known()).toEqual({'cost:filled': 1, 'name:filled': 2})
  })

  test('keeps old figures of the same grid, and none of another', async () => {
    const {store, wait, answer, known} = setUp()
    store.request(query, filled(cost))
    await wait()
    await answer()
    store.request(query, filled(cost), true)
    expect([known(), store.snapshot().reading]).toEqual([{'cost:filled': 1}, true])
    await wait()
    await answer()
    expect(known()).toEqual({'cost:filled': 2})
    store.request(other, filled(cost))
    expect(known()).toEqual({})
  })

  test('ignores an answer to an earlier request', async () => {
    const {asked, store, wait, answer, known} = setUp()
    store.request(query, filled(cost))
    await wait()
    store.request(other, filled(cost))
    await answer()
    expect(known()).toEqual({})
    await wait()
    await answer()
    expect([asked.length, known()]).toEqual([2, {'cost:filled': 2}])
  })

  test('asks for nothing after it was stopped, or without columns', async () => {
    const {asked, store, wait} = setUp()
    store.request(query, filled(cost))
    store.stop()
    await wait()
    store.request(query, [])
    await wait()
    expect([asked.length, store.snapshot().reading]).toEqual([0, false])
  })
})
