// Sorting by several columns: headers with Shift, the list of sort columns by mouse and keyboard, links and stored views, and what depends on the order.
import {describe, expect, test} from 'vitest'
import type {Issue} from './api'
import {look, sampleFleet} from './fleet'

const fleet = sampleFleet()

const sortButton = () => fleet.page.getByRole('button', {name: /^Sort: /})
const popover = () => fleet.page.getByRole('dialog', {name: 'Sort', exact: true})
const sortOf = () => new URL(fleet.page.url()).searchParams.get('sort')

/** Returns the argument of the API for an order as the URL has it, with the names of fields. */
function orderBy(...keys: string[]): unknown[] {
  const builtin: Record<string, string> = {num: 'NUM', name: 'NAME', state: 'STATE', created: 'CREATED_AT'}
  return keys.map(key => {
    const [, minus, name = '', first] = /^(-?)([^.]+)(\.first)?$/.exec(key) ?? []
    return {
      column: builtin[name] ? {builtin: builtin[name]} : {fieldId: fleet.field(name)},
      direction: minus ? 'DESC' : 'ASC',
      nulls: first ? 'FIRST' : 'LAST',
    }
  })
}

const inURL = (...keys: string[]) =>
  keys
    .map(key => {
      const [, minus = '', name = '', first = ''] = /^(-?)([^.]+)(\.first)?$/.exec(key) ?? []
      return minus + (fleet.fields[name]?.id ?? name) + first
    })
    .join(',')

/** The rows in the orders that were asked for, until a test changes issues. */
const walks = new Map<string, Promise<Issue[]>>()

function walk(keys: readonly string[]): Promise<Issue[]> {
  const known = walks.get(keys.join())
  if (known) return known
  const rows = fleet.api.walk(fleet.project, orderBy(...keys), null, [fleet.field('Due')])
  walks.set(keys.join(), rows)
  return rows
}

/** Checks that the URL has the order, and that the rows are those of the API, wherever the grid is scrolled to. */
async function expectOrder(...keys: string[]): Promise<Issue[]> {
  const {grid} = fleet
  await expect.poll(sortOf).toBe(inURL(...keys))
  const oracle = await walk(keys)
  const expectRows = async () => {
    await grid.settled()
    const rows = await grid.rows()
    expect(rows.map(r => r.cells.num)).toEqual(rows.map(r => String(oracle[r.index]!.num)))
  }
  await expect.poll(async () => (await grid.rows())[0]?.cells.num).toBe(String(oracle[0]!.num))
  await expectRows()
  return oracle
}

/** Returns the sort columns as headers show them: the label, what is read out, and aria-sort. */
const headers = () =>
  fleet.page
    .locator('[role=columnheader][data-column]')
    .evaluateAll(cells =>
      cells
        .filter(c => c.querySelector('.sort-position') || !['none', null].includes(c.getAttribute('aria-sort')))
        .map(c => [c.querySelector('.label')?.textContent, c.querySelector('.visually-hidden')?.textContent ?? '', c.getAttribute('aria-sort')]),
    )

