import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest'
import {CellsDocument} from '../../gql/graphql'
import type {Problem} from './client'
import {rowValue, type Column} from '../model/columns'
import {knownValues, referring} from './choices'
import type {GridRows} from './rows'
import {Edits, type CellChange} from './edits'
import {columns, FakeServer} from '../test/fakeserver'
import {user} from '../test/fixtures'
import {ask, readRow} from './source'
import {PersonValue, type Value} from '../model/values'

const {name, state, description, text, count, essay, person} = columns
const fields = [text.id, count.id, essay.id, person.id]

let server: FakeServer
let edits: Edits
let failed: {problem: Problem; retry: () => void}[]
let removed: string[]
let restored: number
let changed: string[]
let moved: string[]

const warnings = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')] // Apollo's warnings about missing fields

beforeEach(async () => {
  server = new FakeServer('one', 'two', 'three')
  failed = []
  removed = []
  restored = 0
  changed = []
  moved = []
  edits = new Edits(server.client, 'p', {
    failed: (problem, retry) => failed.push({problem, retry}),
    removed: ids => removed.push(...ids),
    restored: () => restored++,
    changed: columns => changed.push(...columns.map(c => c.id)),
    moved: column => moved.push(column.id),
  })
  await ask(server.client, CellsDocument, {ids: ['i1', 'i2', 'i3'], fields})
  server.requests.length = 0
})

afterEach(() => {
  for (const w of warnings) expect(w).not.toHaveBeenCalled()
})

/** Returns the value that the page shows. */
const shown = (id: string, column: Column): Value | undefined => {
  const row = readRow(server.client.cache, id, fields)
  return row ? rowValue(row, column, fields) : undefined
}
const cell = (column: Column, before: Value, value: Value): CellChange => ({column, before, value})
const change = (id: string, column: Column, before: Value, value: Value) =>
  edits.change([{id, cells: [cell(column, before, value)]}], `change of ${column.label}`)
/** Changes the names of all issues at once. */
const renameAll = (value: string) =>
  edits.change(
    ['one', 'two', 'three'].map((n, i) => ({id: `i${i + 1}`, cells: [cell(name, n, value)]})),
    'pasting',
  )
const names = () => [...server.issues.values()].map(i => i.name)
const settled = () => vi.waitFor(() => expect(edits.snapshot().pending).toBe(0))

