// A random walk of 1,000 steps, or ISSUEGRID_WALK_STEPS: in two tabs, somebody types, pastes, fills, clears, undoes and sorts, while requests fail and responses are lost. At the end, and
// on the way, the API has exactly what the user was shown. ISSUEGRID_WALK_SEED repeats a walk.
import type {Browser, BrowserContext, Page, Route} from 'playwright-core'
import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest'
import type {Field} from './api'
import {launch, open} from './browser'
import {expected} from './expected'
import {sampleFleet} from './fleet'
import {cellTexts, GridPage} from './grid'

const fleet = sampleFleet()
const steps = Number(process.env.ISSUEGRID_WALK_STEPS ?? 1000)
/** After how many steps the API is compared. In every second part, requests fail. */
const part = 50
const rows = 12
const seed = Number(process.env.ISSUEGRID_WALK_SEED ?? 1 + Math.floor(Math.random() * 1e6))

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

/** Returns a generator of random numbers below n. */
function dice(seed: number): (n: number) => number {
  let state = seed
  return n => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}

/** What is typed into each column; some of it is refused. */
const typed: Record<string, readonly string[]> = {
  name: ['Grease it', 'Ölwechsel', 'a "quoted" name', '=1+1', '  spaces  '],
  Vessel: ['Aurora', 'Der Ärger', '007', '-5', '=SUM(A1)', 'a,b;c', '日本丸'],
  'Running Hours': ['42', '1,234', '0', '-17', 'many', '9223372036854775808'],
  Cost: ['12', '1,234.5', '$7', '(3)', '1,5', 'about 5'],
  Due: ['2026-12-24', '12/24/2026', 'today', '+3d', '2026-02-29', 'someday'],
  Inspected: ['2026-12-24 18:30', '12/24/2026 6:45 pm', 'noonish'],
  Priority: ['Critical', 'low', 'med', 'Urgent!'],
  Systems: ['Hull, Engine', 'Engine', 'Warp drive'],
  Tags: ['rust', 'one, two', '"a, b", c'],
  Assignee: ['Ada Lovelace', 'Zoë'],
}

type Cells = Record<string, Record<string, string>>

/** A tab, and what its user was told. */
class Tab {
  readonly grid: GridPage
  /** Whether requests fail: 1 of so many; 0 for none. */
  faults = 0
  /** The cells of which a conflict was resolved. Only the latest messages about conflicts are shown, so that some cells have only a marker. */
  readonly resolved = new Set<string>()

  private constructor(
    readonly page: Page,
    readonly name: string,
  ) {
    this.grid = new GridPage(page)
  }

  static async open(context: BrowserContext, name: string, url: string, random: (n: number) => number): Promise<Tab> {
    const tab = new Tab(name === 'first' ? context.pages()[0]! : await context.newPage(), name)
    await tab.page.route('**/graphql', route => tab.pass(route, random))
    await tab.page.goto(url)
    await tab.grid.settled()
    // A message that stays can cover the cell to click, and is closed then, as by a person. It may close itself first.
    const close = tab.page.getByRole('button', {name: 'Close message'}).first()
    await tab.page.addLocatorHandler(close, button => button.click({timeout: 1000}).catch(() => undefined), {noWaitAfter: true})
    await tab.page.evaluate(() => {
      const told: string[] = []
      Object.assign(window, {told})
      new MutationObserver(() => {
        for (const toast of document.querySelectorAll('.toast.error > span')) if (!told.includes(toast.textContent)) told.push(toast.textContent)
      }).observe(document.body, {subtree: true, childList: true, characterData: true})
    })
    return tab
  }

  /** Lets a request pass, or makes it fail in one of the ways in which requests fail. */
  private async pass(route: Route, random: (n: number) => number): Promise<void> {
    const kind = this.faults > 0 && random(this.faults) === 0 ? random(3) : -1
    try {
      if (kind === 0) await route.abort('connectionreset')
      else if (kind === 1) await route.fulfill({status: 503, headers: {'Retry-After': '0'}, body: ''})
      else if (kind === 2) {
        await route.fetch() // takes effect, but nobody learns of it
        await route.abort('connectionreset')
      } else await route.continue()
    } catch {
      // the page was closed, or does not wait for the response anymore
    }
  }

