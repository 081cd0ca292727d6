// One run in Firefox: rows, every type of cell typed, a table pasted, undo and sorting. Playwright needs a Firefox of its own, so it is driven by Puppeteer here.
import puppeteer, {type Browser, type Page} from 'puppeteer-core'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {executable, picture} from './browser'
import {cases} from './cells'
import {sampleFleet} from './fleet'

const fleet = sampleFleet()

let browser: Browser
let page: Page
const troubles: string[] = []

beforeAll(async () => {
  browser = await puppeteer.launch({browser: 'firefox', executablePath: executable('FIREFOX', ['firefox-esr', 'firefox']), headless: true})
  page = await browser.newPage()
  // As wide as all columns: Puppeteer does not see that a pinned column covers a cell.
  await page.setViewport({width: 2400, height: 1000})
  page.on('console', message => {
    if (message.type() === 'error') troubles.push(message.text())
  })
  page.on('pageerror', error => troubles.push(String(error)))
})
afterAll(() => browser?.close())

const cell = (row: number, column: string) => `[aria-rowindex="${row + 2}"] [data-column="${column}"]`
const textOf = (selector: string) => page.$eval(selector, e => e.textContent)
const press = async (...keys: string[]) => {
  for (const key of keys) {
    const parts = key.split('+')
    for (const held of parts.slice(0, -1)) await page.keyboard.down(held as 'Control')
    await page.keyboard.press(parts.at(-1) as 'Enter')
    for (const held of parts.slice(0, -1)) await page.keyboard.up(held as 'Control')
  }
}

test('cells are typed, pasted, undone and sorted in Firefox', async () => {
  const {api, field, project, server} = fleet
  await page.goto(`${server.url}/?project=${project}`)
  await page.waitForSelector(cell(20, 'name'))
  await page.waitForFunction(() => document.querySelector('[data-testid=count]')?.textContent === '2,000 issues')
  expect(await textOf(cell(0, 'num'))).toBe('1')
  for (const [name, list] of Object.entries(cases['en-US']!)) {
    const [text, want] = list.find(([text, want]) => typeof want === 'string' && /^[\x21-\x7e]/.test(text))! as [string, string]
    await page.click(cell(11, field(name)))
    if (name === 'Tags' || name === 'Systems') await press('Delete')
    await page.keyboard.type(text)
    await press('Enter')
    await expect.poll(() => api.value(project, 12, field(name)), {message: `${name}: ${text}`}).toBe(want)
  }
  const due = await api.value(project, 16, field('Due'))
  await page.click(cell(15, field('Due')))
  await page.keyboard.type('2026-02-29')
  await press('Enter')
  await page.waitForSelector('[role=alert] ::-p-text(February 2026 has 28 days)')
  await press('Escape')
  expect(await api.value(project, 16, field('Due'))).toBe(due)

  const vessels = (...nums: number[]) => Promise.all(nums.map(num => api.value(project, num, field('Vessel'))))
  const [before, copied] = [await vessels(21, 22), await vessels(18, 19)]
  await page.click(cell(17, field('Vessel')))
  await press('Shift+ArrowDown', 'Control+c')
  await page.click(cell(20, field('Vessel')))
  await press('Control+v')
  await expect.poll(() => vessels(21, 22)).toEqual(copied)
  expect(before).not.toEqual(copied)
  await press('Control+z')
  await expect.poll(() => vessels(21, 22)).toEqual(before)

  await page.click('[role=columnheader][data-column="name"] .sort')
  const [first] = await api.walk(project, [{column: {builtin: 'NAME'}, direction: 'ASC', nulls: 'LAST'}])
  await expect.poll(() => textOf(cell(0, 'name'))).toBe(first!.name)
  await picture(page, 'firefox')
  expect(troubles).toEqual([])
}, 120_000)
