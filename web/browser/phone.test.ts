// The grid on a phone: cards instead of the table, and the panel as a page. Taps are touches.
import type {Page} from 'playwright-core'
import {describe, expect, test} from 'vitest'
import {look, sampleFleet} from './fleet'

const fleet = sampleFleet({width: 390, height: 844, touch: true})
const cards = () => fleet.page.getByTestId('cards')
const card = (num: number) => cards().locator(`[data-num="${num}"]`)
const panel = () => fleet.page.getByRole('complementary', {name: /^Issue FLEET-\d+$/})
const scrollTop = () => cards().evaluate(list => list.scrollTop)

async function openCards(query = ''): Promise<void> {
  await fleet.page.goto(`/?project=${fleet.project}${query && '&' + query}`)
  await loaded()
}

/** Waits until every visible card is loaded. */
const loaded = () =>
  fleet.page.waitForFunction(() => {
    const list = document.querySelector('[data-testid=cards]')
    return list?.getAttribute('aria-busy') === 'false' && list.querySelector('.card') !== null && list.querySelector('.bone') === null
  })

/** Returns the reachable targets that a finger misses, and the inputs that would make a phone zoom. */
const wrongTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const targets = 'a, button, input, select, textarea, [role=option], [role=menuitem], [role=menuitemradio], [role=menuitemcheckbox], [tabindex="0"]'
    const modal = document.querySelector('dialog[open]')
    return [...(modal ?? document).querySelectorAll<HTMLElement>(targets)].flatMap(e => {
      if (!e.checkVisibility({visibilityProperty: true}) || e.closest('[inert], .markdown, [aria-hidden=true]')) return []
      const isBox = e.matches('[type=checkbox], [type=radio]')
      const {width, height} = (isBox ? (e.closest('label') ?? e) : e).getBoundingClientRect()
      const name = `${e.tagName} ${e.getAttribute('aria-label') ?? e.textContent.slice(0, 30)}`
      const wrong: string[] = []
      if (Math.round(width) < 44 || Math.round(height) < 44) wrong.push(`${name}: ${width} x ${height}`)
      if (e.matches('input, select, textarea') && !isBox && parseFloat(getComputedStyle(e).fontSize) < 16) wrong.push(`${name} zooms`)
      return wrong
    })
  })

/** Checks what is visible: targets, accessibility in both themes, and that nothing is wider than the screen. */
async function check(name: string): Promise<void> {
  const {page} = fleet
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({colorScheme})
    await look(page, `phone-${name}-${colorScheme}`)
  }
  expect(await wrongTargets(page)).toEqual([])
  expect(await page.evaluate(() => [document.documentElement.scrollWidth, visualViewport!.scale])).toEqual([390, 1])
}

describe('the cards', () => {
  test('show the number, the state, the name and three columns', async () => {
    const {api, page, project, field} = fleet
    await openCards()
    expect(await page.getByRole('grid').count()).toBe(0)
    const {name, state} = await api.issue(project, 2)
    const text = (await card(2).textContent()) ?? ''
    for (const part of ['FLEET-2', name, state.name, `Vessel: ${await api.value(project, 2, field('Vessel'))}`]) expect(text).toContain(part)
    expect(await card(2).locator('.card-value').count()).toBe(3)
    await check('cards')
  })

  test('follow the columns, the order and the search of the view', async () => {
    const {api, page, project, field} = fleet
    const oracle = await api.walk(project, [{column: {fieldId: field('Cost')}, direction: 'DESC'}])
    await openCards(`sort=-${field('Cost')}&columns=num,name,${field('Cost')}`)
    expect(await cards().locator('.card').first().getAttribute('data-num')).toBe(String(oracle[0]!.num))
    expect(await cards().locator('.card').first().locator('.card-label').allTextContents()).toEqual(['Cost: '])
    await page.getByRole('searchbox', {name: 'Search issues'}).fill('FLEET-12')
    await expect
      .poll(() =>
        cards()
          .locator('.card')
          .evaluateAll(all => all.map(c => (c as HTMLElement).dataset.num)),
      )
      .toEqual(['12'])
    await page.getByRole('searchbox', {name: 'Search issues'}).fill('there is nothing like this')
    await page.getByText('No issues match the search').waitFor()
    await check('empty')
  })

  test('are all there, and only the visible ones are rendered', async () => {
    const {api, page, project} = fleet
    const all = await api.walk(project)
    await openCards()
    await page.waitForFunction(() => document.querySelector('[data-testid=count]')?.textContent === '2,000 issues')
    await cards().evaluate(list => (list.scrollTop = list.scrollHeight))
    await card(all.at(-1)!.num).waitFor()
    expect(await cards().locator('.card-place').count()).toBeLessThan(40)
    await page.waitForFunction(() => location.search.includes('at='))
    const top = await scrollTop()
    await page.reload()
    await card(all.at(-1)!.num).waitFor()
    expect(Math.abs((await scrollTop()) - top)).toBeLessThan(116)
  })

  test('become the table when the phone is turned, at the same issue', async () => {
    const {page, grid} = fleet
    await openCards()
    await cards().evaluate(list => (list.scrollTop = 30 * 116))
    await page.waitForFunction(() => location.search.includes('at=30:'))
    await page.setViewportSize({width: 844, height: 390})
    await grid.settled()
    await expect.poll(async () => (await grid.top())?.index).toBe(30)
    await page.setViewportSize({width: 390, height: 844})
    await loaded()
    await expect.poll(scrollTop).toBe(30 * 116)
  })
})

