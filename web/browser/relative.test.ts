// Filters by relative times: as they are typed and chosen, in links and chips, in other time zones and languages, and across midnight.
import type {Page, Request} from 'playwright-core'
import {beforeAll, describe, expect, test} from 'vitest'
import {look, sampleFleet} from './fleet'

const zone = 'America/New_York'
const fleet = sampleFleet({width: 1900, height: 1000, timeZone: zone})
const day = 86_400_000

/** Returns the date in a time zone, some days later. */
const date = (timeZone: string, days = 0): string => {
  const today = new Intl.DateTimeFormat('en-CA', {timeZone, dateStyle: 'short'}).format(new Date())
  return new Date(Date.parse(`${today}T00:00Z`) + days * day).toISOString().slice(0, 10)
}

/** The days from today at which issues are due, by the numbers of the issues. */
const dueIn = new Map([-400, -100, -40, -8, -7, -6, -3, -1, 0, 1, 3, 6, 7, 8, 40, 100, 400].map((days, i) => [101 + i, days]))

beforeAll(async () => {
  // The test would be wrong if midnight passed after this.
  const {api, project, field} = fleet
  for (const [num, days] of dueIn) {
    const {id} = await api.issue(project, num)
    await api.update(id, {values: [{fieldId: field('Due'), value: {date: date(zone, days)}}]})
  }
})

const editor = (page = fleet.page) => page.getByRole('dialog', {name: /filter/i})
const chips = (page = fleet.page) => page.locator('.chip-text > span').allTextContents()
const where = (page = fleet.page) => JSON.parse(new URL(page.url()).searchParams.get('where') ?? '[]') as unknown[][]
const link = (...conditions: unknown[][]) => `where=${encodeURIComponent(JSON.stringify(conditions))}`

/** Opens the editor of a new condition with the keyboard. */
async function add(column: string, comparison: string, page = fleet.page): Promise<void> {
  await page.locator('.filter-bar button[aria-haspopup=dialog]').last().click()
  await editor(page).getByRole('combobox').waitFor()
  await page.keyboard.type(column)
  await page.keyboard.press('Enter')
  await editor(page).getByRole('heading', {name: column, exact: true}).waitFor()
  await editor(page).locator('select').first().selectOption({label: comparison})
}

async function apply(page = fleet.page): Promise<void> {
  await page.keyboard.press('Enter')
  await editor(page).waitFor({state: 'detached'})
}

/** Returns the numbers of the issues that are due so many days from today. */
const dueAt = (holds: (days: number) => boolean) => [...dueIn].filter(([, days]) => holds(days)).map(([num]) => String(num))

/** Checks the rows among the issues that have a day relative to today. The other issues are due in 2024, or on no day. */
async function expectDue(holds: (days: number) => boolean, grid = fleet.grid): Promise<void> {
  const found = async () => {
    await grid.settled()
    return (await grid.rows()).map(r => r.cells.num).filter(num => dueIn.has(Number(num)))
  }
  await expect.poll(found).toEqual(dueAt(holds))
}

/** The number of days since the last Monday in the time zone. */
const sinceMonday = () => (new Date(`${date(zone)}T00:00Z`).getUTCDay() + 6) % 7