  /** Returns the errors that were shown since the last call. */
  told = (): Promise<string[]> => this.page.evaluate(() => (window as unknown as {told: string[]}).told.splice(0))

  /** Returns the cells that are shown, by the number of their issue and by column. Sets are in alphabetical order. */
  async cells(sets: ReadonlySet<string>): Promise<Cells> {
    const shown = await this.grid.rows()
    return Object.fromEntries(
      shown.map(r => [r.cells.num!, Object.fromEntries(Object.entries(r.cells).map(([id, text]) => [id, sets.has(id) ? inOrder(text) : text]))]),
    )
  }

  /** Waits until what a key started is shown. */
  async painted(): Promise<void> {
    await this.page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))
    await this.grid.saved()
  }

  /** Returns the index of the row that shows an issue now. */
  async rowOf(num: number): Promise<number> {
    return (await this.grid.rows()).find(r => r.cells.num === String(num))?.index ?? -1
  }

  /** Waits until nothing is being saved, and chooses a value for each conflict. */
  async rest(random: (n: number) => number): Promise<void> {
    this.faults = 0
    const again = this.page.locator('.grid-state').getByRole('button', {name: 'Try again'})
    if (await again.isVisible()) await again.click()
    await this.grid.settled()
    // What others change meanwhile may end a conflict.
    let refused: unknown
    const refuse = (error: unknown) => {
      refused = error
    }
    for (let rounds = 0; ; rounds++) {
      await this.grid.saved()
      if (rounds === 15) {
        const seen = await this.page.locator('footer.status, .conflicts').allInnerTexts()
        throw new Error(`a conflict that cannot be resolved in the ${this.name} tab: ${seen.join('; ')}`, {cause: refused})
      }
      const conflicts = this.page.locator('footer.status').getByRole('button', {name: /conflict/})
      if (!(await conflicts.isVisible())) return
      const list = this.page.getByRole('dialog', {name: 'Conflicts'})
      if (!(await list.isVisible())) await conflicts.click({timeout: 2000}).catch(refuse)
      const first = list.getByRole('listitem').first()
      const cell = await first.getAttribute('aria-label', {timeout: 2000}).catch(() => null)
      if (cell) this.resolved.add(cell)
      await first
        .getByRole('button', {name: ['Use mine', 'Keep theirs'][random(2)]!})
        .click({timeout: 2000})
        .catch(refuse)
    }
  }
}

const inOrder = (set: string) => set.split(', ').sort().join(', ')

/** Returns the cells that differ between two looks at the same rows, as `number column`. */
function differences(before: Cells, after: Cells): string[] {
  return Object.keys(after).flatMap(num =>
    before[num] === undefined
      ? []
      : Object.keys(after[num]!)
          .filter(id => before[num]![id] !== after[num]![id])
          .map(id => `${num} ${id}`),
  )
}