describe('headers', () => {
  test('with Shift add a column, make it descending, and remove it', async () => {
    const {grid, page, project, field} = fleet
    await grid.open(project)
    const click = (id: string, shift: boolean) =>
      grid
        .header(id)
        .locator('button.sort')
        .click({modifiers: shift ? ['Shift'] : []})
    await click('state', false)
    await expectOrder('state')
    expect(await headers()).toEqual([['State', '', 'ascending']])
    await click(field('Vessel'), true)
    await expectOrder('state', 'Vessel')
    await click(field('Running Hours'), true)
    await click(field('Running Hours'), true)
    await expectOrder('state', 'Vessel', '-Running Hours')
    expect(await headers()).toEqual([
      ['State', 'sort column 1 of 3', 'ascending'],
      ['Vessel', 'sort column 2 of 3, ascending', 'none'],
      ['Running Hours', 'sort column 3 of 3, descending', 'none'],
    ])
    expect(await page.locator('.sort-position').allTextContents()).toEqual(['1', '2', '3'])
    expect(await page.getByRole('button', {name: 'Running Hours sort column 3 of 3, descending'}).count()).toBe(1)
    await look(page, 'sort-headers')

    // A click with Shift selects no text.
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('')
    await page.reload()
    await expectOrder('state', 'Vessel', '-Running Hours')
    await click(field('Vessel'), true)
    await click(field('Vessel'), true)
    await expectOrder('state', '-Running Hours')
    await page.goBack()
    await expectOrder('state', '-Vessel', '-Running Hours')
    await click('state', false)
    await expectOrder('-state')
    await click(field('Cost'), false)
    await expectOrder('Cost')
    expect(await headers()).toEqual([['Cost', '', 'ascending']])
  })

  test('with the keyboard do the same', async () => {
    const {grid, page, project} = fleet
    await grid.open(project)
    await grid.grid.focus()
    await grid.press('Control+Home', 'ArrowUp', 'ArrowRight', 'ArrowRight', 'Enter')
    await expectOrder('state')
    await grid.press('ArrowLeft', 'Shift+Enter')
    await expectOrder('state', 'name')
    await grid.press('Shift+Enter')
    await expectOrder('state', '-name')
    await grid.press('Shift+Enter')
    await expectOrder('state')
    await grid.press('Alt+ArrowDown')
    await page.getByRole('menuitem', {name: 'Add to sort'}).click()
    await expectOrder('state', 'name')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
    await grid.press('Alt+ArrowDown')
    await page.getByRole('menuitem', {name: 'Remove from sort'}).click()
    await expectOrder('state')
  })

  test('a fifth column is refused with a message', async () => {
    const {grid, page, project, field} = fleet
    const four = ['state', 'Vessel', '-Priority', 'Cost']
    await grid.open(project, `sort=${inURL(...four)}`)
    await grid
      .header(field('Due'))
      .locator('button.sort')
      .click({modifiers: ['Shift']})
    await page.getByText('Rows can be sorted by at most 4 columns.').waitFor()
    await expectOrder(...four)
  })
})

