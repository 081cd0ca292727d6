// Measures the figures of docs/benchmarks.md: the time to the first rows, frames while scrolling, and jumps, on a project of
// $ISSUEGRID_ROWS generated issues (100,000). It fails if the size of a project matters: the same is measured on 1,000 issues.
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {Browser} from 'playwright-core'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {API} from './api'
import {launch, open} from './browser'
import {GridPage} from './grid'
import {run, startServer, type Server} from './server'

const many = Number(process.env.ISSUEGRID_ROWS ?? 100_000)
const few = 1_000
const loads = 6
const rowHeight = 34

let server: Server
let browser: Browser
let projects: Record<string, string>

/** Returns a CSV file of generated issues: of each a name, a state and six fields. */
function generated(rows: number): string {
  const lines = ['number,name,state,Vessel,Hours,Cost,Due,Safety,Priority']
  for (let n = 1; n <= rows; n++) {
    const day = String((n % 28) + 1).padStart(2, '0')
    const priority = ['Low', 'Medium', 'High'][n % 3]
    lines.push(
      `${n},Issue ${n}: replace the bow ramp hinge,${n % 4 ? 'Open' : 'Done'},Vessel ${(n * 7919) % 1000},${(n * 31) % 5000},${((n * 17) % 100000) / 100},2026-03-${day},${n % 5 === 0},${priority}`,
    )
  }
  return lines.join('\n') + '\n'
}

beforeAll(async () => {
  server = await startServer({args: ['--no-sample']})
  const api = new API(server.url)
  await api.ask('mutation { createTenant(input: {name: "Figures"}) { tenant { id } } }')
  const folder = mkdtempSync(join(tmpdir(), 'issuegrid-figures-'))
  try {
    for (const [key, rows] of [['FEW', few] as const, ['MANY', many] as const]) {
      const csv = join(folder, `${key}.csv`)
      writeFileSync(csv, generated(rows))
      run(['import', csv, '--tenant', 'Figures', '--project', key, '--data', server.data])
    }
  } finally {
    rmSync(folder, {recursive: true, force: true})
  }
  const {tenants} = await api.ask<{tenants: {nodes: {projects: {nodes: {id: string; key: string}[]}}[]}}>(
    '{ tenants { nodes { projects { nodes { id key } } } } }',
  )
  projects = Object.fromEntries(tenants.nodes.flatMap(t => t.projects.nodes).map(p => [p.key, p.id]))
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

const at = (all: readonly number[], share: number) => all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(share * all.length))]!
const ms = (all: readonly number[]) => `median ${at(all, 0.5).toFixed(1)} ms, p95 ${at(all, 0.95).toFixed(1)} ms`

/** Opens a project with an empty cache, and returns the page and the time to its first visible rows in milliseconds. */
async function load(key: string) {
  const watched = await open(browser, server.url, {width: 1400, height: 800})
  const grid = new GridPage(watched.page)
  const start = performance.now()
  await grid.open(projects[key]!)
  return {watched, grid, took: performance.now() - start}
}

test('the time to the first rows does not depend on the number of issues', async () => {
  const took: Record<string, number[]> = {FEW: [], MANY: []}
  for (let n = 0; n < loads; n++) {
    for (const key of ['FEW', 'MANY']) {
      const page = await load(key)
      took[key]!.push(page.took)
      await page.watched.context.close()
    }
  }
  console.log(`first rows of ${few} issues: ${ms(took.FEW!)}; of ${many}: ${ms(took.MANY!)}`)
  expect(at(took.MANY!, 0.5) / at(took.FEW!, 0.5)).toBeLessThan(1.5)
})

test('scrolling and jumping', async () => {
  const {watched, grid} = await load('MANY')
  await grid.count()
  const frames = await watched.page.evaluate(async rows => {
    const grid = document.querySelector('[role=grid]')!
    const took: number[] = []
    let last = performance.now()
    for (let top = 0; top < rows; top += 60) {
      grid.scrollTop = top
      await new Promise(requestAnimationFrame)
      const now = performance.now()
      took.push(now - last)
      last = now
    }
    return took
  }, 1000 * rowHeight)
  await grid.settled()
  const timed = async (index: number) => {
    const start = performance.now()
    await grid.scrollTo(index)
    return performance.now() - start
  }
  const last = await timed(many - 1)
  const middle = await timed(Math.floor(many / 2))
  const nearby: number[] = []
  for (let n = 1; n <= 10; n++) nearby.push(await timed(Math.floor(many / 2) + 200 * n))
  const heap = await watched.page.evaluate(() => (performance as unknown as {memory: {usedJSHeapSize: number}}).memory.usedJSHeapSize)
  console.log(
    `a frame while scrolling: ${ms(frames)}; to the last row ${last.toFixed(0)} ms, to the middle ${middle.toFixed(0)} ms, nearby ${ms(nearby)}; heap ${(heap / 1e6).toFixed(0)} MB`,
  )
  expect(watched.troubles).toEqual([])
  await watched.context.close()
})
