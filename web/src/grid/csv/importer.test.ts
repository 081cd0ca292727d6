import {CombinedGraphQLErrors} from '@apollo/client'
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest'
import type {NewIssueInput} from '../../gql/graphql'
import {readCell} from './cells'
import {Chunker, halves, weigh, type Chunk} from './chunks'
import {newOptions} from './fields'
import {column, nameColumn, options, tableOf} from '../test/fixtures'
import {Importer, type Outcome, type Send} from './importer'
import {checkCell, issueOf, missingColumns, newChecked, refusedRows, type Mapped} from './mapping'
import {rejectsFile} from './rejects'
import {openTable} from './table'

const failure = (code: string, message = code) => new CombinedGraphQLErrors({errors: [{message, extensions: {code}}]})

describe('chunks', () => {
  const chunksOf = (issues: NewIssueInput[], limits?: ConstructorParameters<typeof Chunker>[1]): Chunk[] => {
    const chunker = new Chunker('k', limits)
    const chunks = issues.flatMap((issue, i) => chunker.add({row: i + 2, issue}) ?? [])
    return [...chunks, ...[chunker.end() ?? []].flat()]
  }
  const named = (n: number, name = 'x'): NewIssueInput[] => Array.from({length: n}, () => ({name}))

  test('are of a hundred rows, in their order, with keys of their own', () => {
    const chunks = chunksOf(named(250))
    expect(chunks.map(c => [c.key, c.rows.length, c.rows[0]!.row])).toEqual([
      ['k-1', 100, 2],
      ['k-2', 100, 102],
      ['k-3', 50, 202],
    ])
  })

  test('are smaller where rows are large', () => {
    const issues = named(10, 'é'.repeat(45_000)) // 90 kB each
    const chunks = chunksOf(issues)
    expect(chunks.map(c => c.rows.length)).toEqual([2, 2, 2, 2, 2])
    for (const c of chunks) expect(JSON.stringify(c.rows.map(r => r.issue)).length).toBeLessThan(262_144)
  })

  test('hold no more values than the server takes', () => {
    const values = Array.from({length: 60}, (_, i) => ({field: `f${i}`, value: {options: ['a', 'b']}}))
    const chunks = chunksOf(Array.from({length: 100}, () => ({name: 'x', values})))
    const scalarsAndLists = (v: unknown): number =>
      1 + (typeof v === 'object' && v !== null ? Object.values(v).reduce((n: number, x) => n + scalarsAndLists(x), 0) : 0)
    expect(chunks.length).toBeGreaterThan(1)
    for (const c of chunks) {
      const sum = c.rows.reduce((n, r) => n + weigh(r.issue).values, 0)
      expect(sum).toBeGreaterThanOrEqual(scalarsAndLists(c.rows.map(r => r.issue)) - 1)
      expect(sum).toBeLessThanOrEqual(15_000)
      expect(c.rows.length * (8 + 4 * 60)).toBeLessThanOrEqual(20_000)
    }
  })

  test('a row that is too large alone is a chunk alone', () => {
    expect(chunksOf([...named(1), ...named(1, 'x'.repeat(300_000)), ...named(1)]).map(c => c.rows.length)).toEqual([1, 1, 1])
  })

  test('halves have other keys, and no row twice', () => {
    const [chunk] = chunksOf(named(5))
    expect(halves(chunk!).map(h => [h.key, h.rows.map(r => r.row)])).toEqual([
      ['k-1.1', [2, 3, 4]],
      ['k-1.2', [5, 6]],
    ])
  })
})

