// The saved views of a project behind the real client: pages of the list, changes, and lists that were read while something changed.
import {ApolloClient, ApolloLink} from '@apollo/client'
import {Observable} from 'rxjs'
import {beforeEach, describe, expect, test} from 'vitest'
import {savedView} from '../test/fixtures'
import {newCache, problemOf} from './client'
import {readSavedViews, SavedViews, type SavedView} from './savedViews'

const saved = (id: string, more: Partial<SavedView> = {}): SavedView => savedView({id, name: id, ...more})

let stored: SavedView[]
let requests: {name: string; variables: Record<string, unknown>}[]
/** Called before a response is sent. */
let meanwhile: (name: string) => Promise<void>
/** The code with which all changes are refused. */
let refusal: string | null

const payload = (view: SavedView) => ({__typename: 'Payload', view})
function respond(name: string, variables: Record<string, unknown>): Record<string, unknown> {
  const input = variables.input as Partial<SavedView> & {id: string}
  switch (name) {
    case 'SavedViews': {
      const from = Number(variables.after ?? 0)
      const nodes = stored.slice(from, from + 2)
      const hasNextPage = from + 2 < stored.length
      const pageInfo = {__typename: 'PageInfo', hasNextPage, endCursor: String(from + 2)}
      return {project: {__typename: 'Project', id: 'p', views: {__typename: 'ViewConnection', nodes, pageInfo}}}
    }
    case 'CreateView':
      return {createView: payload(saved('new', {name: input.name}))}
    case 'UpdateView':
      return {updateView: payload(saved(input.id, {name: input.name ?? input.id, isDefault: input.isDefault ?? false, version: 2}))}
    default:
      return {deleteView: {__typename: 'DeleteViewPayload', deletedViewId: input.id}}
  }
}

const link = new ApolloLink(operation => {
  const {operationName, variables} = operation
  const name = operationName ?? ''
  requests.push({name, variables})
  return new Observable(observer => {
    const data = respond(name, variables)
    void meanwhile(name).then(() => {
      observer.next(refusal && name !== 'SavedViews' ? {data: null, errors: [{message: refusal, extensions: {code: refusal}}]} : {data})
      observer.complete()
    })
  })
})
const client = new ApolloClient({link, cache: newCache()})
const ids = (views: SavedViews) => views.snapshot().map(v => v.id)

beforeEach(() => {
  stored = ['a', 'b', 'c', 'd', 'e'].map(id => saved(id))
  requests = []
  meanwhile = () => Promise.resolve()
  refusal = null
})

test('all pages of the list are read', async () => {
  expect((await readSavedViews(client, 'p')).map(v => v.id)).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(requests.map(r => r.variables.after ?? null)).toEqual([null, '2', '4'])
  expect(client.cache.extract()).toEqual({})
})

describe('changes', () => {
  test('a view is created, changed, made the default one, and deleted', async () => {
    const views = new SavedViews(client, 'p', [saved('a', {isDefault: true}), saved('b')])
    await views.create({name: 'New'})
    expect(ids(views)).toEqual(['a', 'b', 'new'])
    await views.update({id: 'b', isDefault: true})
    expect(views.snapshot().filter(v => v.isDefault)).toEqual([saved('b', {isDefault: true, version: 2})])
    const before: string[][] = []
    await views.remove('a', () => before.push(ids(views)))
    expect(before).toEqual([['a', 'new', 'b']])
    expect(ids(views)).toEqual(['new', 'b'])
    const inputs = requests.map(r => r.variables.input as {projectId?: string; idempotencyKey: string})
    expect(inputs.map(i => i.projectId)).toEqual(['p', undefined, undefined])
    expect(new Set(inputs.map(i => i.idempotencyKey)).size).toBe(3)
  })

  test('what the server refuses changes nothing', async () => {
    const views = new SavedViews(client, 'p', [saved('a')])
    const state = views.snapshot()
    refusal = 'CONFLICT'
    const failed = (work: Promise<unknown>) =>
      work.then(
        () => null,
        (e: unknown) => problemOf(e).code,
      )
    const never = () => expect.unreachable()
    expect(await Promise.all([views.create({name: 'x'}), views.update({id: 'a', name: 'x'}), views.remove('a', never)].map(failed))).toEqual([
      'CONFLICT',
      'CONFLICT',
      'CONFLICT',
    ])
    expect(views.snapshot()).toBe(state)
  })
})

describe('a list that is read again', () => {
  test('replaces the views only if they have changed', async () => {
    const views = new SavedViews(client, 'p', stored)
    const state = views.snapshot()
    const told: number[] = []
    await views.refresh(v => told.push(v.length))
    expect(views.snapshot()).toBe(state)
    stored = stored.slice(1)
    await views.refresh(v => told.push(v.length))
    expect(ids(views)).toEqual(['b', 'c', 'd', 'e'])
    expect(told).toEqual([4])
  })

  test('does not undo a change that was made meanwhile', async () => {
    const views = new SavedViews(client, 'p', stored)
    meanwhile = async name => {
      if (name !== 'SavedViews') return
      meanwhile = () => Promise.resolve()
      await views.create({name: 'New'})
    }
    stored = stored.slice(1)
    await views.refresh()
    expect(ids(views)).toEqual(['a', 'b', 'c', 'd', 'e', 'new'])
  })
})
