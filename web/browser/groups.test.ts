// Rows in groups: by mouse and keyboard, collapsed groups, links, scrolling, edits inside a group, and moves to another one.
import {describe, expect, test} from 'vitest'
import {picture} from './browser'
import {look, sampleFleet, violations} from './fleet'

const fleet = sampleFleet()

interface Group {
  key: string
  name: string | null
  totalCount: number
  issues: {nodes: {num: number}[]}
  cost: {sum: number}
}

/** Returns the groups of the API, with their first issues. */
async function oracle(by: Record<string, unknown>): Promise<Group[]> {
  const {project} = await fleet.api.ask<{project: {groups: {nodes: Group[]}}}>(
    `query ($p: ID!, $by: [IssueGroupBy!]!, $cost: ID!) { project(id: $p) { groups(by: $by, first: 100) {
      nodes { key name totalCount issues(first: 100) { nodes { num } } cost: summary(column: {fieldId: $cost}) { sum } } } } }`,
    {p: fleet.project, by: [by], cost: fleet.field('Cost')},
  )
  return project.groups.nodes
}

const param = (name: string) => new URL(fleet.page.url()).searchParams.get(name)
const headers = () => fleet.page.locator('.grid-body .grid-row.group-row')
const header = (key: string) => fleet.page.locator(`.grid-row[data-group="${key}"]`)
const textOf = async (key: string) => (await header(key).locator('.group-label').innerText()).split('\n').join(' ')

/** Waits until the grid has scrolled to the header of a group, and some rows below it. */
const scrolledTo = (key: string) =>
  fleet.page.waitForFunction(
    k => (document.querySelector(`.grid-row[data-group="${k}"]`)?.getBoundingClientRect().bottom ?? Infinity) < window.innerHeight - 150,
    key,
    {polling: 'raf', timeout: 60_000},
  )