describe('a change', () => {
  test('is shown at once, and stays when the server has it', async () => {
    server.hold()
    const done = change('i1', name, 'one', 'first')
    expect(shown('i1', name)).toBe('first')
    expect(server.issue('i1').name).toBe('one')
    expect(edits.snapshot()).toMatchObject({pending: 1, undo: 'change of name'})
    await vi.waitFor(() => expect(server.waiting).toBe(1))
    server.letGo()
    expect(await done).toEqual([])
    expect(server.issue('i1')).toMatchObject({name: 'first', version: 2})
    expect(shown('i1', name)).toBe('first')
    expect(readRow(server.client.cache, 'i1', fields)?.version).toBe(2)
    expect(changed).toEqual(['name'])
    expect(edits.snapshot().pending).toBe(0)
  })

  test('of several cells is one request', async () => {
    await edits.change([{id: 'i1', cells: [cell(state, 'open', 'closed'), cell(text, null, 'a'), cell(count, null, '7')]}], 'x')
    expect(server.updates).toHaveLength(1)
    expect(server.issue('i1')).toMatchObject({state: 'closed', values: {[text.id]: 'a', [count.id]: '7'}})
    expect(shown('i1', count)).toBe('7')
  })

  test('to what is there already is none', async () => {
    await change('i1', name, 'one', 'one')
    expect(server.requests).toEqual([])
    expect(edits.snapshot().undo).toBeNull()
  })

  test('is rolled back when the server refuses it, and can’t be undone then', async () => {
    server.fate = r => (r.name === 'UpdateIssue' ? 'BAD_USER_INPUT' : null)
    const done = change('i1', text, null, 'a')
    expect(shown('i1', text)).toBe('a')
    expect(await done).toMatchObject([{id: 'i1', problem: {code: 'BAD_USER_INPUT'}}])
    expect(shown('i1', text)).toBeNull()
    expect(moved).toEqual([])
    expect(failed).toMatchObject([{problem: {code: 'BAD_USER_INPUT'}}])
    expect(edits.snapshot().undo).toBeNull()
  })

  test('of an issue that is gone says so, and takes it out of the grid', async () => {
    server.issue('i1').trashed = true
    await change('i1', name, 'one', 'first')
    expect(removed).toEqual(['i1'])
    expect(failed[0]?.problem.code).toBe('NOT_FOUND')
  })

  test('waits for the one before it, of the same issue; both are shown', async () => {
    server.hold()
    const both = [change('i1', name, 'one', 'first'), change('i1', text, null, 'a')]
    expect([shown('i1', name), shown('i1', text)]).toEqual(['first', 'a'])
    await vi.waitFor(() => expect(server.waiting).toBe(1))
    server.letGo()
    await Promise.all(both)
    expect(server.updates.map(u => u.version)).toEqual([1, 2])
    expect(server.issue('i1')).toMatchObject({name: 'first', version: 3, values: {[text.id]: 'a'}})
  })

  test('behind one that failed begins where that began', async () => {
    let refuse = true
    server.fate = r => {
      const no = refuse && r.name === 'UpdateIssue'
      if (no) refuse = false
      return no ? 'BAD_USER_INPUT' : null
    }
    const both = [change('i1', text, null, 'a'), change('i1', text, 'a', 'b')]
    expect(shown('i1', text)).toBe('b')
    await Promise.all(both)
    expect(edits.snapshot().conflicts).toEqual([])
    expect(server.issue('i1').values[text.id]).toBe('b')
    await edits.undo()
    expect(server.issue('i1').values[text.id]).toBeNull()
  })

  test('goes on behind one whose text could not even be read', async () => {
    server.fate = r => (r.name === 'LongTexts' ? 'away' : null)
    await Promise.all([change('i1', essay, null, 'long'), change('i1', name, 'one', 'first')])
    expect(failed.map(f => f.problem.code)).toEqual(['OFFLINE'])
    expect(server.issue('i1').name).toBe('first')
  })
})

describe('retrying', () => {
  test('after being offline keeps the key, for the same version', async () => {
    server.fate = () => 'away'
    await change('i1', name, 'one', 'first')
    expect(shown('i1', name)).toBe('one')
    server.fate = () => null
    failed[0]!.retry()
    expect(shown('i1', name)).toBe('first')
    await settled()
    const [a, b] = server.updates
    expect(b).toEqual(a)
    expect(server.issue('i1')).toMatchObject({name: 'first', version: 2})
    expect(edits.snapshot().undo).toBe('change of name')
  })

  test('what was done although its answer was lost does it once', async () => {
    server.fate = r => (r.name === 'UpdateIssue' ? 'lost' : null)
    await change('i1', name, 'one', 'first')
    server.fate = () => null
    failed[0]!.retry()
    await settled()
    expect(server.issue('i1').version).toBe(2)
    expect(shown('i1', name)).toBe('first')
  })

  test('for a later version takes another key', async () => {
    server.fate = () => 'away'
    await change('i1', name, 'one', 'first')
    server.fate = () => null
    server.elsewhere('i1', {state: 'closed'})
    failed[0]!.retry()
    await settled()
    const [a, b, c] = server.updates
    expect(b).toEqual(a)
    expect(c?.version).toBe(2)
    expect(c?.key).not.toBe(a?.key)
  })

  test('is of all the issues that failed', async () => {
    server.fate = () => 'away'
    await renameAll('x')
    expect(failed).toHaveLength(1)
    server.fate = () => null
    failed[0]!.retry()
    await settled()
    expect(names()).toEqual(['x', 'x', 'x'])
  })
})