describe('rows', () => {
  const mapped: Mapped[] = [nameColumn, column('INTEGER'), column('SELECT', {required: true})].map((c, index) => ({
    index,
    name: c.label,
    column: c,
    addOptions: false,
  }))
  const row = (...cells: string[]) => ({row: 2, cells})
  const strict = {leaveEmpty: false, guarded: true}

  test('become issues, without what is empty', () => {
    expect(issueOf(row('a', '', 'Low'), mapped, strict)).toEqual({issue: {name: 'a', values: [{field: 'f-SELECT', value: {option: 'o0'}}]}})
  })

  test('are refused with all their reasons', () => {
    expect(issueOf(row('', 'x', 'Low'), mapped, strict)).toEqual({
      reasons: [
        {column: 'Name', message: 'A name is required'},
        {column: 'INTEGER', message: '“x” is not an integer'},
      ],
    })
  })

  test('lose the cells that do not fit, where that is wanted and possible', () => {
    expect(issueOf(row('a', 'x', 'Low'), mapped, {...strict, leaveEmpty: true})).toMatchObject({issue: {name: 'a'}})
    expect(issueOf(row('a', '1', 'Middle'), mapped, {...strict, leaveEmpty: true})).toEqual({
      reasons: [{column: 'SELECT', message: '“Middle” is not one of the options'}],
    })
  })

  test('that are too short are so only where cells may be left empty', () => {
    const broken = {row: 2, cells: ['a'], wrong: {message: 'too short', short: true}}
    expect(issueOf(broken, mapped.slice(0, 2), strict)).toEqual({reasons: [{column: '', message: 'too short'}]})
    expect(issueOf(broken, mapped.slice(0, 2), {...strict, leaveEmpty: true})).toEqual({issue: {name: 'a'}})
  })

  test('are counted before', () => {
    const select = column('SELECT')
    const checked = newChecked()
    ;['Low', 'Middle', 'middle', '', 'x'.repeat(256), 'Other'].forEach((cell, i) => checkCell(checked, select, i + 2, cell, true))
    expect(checked).toMatchObject({filled: 5, wanting: [3, 4, 7], wrong: [6]})
    expect([...checked.missing.values()]).toEqual(['Middle', 'Other'])
    expect(checked.examples.map(e => e.row)).toEqual([3, 4, 6])
    const names = {...newChecked(), wrong: [3, 9]}
    const broken = [
      {row: 20, cells: [], wrong: {message: '', short: true}},
      {row: 21, cells: [], wrong: {message: '', short: false}},
    ]
    const parts = (addOptions: boolean) => [
      {column: select, addOptions, checked},
      {column: nameColumn, addOptions: false, checked: names},
    ]
    expect(refusedRows(parts(false), broken, false)).toBe(7)
    expect(refusedRows(parts(true), broken, false)).toBe(5)
    expect(refusedRows(parts(true), broken, true)).toBe(3)
  })

  test('need the columns that are required', () => {
    expect(missingColumns([nameColumn, column('SELECT', {id: 'state', builtin: 'STATE', required: true}), column('DATE', {required: true})], [])).toEqual([
      'Name',
      'DATE',
    ])
  })
})

test('only the options that are missing are added, each once', () => {
  expect(newOptions(options.slice(0, 2), ['low', 'New', 'new', 'Other'])).toEqual([{name: 'New'}, {name: 'Other'}])
})