test(`what was shown is stored (seed ${seed})`, async () => {
  const random = dice(seed)
  const of = <T>(list: readonly T[]): T => list[random(list.length)]!
  const {api, field, fields, project} = fleet
  const columns = Object.keys(typed)
  const idOf = (column: string) => (column === 'name' ? 'name' : field(column))
  const shownFields: Field[] = Object.values(fields).filter(f => columns.includes(f.name) || f.name === 'Safety')
  const sets = new Set([field('Systems'), field('Tags')])
  const {context} = await open(browser, fleet.server.url, {width: 2200, height: 900, scale: 0.25})
  await context.addInitScript(cellTexts)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], {origin: fleet.server.url})
  const where = `where=${encodeURIComponent(`[["num","between","1","${rows}"]]`)}`
  const url = `/?project=${project}&${where}&columns=num,name,${shownFields.map(f => f.id).join(',')}`
  const tabs = [await Tab.open(context, 'first', url, random), await Tab.open(context, 'second', url, random)]

  const stored = async (): Promise<Cells> => {
    const issues = await api.walk(
      project,
      null,
      {num: {lte: rows}},
      shownFields.map(f => f.id),
    )
    return Object.fromEntries(
      issues.map(i => {
        const {num, name, ...others} = expected(i, shownFields)
        const cells = Object.fromEntries(shownFields.map(f => [f.id, sets.has(f.id) ? inOrder(others[f.id]!) : others[f.id]!]))
        return [num!, {num: num!, name: name!, ...cells}]
      }),
    )
  }

  /** Which tab changed a cell last, and what it showed then. */
  const last = new Map<string, {tab: Tab; text: string; step: string}>()
  const log: string[] = []

  const cell = async (tab: Tab, column: string) => {
    const num = 1 + random(rows)
    const row = await tab.rowOf(num)
    return {num, row, at: tab.grid.cell(Math.max(row, 0), idOf(column))}
  }
  const click = (at: ReturnType<GridPage['cell']>) => at.click({position: {x: 50, y: 8}, timeout: 5000})
  const done: Record<string, (tab: Tab) => Promise<string>> = {
    async type(tab) {
      const column = of(columns)
      const {num, at} = await cell(tab, column)
      const text = of(typed[column]!)
      const end = of(['Enter', 'Enter', 'Tab', 'Shift+Tab', 'click', 'Escape'])
      await click(at)
      // An input method needs an input, and Space selects the row.
      if (text.charCodeAt(0) > 127 || text.startsWith(' ')) await tab.grid.press('F2', 'ControlOrMeta+a')
      await tab.page.keyboard.type(text)
      if (end === 'click') await click(tab.grid.cell(0, 'name'))
      else await tab.grid.press(end)
      // A refused value keeps its editor open.
      if (await tab.page.locator('.cell-editor').isVisible()) await tab.grid.press('Escape', 'Escape')
      return `type ${text} into ${column} of ${num}, ${end}`
    },
    async toggle(tab) {
      const {num, at} = await cell(tab, 'Safety')
      await at.getByRole('checkbox').click({timeout: 5000})
      return `toggle ${num}`
    },
    async paste(tab) {
      const {num, at} = await cell(tab, 'Vessel')
      const text = Array.from({length: 1 + random(3)}, () => `${of(typed.Vessel!)} ${random(99)}\t${random(999)}\t${random(9)}.5`).join('\n')
      await click(at)
      await tab.page.evaluate(t => navigator.clipboard.writeText(t), text)
      await tab.grid.press('ControlOrMeta+v')
      return `paste ${JSON.stringify(text)} at ${num}`
    },
    async copy(tab) {
      const column = of(columns)
      const {num, at} = await cell(tab, column)
      await click(at)
      await tab.grid.press('Shift+ArrowDown', 'ControlOrMeta+c', 'ArrowDown', 'ArrowDown', 'ControlOrMeta+v')
      return `copy ${column} of ${num} down`
    },
    async fill(tab) {
      const column = of(columns)
      const {num, at} = await cell(tab, column)
      await click(at)
      await tab.grid.press('Shift+ArrowDown', 'Shift+ArrowDown', 'ControlOrMeta+d')
      return `fill ${column} from ${num}`
    },
    async clear(tab) {
      const column = of(columns.filter(c => c !== 'name' && c !== 'Priority'))
      const {num, at} = await cell(tab, column)
      await click(at)
      await tab.grid.press('Delete')
      return `clear ${column} of ${num}`
    },
    async undo(tab) {
      const keys = Array.from({length: 1 + random(3)}, () => of(['ControlOrMeta+z', 'ControlOrMeta+z', 'ControlOrMeta+y']))
      await tab.grid.press(...keys)
      return keys.join(' ')
    },
    async sort(tab) {
      const column = of(['name', 'Vessel', 'Running Hours', 'Cost', 'Due', 'Priority'])
      await tab.grid.header(idOf(column)).locator('button.sort').click({timeout: 5000})
      await tab.grid.settled()
      return `sort by ${column}`
    },
    async refresh(tab) {
      await tab.page.evaluate(() => window.dispatchEvent(new Event('focus')))
      return 'look again'
    },
  }
  const kinds = ['type', 'type', 'type', 'type', 'toggle', 'paste', 'copy', 'fill', 'clear', 'undo', 'undo', 'sort', 'refresh']

  let doing = 'opening'
  let before = ''
  const watch = setInterval(() => {
    if (doing === before) console.error(`${doing} takes more than 30 s, after\n${log.slice(-10).join('\n')}`)
    before = doing
  }, 30_000)
  onTestFinished(() => clearInterval(watch))
  const began = performance.now()
  for (let step = 1; step <= steps; step++) {
    const tab = of(tabs)
    const kind = of(kinds)
    doing = `step ${step}: ${kind} in the ${tab.name} tab`
    await tab.page.bringToFront() // a browser hardly draws the tab behind
    const shownBefore = await tab.cells(sets)
    const what = await done[kind]!(tab)
    if (tab.faults === 0) await tab.painted()
    const after = await tab.cells(sets)
    log.push(`${step} ${tab.name}: ${what}`)
    for (const changed of differences(shownBefore, after)) {
      const [num, id] = changed.split(' ') as [string, string]
      last.set(changed, {tab, text: after[num]![id]!, step: log.at(-1)!})
    }
    if (step % part > 0) continue

    const hadFaults = tabs.some(t => t.faults > 0)
    const told = new Map<Tab, string[]>()
    for (const t of tabs) {
      doing = `the ${t.name} tab finishes after step ${step}`
      await t.page.bringToFront()
      await t.rest(random)
      told.set(t, await t.told())
    }
    const api = await stored()
    const shown = await Promise.all(tabs.map(t => t.cells(sets)))
    const context = () => `seed ${seed}, ${log.slice(-part).join('\n')}\ntold: ${JSON.stringify([...told.values()])}`
    // A save that failed, or a conflict about the cell in any tab.
    const labelOf = (id: string) => (id === 'name' ? 'Name' : shownFields.find(f => f.id === id)!.name)
    const isDisputed = (tab: Tab, num: string, id: string) =>
      told.get(tab)!.some(t => t.startsWith('Not saved')) ||
      [...told.values()].flat().some(t => t.startsWith(`“${labelOf(id)}” in FLEET-${num} was also changed`)) ||
      tabs.some(t => t.resolved.has(`${labelOf(id)} in FLEET-${num}`))
    for (const [num, cells] of Object.entries(api))
      for (const [id, text] of Object.entries(cells)) {
        // Somebody sees what is stored.
        expect(
          shown.map(s => s[num]?.[id]),
          `${num} ${id} is ${JSON.stringify(text)}; ${context()}`,
        ).toContain(text)
        const change = last.get(`${num} ${id}`)
        // Without faults and conflicts, it is what its last user saw.
        if (change && !hadFaults && !isDisputed(change.tab, num, id)) expect(text, `${num} ${id} after ${change.step}; ${context()}`).toBe(change.text)
      }
    last.clear()
    for (const t of tabs) t.resolved.clear()
    console.info(`step ${step}, ${Math.round((performance.now() - began) / step)} ms each`)
    // A look at the page again shows it to everybody.
    doing = `the tabs look again after step ${step}`
    for (const t of tabs) {
      await t.page.bringToFront()
      await expect
        .poll(
          async () => {
            await t.page.evaluate(() => window.dispatchEvent(new Event('focus')))
            return t.cells(sets)
          },
          {message: context()},
        )
        .toEqual(api)
    }
    for (const t of tabs) {
      for (const close of await t.page.getByRole('button', {name: 'Close message'}).all()) await close.click({timeout: 1000}).catch(() => undefined)
      await t.told()
      t.faults = (step / part) % 2 === 1 ? 8 : 0
    }
  }
  await context.close()
}, 1_200_000)
