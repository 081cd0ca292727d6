import {describe, expect, test} from 'vitest'
import {argumentsOf, byProject, sizeOf, withPage, type Edge, type List} from './list'

const edge = (id: string, project = 'p'): Edge =>
  ({node: {id, project: {__typename: 'Project', id: project, key: project, name: project}}, ways: []}) as unknown as Edge
const page = (ids: string[], end: string | null) =>
  ({
    edges: ids.map(id => edge(id)),
    pageInfo: {hasNextPage: end !== null, endCursor: end},
    totalCount: 7,
    totalCountPrecision: 'EXACT',
  }) as unknown as Parameters<typeof withPage>[1]
const ids = (list: List) => list.edges.map(e => e.node.id)

describe('the list of the user’s issues', () => {
  test('asks for one role, of the user or of its teams', () => {
    expect(argumentsOf({kind: 'mine', status: 'open', order: 'updated', byProject: true})).toEqual({
      roles: ['ASSIGNEE'],
      own: true,
      teams: false,
      status: 'OPEN',
      orderBy: {column: 'UPDATED_AT', direction: 'DESC'},
    })
    expect(argumentsOf({kind: 'teams', status: 'all', order: 'number', byProject: true})).toEqual({
      roles: ['ASSIGNEE'],
      own: false,
      teams: true,
      status: 'ALL',
      orderBy: {column: 'NUM', direction: 'ASC'},
    })
    expect(argumentsOf({kind: 'watched', status: 'closed', order: 'created', byProject: true}).roles).toEqual(['WATCHER'])
    expect(argumentsOf({kind: 'created', status: 'closed', order: 'created', byProject: true}).roles).toEqual(['AUTHOR'])
  })

  test('grows by pages, without an issue twice', () => {
    const first = withPage(null, page(['a', 'b'], 'x'))
    expect([ids(first), first.after, first.total, first.exact]).toEqual([['a', 'b'], 'x', 7, true])
    const second = withPage(first, page(['a', 'c'], null))
    expect([ids(second), second.after]).toEqual([['b', 'a', 'c'], null])
  })

  test('is read again with as many issues as one request may have', () => {
    const of = (n: number) =>
      withPage(
        null,
        page(
          Array.from({length: n}, (_, i) => String(i)),
          null,
        ),
      )
    expect([null, of(3), of(70), of(300)].map(sizeOf)).toEqual([50, 50, 70, 100])
  })

  test('has projects in the order of their first issues', () => {
    const groups = byProject([edge('1', 'q'), edge('2', 'p'), edge('3', 'q')])
    expect(groups.map(g => [g.project.id, g.edges.map(e => e.node.id)])).toEqual([
      ['q', ['1', '3']],
      ['p', ['2']],
    ])
  })
})
