import {buildSchema, parse, validate} from 'graphql'
import {readFileSync} from 'node:fs'
import {resolve} from 'node:path'
import {describe, expect, test} from 'vitest'
import {type Example, examples, type Field, type Place, variablesText} from './examples'
import {placeQuery, tenantsQuery, viewerQuery} from './place'

const schema = buildSchema(readFileSync(resolve(import.meta.dirname, '../../../schema.graphqls'), 'utf8'))

const field = (name: string, type: string, more: Partial<Field> = {}): Field => ({
  id: `id of ${name}`,
  name,
  type,
  sortable: true,
  required: false,
  options: [],
  ...more,
})

const place: Place = {
  id: 'P',
  key: 'KEY',
  name: 'Project',
  fields: [field('Vessel', 'TEXT'), field('Due', 'DATE'), field('Priority', 'SELECT', {required: true, options: [{id: 'critical'}]})],
  rows: [1, 2, 3, 4, 5, 6].map(n => ({
    cursor: `cursor ${n}`,
    node: {
      id: `issue ${n}`,
      name: `Issue ${n}`,
      version: n,
      state: {id: `state ${n}`},
      values: [{field: {id: 'id of Due'}}, ...(n > 1 ? [{field: {id: 'id of Priority'}, option: {id: `option ${n}`}}] : [])],
    },
  })),
}

const variables = (name: string, of?: Place) => examples.find(e => e.name === name)?.variables(of)

describe('operations', () => {
  test.each([...examples.map(e => [e.name, e.query]), ['viewer', viewerQuery], ['tenants', tenantsQuery], ['place', placeQuery]])(
    '%s is valid in the schema',
    (_, query) => {
      expect(validate(schema, parse(query))).toEqual([])
    },
  )

  test.each(examples)('$name begins with a comment that fits beside the answer, and is named as its tab', ({name, query}: Example) => {
    const comments = query.split('\n').filter(line => line.startsWith('#'))
    expect(query.startsWith('# ')).toBe(true)
    expect(Math.max(...comments.map(line => line.length))).toBeLessThanOrEqual(60)
    expect(/^(?:query|mutation) (\w+)/m.exec(query)?.[1]).toBe(name)
  })

  test.each(examples)('$name has a value for each of its variables, with a project and without', (example: Example) => {
    const names = [...example.query.matchAll(/\$(\w+): /g)].map(([, name]) => name)
    expect(Object.keys(example.variables(place))).toEqual(names)
    expect(Object.keys(example.variables())).toEqual(names)
    expect(variablesText(example, place)).not.toContain('undefined')
  })
})

describe('variables', () => {
  test('the order is of a field whose order one sees', () => {
    expect(variables('SortedByField', place)).toEqual({
      project: 'P',
      orderBy: [{column: {fieldId: 'id of Due'}, direction: 'DESC', nulls: 'LAST'}],
      columns: ['id of Due'],
    })
  })

  test('without a field to sort by, it is a built-in column', () => {
    const bare = {...place, fields: [field('Notes', 'LONG_TEXT', {sortable: false})]}
    expect(variables('SortedByField', bare)).toEqual({
      project: 'P',
      orderBy: [{column: {builtin: 'UPDATED_AT'}, direction: 'DESC', nulls: 'LAST'}],
      columns: [],
    })
  })

  test('the conditions hold of a row', () => {
    expect(variables('Filtered', place)).toEqual({
      project: 'P',
      where: {state: {eqId: 'state 2'}, fields: [{fieldId: 'id of Priority', option: {eqId: 'option 2'}}]},
    })
  })

  test('without options there are two conditions as well', () => {
    const bare = {...place, rows: place.rows.slice(0, 1)}
    expect(variables('Filtered', bare)).toEqual({project: 'P', where: {state: {eqId: 'state 1'}, createdAt: {gte: '2000-01-01T00:00:00Z'}}})
  })

  test('the next page begins where the first one ends', () => {
    expect(variables('NextPage', place)).toEqual({project: 'P', after: 'cursor 5'})
    expect(variables('NextPage', {...place, rows: place.rows.slice(0, 2)})).toEqual({project: 'P', after: 'cursor 2'})
  })

  test('a new issue has what is required', () => {
    const required = ['TEXT', 'LONG_TEXT', 'INTEGER', 'NUMBER', 'DATE', 'DATETIME', 'BOOLEAN', 'SELECT', 'MULTI_SELECT', 'TAGS', 'USER'].map(type =>
      field(type, type, {required: true, options: [{id: 'o'}]}),
    )
    expect(variables('CreateIssue', {...place, fields: [field('Other', 'TEXT'), ...required]})).toEqual({
      input: {
        projectId: 'P',
        issue: {
          name: 'Created in the playground',
          values: [
            {fieldId: 'id of TEXT', value: {text: 'Example'}},
            {fieldId: 'id of LONG_TEXT', value: {text: 'Example'}},
            {fieldId: 'id of INTEGER', value: {integer: '1'}},
            {fieldId: 'id of NUMBER', value: {number: 1}},
            {fieldId: 'id of DATE', value: {date: '2026-01-01'}},
            {fieldId: 'id of DATETIME', value: {dateTime: '2026-01-01T00:00:00Z'}},
            {fieldId: 'id of BOOLEAN', value: {boolean: true}},
            {fieldId: 'id of SELECT', value: {optionId: 'o'}},
            {fieldId: 'id of MULTI_SELECT', value: {optionIds: ['o']}},
            {fieldId: 'id of TAGS', value: {tags: ['example']}},
            {fieldId: 'id of USER', value: {user: 'Somebody'}},
          ],
        },
      },
    })
  })

  test('what changes an issue leaves it as it is', () => {
    expect(variables('UpdateIssue', place)).toEqual({input: {issue: {id: 'issue 1', expectedVersion: 1, name: 'Issue 1'}}})
    expect(variables('DeleteAndRestore', place)).toEqual({issue: 'issue 2'})
    expect(variables('DeleteAndRestore', {...place, rows: place.rows.slice(0, 1)})).toEqual({issue: 'issue 1'})
  })
})