describe('when somebody else was faster', () => {
  test('with another cell, both changes are there', async () => {
    server.elsewhere('i1', {state: 'closed'})
    await change('i1', name, 'one', 'first')
    expect(server.issue('i1')).toMatchObject({name: 'first', state: 'closed', version: 3})
    expect(shown('i1', state)).toBe('closed')
    expect(edits.snapshot().conflicts).toEqual([])
    expect(failed).toEqual([])
  })

  test('with the same value, there is nothing to do', async () => {
    server.elsewhere('i1', {name: 'first'})
    await change('i1', name, 'one', 'first')
    expect(server.issue('i1').version).toBe(2)
    expect(edits.snapshot().conflicts).toEqual([])
  })

  test('with the same cell, theirs is shown until one is chosen', async () => {
    server.elsewhere('i1', {name: 'theirs'})
    await edits.change([{id: 'i1', cells: [cell(name, 'one', 'mine'), cell(text, null, 'a')]}], 'x')
    expect(shown('i1', name)).toBe('theirs')
    expect(server.issue('i1')).toMatchObject({name: 'theirs', values: {[text.id]: 'a'}})
    expect(edits.snapshot().conflicts).toMatchObject([{id: 'i1', num: 1, theirs: 'theirs', change: {before: 'one', value: 'mine'}}])
  })

  test('choosing mine saves it; undoing that brings theirs back', async () => {
    server.elsewhere('i1', {name: 'theirs'})
    await change('i1', name, 'one', 'mine')
    const [conflict] = edits.snapshot().conflicts
    await edits.resolve(conflict!, 'mine')
    expect(edits.snapshot().conflicts).toEqual([])
    expect(server.issue('i1').name).toBe('mine')
    await edits.undo()
    expect(server.issue('i1').name).toBe('theirs')
  })

  test('choosing theirs changes nothing, and leaves nothing to undo', async () => {
    server.elsewhere('i1', {name: 'theirs'})
    await change('i1', name, 'one', 'mine')
    await edits.resolve(edits.snapshot().conflicts[0]!, 'theirs')
    expect(server.issue('i1')).toMatchObject({name: 'theirs', version: 2})
    expect(edits.snapshot()).toMatchObject({conflicts: [], undo: null})
  })

  test('a cell is in one conflict at a time', async () => {
    server.elsewhere('i1', {name: 'theirs'})
    await Promise.all([change('i1', name, 'one', 'mine'), change('i1', name, 'mine', 'mine, later')])
    expect(edits.snapshot().conflicts).toMatchObject([{theirs: 'theirs', change: {before: 'one', value: 'mine, later'}}])
  })

  test('a conflict has the user and the time of the last change, and a later edit of the cell ends it', async () => {
    server.elsewhere('i1', {name: 'theirs'})
    server.elsewhere('i1', {state: 'closed'}, 'Ben')
    await change('i1', text, null, 'of mine') // the latest change of the issue
    await change('i1', name, 'one', 'mine')
    expect(edits.snapshot().conflicts).toMatchObject([{by: 'Ann', at: '2026-01-01T00:00:00Z'}])
    await change('i2', name, 'two', 'elsewhere')
    expect(edits.snapshot().conflicts).toHaveLength(1)
    await change('i1', name, 'theirs', 'typed again')
    expect(edits.snapshot().conflicts).toEqual([])
    expect(server.issue('i1').name).toBe('typed again')
  })

  test('a chosen value that can’t be saved stays in conflict', async () => {
    server.elsewhere('i1', {name: 'theirs'})
    await change('i1', name, 'one', 'mine')
    const [conflict] = edits.snapshot().conflicts
    server.fate = ({name}) => (name === 'UpdateIssue' ? 'FORBIDDEN' : null)
    await edits.resolve(conflict!, 'mine')
    expect(edits.snapshot().conflicts).toEqual([conflict])
    server.fate = () => null
    await edits.resolve(conflict!, 'mine')
    expect(edits.snapshot().conflicts).toEqual([])
    expect(server.issue('i1').name).toBe('mine')
  })

  test('setting a column of many issues ends their conflicts', async () => {
    server.elsewhere('i1', {name: 'theirs'})
    await change('i1', name, 'one', 'mine')
    await edits.bulk(['i1'], state, 'closed', () => undefined)
    expect(edits.snapshot().conflicts).toHaveLength(1)
    await edits.bulk(['i1'], name, 'all the same', () => undefined)
    expect(edits.snapshot().conflicts).toEqual([])
  })

  test('long texts of the same length are not the same', async () => {
    await change('i1', description, null, 'abc')
    server.elsewhere('i1', {description: 'xyz'})
    await change('i1', description, 'abc', 'abd')
    expect(edits.snapshot().conflicts).toMatchObject([{theirs: 'xyz'}])
    await edits.resolve(edits.snapshot().conflicts[0]!, 'abd')
    expect(server.issue('i1').description).toBe('abd')
  })
})