describe('the list', () => {
  test('is changed with the mouse', async () => {
    const {grid, page, project} = fleet
    await grid.open(project)
    const entries = await page.evaluate(() => history.length)
    expect(await sortButton().getAttribute('aria-label')).toBe('Sort: #, ascending')
    await sortButton().click()
    const add = async (typed: string) => {
      await popover().getByRole('button', {name: 'Add column'}).click()
      await page.keyboard.type(typed)
      await popover().getByRole('option').first().click()
    }
    await add('prio')
    await expectOrder('Priority')
    await add('vess')
    await add('cost')
    await expectOrder('Priority', 'Vessel', 'Cost')
    await popover().getByRole('button', {name: 'Cost: ascending'}).click()
    await popover().getByRole('checkbox', {name: 'Cost: empty values first'}).check()
    await expectOrder('Priority', 'Vessel', '-Cost.first')
    await look(page, 'sort-list')
    const place = (name: string) => popover().getByRole('listitem').filter({hasText: name})
    await place('Cost').locator('.sort-name').dragTo(place('Priority').locator('.sort-name'))
    await expectOrder('-Cost.first', 'Priority', 'Vessel')
    await popover().getByRole('button', {name: 'Move Vessel up'}).click()
    await expectOrder('-Cost.first', 'Vessel', 'Priority')
    await add('state')
    await popover().getByText('Rows can be sorted by at most 4 columns.').waitFor()
    expect(await popover().getByRole('button', {name: 'Add column'}).count()).toBe(0)
    await popover().getByRole('button', {name: 'Remove Cost from sort'}).click()
    await expectOrder('Vessel', 'Priority', 'state')
    await page.keyboard.press('Escape')
    await popover().waitFor({state: 'detached'})
    expect(await sortButton().getAttribute('aria-label')).toBe('Sort: Vessel, ascending; Priority, ascending; State, ascending')
    // All changes in the list are one entry in the history.
    expect(await page.evaluate(() => history.length)).toBe(entries + 1)
    await page.goBack()
    await grid.settled()
    expect(sortOf()).toBeNull()
  })

  test('is changed with the keyboard', async () => {
    const {grid, page, project, field} = fleet
    await grid.open(project, `sort=state,${field('Vessel')}`)
    const focus = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent)
    await grid.press('Control+k')
    await page.getByRole('dialog', {name: 'Find'}).waitFor()
    await page.keyboard.type('sort by')
    await grid.press('Enter')
    await popover().waitFor()
    await expect.poll(focus).toBe('State: ascending')
    await grid.press('Space')
    await expectOrder('-state', 'Vessel')
    await expect.poll(focus).toBe('State: descending')
    await grid.press('Alt+ArrowDown')
    await expectOrder('Vessel', '-state')
    await expect.poll(focus).toBe('State: descending')
    await popover().getByText('“State” is sort column 2 of 2').waitFor()
    await grid.press('Alt+ArrowDown')
    await popover().getByText('“State” can’t be moved further').waitFor()
    await grid.press('Alt+ArrowUp', 'Alt+ArrowDown', 'Alt+ArrowUp')
    await expectOrder('-state', 'Vessel')
    await expect.poll(focus).toBe('State: descending')
    for (let i = 0; i < 20 && (await focus()) !== 'Add column'; i++) await grid.press('Tab')
    await grid.press('Enter')
    await page.keyboard.type('hours')
    await grid.press('Enter')
    await expectOrder('-state', 'Vessel', 'Running Hours')
    await expect.poll(focus).toBe('Running Hours: ascending')
    await popover().getByText('“Running Hours” is sort column 3').waitFor({state: 'attached'})
    for (let i = 0; i < 5 && (await focus()) !== 'Remove Running Hours from sort'; i++) await grid.press('Tab')
    await grid.press('Enter')
    await expectOrder('-state', 'Vessel')
    await expect.poll(focus).toBe('Remove Vessel from sort')
    await grid.press('Enter', 'Enter')
    await expect.poll(sortOf).toBeNull()
    await expect.poll(focus).toBe('Add column')
    await grid.press('Escape')
    await popover().waitFor({state: 'detached'})
  })

  test('says that columns after the number have no effect', async () => {
    const {grid, project} = fleet
    await grid.open(project, 'sort=-num,state')
    await expectOrder('-num', 'state')
    await sortButton().click()
    await popover().getByText('No two issues have the same number, so this has no effect: State').waitFor()
  })
})

describe('links and stored views', () => {
  test('keep an order of several columns', async () => {
    const {grid, page, project} = fleet
    await grid.open(project, `sort=${inURL('-state', 'Due.first')}`)
    await page.getByRole('button', {name: 'Save as…'}).click()
    await page.keyboard.type('By state and day')
    await grid.press('Enter')
    const tab = page.getByRole('tab', {name: 'By state and day, private', exact: true})
    await tab.waitFor()
    await grid.open(project)
    await tab.click()
    const saved = await walk(['-state', 'Due.first'])
    await expect.poll(async () => (await grid.rows())[0]?.cells.num).toBe(String(saved[0]!.num))
    expect((await headers()).map(([label]) => label)).toEqual(['State', 'Due'])
    expect(new URL(page.url()).searchParams.has('sort')).toBe(false)
    await grid.open(project, `sort=gone,${inURL('-state')},state,${inURL('Systems')},${inURL('Due')}`)
    // What is unknown, repeated or not sortable is passed over.
    const oracle = await walk(['-state', 'Due'])
    expect((await grid.rows()).map(r => r.cells.num)).toEqual((await grid.rows()).map(r => String(oracle[r.index]!.num)))
  })
})

