// Dates and times as people of three languages type them into cells: the API stores what was meant, or nothing.
import type {Browser} from 'playwright-core'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {launch, open, picture} from './browser'
import {sampleFleet, violations} from './fleet'
import {cellTexts, GridPage} from './grid'

const fleet = sampleFleet()

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

const iso = (days: number): string => {
  const at = new Date()
  at.setDate(at.getDate() + days)
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(n => String(n).padStart(2, '0')).join('-')
}
const local = (date: string): string => new Date(date).toISOString().replace('.000', '')

/** What is typed into a date and into a time, and what is stored; a message if it is refused. */
const cases: Record<string, {dates: [string, string | RegExp][]; times: [string, string | RegExp][]}> = {
  'en-US': {
    dates: [
      ['2026-12-24', '2026-12-24'],
      ['12/25/2026', '2026-12-25'],
      ['Feb 2, 2024', '2024-02-02'],
      ['tomorrow', iso(1)],
      ['+3d', iso(3)],
      ['24.12.2026', '2026-12-24'],
      ['25/12/2026', /25 is not a month/],
      ['2026-1', /is not a date/],
      ['2/29/2026', /February 2026 has 28 days/],
      ['12/24/26', /four digits/],
    ],
    times: [
      ['2026-12-24 18:30', local('2026-12-24T18:30')],
      ['12/24/2026 6:45 pm', local('2026-12-24T18:45')],
      ['today 7:15', local(`${iso(0)}T07:15`)],
      ['2026-12-24T18:30:00Z', '2026-12-24T18:30:00Z'],
      ['24', /is not a time/],
    ],
  },
  'de-DE': {
    dates: [
      ['24.12.2026', '2026-12-24'],
      ['2026-12-25', '2026-12-25'],
      ['2. Februar 2024', '2024-02-02'],
      ['morgen', iso(1)],
      ['3/4/2026', /could be two dates/],
      ['12/24/2026', '2026-12-24'],
    ],
    times: [
      ['24.12.2026, 18:30', local('2026-12-24T18:30')],
      ['24.12.2026 um 19 Uhr', local('2026-12-24T19:00')],
    ],
  },
  'ja-JP': {
    dates: [
      ['2026/12/24', '2026-12-24'],
      ['2026年12月25日', '2026-12-25'],
      ['明日', iso(1)],
      ['2026-1', /is not a date/],
    ],
    times: [['2026/12/24 18:30', local('2026-12-24T18:30')]],
  },
}

test.each(Object.entries(cases))(
  'in %s',
  async (locale, {dates, times}) => {
    const {api, field, project} = fleet
    const {page, context, troubles} = await open(browser, fleet.server.url, {width: 1900, height: 1000, locale})
    await context.addInitScript(cellTexts)
    const grid = new GridPage(page)
    await grid.open(project)
    for (const [column, all] of [
      ['Due', dates],
      ['Inspected', times],
    ] as const) {
      for (const [typed, want] of all) {
        const before = await api.value(project, 12, field(column))
        await grid.cell(11, field(column)).click()
        if (typed.charCodeAt(0) > 127) await grid.press('Enter') // it comes from an input method, which needs an input
        await page.keyboard.type(typed)
        if (typeof want === 'string' && !/^2026-/.test(typed)) await page.locator('.reading').waitFor()
        await grid.press('Enter')
        if (typeof want === 'string') {
          await grid.saved()
          expect(await api.value(project, 12, field(column)), typed).toBe(want)
        } else {
          await page.getByRole('alert').filter({hasText: want}).waitFor()
          await grid.press('Escape')
          expect(await api.value(project, 12, field(column)), typed).toBe(before)
        }
      }
    }
    expect(troubles).toEqual([])
    await context.close()
  },
  120_000,
)

describe('an editor of a date', () => {
  test('shows what was understood above the rows below, and its calendar', async () => {
    const {field, grid, page, project} = fleet
    await grid.open(project)
    await grid.cell(3, field('Due')).click()
    await page.keyboard.type('12/24/2026')
    await page.getByText('Thursday, December 24, 2026').waitFor()
    const note = await page.locator('.reading').boundingBox()
    expect(await page.evaluate(({x, y}) => document.elementFromPoint(x, y)?.className, {x: note!.x + 20, y: note!.y + note!.height / 2})).toBe('reading')
    await picture(page, 'edit-date')
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', {name: 'Calendar for Due'}).click()
    await page.keyboard.press('Escape')
    await grid.press('Escape')
  })

  test('keeps the value if what was typed is no date and the user clicks elsewhere, and says so', async () => {
    const {api, field, grid, page, project} = fleet
    const before = await api.value(project, 6, field('Due'))
    await grid.open(project)
    await grid.cell(5, field('Due')).click()
    await page.keyboard.type('2026-1')
    await grid.cell(8, 'name').click()
    await page.getByText('“Due” was not saved: “2026-1” is not a date (example: 2026-01-31).').waitFor()
    expect(await grid.cell(5, field('Due')).textContent()).toBe(new Date(before).toLocaleDateString('en-US', {dateStyle: 'medium', timeZone: 'UTC'}))
    expect(await api.value(project, 6, field('Due'))).toBe(before)
  })

  test('is not emptied by a half-deleted date', async () => {
    const {api, field, grid, page, project} = fleet
    const num = 102
    const issue = await api.issue(project, num)
    await api.update(issue.id, {values: [{field: field('Due'), value: {date: '2026-05-06'}}]})
    await grid.open(project)
    await grid.scrollTo(num - 1)
    await grid.cell(num - 1, field('Due')).click()
    await grid.press('Enter', 'End', 'Backspace', 'Backspace', 'Enter')
    await page.getByRole('alert').filter({hasText: 'is not a date'}).waitFor()
    await grid.press('Escape')
    expect(await api.value(project, num, field('Due'))).toBe('2026-05-06')
  })
})
