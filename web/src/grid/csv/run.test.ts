import {describe, expect, test, vi} from 'vitest'
import {Refused, type Import, type Mapping, type Server} from './imports'
import {ImportRun, type RunState} from './run'

const mapping: Mapping = {columns: [{column: 'Name', to: 'name'}], rowKey: 'CONTENT'}
const summary = {
  rows: 2,
  added: 2,
  changed: 0,
  unchanged: 0,
  rejected: 0,
  blank: 0,
  skipped: 0,
  cleaned: 0,
  projects: [],
  definitions: [],
  notes: [],
  reasons: [],
  rejects: [],
}

const shown = (change: Partial<Import> = {}): Import => ({
  id: 'i1',
  name: 'a.csv',
  bytes: 10,
  expiresAt: '2026-01-01T00:00:00Z',
  onlyNew: false,
  removeApostrophes: true,
  dryRun: true,
  status: 'RUNNING',
  progress: null,
  mapping: null,
  reading: null,
  summary: null,
  columns: null,
  errors: [],
  rejects: null,
  ...change,
})
const checked = (change: Partial<Import> = {}): Import => shown({status: 'DONE', mapping, summary, columns: [], ...change})
const imported = (change: Partial<Import> = {}): Import => shown({dryRun: false, status: 'DONE', mapping, summary, ...change})
const refused = (status: number, ...messages: string[]) =>
  new Refused(
    status,
    messages.map(message => ({code: 'BAD_USER_INPUT', message})),
  )

const file = new File(['Name\na\nb\n'], 'a.csv')

type Step = Import | Error

/** Returns an import on a server whose import is shown like this, one step for each request. */
function setup(steps: Step[], fakes: Partial<Server> = {}, adjust?: (m: Mapping) => Mapping | null) {
  const show: Server['show'] = () => {
    const step = steps.shift()
    if (!step) throw new Error('asked too often')
    return step instanceof Error ? Promise.reject(step) : Promise.resolve(step)
  }
  const server = {
    upload: vi.fn(fakes.upload ?? (() => Promise.resolve(shown()))),
    show: vi.fn(show),
    start: vi.fn(fakes.start ?? ((_, settings) => Promise.resolve(shown({dryRun: settings.dryRun, status: 'WAITING'})))),
    cancel: vi.fn(fakes.cancel ?? (() => Promise.resolve(shown()))),
    rejects: vi.fn<Server['rejects']>(),
  }
  const run = new ImportRun(file, server, adjust, () => Promise.resolve())
  const states: RunState[] = []
  run.subscribe(() => states.push(run.snapshot()))
  return {run, server, states, phases: () => states.map(s => s.phase).filter((p, i, all) => p !== all[i - 1])}
}

test('a file is uploaded and checked, its mapping edited and checked, and it is imported', async () => {
  const {run, server, phases} = setup([
    shown({progress: {stage: 'checking rows', done: 1, total: 2}}),
    checked(),
    shown({status: 'WAITING'}),
    checked({summary: {...summary, added: 1, rejected: 1}}),
    shown({dryRun: false}),
    imported({rejects: '/imports/i1/rejects'}),
  ])
  await run.upload(file)
  expect(server.upload.mock.calls[0]![1]).toEqual({onlyNew: false, removeApostrophes: true})
  expect(run.snapshot()).toMatchObject({phase: 'review', mapping, edited: false, problems: []})
  const edited: Mapping = {columns: [{column: 'Name', to: 'name'}]}
  run.edit(edited)
  run.configure({onlyNew: true})
  expect(run.snapshot()).toMatchObject({phase: 'review', edited: true, mapping: edited})
  await run.check()
  expect(server.start).toHaveBeenLastCalledWith('i1', {onlyNew: true, removeApostrophes: true, dryRun: true, mapping: edited})
  expect(run.snapshot()).toMatchObject({phase: 'review', edited: false, checked: {summary: {rejected: 1}}})
  await run.begin()
  expect(server.start).toHaveBeenLastCalledWith('i1', {onlyNew: true, removeApostrophes: true, dryRun: false, mapping})
  expect(run.snapshot()).toMatchObject({phase: 'done', shown: {rejects: '/imports/i1/rejects'}})
  expect(phases()).toEqual(['checking', 'review', 'checking', 'review', 'importing', 'done'])
})

test('without apostrophes, the mapping is inferred again', async () => {
  const {run, server} = setup([checked(), checked()])
  await run.upload(file)
  run.configure({removeApostrophes: false})
  expect(run.snapshot()).toMatchObject({mapping: null, edited: true})
  await run.check()
  expect(server.start).toHaveBeenLastCalledWith('i1', {onlyNew: false, removeApostrophes: false, dryRun: true, mapping: {}})
  expect(run.snapshot()).toMatchObject({mapping, edited: false})
})