describe('undo and redo', () => {
  test('of one', async () => {
    await change('i1', name, 'one', 'first')
    await edits.undo()
    expect(server.issue('i1').name).toBe('one')
    expect(edits.snapshot()).toMatchObject({undo: null, redo: 'change of name'})
    await edits.redo()
    expect(server.issue('i1').name).toBe('first')
    expect(edits.snapshot()).toMatchObject({undo: 'change of name', redo: null})
  })

  test('of many, but for those that failed', async () => {
    server.fate = r => (r.name === 'update i2' ? 'refused' : null)
    await renameAll('x')
    server.fate = () => null
    expect(names()).toEqual(['x', 'two', 'x'])
    await edits.undo()
    expect(names()).toEqual(['one', 'two', 'three'])
    await edits.redo()
    expect(names()).toEqual(['x', 'two', 'x'])
  })

  test('while the change is still on its way', async () => {
    server.hold()
    const done = change('i1', name, 'one', 'first')
    const undone = edits.undo()
    expect(shown('i1', name)).toBe('one')
    await vi.waitFor(() => expect(server.waiting).toBe(1))
    server.letGo()
    await Promise.all([done, undone])
    expect(server.issue('i1')).toMatchObject({name: 'one', version: 3})
  })

  test('of a move are moves as well, unless they fail', async () => {
    await edits.change([{id: 'i1', cells: [cell(state, 'open', 'closed')]}], 'x', state)
    expect(moved).toEqual([]) // who moves issues knows that
    await edits.undo()
    expect([moved, server.issue('i1').state]).toEqual([['state'], 'open'])
    server.fate = () => 'FORBIDDEN'
    await edits.redo()
    expect(moved).toEqual(['state'])
    server.fate = () => null
    await edits.redo()
    expect([moved, server.issue('i1').state]).toEqual([['state', 'state'], 'closed'])
    await change('i2', state, 'open', 'closed')
    await edits.undo()
    expect(moved).toHaveLength(2)
  })

  test('what could not be undone can be undone again', async () => {
    await change('i1', name, 'one', 'first')
    server.fate = () => 'away'
    await edits.undo()
    expect(edits.snapshot()).toMatchObject({undo: 'change of name', redo: null})
    server.fate = () => null
    failed[0]!.retry()
    await settled()
    await vi.waitFor(() => expect(server.issue('i1').name).toBe('one'))
    expect(edits.snapshot()).toMatchObject({undo: null, redo: 'change of name'})
  })

  test('what somebody else has changed since is a conflict, and not undone behind their back', async () => {
    await change('i1', name, 'one', 'first')
    server.elsewhere('i1', {name: 'theirs'})
    await edits.undo()
    expect(edits.snapshot().conflicts).toMatchObject([{theirs: 'theirs', change: {value: 'one'}}])
    expect(server.issue('i1').name).toBe('theirs')
  })

  test('of a creation', async () => {
    const row = await edits.create({name: 'four'}, fields)
    expect(row.num).toBe(4)
    expect(restored).toBe(1)
    await edits.undo()
    expect(removed).toEqual(['i4'])
    expect(server.issues.get('i4')?.trashed).toBe(true)
    await edits.redo()
    expect(server.issue('i4').name).toBe('four')
    expect(restored).toBe(2)
  })

  test('of a deletion, also by restoring what was deleted', async () => {
    expect(await edits.remove(['i1', 'i2'])).toEqual([])
    expect(removed).toEqual(['i1', 'i2'])
    await edits.undo()
    expect(server.issue('i1').trashed || server.issue('i2').trashed).toBe(false)
    await edits.redo()
    expect(await edits.restore(['i2', 'i1'])).toEqual([])
    expect(edits.snapshot()).toMatchObject({undo: null, redo: 'deleting 2 issues'})
    expect(server.issue('i1').trashed).toBe(false)
  })
})

