import {ApolloClient, ApolloLink} from '@apollo/client'
import {Observable} from 'rxjs'
import {afterEach, describe, expect, test, vi} from 'vitest'
import type {Project} from '../model/columns'
import type {Condition} from '../model/conditions'
import {readSorts} from '../model/sort'
import {newView, type View} from '../model/view'
import {column, textColumn} from '../test/fixtures'
import {LastNumberDocument} from '../../gql/graphql'
import {newCache} from './client'
import {explainURL} from './explain'
import {ask, queryOf} from './source'

const project = {id: 'p', key: 'P'} as Project
const columns = [
  textColumn('num', {builtin: 'NUM', type: 'INTEGER'}),
  textColumn('name', {builtin: 'NAME'}),
  column('DATE', {id: 'due'}),
  column('TEXT', {id: 'text'}),
]
const query = (sort: string, ...conditions: Condition[]) => queryOf(project, {...newView('p'), sort: readSorts(sort), conditions}, columns)

test('the query of a view has all columns of its order', () => {
  expect(query('due,-name').orderBy).toEqual([
    {column: {fieldId: 'due'}, direction: 'ASC', nulls: 'LAST'},
    {column: {builtin: 'NAME'}, direction: 'DESC', nulls: 'LAST'},
  ])
  expect(query('gone').orderBy).toEqual([{column: {builtin: 'NUM'}, direction: 'ASC', nulls: 'LAST'}])
})

test('the filter that a saved view has besides conditions is sent with them', () => {
  const filter = {not: {name: {contains: 'x'}}}
  const of = (more: Partial<View>) => queryOf(project, {...newView('p'), filter, ...more}, columns)
  expect(of({}).where).toEqual(filter)
  expect(of({conditions: [{column: 'name', operator: 'is', values: ['a']}]}).where).toEqual({and: [filter, {and: [{name: {eq: 'a'}}]}]})
  expect(of({}).timeZone).toBeUndefined()
  expect(of({filter: {not: {name: {contains: '"relative":'}}}}).timeZone).toBeUndefined()
  expect(of({filter: {not: {createdAt: {relative: {gte: {base: 'START_OF_DAY'}}}}}}).timeZone).toBeDefined()
})

describe('the time zone', () => {
  const zone = (timeZone: string | undefined) =>
    vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(function () {
      return {resolvedOptions: () => ({timeZone})}
    })
  afterEach(() => void vi.restoreAllMocks())

  test.each<[string, Condition, boolean]>([
    ['a relative date', {column: 'due', operator: 'is', values: ['today']}, true],
    ['a range that ends today', {column: 'due', operator: 'between', values: ['2026-01-01', 'today']}, true],
    ['a fixed date', {column: 'due', operator: 'is', values: ['2026-01-01']}, false],
    ['a text', {column: 'text', operator: 'is', values: ['today']}, false],
    ['a condition that is not applied', {column: 'due', operator: 'lt', values: ['last 7 days']}, false],
    ['a column that is gone', {column: 'gone', operator: 'is', values: ['today']}, false],
  ])('is sent with %s: %s', (_, condition, isSent) => {
    zone('Europe/Berlin')
    const sent = query('num', condition)
    expect(sent.timeZone).toBe(isSent ? 'Europe/Berlin' : undefined)
    expect(explainURL(sent).includes('Berlin')).toBe(isSent)
  })

  test.each([
    ['America/New_York', 'America/New_York'],
    [undefined, 'UTC'],
    ['Etc/Unknown', 'UTC'],
  ])('of a browser with %s is %s', (of, want) => {
    zone(of)
    expect(query('num', {column: 'due', operator: 'is', values: ['today']}).timeZone).toBe(want)
  })
})

test('a query does not take the answer of an equal one that was sent before', async () => {
  const answers: ((num: number) => void)[] = []
  const link = new ApolloLink(
    () =>
      new Observable<ApolloLink.Result>(observer => {
        answers.push(num => {
          observer.next({
            data: {project: {__typename: 'Project', id: 'p', issues: {__typename: 'IssueConnection', nodes: [{__typename: 'Issue', id: 'i', num}]}}},
          })
          observer.complete()
        })
      }),
  )
  const client = new ApolloClient({cache: newCache(), link})
  const [before, after] = [ask(client, LastNumberDocument, {project: 'p'}), ask(client, LastNumberDocument, {project: 'p'})]
  await vi.waitFor(() => expect(answers).toHaveLength(2))
  answers[0]!(1)
  answers[1]!(2)
  const last = async (asked: typeof before) => (await asked).project?.issues?.nodes[0]?.num
  expect([await last(before), await last(after)]).toEqual([1, 2])
})
