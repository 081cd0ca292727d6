import {describe, expect, test} from 'vitest'
import type {Answer, Exchange} from './exchange'
import {comparisons, kinds, plans, size, summary, time, total} from './report'

const exchange = (answer: Answer, more: Partial<Exchange> = {}): Exchange => ({
  operation: 'Op',
  answer,
  answered: true,
  status: 200,
  milliseconds: 11.6,
  bytes: 100,
  askedForCost: true,
  requestId: null,
  rateLimit: null,
  ...more,
})

const cost = {calls: {Query: 1, BatchGetItem: 1}, items: 200, rcu: 51.5, wcu: 0}

test.each<[string, Exchange, string]>([
  ['a page', exchange({data: {}, extensions: {cost}}), '2 calls, 51.5 RCU, 12 ms'],
  ['a change', exchange({data: {}, extensions: {cost: {calls: {TransactWriteItems: 1}, items: 3, rcu: 0, wcu: 8}}}), '1 call, 8 WCU, 12 ms'],
  ['nothing read', exchange({data: {}, extensions: {cost: {calls: {}, items: 0, rcu: 0, wcu: 0}}}), '0 calls, 0 RCU, 12 ms'],
  ['not asked', exchange({data: {}}, {askedForCost: false}), '12 ms, cost not requested'],
  [
    'errors',
    exchange({errors: [{message: 'a', extensions: {code: 'CONFLICT'}}, {message: 'b', extensions: {code: 'CONFLICT'}}, {message: 'c'}]}),
    '3 errors (CONFLICT), 12 ms',
  ],
  ['an error without a code', exchange({errors: [{message: 'a'}]}), '1 error, 12 ms'],
  ['nobody there', exchange({errors: [{message: 'The server does not respond.'}]}, {answered: false}), 'No response'],
])('the summary of %s', (_, of, want) => {
  expect(summary(of)).toBe(want)
})

test('figures', () => {
  expect([time(0.2), time(999.4), time(1250)]).toEqual(['1 ms', '999 ms', '1.3 s'])
  expect([size(1), size(999), size(35_120), size(2_400_000)]).toEqual(['1 byte', '999 bytes', '35.1 kB', '2.4 MB'])
  expect(kinds({...cost, calls: {Query: 2, BatchGetItem: 1, GetItem: 2}})).toBe('2 GetItem, 2 Query, 1 BatchGetItem')
})

describe('plans', () => {
  // From docs/filters.md: two conditions whose keys are read.
  const root = {
    kind: 'PAGE',
    label: '',
    estimatedKeys: null,
    estimatedDocuments: null,
    keys: 0,
    documents: 0,
    calls: 0,
    rcu: 0,
    notes: [],
    children: [
      {kind: 'PROBE', label: '', estimatedKeys: null, keys: 322, documents: 0, calls: 4, rcu: 4},
      {
        kind: 'LIST',
        label: 'by num',
        estimatedKeys: 499,
        estimatedDocuments: 21,
        estimatedRcu: 14.5,
        estimatedSequentialCalls: 2,
        keys: 0,
        documents: 0,
        calls: 0,
        rcu: 0,
        children: [
          {kind: 'COLLECT', label: 'state', keys: 214, documents: 0, calls: 1, rcu: 2},
          {kind: 'COLLECT', label: 'priority', keys: 287, documents: 0, calls: 1, rcu: 2.5},
        ],
      },
      {kind: 'FETCH', label: '', keys: 0, documents: 20, calls: 1, rcu: 10},
    ],
  }

  test('are found wherever they are, under any name', () => {
    const data = {
      project: {issues: {nodes: [{text: 'a text'}], explain: {text: 'page\n  walk', root}}, again: {how: {root: {children: []}}}},
      list: [{explain: {text: 'page'}}],
    }
    expect(plans(data).map(p => p.path)).toEqual(['project.issues.explain', 'project.again.how', 'list.0.explain'])
    expect(plans(null)).toEqual([])
  })

  test('are read as far as they were asked for', () => {
    const [plan] = plans({explain: {root: {label: 'by num', children: [{kind: 'SCAN'}]}}})
    expect(plan).toMatchObject({text: null, rejected: [], root: {kind: '', label: 'by num', keys: null, children: [{kind: 'SCAN', notes: [], children: []}]}})
  })

  test('have estimates and reasons', () => {
    const [plan] = plans({explain: {root, rejected: [{label: 'walk by num', reason: 'it costs no less', estimatedRcu: 100, estimatedSequentialCalls: 5}]}})
    expect(plan!.root!.children.map(n => [n.estimatedRcu, n.estimatedSequentialCalls])).toEqual([
      [null, null],
      [14.5, 2],
      [null, null],
    ])
    expect(plan!.rejected).toEqual([
      {label: 'walk by num', reason: 'it costs no less', estimatedKeys: null, estimatedDocuments: null, estimatedRcu: 100, estimatedSequentialCalls: 5},
    ])
  })

  test('compare what was expected with all that it took', () => {
    const page = plans({explain: {root}})[0]!.root!
    expect([total(page, 'keys'), total(page, 'documents'), total(page, 'calls'), total(page, 'rcu')]).toEqual([823, 20, 7, 18.5])
    expect(page.children.map(n => comparisons(n, page))).toEqual([
      [],
      [
        {what: 'keys', expected: 499, real: 501},
        {what: 'documents', expected: 21, real: 20},
      ],
      [],
    ])
  })

  test('compare nothing that was not asked for', () => {
    const page = plans({explain: {root: {kind: 'WALK', estimatedKeys: 10, children: []}}})[0]!.root!
    expect(total(page, 'keys')).toBeNull()
    expect(comparisons(page, page)).toEqual([])
  })
})