describe('a person', () => {
  const ann = user('Ann')
  const bob = user('Bob')
  const [byAnn, byBob, byName] = [PersonValue.of(ann), PersonValue.of(bob), new PersonValue('Carl')]
  beforeEach(() => void server.users.push(ann, bob))
  const stored = () => server.issue('i1').values[person.id]

  test('who is a user is shown at once with the reference, and undo and redo restore it', async () => {
    await change('i1', person, null, byAnn)
    const saved = change('i1', person, byAnn, byName)
    expect(shown('i1', person)).toEqual(byName)
    await saved
    expect([stored(), shown('i1', person)]).toEqual([byName, byName])
    server.hold()
    const undone = edits.undo()
    expect(shown('i1', person)).toEqual(byAnn)
    server.letGo()
    await undone
    expect([stored(), shown('i1', person)]).toEqual([byAnn, byAnn])
    await edits.redo()
    expect(stored()).toEqual(byName)
  })

  test('who got another name since is no conflict, and undo refers to the user by the new one', async () => {
    await change('i1', person, null, byAnn)
    await change('i1', person, byAnn, byBob)
    server.users[0] = {...ann, name: 'Ann Lee'}
    await edits.undo()
    expect(stored()).toEqual(new PersonValue('Ann Lee', server.users[0]))
    await edits.redo()
    expect(stored()).toEqual(byBob)
    expect(edits.snapshot().conflicts).toEqual([])
  })

  test('who was deactivated since stays what others have made of the cell, with the reason', async () => {
    await change('i1', person, null, byAnn)
    await change('i1', person, byAnn, byBob)
    server.users[0] = {...ann, active: false}
    await edits.undo()
    expect(failed.map(f => f.problem.message)).toEqual(['no active user'])
    expect(shown('i1', person)).toEqual(byBob)
  })

  test('with the same name as a user is somebody else for conflicts', async () => {
    await change('i1', person, null, byName)
    server.elsewhere('i1', {values: {[person.id]: byAnn}})
    await change('i1', person, byName, new PersonValue('Ann'))
    expect(edits.snapshot().conflicts).toMatchObject([{theirs: byAnn}])
  })

  test('is the user of many issues at once, and undo restores each value', async () => {
    await change('i1', person, null, byName)
    await change('i2', person, null, byBob)
    await edits.bulk(['i1', 'i2', 'i3'], person, byAnn, () => undefined)
    expect([...server.issues.values()].map(i => i.values[person.id])).toEqual([byAnn, byAnn, byAnn])
    await edits.undo()
    expect([...server.issues.values()].map(i => i.values[person.id] ?? null)).toEqual([byName, byBob, null])
  })
})

describe('a name without a user', () => {
  const [ann, another] = [user('Ann'), user('Ann', {id: 'another'})]
  const rows = {snapshot: () => ({entries: ['i1', 'i2', 'i3'].map(id => ({id, cursor: id}))})} as unknown as GridRows
  const refer = async (...values: (PersonValue | null)[]) => {
    values.forEach((value, i) => server.elsewhere(`i${i + 1}`, {values: {[person.id]: value}}))
    await ask(server.client, CellsDocument, {ids: ['i1', 'i2', 'i3'], fields})
    return referring(server.client, rows, person, fields)
  }

  test('refers to the user of the loaded values with exactly this name', async () => {
    const renamed = new PersonValue('Ann', {...ann, name: 'Ann Lee'})
    const to = await refer(renamed, new PersonValue('Bob'), null)
    expect(to(new PersonValue('Ann'))).toEqual(PersonValue.of(renamed.user!))
    for (const value of [new PersonValue('ann'), new PersonValue('Ann Lee'), new PersonValue('Bob'), null, 'Ann']) expect(to(value)).toBe(value)
  })
  test('refers to nobody if several users have it, or if the user is deactivated', async () => {
    const name = new PersonValue('Ann')
    expect((await refer(PersonValue.of(ann), PersonValue.of(another), PersonValue.of(ann)))(name)).toBe(name)
    expect((await refer(PersonValue.of({...ann, active: false}), null, null))(name)).toBe(name)
  })
  test('is known next to users, each once, in alphabetical order', async () => {
    await refer(PersonValue.of(user('Zoe')), new PersonValue('Ann'), PersonValue.of(user('Zoe')))
    expect(knownValues(server.client, rows, person, fields).map(String)).toEqual(['Ann', 'Zoe'])
  })
})