test('a file that is read differently is inferred again, and what it cannot be read with is forgotten', async () => {
  const told: Mapping = {delimiter: ';', columns: mapping.columns}
  const failed = shown({status: 'FAILED', errors: [{message: 'it has characters that cannot be read as utf-16le'}]})
  const {run, server} = setup([failed, checked(), checked({mapping: told}), failed, checked({mapping: told})])
  const started = (given: object) =>
    expect(server.start).toHaveBeenLastCalledWith('i1', {onlyNew: false, removeApostrophes: true, dryRun: true, mapping: given})
  await run.upload(file)
  expect(run.snapshot()).toMatchObject({phase: 'refused'})
  await run.reread({})
  await run.reread({delimiter: ';'})
  started({delimiter: ';'})
  expect(run.snapshot()).toMatchObject({phase: 'review', mapping: told, edited: false})
  const edited: Mapping = {...told, columns: []}
  run.edit(edited)
  await run.reread({encoding: 'utf-16le'})
  started({delimiter: ';', encoding: 'utf-16le'})
  expect(run.snapshot()).toMatchObject({
    phase: 'review',
    mapping: edited,
    reading: {delimiter: ';'},
    edited: true,
    problems: [{message: expect.stringContaining('utf-16le') as string}],
  })
  await run.reread({header: 0})
  started({delimiter: ';', header: 0})
})

test('an inferred mapping that is adjusted is checked again', async () => {
  const other: Mapping = {columns: [{column: 'Name', to: 'skip'}]}
  const {run, server} = setup([checked({errors: [{message: 'not allowed'}]}), checked({mapping: other})], {}, () => other)
  await run.upload(file)
  expect(server.start).toHaveBeenCalledExactlyOnceWith('i1', {onlyNew: false, removeApostrophes: true, dryRun: true, mapping: other})
  expect(run.snapshot()).toMatchObject({phase: 'review', mapping: other, problems: []})
})

describe('what is refused', () => {
  test('an upload: all problems are shown', async () => {
    const {run} = setup([], {upload: () => Promise.reject(refused(400, 'one', 'two'))})
    await run.upload(file)
    expect(run.snapshot()).toMatchObject({phase: 'refused', problems: [{message: 'one'}, {message: 'two'}]})
  })

  test('a file that cannot be read', async () => {
    const {run} = setup([shown({status: 'FAILED', errors: [{message: 'this is a ZIP file', extensions: {code: 'BAD_USER_INPUT'}}]})])
    await run.upload(file)
    expect(run.snapshot()).toMatchObject({phase: 'refused', problems: [{code: 'BAD_USER_INPUT', message: 'this is a ZIP file'}]})
  })

  test('a mapping: the dialog stays', async () => {
    const {run} = setup([checked()], {start: () => Promise.reject(refused(400, 'no column becomes the name'))})
    await run.upload(file)
    run.edit({columns: []})
    await run.check()
    expect(run.snapshot()).toMatchObject({phase: 'review', edited: true, starting: false, failures: [{message: 'no column becomes the name'}]})
    run.edit(mapping)
    expect(run.snapshot().failures).toEqual([])
  })

  test('an import that fails: what it did is shown', async () => {
    const {run} = setup([checked(), imported({status: 'FAILED', errors: [{message: 'the table is full'}]})])
    await run.upload(file)
    await run.begin()
    expect(run.snapshot()).toMatchObject({phase: 'done', shown: {status: 'FAILED', summary}, problems: [{message: 'the table is full'}]})
  })

  test('requests for the progress of an import: it may still run', async () => {
    const {run} = setup([checked(), new Refused(404, [{code: 'NOT_FOUND', message: 'no such import'}])])
    await run.upload(file)
    await run.begin()
    expect(run.snapshot()).toMatchObject({phase: 'done', problems: [{code: 'NOT_FOUND', message: expect.stringContaining('It is not known') as string}]})
  })
})

describe('an unreliable network', () => {
  test('does not end an import', async () => {
    const {run, states} = setup([
      new TypeError('Failed to fetch'),
      checked(),
      new Refused(503, [{code: 'UNAVAILABLE', message: 'busy'}]),
      new TypeError('Failed to fetch'),
      imported(),
    ])
    await run.upload(file)
    await run.begin()
    expect(run.snapshot()).toMatchObject({phase: 'done', silent: null})
    expect(states.filter(s => s.silent).map(s => s.silent!.code)).toEqual(['OFFLINE', 'UNAVAILABLE', 'OFFLINE'])
  })

  test('may lose the response to a start: what was begun is followed', async () => {
    const start = vi.fn<Server['start']>().mockRejectedValue(new TypeError('Failed to fetch'))
    const {run} = setup([checked(), shown({dryRun: false}), imported()], {start})
    await run.upload(file)
    await run.begin()
    expect(start).toHaveBeenCalledOnce()
    expect(run.snapshot()).toMatchObject({phase: 'done', problems: [], failures: []})
  })

  test('may prevent a start: it can be tried again', async () => {
    const start = vi
      .fn<Server['start']>()
      .mockRejectedValueOnce(new TypeError('Failed to fetch'))
      .mockResolvedValue(shown({dryRun: false}))
    const {run} = setup([checked(), checked(), imported()], {start})
    await run.upload(file)
    await run.begin()
    expect(run.snapshot()).toMatchObject({phase: 'review', starting: false, edited: false, problems: [], failures: [{code: 'OFFLINE'}]})
    await run.begin()
    expect(run.snapshot()).toMatchObject({phase: 'done', failures: []})
  })

  test('does not end the following of an import that was begun before', async () => {
    const {run} = setup([new Refused(503, [{code: 'UNAVAILABLE', message: 'busy'}]), shown({dryRun: false}), imported()])
    await run.resume('i1')
    expect(run.snapshot()).toMatchObject({phase: 'done', shown: {summary}})
  })

  test('a session that has expired ends the requests', async () => {
    const {run, server} = setup([checked(), shown({dryRun: false}), new Refused(401, [{code: 'UNAUTHENTICATED', message: 'Sign in again.'}])])
    await run.upload(file)
    await run.begin()
    expect(server.show).toHaveBeenCalledTimes(3)
    expect(run.snapshot()).toMatchObject({phase: 'done', shown: {status: 'RUNNING'}, problems: [{code: 'UNAUTHENTICATED'}]})
  })
})

