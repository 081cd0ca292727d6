import {expect, test} from 'vitest'
import {
  beginsMention,
  changed,
  mayChange,
  mayReact,
  mentionsAfter,
  mentionsOf,
  withMore,
  without,
  written,
  type Caller,
  type Comment,
  type Comments,
} from './comments'

const comment = (id: string, more: Partial<Comment> = {}): Comment => ({
  __typename: 'Comment',
  id,
  body: id,
  createdAt: '2026-01-01T00:00:00Z',
  editedAt: null,
  version: 1,
  rating: null,
  replyCount: 0,
  author: null,
  mentions: [],
  reactions: [],
  ...more,
})
const ids = (c: Comments) => c.comments.map(c => c.id)

test('pages are joined, and what was written meanwhile is there once', () => {
  const first = withMore(null, {comments: [comment('c'), comment('b')], after: 'B'})
  expect(first.after).toBe('B')
  const all = withMore(first, {comments: [comment('b'), comment('a')], after: null})
  expect(ids(all)).toEqual(['c', 'b', 'a'])
  expect(all.after).toBeNull()
})

test('a comment is changed and removed', () => {
  const list = {comments: [comment('b'), comment('a')], after: 'A'}
  expect(changed(list, 'a', c => ({...c, body: c.body + '!'})).comments.map(c => c.body)).toEqual(['b', 'a!'])
  expect(without(list, 'b')).toEqual({comments: [comment('a')], after: 'A'})
})

test('the author and administrators may change a comment, and users may react', () => {
  const author = {__typename: 'User' as const, id: 'ada', name: 'Ada', initials: 'A', color: 'red'}
  const caller = (canEdit: boolean, canAdminister: boolean, id: string | null): Caller => ({
    canEdit,
    canAdminister,
    user: id === null ? null : {__typename: 'User', id},
  })
  const cases: [Caller, boolean, boolean][] = [
    [caller(true, false, 'ada'), true, true],
    [caller(true, false, 'bo'), false, true],
    [caller(false, false, 'ada'), false, false],
    [caller(true, true, 'bo'), true, true],
    [caller(true, true, null), true, false],
  ]
  for (const [who, change, react] of cases) {
    expect(mayChange(who, comment('a', {author}))).toBe(change)
    expect(mayReact(who)).toBe(react)
  }
  expect(mayChange(caller(true, false, null), comment('a'))).toBe(false)
})

const ann = {__typename: 'User' as const, id: '1', name: 'Ann', active: true}
const anna = {__typename: 'User' as const, id: '2', name: 'Anna Ö', active: true}

test('a text mentions the chosen users whose names it still has', () => {
  const mentions = [ann, anna, ann]
  expect(mentionsOf({text: '@Ann and @Anna Ö, look', mentions})).toEqual(['1', '2'])
  expect(mentionsOf({text: '@Anna Ö', mentions})).toEqual(['2'])
  expect(mentionsOf({text: '@Anna @Ann', mentions})).toEqual(['1'])
  expect(mentionsOf({text: 'Ann', mentions})).toEqual([])
  expect(mentionsOf({text: '@Ann', mentions: []})).toEqual([])
})

test('an edit changes only the mentions whose names it adds or removes', () => {
  const before = comment('a', {body: 'See @Ann', mentions: [ann]})
  expect(mentionsAfter(before, {...written(before), text: 'See @Ann!'})).toBeUndefined()
  expect(mentionsAfter(before, {...written(before), text: 'See'})).toEqual([])
  expect(mentionsAfter(before, {text: '@Ann @Anna Ö', mentions: [ann, anna]})).toEqual(['1', '2'])
  const unnamed = comment('a', {body: 'See', mentions: [anna]})
  expect(mentionsAfter(unnamed, {...written(unnamed), text: 'Look'})).toBeUndefined()
  expect(mentionsAfter(unnamed, {text: '@Ann', mentions: [anna, ann]})).toEqual(['2', '1'])
  const gone = comment('a', {body: '@Ann', mentions: [{...ann, active: false}]})
  expect(mentionsAfter(gone, {...written(gone), text: '@Ann.'})).toEqual([])
})

test('an at sign begins a mention, unless it is in an e-mail address', () => {
  expect(['@', 'Hi @', 'line\n@', '('.concat('@')].map(beginsMention)).toEqual([true, true, true, true])
  expect(['ann@', 'Hi', '', '@a'].map(beginsMention)).toEqual([false, false, false, false])
})