describe('the board', () => {
  const column = (key: string) => fleet.page.locator(`.board-column[data-group="${key}"]`)

  test('has one column at a time, and moves a card by its menu', async () => {
    const {api, page, project} = fleet
    const {project: p} = await api.ask<{project: {groups: {nodes: {key: string; name: string; issues: {nodes: {num: number}[]}}[]}}}>(
      'query ($p: ID!) { project(id: $p) { groups(by: [{column: {builtin: STATE}}]) { nodes { key name issues(first: 1) { nodes { num } } } } } }',
      {p: project},
    )
    const [first, second] = p.groups.nodes
    await page.goto(`/?project=${project}&layout=board`)
    const num = first!.issues.nodes[0]!.num
    const card = column(first!.key).locator(`[data-num="${num}"]`)
    await card.waitFor()
    const {x, width} = (await column(first!.key).boundingBox())!
    expect([Math.round(x), width > 300, x + width < 390]).toEqual([10, true, true])
    await check('board')
    await page.getByTestId('board').evaluate(b => b.scrollBy({left: 200, behavior: 'instant'}))
    await expect.poll(async () => Math.round((await column(second!.key).boundingBox())!.x)).toBe(10)
    await page.getByTestId('board').evaluate(b => b.scrollTo({left: 0, behavior: 'instant'}))
    await page.getByRole('button', {name: `Actions for FLEET-${num}`, exact: true}).tap()
    await page.getByRole('menuitem', {name: 'Move to group…'}).tap()
    await page.getByRole('menuitemcheckbox', {name: second!.name, exact: true}).tap()
    await expect.poll(async () => (await api.issue(project, num)).state.name).toBe(second!.name)
    await expect.poll(() => card.count()).toBe(0)
    await column(second!.key).locator('[data-num]').first().tap()
    await panel().waitFor()
    await page.goBack()
    await panel().waitFor({state: 'detached'})
  })
})