describe('while a start has no response', () => {
  test.each(['begin', 'check'] as const)('%s is not sent twice, and closing the dialog cancels a check', async act => {
    let answer: (i: Import) => void = () => undefined
    const start = vi.fn<Server['start']>(() => new Promise(resolve => (answer = resolve)))
    const {run, server, phases} = setup([checked()], {start})
    await run.upload(file)
    const first = run[act]()
    expect(run.snapshot().starting).toBe(true)
    expect(run.begun()).toBe(act === 'begin')
    await run[act]()
    expect(start).toHaveBeenCalledOnce()
    run.close()
    answer(shown({dryRun: act === 'check'}))
    await first
    expect(vi.mocked(server.cancel).mock.calls).toEqual(act === 'check' ? [['i1']] : [])
    expect(phases()).not.toContain('importing')
    expect(server.show).toHaveBeenCalledOnce()
  })
})

describe('an import that was begun before the page was loaded', () => {
  test('is followed to its end', async () => {
    const {run, phases} = setup([shown({dryRun: false}), shown({dryRun: false}), imported()])
    await run.resume('i1')
    expect(run.snapshot()).toMatchObject({phase: 'done', shown: {summary}})
    expect(phases()).toEqual(['importing', 'done'])
  })

  test.each([
    ['has ended', imported(), 'done'],
    ['is gone', refused(404, 'no such import'), 'refused'],
  ])('%s', async (_, step, phase) => {
    const {run} = setup([step])
    await run.resume('i1')
    expect(run.snapshot().phase).toBe(phase)
  })
})

describe('canceling', () => {
  test('shows what was written', async () => {
    let ask: (i: Import) => void = () => undefined
    const {run, server} = setup([checked()])
    await run.upload(file)
    server.show.mockImplementation(() => new Promise(resolve => (ask = resolve)))
    const ended = run.begin()
    await vi.waitFor(() => expect(server.show).toHaveBeenCalledTimes(2))
    await run.cancel()
    await run.cancel()
    expect(server.cancel).toHaveBeenCalledExactlyOnceWith('i1')
    expect(run.snapshot()).toMatchObject({canceling: true, phase: 'importing'})
    ask(imported({status: 'CANCELED'}))
    await ended
    expect(run.snapshot()).toMatchObject({phase: 'done', canceling: false, shown: {status: 'CANCELED'}})
  })

  test('comes too late without harm, and can be tried again after a failure', async () => {
    const cancel = vi.fn<Server['cancel']>().mockRejectedValueOnce(new TypeError('Failed to fetch')).mockRejectedValueOnce(refused(409, 'it has ended'))
    const {run} = setup([checked()], {cancel})
    await run.upload(file)
    await run.cancel()
    expect(run.snapshot()).toMatchObject({canceling: false, failures: [{code: 'OFFLINE'}]})
    await run.cancel()
    expect(run.snapshot()).toMatchObject({canceling: true, failures: []})
    expect(cancel).toHaveBeenCalledTimes(2)
  })

  test('closing the dialog cancels a dry run, and asks no more', async () => {
    const {run, server} = setup([])
    server.show.mockImplementation(() => {
      run.close()
      return Promise.resolve(shown())
    })
    await run.upload(file)
    expect(server.cancel).toHaveBeenCalledExactlyOnceWith('i1')
    expect(server.show).toHaveBeenCalledOnce()
  })

  test('closing the dialog during the upload cancels the dry run that it begins', async () => {
    const {run, server} = setup([])
    server.upload.mockImplementation(() => {
      run.close()
      return Promise.resolve(shown())
    })
    await run.upload(file)
    expect(server.cancel).toHaveBeenCalledWith('i1')
    expect(server.show).not.toHaveBeenCalled()
  })
})