describe('an import', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  /** Returns an in-memory server that creates issues only once per key. */
  function server(
    fail: (call: number, issues: NewIssueInput[]) => Error | undefined = () => undefined,
    after: (call: number) => Error | undefined = () => undefined,
  ) {
    const made: string[] = []
    const answers = new Map<string, Outcome[]>()
    const keys: string[] = []
    let atOnce = 0
    let most = 0
    const send: Send = async (issues, key) => {
      most = Math.max(most, ++atOnce)
      try {
        await Promise.resolve()
        keys.push(key)
        const error = fail(keys.length, issues)
        if (error) throw error
        if (!answers.has(key))
          answers.set(
            key,
            issues.map(i =>
              i.name === 'bad'
                ? {errors: [{__typename: 'UserError', code: 'BAD_USER_INPUT', message: 'no', path: 'issues[0].values[0].value'}]}
                : {issue: {num: made.push(i.name)}, errors: []},
            ),
          )
        const lost = after(keys.length)
        if (lost) throw lost
        return answers.get(key)!
      } finally {
        atOnce--
      }
    }
    return {send, made, keys, most: () => most}
  }
  const mapped: Mapped[] = [nameColumn, column('INTEGER')].map((c, index) => ({index, name: c.label, column: c, addOptions: false}))
  const rows = (n: number) => Array.from({length: n}, (_, i) => [`row ${i}`, '1'])
  const importer = (s: {send: Send}, all: ConstructorParameters<typeof Importer>[0]) =>
    new Importer(all, mapped, {leaveEmpty: false, guarded: true}, 'key', s.send, () => 0)

  test('makes all rows in their order, one chunk after the other', async () => {
    const s = server()
    const i = importer(s, tableOf(['Name', 'n'], rows(1050)))
    await i.run()
    expect(s.made).toEqual(rows(1050).map(([name]) => name))
    expect(s.keys).toEqual(Array.from({length: 11}, (_, n) => `key-${n + 1}`))
    expect(s.most()).toBe(1)
    expect(i.snapshot()).toMatchObject({phase: 'done', made: 1050, refused: 0, failure: null, first: 1, last: 1050, bytes: 1050})
  })

  test('tells which rows were refused, and why', async () => {
    const s = server()
    const all = rows(250)
    all[3] = ['bad', '1']
    all[120] = ['x', 'y']
    const i = importer(s, tableOf(['Name', 'Count'], all))
    await i.run()
    expect(i.snapshot()).toMatchObject({made: 248, refused: 2})
    expect([...i.refusals]).toEqual([
      [5, {reasons: [{column: 'INTEGER', message: 'no'}]}],
      [122, {reasons: [{column: 'INTEGER', message: '“y” is not an integer'}]}],
    ])
    const file = await openTable(new File(await rejectsFile(tableOf(['Name', 'Count'], all), i.refusals, i.through, true), 'r.csv'))
    expect(file.header).toEqual(['reject_line', 'reject_column', 'reject_reason', 'Name', 'Count'])
    for await (const batch of file.rows())
      expect(batch.rows.map(r => r.cells)).toEqual([
        ['5', 'INTEGER', 'no', 'bad', '1'],
        ['122', 'INTEGER', '“y” is not an integer', 'x', 'y'],
      ])
  })

  test('writes a file of refused rows that runs no formulas and is read as before', async () => {
    const cells = ['=1', "'=1", "'x;'=1", 'a;=1', "'-5", '-5', '\t2026-01-31']
    const i = importer(
      server(),
      tableOf(
        ['Name', '=2;=3'],
        cells.map(c => ['', c]),
      ),
    )
    await i.run()
    const written = async (guarded: boolean) => {
      const file = await openTable(
        new File(
          await rejectsFile(
            tableOf(
              ['Name', '=2;=3'],
              cells.map(c => ['', c]),
            ),
            i.refusals,
            i.through,
            guarded,
          ),
          'r.csv',
        ),
      )
      const rows: (readonly string[])[] = []
      for await (const batch of file.rows()) rows.push(...batch.rows.map(r => r.cells))
      expect(file.header[4]).toBe('=2;=3')
      return rows.map(r => r[4])
    }
    expect(await written(true)).toEqual(["'=1", "'=1", "'x;'=1", "'a;'=1", "'-5", '-5', "'\t2026-01-31"])
    expect(await written(false)).toEqual(cells)
    expect(readCell(column('DATE'), "'\t2026-01-31", true)).toEqual({value: '2026-01-31'})
  })

  test('makes nothing twice when an answer is lost', async () => {
    const s = server(undefined, call => (call === 2 ? new TypeError('Failed to fetch') : undefined))
    const i = importer(s, tableOf(['Name', 'n'], rows(300)))
    const run = i.run()
    await vi.advanceTimersByTimeAsync(10_000)
    await run
    expect(s.keys).toEqual(['key-1', 'key-2', 'key-2', 'key-3'])
    expect(s.made).toHaveLength(300)
    expect(i.snapshot()).toMatchObject({made: 300, refused: 0, pause: null})
  })

  test('pauses while the server takes nothing, and goes on by itself', async () => {
    const s = server(call => (call < 4 ? failure('RATE_LIMITED') : undefined))
    const i = importer(s, tableOf(['Name', 'n'], rows(50)))
    const run = i.run()
    await vi.advanceTimersByTimeAsync(1)
    expect(i.snapshot().pause).toMatchObject({problem: {code: 'RATE_LIMITED'}, until: expect.any(Number) as number})
    await vi.advanceTimersByTimeAsync(60_000)
    await run
    expect(i.snapshot()).toMatchObject({made: 50})
  })

  test('goes on when it is told to', async () => {
    const s = server(call => (call === 1 ? failure('UNAUTHENTICATED') : undefined))
    const i = importer(s, tableOf(['Name', 'n'], rows(50)))
    const run = i.run()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(i.snapshot().pause).toMatchObject({until: null})
    i.resume()
    await run
    expect(i.snapshot()).toMatchObject({made: 50})
  })

  test('that is cancelled stops behind the chunk under way, and accounts for every row', async () => {
    const s = server()
    const all = rows(1000)
    all[10] = ['', '']
    const table = tableOf(['Name', 'n'], all, 30)
    const i = importer(s, table)
    i.subscribe(() => i.snapshot().made > 200 && i.cancel())
    await i.run()
    const {made, refused, cancelled, failure} = i.snapshot()
    expect({made, refused, cancelled, failure}).toEqual({made: 300, refused: 1, cancelled: true, failure: null})
    const file = await openTable(new File(await rejectsFile(table, i.refusals, i.through, true), 'r.csv'))
    const left: string[] = []
    for await (const batch of file.rows()) left.push(...batch.rows.map(r => `${r.cells[0]} ${r.cells[2]}`))
    expect(left).toHaveLength(1000 - made)
    expect(left[0]).toBe('12 A name is required')
    expect(left[1]).toBe('303 not sent')
  })

  test('that is cancelled while it is paused says what is not known', async () => {
    const s = server(undefined, call => (call === 2 ? new TypeError('Failed to fetch') : undefined))
    const i = importer(s, tableOf(['Name', 'n'], rows(300)))
    const run = i.run()
    await vi.advanceTimersByTimeAsync(1)
    i.cancel()
    await run
    expect(i.snapshot()).toMatchObject({made: 100, refused: 100, cancelled: true})
    expect([...i.refusals.values()].every(r => r.unknown)).toBe(true)
  })

  test('halves a chunk that the server takes only in parts', async () => {
    const s = server((_, issues) => (issues.length > 30 || issues.some(i => i.name === 'row 7') ? failure('BAD_USER_INPUT', 'too much') : undefined))
    const i = importer(s, tableOf(['Name', 'n'], rows(200)))
    await i.run()
    expect(i.snapshot()).toMatchObject({made: 199, refused: 1, failure: null})
    expect(i.refusals.get(9)).toEqual({reasons: [{column: '', message: 'too much'}]})
    expect(new Set(s.keys).size).toBe(s.keys.length)
    expect(s.made).toEqual(
      rows(200)
        .map(([name]) => name)
        .filter(n => n !== 'row 7'),
    )
  })

  test('ends where it may not go on', async () => {
    const s = server(call => (call === 2 ? failure('FORBIDDEN', 'you may not') : undefined))
    const i = importer(s, tableOf(['Name', 'n'], rows(300)))
    await i.run()
    expect(i.snapshot()).toMatchObject({made: 100, refused: 100, failure: {code: 'FORBIDDEN'}})
    expect(i.through).toBe(201)
  })

  test('ends where the server takes no such requests at all', async () => {
    const s = server(() => failure('BAD_USER_INPUT', 'unknown operation'))
    const i = importer(s, tableOf(['Name', 'n'], rows(5000)))
    await i.run()
    expect(i.snapshot()).toMatchObject({made: 0, failure: {message: 'unknown operation'}})
    expect(s.keys.length).toBeLessThan(300)
  })

  test('of rows that are all refused holds none of them back', async () => {
    const i = importer(
      server(),
      tableOf(
        ['Name', 'n'],
        Array.from({length: 5000}, () => ['', '']),
      ),
    )
    const seen: number[] = []
    i.subscribe(() => seen.push(i.snapshot().refused))
    await i.run()
    expect(i.snapshot()).toMatchObject({made: 0, refused: 5000})
    expect(new Set(seen).size).toBeGreaterThan(3)
  })
})
