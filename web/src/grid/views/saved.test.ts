import {describe, expect, test} from 'vitest'
import type {SavedView} from '../data/savedViews'
import type {Condition} from '../model/conditions'
import {allIssues, newView, readView, type View} from '../model/view'
import {column, nameColumn, peopleColumns, savedView as saved, textColumn} from '../test/fixtures'
import {actionsOf, changedContent, contentOf, differences, hasMore, Links, tabsOf, viewOf} from './saved'

const all = [
  column('INTEGER', {id: 'num', builtin: 'NUM', required: true}),
  nameColumn,
  column('SELECT', {id: 'state', builtin: 'STATE'}),
  textColumn('f1'),
  textColumn('f2'),
  column('LONG_TEXT', {id: 'long', sortable: false}),
  ...peopleColumns,
]
const grouping = (more: Partial<SavedView['groupBy'][number]>): SavedView['groupBy'][number] => ({
  __typename: 'ViewGrouping',
  builtin: 'STATE',
  field: null,
  direction: 'ASC',
  nulls: 'LAST',
  period: null,
  width: null,
  firstLetter: false,
  ...more,
})
const full = saved({
  columns: [
    {__typename: 'ViewColumn', builtin: 'NAME', field: null, width: 400},
    {__typename: 'ViewColumn', builtin: null, field: {__typename: 'CustomField', id: 'f2'}, width: null},
  ],
  groupBy: [grouping({builtin: null, field: {__typename: 'CustomField', id: 'f1'}, direction: 'DESC', firstLetter: true}), grouping({builtin: 'NAME'})],
  summaries: [
    {__typename: 'ViewSummary', builtin: null, field: {__typename: 'CustomField', id: 'f2'}, part: 'DISTINCT'},
    {__typename: 'ViewSummary', builtin: 'NUM', field: null, part: 'MAX'},
  ],
  layout: 'BOARD',
  filter: {and: [{name: {contains: 'x'}}, {fields: [{fieldId: 'f1', isNull: true}]}]},
  orderBy: [{__typename: 'ViewOrder', builtin: null, field: {__typename: 'CustomField', id: 'f1'}, direction: 'DESC', nulls: 'FIRST'}],
})
const links = new Links([full, saved({id: 'v2', name: 'Two'})], all)

test('a saved view is shown as it was saved', () => {
  expect(viewOf(full, 'p', all)).toEqual({
    ...newView('p'),
    saved: 'v1',
    columns: ['name', 'f2'],
    widths: {name: 400},
    conditions: [
      {column: 'name', operator: 'contains', values: ['x']},
      {column: 'f1', operator: 'empty', values: []},
    ],
    sort: [{column: 'f1', descending: true, emptyFirst: true}],
    group: {column: 'f1', descending: true, emptyFirst: false, range: 'letter'},
    inner: {column: 'name', descending: false, emptyFirst: false, range: null},
    summaries: {f2: 'distinct', num: 'max'},
    layout: 'board',
  })
  expect(viewOf(saved(), 'p', all)).toEqual({...newView('p'), saved: 'v1'})
  expect(viewOf(saved({columns: [{__typename: 'ViewColumn', builtin: 'NAME', field: null, width: 2000}]}), 'p', all).widths).toEqual({name: 800})
})

test('what is saved of a view is what was read of it', () => {
  expect(contentOf(viewOf(full, 'p', all), all)).toEqual({
    columns: [{column: {builtin: 'NAME'}, width: 400}, {column: {fieldId: 'f2'}}],
    filter: full.filter,
    orderBy: [{column: {fieldId: 'f1'}, direction: 'DESC', nulls: 'FIRST'}],
    groupBy: [
      {column: {fieldId: 'f1'}, direction: 'DESC', nulls: 'LAST', firstLetter: true},
      {column: {builtin: 'NAME'}, direction: 'ASC', nulls: 'LAST'},
    ],
    summaries: [
      {column: {builtin: 'NUM'}, part: 'MAX'},
      {column: {fieldId: 'f2'}, part: 'DISTINCT'},
    ],
    layout: 'BOARD',
  })
  expect(contentOf(newView('p'), all)).toEqual({columns: [], filter: {}, orderBy: [], groupBy: [], summaries: [], layout: 'GRID'})
})

test.each<[SavedView['groupBy'][number], View['group']]>([
  [grouping({}), {column: 'state', descending: false, emptyFirst: false, range: null}],
  [grouping({builtin: 'NUM', width: 50, nulls: 'FIRST'}), {column: 'num', descending: false, emptyFirst: true, range: 50}],
  [grouping({builtin: 'CREATED_AT'}), {column: 'created', descending: false, emptyFirst: false, range: 'day'}],
  [grouping({builtin: 'CREATED_AT', period: 'QUARTER'}), {column: 'created', descending: false, emptyFirst: false, range: 'quarter'}],
  [grouping({builtin: null, field: {__typename: 'CustomField', id: 'gone'}}), null],
  [grouping({builtin: null, field: {__typename: 'CustomField', id: 'long'}}), null],
])('the grouping %o is shown as %o', (by, group) => {
  const created = column('DATETIME', {id: 'created', builtin: 'CREATED_AT'})
  const view = viewOf(saved({groupBy: [by]}), 'p', [...all, created])
  expect(view.group).toEqual(group)
  const again = {...view, group: contentOf(view, [...all, created]).groupBy}
  expect(again.group.map(({column: c, ...g}) => ({...grouping({}), ...c, ...g}))).toEqual(
    group ? [expect.objectContaining({direction: by.direction, nulls: by.nulls, width: by.width})] : [],
  )
})

