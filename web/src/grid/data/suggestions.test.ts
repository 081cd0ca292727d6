import {ApolloClient, ApolloLink} from '@apollo/client'
import {of} from 'rxjs'
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest'
import {textColumn} from '../test/fixtures'
import {newCache} from './client'
import {calm, readSuggestions, SuggestionStore, type Suggestions} from './suggestions'

const values = (...texts: string[]) => texts.map(text => ({text, total: 1, exact: true}))

describe('suggestions', () => {
  let asked: {prefix: string; signal: AbortSignal; answer: (s: Suggestions) => void; fail: () => void}[]
  let store: SuggestionStore
  const texts = () => store.snapshot().map(s => s.text)
  const after = (ms: number) => vi.advanceTimersByTimeAsync(ms)

  beforeEach(() => {
    vi.useFakeTimers()
    asked = []
    store = new SuggestionStore(
      (prefix, signal) => new Promise((answer, reject) => asked.push({prefix, signal, answer, fail: () => reject(new Error('overloaded'))})),
    )
  })
  afterEach(() => vi.useRealTimers())

  test('are read when typing pauses, at once before anything is typed', async () => {
    store.request('')
    await after(0)
    expect(asked.map(a => a.prefix)).toEqual([''])
    store.request('a')
    await after(calm - 1)
    store.request('an ')
    await after(calm - 1)
    expect(asked).toHaveLength(1)
    await after(1)
    expect(asked.map(a => a.prefix)).toEqual(['', 'an'])
  })

  test('for a text that is superseded are given up', async () => {
    store.request('a')
    await after(calm)
    store.request('b')
    expect(asked[0]!.signal.aborted).toBe(true)
    await after(calm)
    asked[1]!.answer({values: values('bee'), complete: false})
    await after(0)
    asked[0]!.answer({values: values('ant'), complete: false})
    await after(0)
    expect(texts()).toEqual(['bee'])
    store.request('be')
    await after(calm)
    store.stop()
    expect(asked[2]!.signal.aborted).toBe(true)
  })

  test('of a longer text are not asked for if all are known', async () => {
    store.request('a')
    await after(calm)
    asked[0]!.answer({values: values('ant', 'ape'), complete: true})
    await after(0)
    store.request('an')
    await after(calm)
    expect(asked).toHaveLength(1)
    store.request('b')
    await after(calm)
    expect(asked.map(a => a.prefix)).toEqual(['a', 'b'])
  })

  test('that fail are none, and the next text is asked for', async () => {
    store.request('a')
    await after(calm)
    asked[0]!.answer({values: values('ant'), complete: false})
    await after(0)
    store.request('an')
    await after(calm)
    asked[1]!.fail()
    await after(0)
    expect(texts()).toEqual([])
    store.request('ant')
    await after(calm)
    expect(asked.map(a => a.prefix)).toEqual(['a', 'an', 'ant'])
  })

  test('are not asked for with a text that is too long for a prefix', async () => {
    store.request('a'.repeat(256))
    await after(calm)
    expect(asked).toEqual([])
  })
})

test('values are read in one operation, without the group of the issues that have none', async () => {
  const sent: Record<string, unknown>[] = []
  const node = (key: string, text: string | null, totalCount: number | null) => ({
    __typename: 'IssueGroup',
    key,
    text,
    totalCount,
    totalCountPrecision: totalCount && 'EXACT',
  })
  const groups = {
    __typename: 'IssueGroupConnection',
    nodes: [node('1', 'Ann', 12), node('2', 'Bea', null), node('3', null, 7)],
    pageInfo: {__typename: 'PageInfo', hasNextPage: false},
    incomplete: false,
  }
  const link = new ApolloLink(({variables}) => {
    sent.push(variables)
    return of({
      data: {project: {__typename: 'Project', id: 'p', groups}},
      errors: [{message: 'too expensive', path: ['project', 'groups', 'nodes', 1, 'totalCount']}],
    })
  })
  const client = new ApolloClient({cache: newCache(), link})
  const found = await readSuggestions(client, 'p', textColumn('f-1'), '', new AbortController().signal)
  expect(sent).toEqual([{project: 'p', by: [{column: {fieldId: 'f-1'}}], prefix: null, first: 10}])
  expect(found).toEqual({
    values: [
      {text: 'Ann', total: 12, exact: true},
      {text: 'Bea', total: null, exact: false},
    ],
    complete: true,
  })
})
