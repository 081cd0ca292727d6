import {expect, test, vi} from 'vitest'
import {allIssues, newView, readView} from '../model/view'
import {appliedView, changeTo, findView, offers, queryOf, readViews, viewStore, withoutView, withView, writeViews} from './views'

const a = {name: 'A', query: '?sort=-name'}
const b = {name: 'B', query: '?match=any'}
const c = {name: 'C', query: '?sort=state,-name.first'}

test('views are read as they were written', () => expect(readViews(writeViews([c, b, a]))).toEqual([a, b, c]))

test.each([
  '',
  '[',
  'null',
  '1',
  '"x"',
  '{}',
  '[null,1,"x",[],{}]',
  '[{"name":"A"}]',
  '[{"name":" ","query":""}]',
  '[{"name":1,"query":""}]',
  '[{"name":"A","query":{}}]',
  `[{"name":"${'x'.repeat(81)}","query":""}]`,
])('%.60s holds no views', text => expect(readViews(text)).toEqual([]))

test('what is kept is the view alone', () => {
  expect(queryOf(readView('?project=p&at=3:x&issue=4&sort=-name'))).toBe('?sort=-name')
  expect(readViews('[{"name":" A ","query":"?project=evil&issue=3&sort=-name&x=y"},{"name":"a","query":""}]')).toEqual([a])
  expect({...newView('p'), issue: 4, ...changeTo(a.query, 'A')}).toEqual({
    ...newView('p'),
    issue: 4,
    named: 'A',
    saved: allIssues,
    sort: [{column: 'name', descending: true, emptyFirst: false}],
  })
})

test('which one is applied', () => {
  expect(appliedView([a, b], a.query, null)).toEqual({view: a, changed: false})
  expect(appliedView([a, b], a.query, 'B')).toEqual({view: a, changed: false})
  expect(appliedView([a, b], '?sort=num', 'B')).toEqual({view: b, changed: true})
  expect(appliedView([a, b], '', null)).toBeNull()
  expect(appliedView([a, b], '', 'gone')).toBeNull()
  const twin = {name: 'Z', query: a.query}
  expect(appliedView([a, twin], a.query, 'z')).toEqual({view: twin, changed: false})
})

test('names are the same in upper and lower case', () => {
  expect(findView([a, b], ' a ')).toBe(a)
  expect(withView([a, b], {name: 'a', query: ''})).toEqual([b, {name: 'a', query: ''}])
  expect(withoutView([a, b], 'b')).toEqual([a])
})

test('a browser that keeps nothing has no views', () => {
  const refuse = () => {
    throw new DOMException('switched off', 'SecurityError')
  }
  const storage = {getItem: refuse, setItem: refuse, removeItem: refuse}
  vi.stubGlobal('localStorage', storage)
  expect(viewStore.load('p')).toEqual([])
  expect(viewStore.save('p', [a])).toBe(false)
  expect(offers.answered('p')).toBe(false)
  expect(() => offers.answer('p')).not.toThrow()
  vi.unstubAllGlobals()
})