describe('what is saved', () => {
  test.each<[string, Partial<View>, Partial<ReturnType<typeof contentOf>>]>([
    ['columns without those that are gone', {columns: ['gone', 'f1']}, {columns: [{column: {fieldId: 'f1'}}]}],
    [
      'all shown columns, if one of the default ones has a width',
      {widths: {f1: 99}, pinned: []},
      {
        columns: [
          {column: {builtin: 'NUM'}},
          {column: {builtin: 'NAME'}},
          {column: {builtin: 'STATE'}},
          {column: {fieldId: 'f1'}, width: 99},
          {column: {fieldId: 'f2'}},
        ],
      },
    ],
    ['conditions that apply', {conditions: [{column: 'gone', operator: 'is', values: ['x']}]}, {filter: {}}],
    [
      'a filter of the API with the conditions',
      {filter: {open: true}, conditions: [{column: 'name', operator: 'is', values: ['x']}]},
      {
        filter: {and: [{open: true}, {and: [{name: {eq: 'x'}}]}]},
      },
    ],
    [
      'a descending order by number',
      {sort: [{column: 'num', descending: true, emptyFirst: false}]},
      {
        orderBy: [{column: {builtin: 'NUM'}, direction: 'DESC', nulls: 'LAST'}],
      },
    ],
  ])('%s', (_, view, content) => expect(contentOf({...newView('p'), ...view}, all)).toMatchObject(content))

  test('only what was changed', () => {
    const base = viewOf(full, 'p', all)
    expect(changedContent(base, base, all)).toEqual({})
    expect(Object.keys(changedContent({...base, sort: newView(null).sort}, base, all))).toEqual(['orderBy'])
    expect(changedContent({...base, layout: 'grid'}, base, all)).toEqual({layout: 'GRID'})
    expect(changedContent({...base, group: null}, base, all)).toEqual({groupBy: []})
    expect(changedContent({...base, summaries: {num: 'max', f2: 'distinct'}}, base, all)).toEqual({})
    expect(changedContent({...base, summaries: {num: 'min'}}, base, all)).toEqual({summaries: [{column: {builtin: 'NUM'}, part: 'MIN'}]})
    expect(changedContent({...base, conditions: []}, base, all)).toEqual({filter: {}})
    expect(Object.keys(changedContent({...base, widths: {}, any: true}, base, all))).toEqual(['columns', 'filter'])
  })
})

describe('a link', () => {
  const base = viewOf(full, 'p', all)
  test.each<[string, Partial<View>, string]>([
    ['to a saved view', {}, '?project=p&saved=v1'],
    ['with another order', {sort: [{column: 'f2', descending: true, emptyFirst: false}]}, '?project=p&saved=v1&sort=-f2'],
    ['in the order of numbers', {sort: newView(null).sort}, '?project=p&saved=v1&sort=default'],
    ['as a grid', {layout: 'grid'}, '?project=p&saved=v1&layout=default'],
    ['not grouped', {group: null, inner: null}, '?project=p&saved=v1&group=default'],
    ['in other groups', {group: {column: 'state', descending: false, emptyFirst: false, range: null}}, '?project=p&saved=v1&group=state,name'],
    ['in groups of one level', {inner: null}, '?project=p&saved=v1&group=-f1.letter'],
    ['with another summary', {summaries: {name: 'distinct'}}, '?project=p&saved=v1&summaries=name:distinct'],
    ['without summaries', {summaries: {}}, '?project=p&saved=v1&summaries=default'],
    ['without its filter', {conditions: []}, '?project=p&saved=v1&where=default'],
    ['with the default columns', {columns: null, widths: {}}, '?project=p&saved=v1&columns=default&widths=default'],
    ['without columns', {columns: []}, '?project=p&saved=v1&columns='],
    ['with parts that a saved view does not keep', {search: 'a', size: 'tall', pinned: [], issue: 3}, '?project=p&saved=v1&q=a&pinned=&rows=tall&issue=3'],
    ['to another view', {...newView('p'), saved: 'v2'}, '?project=p&saved=v2'],
    ['to all issues', {...newView('p'), saved: allIssues}, '?project=p&saved=all'],
    [
      'to all issues in another order',
      {...newView('p'), saved: allIssues, sort: [{column: 'name', descending: false, emptyFirst: false}]},
      '?project=p&sort=name',
    ],
    ['to a view that is gone', {...newView('p'), saved: 'gone', search: 'x'}, '?project=p&saved=gone&q=x'],
  ])('%s', (_, change, url) => {
    const view = {...base, ...change}
    expect(links.write(view)).toBe(url)
    expect(links.read(url)).toEqual(view)
  })

  test('says all issues where the project opens with a view', () => {
    const others = new Links([saved({isDefault: true})], all)
    const plain = {...newView('p'), saved: allIssues}
    expect(others.write(plain)).toBe('?project=p&saved=all')
    expect(others.read('?project=p&saved=all')).toEqual(plain)
    expect(others.read('?project=p').saved).toBe('v1')
    expect(others.read('?project=p&issue=4')).toMatchObject({saved: 'v1', issue: 4})
  })

  test.each(['?project=p&sort=-name', '?project=p&view=Mine&q=x', '?project=p&rows=tall', '?project=p&at=3:x', '?project=p&columns=num,f1&widths=num:70'])(
    'of an earlier version opens as before: %s',
    url => expect(new Links([saved({...full, isDefault: true})], all).read(url)).toEqual({...readView(url), saved: allIssues}),
  )

  test('keeps its differences when somebody changes the view', () => {
    const url = '?project=p&saved=v1&sort=-f2'
    const others = new Links([saved({filter: {name: {contains: 'y'}}})], all)
    expect(others.read(url)).toMatchObject({sort: [{column: 'f2'}], conditions: [{values: ['y']}], columns: null})
  })
})

