import {expect, test} from 'vitest'
import type {SavedViews} from '../data/savedViews'
import {numColumn} from '../model/columns'
import {nameColumn, textColumn} from '../test/fixtures'
import {upload} from './upload'

const all = [numColumn, nameColumn, textColumn('f1')]
type Input = Parameters<SavedViews['create']>[0]

test('views of a browser are saved as private ones', async () => {
  const inputs: Input[] = []
  const to = {
    create: (input: Input) => {
      inputs.push(input)
      if (input.name === 'Taken') throw new Error('refused')
      return Promise.resolve() as never
    },
  }
  const done = await upload(
    to,
    [
      {name: 'Sorted', query: '?sort=-name&columns=name,f1&widths=f1:90&group=f1.letter&summaries=f1:filled'},
      {name: 'Taken', query: ''},
      {name: 'Searched', query: '?q=x&where=' + encodeURIComponent('[["name","is","a"]]')},
      {name: 'Tall', query: '?rows=tall'},
    ],
    all,
  )
  expect(done).toEqual({saved: ['Sorted'], partly: ['Searched', 'Tall'], failed: [{name: 'Taken', code: 'INTERNAL', message: 'refused'}]})
  expect(inputs).toEqual([
    {
      name: 'Sorted',
      shared: false,
      filter: {},
      columns: [{column: {builtin: 'NAME'}}, {column: {fieldId: 'f1'}, width: 90}],
      orderBy: [{column: {builtin: 'NAME'}, direction: 'DESC', nulls: 'LAST'}],
      groupBy: [{column: {fieldId: 'f1'}, direction: 'ASC', nulls: 'LAST', firstLetter: true}],
      summaries: [{column: {fieldId: 'f1'}, part: 'FILLED'}],
      layout: 'GRID',
    },
    {name: 'Taken', shared: false, filter: {}, columns: [], orderBy: [], groupBy: [], summaries: [], layout: 'GRID'},
    {name: 'Searched', shared: false, columns: [], orderBy: [], groupBy: [], summaries: [], layout: 'GRID', filter: {and: [{name: {eq: 'a'}}]}},
    {name: 'Tall', shared: false, filter: {}, columns: [], orderBy: [], groupBy: [], summaries: [], layout: 'GRID'},
  ])
})