describe('creating', () => {
  test('again after a lost answer makes one issue', async () => {
    server.fate = r => (r.name === 'CreateIssue' ? 'lost' : null)
    await expect(edits.create({name: 'four'}, fields)).rejects.toThrow()
    server.fate = () => null
    expect((await edits.create({name: 'four'}, fields)).num).toBe(4)
    expect(server.issues.size).toBe(4)
    expect((await edits.create({name: 'four'}, fields)).num).toBe(5)
  })

  test('what is refused is made by nobody', async () => {
    server.fate = r => (r.name === 'CreateIssue' ? 'BAD_USER_INPUT' : null)
    await expect(edits.create({name: ''}, fields)).rejects.toThrow()
    expect(edits.snapshot().undo).toBeNull()
  })
})

describe('many at once', () => {
  test('what fails is told by issue, the others are changed and can be undone', async () => {
    server.fate = r => (r.name === 'update i2' ? 'refused' : null)
    server.issue('i3').trashed = true
    const steps: number[] = []
    const failures = await edits.bulk(['i1', 'i2', 'i3'], text, 'x', n => steps.push(n))
    expect(failures.map(f => [f.id, f.problem.code])).toEqual([
      ['i2', 'BAD_USER_INPUT'],
      ['i3', 'NOT_FOUND'],
    ])
    expect(steps).toEqual([3])
    expect(removed).toEqual(['i3'])
    expect(shown('i1', text)).toBe('x')
    await edits.undo()
    expect(server.issue('i1').values[text.id]).toBeNull()
  })

  test('a message undoes its own change, also when others have followed', async () => {
    await edits.bulk(['i1', 'i2'], text, 'x', () => undefined)
    const undo = edits.undoing()
    await edits.bulk(['i1'], name, 'later', () => undefined)
    await undo()
    await undo()
    expect([server.issue('i1').values[text.id], server.issue('i1').name]).toEqual([null, 'later'])
  })

  test('long texts come back as they were', async () => {
    server.elsewhere('i1', {values: {[essay.id]: 'old'}})
    await edits.bulk(['i1', 'i2'], essay, 'new', () => undefined)
    await edits.undo()
    expect([server.issue('i1').values[essay.id], server.issue('i2').values[essay.id]]).toEqual(['old', null])
  })

  test('what was there can’t be read: nothing is changed', async () => {
    server.fate = r => (r.name === 'Cells' ? 'UNAVAILABLE' : null)
    expect((await edits.bulk(['i1', 'i2'], name, 'x', () => undefined)).map(f => f.problem.code)).toEqual(['UNAVAILABLE', 'UNAVAILABLE'])
    expect(server.issue('i1').name).toBe('one')
    expect(edits.snapshot().undo).toBeNull()
  })

  test('what all have already is a change too, so that its undoing undoes nothing else', async () => {
    await change('i1', name, 'one', 'first')
    await edits.bulk(['i2'], state, 'open', () => undefined)
    await edits.undo()
    expect(server.issue('i1').name).toBe('first')
  })

  test('a deletion that fails in part tells which are still there', async () => {
    server.fate = r => (r.name === 'DeleteIssues' ? 'away' : null)
    expect((await edits.remove(['i1'])).map(f => f.problem.code)).toEqual(['OFFLINE'])
    expect(removed).toEqual([])
    expect(edits.snapshot().undo).toBeNull()
  })
})