describe('in an order of several columns', () => {
  const keys = ['state', '-Due', 'name']

  test('the grid scrolls anywhere, and a reload returns there', async () => {
    const {grid, page, project} = fleet
    await grid.open(project, `sort=${inURL(...keys)}`)
    const oracle = await expectOrder(...keys)
    for (const index of [1400, 300, 1970]) {
      await grid.scrollTo(index)
      const rows = await grid.rows()
      expect(rows.map(r => r.cells.num)).toEqual(rows.map(r => String(oracle[r.index]!.num)))
      expect(rows.some(r => r.index >= index)).toBe(true)
    }
    await grid.scrollTo(900)
    await page.waitForFunction(() => location.search.includes('at=900'))
    const before = await grid.top()
    await page.reload()
    await grid.settled()
    expect(await grid.top()).toEqual(before)
  })

  test('going to a number, and to a value of the first column', async () => {
    const {grid, page, project} = fleet
    const [first, ...others] = ['Due', '-state', 'name']
    await grid.open(project, `sort=${inURL(first, ...others)}`)
    const oracle = await walk([first, ...others])
    const dialog = page.getByRole('dialog', {name: 'Go to a row'})
    const expectTop = async (want: Issue) => {
      await expect.poll(async () => (await grid.top())?.cells.num).toBe(String(want.num))
      await grid.settled()
      // The position is exact, so the rows around it are where they are in the whole grid.
      const rows = await grid.rows()
      expect(rows.map(r => [r.index, r.cells.num])).toEqual(rows.map(r => [r.index, String(oracle[r.index]?.num)]))
    }
    await grid.grid.focus()
    await grid.press('Control+g')
    await page.keyboard.type(`FLEET-${oracle[1234]!.num}`)
    await grid.press('Enter')
    await expectTop(oracle[1234]!)
    await grid.press('Control+g')
    await dialog.getByText('(first sort column)').waitFor()
    await dialog.getByRole('textbox', {name: 'Due (sort column)'}).fill('2024-05-15')
    await grid.press('Enter')
    await expectTop(oracle.find(i => (i.values[0]?.display ?? '9') >= '2024-05-15')!)
  })

  test('an edited row stays in place until Re-sort, whichever column was edited', async () => {
    const {api, grid, page, project, field} = fleet
    const order = ['state', 'Vessel']
    await grid.open(project, `sort=${inURL(...order)}`)
    const num = Number((await grid.rows())[0]!.cells.num)
    await grid.cell(0, field('Vessel')).click()
    await page.keyboard.type('Zzz')
    await grid.press('Enter')
    await grid.saved()
    await page.getByRole('button', {name: 'Re-sort'}).waitFor()
    expect(await grid.cell(0, 'num').textContent()).toBe(String(num))
    expect(await api.value(project, num, field('Vessel'))).toBe('Zzz')
    walks.clear()
    await page.getByRole('button', {name: 'Re-sort'}).click()
    await page.getByRole('button', {name: 'Re-sort'}).waitFor({state: 'detached'})
    const oracle = await expectOrder(...order)
    expect(oracle[0]!.num).not.toBe(num)
    // A column that sorts nothing marks nothing.
    await grid.cell(0, field('Cost')).click()
    await page.keyboard.type('5')
    await grid.press('Enter')
    await grid.saved()
    expect(await page.getByRole('button', {name: 'Re-sort'}).count()).toBe(0)
  })

  test('a new issue is in its place', async () => {
    const {fields, grid, page, project} = fleet
    const order = ['-name', 'state']
    await grid.open(project, `sort=${inURL(...order)}`)
    await grid.press('Alt+n')
    const dialog = page.getByRole('dialog', {name: /new issue/i})
    await dialog.getByRole('textbox', {name: /^Name/}).fill('Zz last of all')
    await dialog.getByRole('combobox', {name: /^Priority/}).fill(fields.Priority!.options[0]!.name)
    await page.getByRole('option', {name: fields.Priority!.options[0]!.name}).click()
    await dialog.getByRole('button', {name: /create/i}).click()
    await page.getByText(/Created FLEET-\d+/).waitFor()
    walks.clear()
    const oracle = await expectOrder(...order)
    expect(oracle[0]!.name).toBe('Zz last of all')
  })
})