/** Returns the rendered lines in their order: keys of groups in brackets, and numbers of issues. */
const lines = () =>
  fleet.page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.grid-body > [role=row]')]
      .sort((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')))
      .map(r => (r.dataset.group ? `[${r.dataset.group}]` : (r.querySelector('[data-column=num]')?.textContent ?? '…'))),
  )

/** Returns the first lines of groups. */
const wanted = (groups: readonly Group[], collapsed: readonly string[] = []) =>
  groups.flatMap(g => [`[${g.key}]`, ...(collapsed.includes(g.key) ? [] : g.issues.nodes.map(i => String(i.num)))])

async function expectLines(groups: readonly Group[], collapsed: readonly string[] = []): Promise<void> {
  const want = wanted(groups, collapsed).slice(0, 20)
  await expect.poll(async () => (await lines()).slice(0, want.length)).toEqual(want)
}

/** Returns the position of a header in the window; a great number if it is not rendered. */
const topOf = async (key: string) => ((await header(key).count()) === 0 ? 1e6 : (await header(key).boundingBox())!.y)

const active = () => fleet.grid.grid.getAttribute('aria-activedescendant')

describe('groups', () => {
  test('are chosen in the menu of a header, collapsed by mouse, and kept in the link', async () => {
    const {grid, page, project} = fleet
    const groups = await oracle({column: {builtin: 'STATE'}})
    await grid.open(project)
    await grid.header('state').getByRole('button', {name: 'Menu for State'}).click()
    await page.getByRole('menuitem', {name: 'Group by this column'}).click()
    await expectLines(groups)
    expect(param('group')).toBe('state')
    const [first, second] = groups
    expect(await textOf(first!.key)).toBe(`${first!.name} ${first!.totalCount} issue${first!.totalCount === 1 ? '' : 's'}`)
    await look(page, 'groups')

    await header(first!.key).locator('.group-label').click()
    await expectLines(groups, [first!.key])
    expect(param('collapsed')).toBe(first!.key)
    await page.reload()
    await expectLines(groups, [first!.key])
    expect(await header(first!.key).getByRole('gridcell').first().getAttribute('aria-expanded')).toBe('false')
    expect(await header(second!.key).getByRole('gridcell').first().getAttribute('aria-expanded')).toBe('true')
    // A click beside the name and the count does the same.
    const {width} = (await header(first!.key).boundingBox())!
    await header(first!.key).click({position: {x: Math.min(width - 20, 1400), y: 10}})
    await expectLines(groups)
    expect(param('collapsed')).toBeNull()
  })

  test('are changed in the list of the toolbar', async () => {
    const {grid, page, project, field} = fleet
    await grid.open(project)
    await page.getByRole('button', {name: 'Group: Not grouped'}).click()
    await page.getByRole('combobox', {name: 'Group by this column'}).fill('Due')
    await page.keyboard.press('Enter')
    await expect.poll(() => param('group')).toBe(`${field('Due')}.month`)
    await expectLines(await oracle({column: {fieldId: field('Due')}, period: 'MONTH'}))
    expect(await violations(page)).toEqual([])
    const popover = page.getByRole('dialog', {name: 'Group'})
    await popover.getByLabel('Groups').selectOption('year')
    await popover.getByLabel('Order').selectOption('descending')
    await expectLines(await oracle({column: {fieldId: field('Due')}, period: 'YEAR', direction: 'DESC'}))
    const years = await oracle({column: {fieldId: field('Due')}, period: 'YEAR', direction: 'DESC'})
    expect(await textOf(years[0]!.key)).toMatch(new RegExp(`^${years[0]!.name!.slice(0, 4)} `))
    await popover.getByRole('button', {name: 'Collapse all'}).click()
    await expect.poll(async () => (await lines()).every(l => l.startsWith('['))).toBe(true)
    expect((await lines()).length).toBe(years.length)
    expect(param('expanded')).toBe('')
    await popover.getByRole('button', {name: 'Column: Due'}).click()
    await page.getByRole('combobox', {name: 'Group by this column'}).fill('Cost')
    await page.keyboard.press('Enter')
    await popover.getByLabel('Groups').selectOption('width')
    await popover.getByLabel('Width of the ranges').fill('5000')
    await expect.poll(() => param('group')).toBe(`${field('Cost')}.5000`)
    const costs = await oracle({column: {fieldId: field('Cost')}, width: 5000})
    await expect.poll(lines).toEqual(costs.map(g => `[${g.key}]`))
    await popover.getByRole('button', {name: 'Expand all'}).click()
    await expectLines(costs)
    await popover.getByRole('button', {name: 'Do not group'}).click()
    await expect.poll(() => headers().count()).toBe(0)
    expect(param('group')).toBeNull()
  })

  test('are collapsed and expanded with the keyboard', async () => {
    const {grid, project} = fleet
    const groups = await oracle({column: {builtin: 'STATE'}})
    const [first] = groups
    await grid.open(project, 'group=state')
    await expectLines(groups)
    await grid.grid.focus()
    await grid.press('Control+Home')
    await expect.poll(active).toBe('g-0')
    await grid.press('ArrowLeft')
    await expectLines(groups, [first!.key])
    await grid.press('ArrowRight')
    await expectLines(groups)
    await grid.press('ArrowDown')
    await expect.poll(active).toBe('c-1-0')
    await grid.press('ArrowUp', 'Enter')
    await expectLines(groups, [first!.key])
    await grid.press('Enter')
    await expectLines(groups)
    // Typing on a header edits nothing.
    await grid.press('x', 'Delete')
    expect(await fleet.page.locator('.editing').count()).toBe(0)
  })

  test('show summaries, and load as they are scrolled into view below a header that stays', async () => {
    const {grid, page, project, field} = fleet
    const groups = await oracle({column: {builtin: 'STATE'}})
    const pages: string[][] = []
    page.on('request', r => {
      const body = r.postData()
      if (body?.includes('query GridGroupPage')) pages.push((JSON.parse(body) as {variables: {keys: string[]}}).variables.keys)
    })
    await grid.open(project, `group=state&columns=num,name,${field('Cost')}&summaries=${field('Cost')}:sum`)
    await expectLines(groups)
    const sum = header(groups[0]!.key).locator('.group-cell b')
    await expect.poll(async () => Number(((await sum.textContent()) ?? '').replaceAll(',', ''))).toBeCloseTo(groups[0]!.cost.sum, 4)
    const big = groups.find(g => g.totalCount > 60)!
    const last = groups.at(-1)!
    expect(pages.flat()).not.toContain(last.key)
    const before = groups.slice(0, groups.indexOf(big)).reduce((n, g) => n + g.totalCount + 1, 0)
    await grid.scrollTo(before + 20)
    expect(await page.getByTestId('sticky-group').innerText()).toContain(big.name!)
    expect(await violations(page)).toEqual([])
    await page.getByTestId('sticky-group').locator('.group-cell').click()
    await expect.poll(() => param('collapsed')).toBe(big.key)
    await expect.poll(active).toBe(`g-${before}`)
  })

  test('keep their count and summaries in view, below the columns, also with a table that is scrolled sideways', async () => {
    const {grid, page, project, field} = fleet
    const groups = await oracle({column: {builtin: 'STATE'}})
    const big = groups.find(g => g.totalCount > 60)!
    const before = groups.slice(0, groups.indexOf(big)).reduce((n, g) => n + g.totalCount + 1, 0)
    await page.setViewportSize({width: 900, height: 700})
    const cost = field('Cost')
    await grid.open(project, `group=state&columns=num,name,state,created,updated,${cost}&summaries=${cost}:sum`)
    await expectLines(groups)
    await grid.scrollTo(before + 20)
    await page.evaluate(() => (document.querySelector('[role=grid]')!.scrollLeft = 5000))
    const sticky = page.getByTestId('sticky-group')
    await expect.poll(async () => (await sticky.locator('.group-label').innerText()).split('\n').join(' ')).toBe(`${big.name} ${big.totalCount} issues`)
    const sum = sticky.locator('.group-cell b')
    await expect.poll(async () => Number(((await sum.textContent()) ?? '').replaceAll(',', ''))).toBeCloseTo(big.cost.sum, 4)
    const [of, column] = [(await sticky.locator('.group-cell').boundingBox())!, (await grid.header(cost).boundingBox())!]
    expect([of.x, of.width]).toEqual([column.x, column.width])
    // No row shows through between the name and the summary.
    const {x, y, height} = (await sticky.locator('.group-label').boundingBox())!
    const isCovered = ([x, y]: [number, number]) => document.elementFromPoint(x, y)?.closest('[data-testid=sticky-group]') !== null
    for (const at of [x + 2, (x + of.x + of.width) / 2, of.x + of.width - 4])
      expect(await page.evaluate(isCovered, [at, y + height / 2] as [number, number])).toBe(true)
    await look(page, 'groups-sticky')
  })

  test('can be edited, copied and pasted, and keep rows in place until they are sorted again', async () => {
    const {grid, page, project, api, field} = fleet
    const groups = await oracle({column: {builtin: 'STATE'}})
    await grid.open(project, 'group=state')
    await expectLines(groups)
    const [first, second] = groups
    const num = first!.issues.nodes[0]!.num
    const vessel = field('Vessel')
    await grid.cell(1, vessel).dblclick()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Grouped')
    await page.keyboard.press('Enter')
    await expect.poll(() => api.value(project, num, vessel)).toBe('Grouped')
    // A range over a header: the header takes no part.
    const top = first!.totalCount
    await grid.scrollTo(Math.max(0, top - 5))
    await expect.poll(() => grid.cell(top, 'num').count()).toBe(1)
    const others = [Number(await grid.cell(top, 'num').textContent()), second!.issues.nodes[0]!.num]
    await grid.cell(top, vessel).click()
    await grid.cell(top + 2, vessel).click({modifiers: ['Shift']})
    await page.evaluate(() => navigator.clipboard.writeText('Pasted'))
    await page.keyboard.press('Control+v')
    for (const n of others) await expect.poll(() => api.value(project, n, vessel)).toBe('Pasted')
    await page.keyboard.press('Control+z')
    await expect.poll(() => api.value(project, others[1]!, vessel)).not.toBe('Pasted')
  })

  test('take issues that are moved there, which can be undone', async () => {
    const {grid, page, project, api} = fleet
    const groups = await oracle({column: {builtin: 'STATE'}})
    const [first, second] = groups
    const num = first!.issues.nodes[0]!.num
    await grid.open(project, 'group=state')
    await expectLines(groups)
    await grid.grid.focus()
    await grid.press('Control+Home', 'ArrowDown', 'Shift+F10')
    await page.getByRole('menuitem', {name: 'Move to group…'}).click()
    await page.getByRole('menu', {name: `Move FLEET-${num} to`}).waitFor()
    await page.getByRole('menuitemcheckbox', {name: second!.name!, exact: true}).click()
    await expect.poll(async () => (await api.issue(project, num)).state.name).toBe(second!.name)
    const after = await oracle({column: {builtin: 'STATE'}})
    await expectLines(after)
    expect(await textOf(first!.key)).toContain(`${first!.totalCount - 1} issue`)
    await page.keyboard.press('Control+z')
    await expect.poll(async () => (await api.issue(project, num)).state.name).toBe(first!.name)
    await expectLines(groups)
    expect(await page.getByRole('button', {name: 'Re-sort'}).count()).toBe(0)
  })

  test('give issues back that were moved to a collapsed group, which can be redone', async () => {
    const {grid, page, project, api} = fleet
    const groups = await oracle({column: {builtin: 'STATE'}})
    const [first, second] = groups
    const num = second!.issues.nodes[0]!.num
    const counts = async () => [await textOf(first!.key), await textOf(second!.key)]
    await grid.open(project, `group=state&collapsed=${first!.key}`)
    await expectLines(groups, [first!.key])
    const before = await counts()
    await grid.grid.focus()
    await grid.press('Control+Home', 'ArrowDown', 'ArrowDown', 'Shift+F10')
    await page.getByRole('menuitem', {name: 'Move to group…'}).click()
    await page.getByRole('menuitemcheckbox', {name: first!.name!, exact: true}).click()
    await expect.poll(async () => (await api.issue(project, num)).state.name).toBe(first!.name)
    const after = await oracle({column: {builtin: 'STATE'}})
    await expectLines(after, [first!.key])
    await expect.poll(counts).not.toEqual(before)
    const moved = await counts()
    await page.keyboard.press('Control+z')
    await expectLines(groups, [first!.key])
    await expect.poll(counts).toEqual(before)
    await page.keyboard.press('Control+Shift+z')
    await expectLines(after, [first!.key])
    await expect.poll(counts).toEqual(moved)
    // The group that the issue leaves again is expanded meanwhile.
    await header(first!.key).locator('.group-label').click()
    await expectLines(after)
    await page.keyboard.press('Control+z')
    await expectLines(groups)
    await header(first!.key).locator('.group-label').click()
    await expectLines(groups, [first!.key])
    await expect.poll(counts).toEqual(before)
  })

  test('are looked for again from the end of those that were found, if a search found none', async () => {
    const {grid, page, project} = fleet
    const groups = await oracle({column: {builtin: 'STATE'}})
    // The first page ends where its budget is spent, without a group.
    await page.route('**/graphql', async route => {
      const body = route.request().postDataJSON() as {query: string; variables: {after?: string | null}}
      if (!body.query.startsWith('query GridGroups(')) return route.continue()
      if (body.variables.after === 'stopped') return route.continue({postData: JSON.stringify({...body, variables: {...body.variables, after: null}})})
      const response = await route.fetch()
      const answer = (await response.json()) as {data: {project: {groups: object}}}
      const stopped = {nodes: [], pageInfo: {__typename: 'PageInfo', hasNextPage: true, endCursor: 'stopped'}, incomplete: true}
      Object.assign(answer.data.project.groups, stopped)
      await route.fulfill({response, json: answer})
    })
    const more = page.getByTestId('more-groups')
    const goOn = more.getByRole('button', {name: 'Find more groups'})
    await grid.open(project, 'group=state')
    await expect.poll(() => more.getByRole('status').innerText()).toContain('it has stopped here')
    await look(page, 'groups-more')
    await goOn.click()
    await expectLines(groups)
    expect(await more.count()).toBe(0)
    await page.reload()
    await goOn.waitFor()
    await grid.grid.focus()
    await grid.press('Control+Home')
    await expect.poll(active).toBe('g-0')
    await grid.press('Enter')
    await expectLines(groups)
    await page.unrouteAll()
  })

  test('do not go to rows', async () => {
    const {grid, page, project} = fleet
    await grid.open(project, 'group=state')
    await grid.grid.focus()
    await grid.press('Control+g')
    await page.getByText('Rows are grouped. Turn off grouping to go to a row.').waitFor()
  })

  test('take rows that are dragged there, and show which group that is', async () => {
    const {grid, page, project, api} = fleet
    const groups = await oracle({column: {builtin: 'STATE'}})
    const [first, second] = groups
    const num = first!.issues.nodes[0]!.num
    await grid.open(project, `group=state&collapsed=${first!.key}`)
    await header(first!.key).locator('.group-label').click()
    await expectLines(groups)
    const handle = (row: number) => page.locator(`[aria-rowindex="${row + 2}"] .drag-handle`)
    const take = async (row: number) => {
      const {x, y} = (await handle(row).boundingBox())!
      await page.mouse.move(x + 6, y + 10)
      await page.mouse.down()
      await page.mouse.move(x + 12, y + 20)
    }
    const target = page.getByTestId('drop-target')

    // Within its group, outside of the grid and with Escape, nothing changes, and no cells are selected.
    await take(1)
    await page.locator('.drag-label', {hasText: `FLEET-${num}`}).waitFor()
    expect(await target.count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.mouse.up()
    expect(await page.locator('.drag-label').count()).toBe(0)
    expect(await page.locator('.in-range').count()).toBe(0)
    expect((await api.issue(project, num)).state.name).toBe(first!.name)

    // The grid scrolls at its lower edge until the next group is below the pointer.
    await take(1)
    const box = (await grid.grid.boundingBox())!
    await page.mouse.move(box.x + 300, box.y + box.height - 4)
    await scrolledTo(second!.key)
    await page.mouse.move(box.x + 300, box.y + box.height / 2)
    await page.mouse.move(box.x + 300, (await topOf(second!.key)) + 60)
    await expect.poll(() => target.count()).toBe(1)
    expect(await page.locator('.drag-label').innerText()).toContain(second!.name!)
    await picture(page, 'groups-dragging')
    await page.mouse.up()
    await expect.poll(async () => (await api.issue(project, num)).state.name).toBe(second!.name)
    await expect.poll(() => page.getByTestId('said').textContent()).toBe(`FLEET-${num} moved to ${second!.name}`)
    await expect.poll(() => textOf(second!.key)).toContain(`${second!.totalCount + 1} issues`)
    await page.keyboard.press('Control+z')
    await expect.poll(async () => (await api.issue(project, num)).state.name).toBe(first!.name)
  })

  test('take all rows of a range or of the selection that one of them is dragged with', async () => {
    const {grid, page, project, api, field} = fleet
    const by = {column: {fieldId: field('Priority')}}
    const groups = await oracle(by)
    const [first, second] = groups
    await grid.open(project, `group=${field('Priority')}`)
    await expectLines(groups)
    const nums = first!.issues.nodes.slice(0, 3).map(i => i.num)
    await grid.cell(1, 'name').click()
    await grid.cell(3, 'name').click({modifiers: ['Shift']})
    const {x, y} = (await page.locator('[aria-rowindex="4"] .drag-handle').boundingBox())!
    await page.mouse.move(x + 6, y + 10)
    await page.mouse.down()
    await page.mouse.move(x + 20, y + 20)
    await page.locator('.drag-label', {hasText: '3 issues'}).waitFor()
    const box = (await grid.grid.boundingBox())!
    await page.mouse.move(box.x + 300, box.y + box.height - 4)
    await scrolledTo(second!.key)
    await page.mouse.move(box.x + 300, box.y + box.height / 2)
    await page.mouse.move(box.x + 300, (await topOf(second!.key)) + 10)
    await expect.poll(() => page.getByTestId('drop-target').count()).toBe(1)
    await page.mouse.up()
    for (const num of nums) await expect.poll(() => api.value(project, num, field('Priority'))).toBe(second!.name)
    await page.keyboard.press('Control+z')
    for (const num of nums) await expect.poll(() => api.value(project, num, field('Priority'))).toBe(first!.name)
  })

  test('of several options or ranges have no rows to drag', async () => {
    const {grid, page, project, field} = fleet
    await grid.open(project, `group=${field('Systems')}`)
    await expectLines(await oracle({column: {fieldId: field('Systems')}}))
    expect(await page.locator('.drag-handle').count()).toBe(0)
  })
})