test('conditions on users and teams survive saving and the URL', () => {
  let seed = 1
  const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n
  const operators = ['hasAny', 'hasAll', 'hasNone', 'hasMe', 'hasNotMe', 'empty', 'notEmpty'] as const
  const condition = (): Condition => {
    const n = random(operators.length)
    const values = n < 3 ? Array.from({length: 1 + random(4)}, () => `VjVm_${random(9)}-`) : []
    return {column: peopleColumns[random(2)]!.id, operator: operators[n]!, values}
  }
  for (let i = 0; i < 300; i++) {
    const conditions = Array.from({length: 1 + random(4)}, condition)
    const view = {...newView('p'), conditions, any: conditions.length > 1 && random(2) === 0}
    const stored = saved({filter: JSON.parse(JSON.stringify(contentOf(view, all).filter)) as Record<string, unknown>})
    expect(viewOf(stored, 'p', all)).toEqual({...view, saved: 'v1'})
    expect(links.read(links.write({...view, saved: 'v2'}))).toEqual({...view, saved: 'v2'})
  }
})

test('widths are the same in any order', () => {
  const a = {...newView('p'), widths: {num: 80, name: 90}}
  expect(differences(a, {...a, widths: {name: 90, num: 80}})).toEqual([])
  expect(differences(a, {...a, widths: {name: 91, num: 80}})).toEqual(['widths'])
})

test('the default view comes first, then all issues, then shared views and private ones', () => {
  const views = [
    saved({id: 'a', name: 'a', shared: false}),
    saved({id: 'z', name: 'z'}),
    saved({id: 'm', name: 'm'}),
    saved({id: 'b', name: 'b', isDefault: true}),
  ]
  expect(tabsOf(views).map(v => v?.id ?? null)).toEqual(['b', null, 'm', 'z', 'a'])
  expect(tabsOf([])).toEqual([null])
})

describe('what a user may do with', () => {
  const rights = {reader: [false, false], editor: [true, false], administrator: [true, true]} as const
  test.each<[string, Partial<SavedView> | null, keyof typeof rights, string]>([
    ['all issues', null, 'reader', 'copyLink'],
    ['all issues', null, 'administrator', 'copyLink'],
    ['a private view', {shared: false}, 'reader', 'save rename duplicate copyLink delete'],
    ['a private view', {shared: false}, 'editor', 'save rename duplicate share copyLink delete'],
    ['a private view', {shared: false}, 'administrator', 'save rename duplicate share copyLink delete'],
    ['a shared view', {}, 'reader', 'duplicate copyLink'],
    ['a shared view', {}, 'editor', 'save rename duplicate makePrivate copyLink delete'],
    ['a shared view', {}, 'administrator', 'save rename duplicate makePrivate makeDefault copyLink delete'],
    ['the default view', {isDefault: true}, 'reader', 'duplicate copyLink'],
    ['the default view', {isDefault: true}, 'editor', 'save rename duplicate copyLink'],
    ['the default view', {isDefault: true}, 'administrator', 'save rename duplicate makePrivate noDefault copyLink delete'],
  ])('%s (%o), as %s', (_, view, as, actions) => {
    const [viewerCanEdit, viewerCanAdminister] = rights[as]
    expect(actionsOf(view && saved(view), {viewerCanEdit, viewerCanAdminister}).join(' ')).toBe(actions)
  })
})

test.each<[Partial<View>, boolean]>([
  [{}, false],
  [{sort: [], conditions: [], columns: ['num'], widths: {num: 80}}, false],
  [{search: 'x'}, true],
  [{size: 'tall'}, true],
  [{pinned: []}, true],
])('%o has parts that the server does not keep: %s', (view, more) => expect(hasMore({...newView('p'), ...view})).toBe(more))
