// The grid on the issues of a real tracker: every row in both directions, every order, and filters, compared with the API.
import type {Browser} from 'playwright-core'
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest'
import {API} from './api'
import {launch, open, picture, type Watched} from './browser'
import {expected} from './expected'
import {cellTexts, GridPage, type Shown} from './grid'
import {realProjects} from './realdata'
import {startServers, type Server} from './server'

let server: Server
let browser: Browser
let api: API
let projects: Record<string, string>
let watched: Watched
let grid: GridPage

beforeAll(async () => {
  server = await startServers({args: ['--no-sample']})
  api = new API(server.url)
  projects = await realProjects(server, api, ['AC', 'ALOY'])
  browser = await launch()
}, 300_000)

afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

beforeEach(async () => {
  await watched?.context.close()
  watched = await open(browser, server.url, {width: 2600, height: 2400, scale: 0.25})
  await watched.context.addInitScript(cellTexts)
  grid = new GridPage(watched.page)
})

const noTroubles = () => expect(watched.troubles).toEqual([])

test('scrolling to the end and back shows every row of 4,503, in its place, with all of its values', async () => {
  const fields = (await api.fields(projects.AC!)).filter(f => f.type !== 'LONG_TEXT').slice(0, 12)
  const oracle = await api.walk(
    projects.AC!,
    null,
    null,
    fields.map(f => f.id),
  )
  expect(oracle).toHaveLength(4503)
  await grid.open(projects.AC!)
  expect(await grid.count()).toBe('4,503 issues')
  const seen = new Map<number, string>()
  const look = (rows: Shown[]) => {
    for (const row of rows) {
      const issue = oracle[row.index]
      expect(issue, `there is no row ${row.index}`).toBeDefined()
      expect(row.cells).toEqual(expected(issue!, fields))
      seen.set(row.index, row.cells.num!)
    }
  }
  for (let i = 0; i < oracle.length; i += 60) {
    await grid.scrollTo(i)
    look(await grid.rows())
  }
  expect([...seen.keys()].sort((a, b) => a - b)).toEqual(oracle.map((_, i) => i))
  seen.clear()
  for (let i = oracle.length - 60; i > -60; i -= 60) {
    await grid.scrollTo(Math.max(i, 0))
    look(await grid.rows())
  }
  expect([...seen.keys()].sort((a, b) => a - b)).toEqual(oracle.map((_, i) => i))
  await picture(watched.page, 'grid-real-data')
  noTroubles()
}, 240_000)

test('columns of every type sort in both directions, empty values last and first', async () => {
  const sortable = (await api.fields(projects.ALOY!)).filter(f => f.sortable)
  const fields = sortable.filter((f, i) => sortable.findIndex(other => other.type === f.type) === i)
  const builtin = ['num', 'name', 'state', 'created', 'updated']
  const builtins: Record<string, string> = {num: 'NUM', name: 'NAME', state: 'STATE', created: 'CREATED_AT', updated: 'UPDATED_AT'}
  expect(sortable.length).toBeGreaterThan(25)
  await grid.open(projects.ALOY!)
  for (const [n, id] of [...builtin, ...fields.map(f => f.id)].entries()) {
    const descending = n % 2 === 0
    const first = n % 4 >= 2 && n >= builtin.length
    const column = builtins[id] ? {builtin: builtins[id]} : {fieldId: id}
    const oracle = await api.walk(projects.ALOY!, [{column, direction: descending ? 'DESC' : 'ASC', nulls: first ? 'FIRST' : 'LAST'}])
    await grid.open(projects.ALOY!, `sort=${descending ? '-' : ''}${id}${first ? '.first' : ''}&columns=num,${id === 'num' ? 'name' : id}`)
    for (const at of [0, 700, oracle.length - 60]) {
      await grid.scrollTo(at)
      const rows = await grid.rows()
      expect(rows.length).toBeGreaterThan(30)
      expect(
        rows.map(r => [r.index, r.cells.num]),
        `order by ${id}`,
      ).toEqual(rows.map(r => [r.index, String(oracle[r.index]?.num)]))
    }
  }
  noTroubles()
}, 240_000)