describe('the panel as a page', () => {
  test('a tap opens it, and Back returns to the same position', async () => {
    const {page} = fleet
    await openCards()
    await cards().evaluate(list => (list.scrollTop = 20 * 116 + 50))
    await card(23).tap()
    await panel().getByRole('heading', {name: 'Issue FLEET-23'}).waitFor()
    expect((await panel().boundingBox())!).toEqual({x: 0, y: 0, width: 390, height: 844})
    const entries = await page.evaluate(() => history.length)
    await page.goBack()
    await panel().waitFor({state: 'detached'})
    expect(await scrollTop()).toBe(20 * 116 + 50)
    await card(24).tap()
    await panel().getByRole('heading', {name: 'Issue FLEET-24'}).waitFor()
    await panel().getByRole('button', {name: 'Back'}).tap()
    await panel().waitFor({state: 'detached'})
    expect(await scrollTop()).toBe(20 * 116 + 50)
    expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset.num)).toBe('24')
    // The Back button went back: both visits used the same entry of the history.
    expect(await page.evaluate(() => history.length)).toBe(entries)
  })

  test('opened by a link, Back leads to the cards', async () => {
    await fleet.page.goto(`/?project=${fleet.project}&issue=30`)
    await panel().getByRole('heading', {name: 'Issue FLEET-30'}).waitFor()
    await panel().getByRole('button', {name: 'Back'}).tap()
    await panel().waitFor({state: 'detached'})
    await loaded()
    expect(await cards().locator('.card').first().getAttribute('data-num')).toBe('1')
  })

  test('a tap on a value edits nothing, a tap on Edit does', async () => {
    const {api, project, field, page} = fleet
    const {id} = await api.issue(project, 31)
    await api.update(id, {description: '# Plan\n\nSee [this](https://a.example/).', values: [{fieldId: field('Vessel'), value: {text: 'Argo'}}]})
    await openCards('issue=31')
    await panel().locator('.markdown').first().getByRole('heading', {name: 'Plan'}).waitFor()
    await check('panel')
    const vessel = panel().getByRole('group', {name: 'Vessel'})
    await vessel.locator('.panel-value').tap()
    await panel().locator('.markdown').first().tap()
    await panel().locator('.panel-name .panel-value').tap()
    expect(await panel().locator('input, textarea').count()).toBe(0)
    await vessel.getByRole('button', {name: 'Edit Vessel'}).tap()
    await vessel.getByRole('textbox').fill('Calypso')
    await check('editing')
    await page.keyboard.press('Enter')
    await expect.poll(() => api.value(project, 31, field('Vessel'))).toBe('Calypso')
    const due = panel().getByRole('group', {name: 'Due'})
    if ((await due.count()) === 0)
      await panel()
        .getByRole('button', {name: /^Show \d+ empty/})
        .tap()
    await due.getByRole('button', {name: 'Edit Due'}).tap()
    await check('date')
    await page.keyboard.press('Escape')
    await panel().getByRole('button', {name: 'Edit State'}).tap()
    await page.getByRole('option', {name: 'Planned'}).waitFor()
    await check('choices')
    await page.keyboard.press('Escape')
    await panel().getByRole('tab', {name: 'History'}).tap()
    await panel().getByText('Calypso').first().waitFor()
    await check('history')
    await panel().getByRole('tab', {name: 'Details'}).tap()
    await panel().getByRole('button', {name: 'Edit Description'}).tap()
    await check('long-text')
  })
})

