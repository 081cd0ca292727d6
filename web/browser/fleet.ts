// Shared setup for tests of the grid on the sample data: each file has its own server, and each test a page that must have no troubles when it closes.
import axe from 'axe-core'
import type {Browser, Page} from 'playwright-core'
import {afterAll, afterEach, beforeAll, beforeEach, expect} from 'vitest'
import {API, type Field} from './api'
import {launch, open, picture, type Look, type Watched} from './browser'
import {cellTexts, GridPage} from './grid'
import {startServers, type Server} from './server'

export interface Fleet {
  server: Server
  api: API
  /** The ID of the project with a field of every type. */
  project: string
  fields: Record<string, Field>
  /** Returns the ID of a field. */
  field: (name: string) => string
  watched: Watched
  page: Page
  grid: GridPage
  /** Opens a page in another context, whose look differs in some parts. It must have no troubles either. */
  elsewhere: (look: Look, work: (page: Page, grid: GridPage) => Promise<void>) => Promise<void>
}

/** Registers the hooks. The returned object is filled in when a test runs. */
export function sampleFleet(look: Look = {width: 1900, height: 1000}): Fleet {
  const fleet = {field: (name: string) => fleet.fields[name]!.id} as Fleet
  let browser: Browser
  const begin = async (other: Look = {}): Promise<Watched> => {
    const watched = await open(browser, fleet.server.url, {...look, ...other})
    await watched.context.addInitScript(cellTexts)
    await watched.context.grantPermissions(['clipboard-read', 'clipboard-write'], {origin: fleet.server.url})
    return watched
  }
  fleet.elsewhere = async (other, work) => {
    const {context, page, troubles} = await begin(other)
    try {
      await work(page, new GridPage(page))
      expect(troubles).toEqual([])
    } finally {
      await context.close()
    }
  }
  beforeAll(async () => {
    fleet.server = await startServers()
    fleet.api = new API(fleet.server.url)
    const {tenants} = await fleet.api.ask<{tenants: {nodes: {projects: {nodes: {id: string; key: string}[]}}[]}}>(
      '{ tenants { nodes { projects { nodes { id key } } } } }',
    )
    fleet.project = tenants.nodes.flatMap(t => t.projects.nodes).find(p => p.key === 'FLEET')!.id
    fleet.fields = Object.fromEntries((await fleet.api.fields(fleet.project)).map(f => [f.name, f]))
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await fleet.server?.stop()
  })
  beforeEach(async () => {
    fleet.watched = await begin()
    fleet.page = fleet.watched.page
    fleet.grid = new GridPage(fleet.page)
  })
  afterEach(async () => {
    // The browser logs requests that failed because a test switched off the network.
    expect(fleet.watched.troubles.filter(t => !/ERR_INTERNET_DISCONNECTED/.test(t))).toEqual([])
    await fleet.watched.context.close()
  })
  return fleet
}

/** Returns what axe finds on a page in both themes, by WCAG and its best practices. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  const found: string[] = []
  for (const dark of [!isDark, isDark]) {
    await page.emulateMedia({colorScheme: dark ? 'dark' : 'light'})
    // Without resultTypes, axe also describes each element without violations, which takes most of its time.
    const {violations} = await page.evaluate(() => (window as unknown as {axe: typeof axe}).axe.run(document, {resultTypes: ['violations']}))
    found.push(...violations.flatMap(v => v.nodes.map(n => `${dark ? 'dark' : 'light'}: ${v.id}: ${n.target.join(' ')}: ${n.failureSummary}`)))
  }
  return found
}

/** Saves a screenshot, and checks that axe finds nothing. */
export async function look(page: Page, name: string): Promise<void> {
  await picture(page, name)
  expect(await violations(page)).toEqual([])
}