describe('a condition', () => {
  test('is typed in words, which move with the day', async () => {
    const {field, grid, page, project} = fleet
    await grid.open(project, 'sort=num')
    await add('Due', 'is')
    await editor().getByRole('textbox').click()
    await page.keyboard.type('last 7 days')
    await editor().getByText('in the last 7 days (relative)').waitFor()
    await look(page, 'filter-relative')
    await apply()
    expect(await chips()).toEqual(['Due is in the last 7 days'])
    expect(where()).toEqual([[field('Due'), 'is', 'last 7 days']])
    await expectDue(days => days <= 0 && days > -7)
    await page.reload()
    await expectDue(days => days <= 0 && days > -7)

    // The words are one of the choices when the condition is edited.
    await page.getByRole('button', {name: 'Due is in the last 7 days', exact: true}).click()
    const count = editor().getByRole('textbox', {name: 'Due is: number'})
    expect(await count.inputValue()).toBe('7')
    await count.fill('0')
    await page.keyboard.press('Enter')
    await editor().getByText('Enter a whole number from 1 to 1,000').waitFor()
    await count.fill('2')
    await editor().getByRole('combobox', {name: 'Due is: unit'}).selectOption('week')
    await apply()
    expect(await chips()).toEqual(['Due is in the last 2 weeks'])
    await expectDue(days => days <= 0 && days > -14)
    await page.goBack()
    await expectDue(days => days <= 0 && days > -7)
  })

  test('is chosen from a list', async () => {
    const {grid, project} = fleet
    const monday = -sinceMonday()
    const cases: [string, string, string, (days: number) => boolean][] = [
      ['is', 'today', 'Due is today', days => days === 0],
      ['is', 'tomorrow', 'Due is tomorrow', days => days === 1],
      ['is', 'this week', 'Due is this week', days => days >= monday && days < monday + 7],
      ['is', 'last week', 'Due is last week', days => days >= monday - 7 && days < monday],
      ['is', 'next week', 'Due is next week', days => days >= monday + 7 && days < monday + 14],
      ['is after', 'today', 'Due is after today', days => days > 0],
      ['is on or after', 'yesterday', 'Due is on or after yesterday', days => days >= -1],
    ]
    for (const [comparison, choice, chip, holds] of cases) {
      await grid.open(project, 'sort=num')
      await add('Due', comparison)
      const kind = editor().getByRole('combobox', {name: `Due ${comparison}: kind of value`})
      await kind.selectOption({label: choice})
      await kind.focus()
      await apply()
      expect(await chips()).toEqual([chip])
      await expectDue(holds)
    }
  }, 180_000)

  test('has ends of both kinds', async () => {
    const {field, grid, page, project} = fleet
    await grid.open(project, 'sort=num')
    await add('Due', 'is between')
    await editor().getByRole('textbox', {name: 'From', exact: true}).click()
    await page.keyboard.type(date(zone, -50))
    await editor().getByRole('textbox', {name: 'To', exact: true}).click()
    await page.keyboard.type('+7d')
    await apply()
    expect(where()).toEqual([[field('Due'), 'between', date(zone, -50), '7 days ahead']])
    expect((await chips())[0]).toMatch(/^Due is between \w+ \d+, \d{4} and 7 days from now$/)
    await expectDue(days => days >= -50 && days <= 7)
  })

  test('of a time begins with today, and takes hours', async () => {
    const {api, grid, page, project} = fleet
    const {id} = await api.issue(project, 50)
    await api.update(id, {name: 'Changed now'})
    await grid.open(project, 'sort=num')
    await add('Updated', 'is')
    await editor().getByRole('combobox', {name: 'Updated is: kind of value'}).focus()
    await apply()
    expect(await chips()).toEqual(['Updated is today'])
    const today = {updatedAt: {relative: {gte: {base: 'START_OF_DAY'}, lt: {base: 'START_OF_DAY', offset: 1}}}}
    const oracle = await api.walk(project, null, today, [], zone)
    expect(oracle.some(i => i.num === 50)).toBe(true)
    // What the editor begins with is not carried to another comparison, but what was chosen is.
    await add('Updated', 'is before')
    await editor().getByRole('textbox', {name: 'Updated is before', exact: true}).waitFor()
    await editor().getByLabel('Comparison').selectOption({label: 'is'})
    await editor().getByRole('combobox', {name: 'Updated is: kind of value'}).selectOption({label: 'this week'})
    await editor().getByLabel('Comparison').selectOption({label: 'is before'})
    expect(await editor().getByRole('combobox', {name: 'Updated is before: kind of value'}).inputValue()).toBe('this week')
    await page.keyboard.press('Escape')
    await expect.poll(async () => (await grid.rows()).slice(0, 5).map(r => r.cells.num)).toEqual(oracle.slice(0, 5).map(i => String(i.num)))
    await page.getByRole('button', {name: 'Updated is today', exact: true}).click()
    await editor().getByRole('combobox', {name: 'Updated is: kind of value'}).selectOption({label: 'in the last…'})
    await editor().getByRole('textbox', {name: 'Updated is: number'}).fill('24')
    await editor().getByRole('combobox', {name: 'Updated is: unit'}).selectOption('hour')
    await editor().getByRole('textbox', {name: 'Updated is: number'}).press('Enter')
    await editor().waitFor({state: 'detached'})
    expect(await chips()).toEqual(['Updated is in the last 24 hours'])
    await grid.settled()
    expect((await grid.rows()).length).toBeGreaterThan(0)
  })

  test('that was stored with a fixed date is that date', async () => {
    const {field, grid, project} = fleet
    await grid.open(project, `sort=num&${link([field('Due'), 'is', date(zone, 3)])}`)
    await expectDue(days => days === 3)
  })
})

interface Sent {
  operationName: string
  variables: {timeZone?: string; after?: string; before?: string; where?: unknown}
}

/** Records the requests for pages of the grid. */
function pagesOf(page: Page): Sent[] {
  const sent: Sent[] = []
  page.on('request', (r: Request) => {
    const body = r.url().endsWith('/graphql') ? (JSON.parse(r.postData() ?? '{}') as Sent) : null
    if (body?.operationName === 'GridPage') sent.push(body)
  })
  return sent
}