describe('the rest of the page', () => {
  test('tools, filter, columns and a new issue', async () => {
    const {api, page, project, field} = fleet
    await openCards()
    await page.getByRole('button', {name: 'More tools'}).tap()
    await check('tools')
    await page.getByRole('button', {name: 'Sort: #, ascending'}).tap()
    const sort = page.getByRole('dialog', {name: 'Sort', exact: true})
    const add = async (column: string) => {
      await sort.getByRole('button', {name: 'Add column'}).tap()
      await sort.getByRole('combobox').fill(column)
      await sort.getByRole('option', {name: column}).first().tap()
    }
    await add('Priority')
    await check('sort')
    await add('Cost')
    await sort.getByRole('button', {name: 'Cost: ascending'}).tap()
    await sort.getByRole('button', {name: 'Add column'}).tap()
    await check('sort-add')
    await page.keyboard.press('Escape')
    const column = (name: string, direction = 'ASC') => ({column: {fieldId: field(name)}, direction})
    const [both] = await api.walk(project, [column('Priority'), column('Cost', 'DESC')])
    await card(both!.num).waitFor()
    expect(await cards().locator('.card').first().getAttribute('data-num')).toBe(String(both!.num))
    await page.getByRole('button', {name: 'Sort: Priority, ascending; Cost, descending'}).tap()
    await sort.getByRole('button', {name: 'Move Cost up'}).tap()
    await sort.getByRole('button', {name: 'Remove Priority from sort'}).tap()
    await page.keyboard.press('Escape')
    await page.getByRole('button', {name: 'Sort: Cost, descending'}).waitFor()
    const oracle = await api.walk(project, [{column: {fieldId: field('Cost')}, direction: 'DESC'}])
    await card(oracle[0]!.num).waitFor()
    expect(await cards().locator('.card').first().getAttribute('data-num')).toBe(String(oracle[0]!.num))
    await page.getByRole('button', {name: 'Go to'}).tap()
    await page.getByRole('textbox', {name: 'Issue number'}).fill('1500')
    await check('go-to')
    await page.keyboard.press('Enter')
    await card(1500).waitFor()
    expect(Math.round((await card(1500).boundingBox())!.y)).toBe(Math.round((await cards().boundingBox())!.y))
    await page.getByRole('button', {name: 'Columns'}).tap()
    await page.getByRole('dialog').waitFor()
    await check('columns')
    await page.keyboard.press('Escape')
    await page.getByRole('button', {name: 'More tools'}).tap()
    expect(await page.getByRole('button', {name: 'Columns'}).count()).toBe(0)
    await page.getByRole('button', {name: 'Add filter'}).tap()
    await page.getByRole('dialog').waitFor()
    await page.getByRole('combobox').fill('Due')
    await page.getByRole('option', {name: 'Due'}).tap()
    await page.getByLabel('Due is: kind of value').selectOption('next')
    await check('filter')
    await page.keyboard.press('Escape')
    await page.getByRole('button', {name: 'New issue'}).tap()
    await page.getByRole('dialog').waitFor()
    await check('new')
  })

  test('the projects', async () => {
    await fleet.page.goto('/')
    await fleet.page.getByRole('link', {name: /Fleet/}).waitFor()
    await check('projects')
  })

  test('on a turned phone, a finger drags rows and cards by their handles', async () => {
    const {api, grid, page, project} = fleet
    const touch = await page.context().newCDPSession(page)
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: {x: number; y: number}) =>
      touch.send('Input.dispatchTouchEvent', {type, touchPoints: at ? [at] : []})
    const swipe = async (from: {x: number; y: number}, to: {x: number; y: number}) => {
      await send('touchStart', from)
      for (const part of [0.1, 0.5, 1]) await send('touchMove', {x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part})
    }
    const center = ({x, y, width, height}: {x: number; y: number; width: number; height: number}) => ({x: x + width / 2, y: y + height / 2})
    const groups = async () => {
      const {project: p} = await api.ask<{project: {groups: {nodes: {key: string; name: string; issues: {nodes: {num: number}[]}}[]}}}>(
        'query ($p: ID!) { project(id: $p) { groups(by: [{column: {builtin: STATE}}]) { nodes { key name issues(first: 1) { nodes { num } } } } } }',
        {p: project},
      )
      return p.groups.nodes.map(g => ({...g, num: g.issues.nodes[0]!.num}))
    }
    const state = async (num: number) => (await api.issue(project, num)).state.name
    await page.setViewportSize({width: 844, height: 390})

    const [first, second, third] = await groups()
    await page.goto(`/?project=${project}&layout=board`)
    await page.locator(`[data-num="${first!.num}"]`).waitFor()
    const column = center((await page.locator(`.board-column[data-group="${second!.key}"]`).boundingBox())!)
    await swipe(
      center(
        (await page
          .locator('.board-card', {has: page.locator(`[data-num="${first!.num}"]`)})
          .locator('.drag-handle')
          .boundingBox())!,
      ),
      column,
    )
    await page.locator('.drag-label', {hasText: second!.name}).waitFor()
    await send('touchEnd')
    await expect.poll(() => state(first!.num)).toBe(second!.name)

    // The first of the groups that are above the only expanded one.
    await grid.open(project, `group=state&expanded=${third!.key}`)
    const header = page.locator(`.grid-row[data-group="${first!.key}"]`)
    const row = page.locator('.grid-row:has(.drag-handle)').first()
    const num = Number(await row.locator('[data-column=num]').textContent())
    await swipe(center((await row.locator('.drag-handle').boundingBox())!), center((await header.locator('.group-label').boundingBox())!))
    await page.locator('.drag-label', {hasText: first!.name}).waitFor()
    await send('touchEnd')
    await expect.poll(() => state(num)).toBe(first!.name)
  })

  test('in the table of a turned phone, the first tap chooses a cell, and the second edits it', async () => {
    const {grid, page, project} = fleet
    await page.setViewportSize({width: 844, height: 390})
    await grid.open(project)
    await grid.cell(1, 'name').tap()
    await expect.poll(() => grid.grid.getAttribute('aria-activedescendant')).toBe('c-1-1')
    expect(await page.locator('.cell-editor').count()).toBe(0)
    await grid.cell(1, 'name').tap()
    await page.locator('.cell-editor').waitFor()
  })
})
