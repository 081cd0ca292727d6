import {describe, expect, test} from 'vitest'
import type {Column} from '../model/columns'
import {columns as some} from '../test/fakeserver'
import {issueOf, objections, partsOf, placed} from './newIssue'
import type {Parsed} from '../model/values'

const priority: Column = {...some.text, id: 'f-priority', label: 'Priority "P"', type: 'SELECT', required: true}
const name: Column = {...some.name, required: true}
const columns = [name, some.state, some.description, some.text, some.count, priority]
const draft = (values: Record<string, Parsed>) => new Map(Object.entries(values))
const problem = (argument: string | undefined, message: string) => ({code: 'BAD_USER_INPUT', message, argument})

test('what is required comes first', () => {
  const {first, others} = partsOf(columns)
  expect(first.map(c => c.id)).toEqual(['name', 'state', 'description', 'f-priority'])
  expect(others.map(c => c.id)).toEqual(['f-text', 'f-count'])
})

test('a draft is objected to for what is missing and what can’t be read', () => {
  const wrong = objections(columns, draft({name: {value: ''}, 'f-count': {error: 'not an integer'}}))
  expect(Object.fromEntries(wrong)).toEqual({name: 'A value is required', 'f-count': 'not an integer', 'f-priority': 'A value is required'})
})

test('only what was written is sent', () => {
  expect(issueOf(columns, draft({name: {value: 'n'}, description: {value: null}, 'f-count': {value: '7'}, 'f-priority': {value: 'o1'}}))).toEqual({
    name: 'n',
    values: [
      {fieldId: 'f-count', value: {integer: '7'}},
      {fieldId: 'f-priority', value: {optionId: 'o1'}},
    ],
  })
})

describe('objections of the server', () => {
  const sent = issueOf(columns, draft({name: {value: 'n'}, 'f-text': {value: 'a'}, 'f-priority': {value: 'o1'}}))
  test.each([
    ['input.issue.name', 'too long', 'name', 'Too long'],
    ['input.issue.stateId', 'none', 'state', 'None'],
    ['input.issue.values[1].value', 'no such option', 'f-priority', 'No such option'],
    ['input.issue.values[0].value.text', 'too large', 'f-text', 'Too large'],
    ['input.issue.values[0].fieldId', 'x', 'f-text', 'X'],
    [
      'input.issue.values',
      'the field "Priority \\"P\\"" is required and must have a value',
      'f-priority',
      'The field "Priority \\"P\\"" is required and must have a value',
    ],
  ])('%s', (argument, message, id, text) => {
    const {wrong, others} = placed([problem(argument, message)], sent, columns)
    expect(Object.fromEntries(wrong)).toEqual({[id]: text})
    expect(others).toEqual([])
  })

  test.each([['input.issue'], ['input.issue.names'], ['input.issue.values[9].value'], ['input.projectId'], [undefined]])('%s is about no column', argument => {
    expect(placed([problem(argument, 'no')], sent, columns)).toEqual({wrong: new Map(), others: ['No']})
  })

  test('all are told, also several of one column', () => {
    const {wrong, others} = placed(
      [problem('input.issue.name', 'a'), problem('input.issue.name', 'b'), problem('input.issue.stateId', 'c'), problem(undefined, 'd')],
      sent,
      columns,
    )
    expect(Object.fromEntries(wrong)).toEqual({name: 'A B', state: 'C'})
    expect(others).toEqual(['D'])
  })
})