test('days are those of the browser’s time zone', async () => {
  const {api, field, project} = fleet
  // The clocks of these two are 25 hours apart, so it is never the same day.
  const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago']
  for (const [i, timeZone] of zones.entries()) {
    const {id} = await api.issue(project, 201 + i)
    await api.update(id, {values: [{fieldId: field('Due'), value: {date: date(timeZone)}}]})
  }
  for (const [i, timeZone] of zones.entries())
    await fleet.elsewhere({timeZone}, async (page, grid) => {
      const sent = pagesOf(page)
      await grid.open(project, `sort=num&${link([field('Due'), 'is', 'today'])}`)
      const nums = (await grid.rows()).map(r => r.cells.num)
      expect(nums).toContain(String(201 + i))
      expect(nums).not.toContain(String(202 - i))
      expect(sent.map(s => s.variables.timeZone)).toEqual(sent.map(() => timeZone))
    })
})

test('a page in German types and shows them in German', async () => {
  const {field, project} = fleet
  await fleet.elsewhere({timeZone: zone, locale: 'de-DE', translated: true}, async (page, grid) => {
    await grid.open(project, 'sort=num')
    await add('Due', 'ist', page)
    await editor(page).getByRole('textbox').click()
    await page.keyboard.type('nächste Woche')
    await editor(page).getByText('nächste Woche (relativ)').waitFor()
    await apply(page)
    expect(await chips(page)).toEqual(['Due ist nächste Woche'])
    expect(where(page)).toEqual([[field('Due'), 'is', 'next week']])
    const monday = 7 - sinceMonday()
    await expectDue(days => days >= monday && days < monday + 7, grid)
    await grid.open(project, link([field('Due'), 'lt', '3 months ago'], [field('Due'), 'between', 'this year', '2 weeks ahead']))
    expect(await chips(page)).toEqual(['Due liegt früher als vor 3 Monaten', 'Due liegt im Zeitraum: dieses Jahr bis in 2 Wochen'])
  })
})

describe('across midnight', () => {
  const mark = /\.-?\d+$/
  /** The first request may read the rows after the position, those before it, or the first ones. */
  const cursorOf = (s: Sent) => String(s.variables.after ?? s.variables.before ?? '')
  const begin = async () => {
    const {grid, page, project, field} = fleet
    await page.clock.install()
    const sent = pagesOf(page)
    await grid.open(project, `sort=num&${link([field('Due'), 'lt', 'today'])}`)
    await grid.scrollTo(300)
    await page.clock.runFor(1000) // until the position is in the URL
    await page.waitForFunction(() => location.search.includes('at=300'))
    await page.waitForLoadState('networkidle') // rows around the visible ones are read, too
    const walked = sent.filter(s => s.variables.after !== undefined)
    expect(walked.length).toBeGreaterThan(0)
    for (const s of walked.slice(1)) expect(s.variables.after).toMatch(mark)
    sent.length = 0
    return sent
  }
  const tomorrow = async () => {
    await fleet.page.clock.setSystemTime(Date.now() + day)
    await fleet.page.clock.runFor(16_000)
  }

  test('the rows are read again, at the same place', async () => {
    const {grid, page} = fleet
    const sent = await begin()
    const before = await grid.top()
    await tomorrow()
    await expect.poll(() => sent.length).toBeGreaterThan(0)
    expect(cursorOf(sent[0]!)).not.toMatch(mark)
    await grid.settled()
    expect(await grid.top()).toEqual(before)

    // So are those of a link with a position.
    expect(new URL(page.url()).searchParams.get('at')).toMatch(mark)
    page.once('framenavigated', () => (sent.length = 0)) // what the page before was still reading does not count
    await page.reload()
    await expect.poll(() => sent.length).toBeGreaterThan(0)
    expect(cursorOf(sent[0]!)).not.toMatch(mark)
    await grid.settled()
    expect(await grid.top()).toEqual(before)
  })

  test('a row stays in place while it is edited', async () => {
    const {field, grid, page} = fleet
    const sent = await begin()
    await grid.cell(305, field('Vessel')).click()
    await page.keyboard.type('Halfway')
    await tomorrow()
    await page.getByRole('button', {name: 'Re-sort'}).waitFor()
    expect(await page.locator('.cell-editor input, .cell-editor textarea').first().inputValue()).toBe('Halfway')
    expect(sent).toEqual([])
    await grid.press('Escape')
    await page.getByRole('button', {name: 'Re-sort'}).click()
    await expect.poll(() => sent.length).toBeGreaterThan(0)
    expect(cursorOf(sent[0]!)).not.toMatch(mark)
  })
})
