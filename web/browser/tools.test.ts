// The tools around the cells: the palette, the menu of a cell, the summary of a range, the cost of a view, and links to issues.
import {describe, expect, test} from 'vitest'
import {picture} from './browser'
import {look, sampleFleet, violations} from './fleet'

const fleet = sampleFleet()
const find = () => fleet.page.getByRole('dialog', {name: 'Find'})
/** Types into the palette, and runs the first command that is found. */
async function command(text: string, label: string | RegExp): Promise<void> {
  const {grid, page} = fleet
  await grid.press('Control+k')
  await find().getByRole('combobox').fill(text)
  await find().getByRole('option', {name: label}).first().waitFor()
  const first = find().locator('[role=option][aria-selected=true]')
  await expect.poll(() => first.textContent()).toMatch(label)
  await page.keyboard.press('Enter')
  await find().waitFor({state: 'detached'})
}

describe('the palette', () => {
  test('finds issues, actions, views and columns', async () => {
    const {api, field, grid, page, project} = fleet
    await grid.open(project)
    await page.keyboard.press('Control+k')
    await find()
      .getByRole('option', {name: /Dark theme/})
      .waitFor()
    await look(page, 'palette')
    await page.keyboard.press('Escape')
    await find().waitFor({state: 'detached'})

    await command('fleet-120', /^FLEET-120/)
    await page.getByRole('complementary', {name: 'Issue FLEET-120'}).waitFor()
    expect(new URL(page.url()).searchParams.get('issue')).toBe('120')

    const {name} = await api.issue(project, 77)
    await command(name.slice(0, -1), new RegExp(`^FLEET-\\d+ ${name.slice(0, 5)}`))
    const opened = async () => (await api.issue(project, Number(new URL(page.url()).searchParams.get('issue')))).name
    await expect.poll(opened).toMatch(new RegExp(`^${name.slice(0, -1)}`))

    await command('priority', /Edit field: Priority/)
    await page.getByRole('dialog', {name: 'Field: Priority'}).waitFor()
    await page.keyboard.press('Escape')
    await command('new issue', /^New issue/)
    await page.getByRole('dialog', {name: 'New issue'}).waitFor()
    await page.keyboard.press('Escape')
    await command('vessel and nothing', /^Search issues for “vessel and nothing”/)
    await expect.poll(() => grid.count()).toBe('0 issues')
    await command('clear', /^Clear search and filters/)
    await expect.poll(() => grid.count()).not.toBe('0 issues')
    await grid.press('Control+k')
    await find().getByRole('combobox').fill('zzz qqq')
    await find()
      .getByRole('option', {name: /^Issues for|^Search issues/})
      .waitFor()
    await page.keyboard.press('Escape')
    expect(await grid.header(field('Vessel')).count()).toBe(1)
  })

  test('shows a hidden column and goes to it', async () => {
    const {field, grid, page, project} = fleet
    const vessel = field('Vessel')
    await grid.open(project, 'columns=num,name')
    expect(await grid.header(vessel).count()).toBe(0)
    await grid.press('Control+k')
    await find().getByRole('combobox').fill('vessel')
    await find().getByRole('option', {name: 'Vessel Columns'}).click()
    await grid.header(vessel).waitFor()
    await expect.poll(() => grid.cell(0, vessel).getAttribute('class')).toMatch(/active/)
    await grid.press('ArrowDown')
    await expect.poll(() => grid.cell(1, vessel).getAttribute('class')).toMatch(/active/)
    expect(new URL(page.url()).searchParams.get('columns')).toBe(`num,name,${vessel}`)
  })
})

describe('a cell', () => {
  test('has a menu, by the mouse and by the keyboard', async () => {
    const {api, field, grid, page, project} = fleet
    await grid.open(project)
    const [vessel, priority] = [field('Vessel'), field('Priority')]
    const item = (name: string | RegExp) => page.getByRole('menuitem', {name})
    const want = await api.value(project, 21, vessel)
    await grid.cell(20, vessel).click({button: 'right'})
    await item('Copy link').waitFor()
    await look(page, 'cell-menu')
    await item(/^Copy$/).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(want)
    await grid.cell(22, vessel).click({button: 'right'})
    await item('Paste').click()
    await expect.poll(() => api.value(project, 23, vessel)).toBe(want)
    await grid.press('ArrowDown', 'Shift+F10')
    await item('Clear').click()
    await expect.poll(() => api.value(project, 24, vessel)).toBe('')
    await grid.press('Control+z')
    await expect.poll(() => api.value(project, 24, vessel)).not.toBe('')
    await grid.press('Shift+F10')
    await item(/^Edit$/).click()
    await page.keyboard.type('!')
    await grid.press('Escape')
    const level = await api.value(project, 21, priority)
    await grid.cell(20, priority).click({button: 'right'})
    await item('Only issues with this Priority').click()
    await grid.settled()
    const option = fleet.fields.Priority!.options.find(o => o.name === level)!
    const oracle = await api.walk(project, null, {fields: [{fieldId: priority, option: {inIds: [option.id]}}]})
    await expect.poll(() => grid.count()).toBe(`${oracle.length.toLocaleString('en-US')} issues`)
  })

  test('of a number is a link, which Ctrl and the middle button open in a new tab', async () => {
    const {grid, page, project, watched} = fleet
    await grid.open(project)
    const link = page.getByRole('link', {name: 'Open issue 12', exact: true})
    for (const click of [{modifiers: ['ControlOrMeta' as const]}, {button: 'middle' as const}]) {
      const [tab] = await Promise.all([watched.context.waitForEvent('page'), link.click(click)])
      await tab.getByRole('complementary', {name: 'Issue FLEET-12'}).waitFor()
      await tab.close()
    }
    expect(new URL(page.url()).searchParams.get('issue')).toBe(null)
    await link.click()
    await page.getByRole('complementary', {name: 'Issue FLEET-12'}).waitFor()
  })
})

describe('the clipboard', () => {
  test('copies and pastes after a click on the check box of a row', async () => {
    const {api, field, grid, page, project} = fleet
    const vessel = field('Vessel')
    await grid.open(project)
    const before = await api.value(project, 18, vessel)
    await grid.cell(15, vessel).click()
    await page.getByRole('checkbox', {name: 'Select issue 16'}).click()
    await grid.press('ControlOrMeta+c')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await api.value(project, 16, vessel))
    await page.evaluate(() => navigator.clipboard.writeText('After a check box'))
    await grid.cell(17, vessel).click()
    await page.getByRole('checkbox', {name: 'Select issue 18'}).click()
    await grid.press('ControlOrMeta+v')
    await expect.poll(() => api.value(project, 18, vessel)).toBe('After a check box')
    await grid.press('ControlOrMeta+z')
    await expect.poll(() => api.value(project, 18, vessel)).toBe(before)
  })
})

describe('the fill handle', () => {
  test('repeats cells down and to the right', async () => {
    const {api, field, grid, page, project} = fleet
    const [vessel, owner] = [field('Vessel'), field('Assignee')]
    await grid.open(project, `columns=num,name,${vessel},${owner}`)
    const values = (name: string) => Promise.all([31, 32, 33, 34, 35, 36].map(num => api.value(project, num, field(name))))
    const [vessels, owners] = [await values('Vessel'), await values('Assignee')]
    const drag = async (to: ReturnType<typeof grid.cell>) => {
      const handle = (await page.locator('.fill-handle').boundingBox())!
      const target = (await to.boundingBox())!
      await page.mouse.move(handle.x + 4, handle.y + 4)
      await page.mouse.down()
      await page.mouse.move(target.x + 20, target.y + 5, {steps: 5})
    }
    await grid.cell(30, vessel).click()
    await grid.cell(31, vessel).click({modifiers: ['Shift']})
    await drag(grid.cell(35, vessel))
    await picture(page, 'fill')
    await page.mouse.up()
    await grid.saved()
    const [a, b] = vessels
    await expect.poll(() => values('Vessel')).toEqual([a, b, a, b, a, b])
    await grid.press('Control+z')
    await expect.poll(() => values('Vessel')).toEqual(vessels)
    await grid.cell(30, vessel).click()
    await drag(grid.cell(30, owner))
    await page.keyboard.press('Escape') // gives up
    await page.mouse.up()
    expect(await values('Assignee')).toEqual(owners)
    await drag(grid.cell(30, owner))
    await page.mouse.up()
    await expect.poll(async () => (await values('Assignee'))[0]).toBe(a)
    await grid.press('Control+z')
    await expect.poll(() => values('Assignee')).toEqual(owners)
  })
})

describe('what others change', () => {
  test('appears when the page gets the focus, highlighted, and deleted issues disappear', async () => {
    const {api, field, grid, page, project} = fleet
    const vessel = field('Vessel')
    await grid.open(project, `where=${encodeURIComponent('[["num","between","41","44"]]')}`)
    const focus = () => page.evaluate(() => window.dispatchEvent(new Event('focus')))
    const [changed, deleted] = await Promise.all([api.issue(project, 42), api.issue(project, 44)])
    await api.update(changed.id, {values: [{fieldId: vessel, value: {text: 'From elsewhere'}}]})
    await expect
      .poll(async () => {
        await focus()
        return grid.cell(1, vessel).textContent()
      })
      .toBe('From elsewhere')
    expect(await grid.cell(1, vessel).getAttribute('class')).toMatch(/fresh/)
    expect(await grid.cell(0, vessel).getAttribute('class')).not.toMatch(/fresh/)
    expect(await violations(page)).toEqual([])
    await expect.poll(() => grid.cell(1, vessel).getAttribute('class')).not.toMatch(/fresh/)
    await api.ask('mutation ($i: DeleteIssueInput!) { deleteIssue(input: $i) { deletedIssueId } }', {i: {issue: {id: deleted.id}}})
    await expect
      .poll(async () => {
        await focus()
        return grid.count()
      })
      .toBe('3 issues')
    await api.ask('mutation ($i: RestoreIssueInput!) { restoreIssue(input: $i) { issue { id } } }', {i: {id: deleted.id}})
  })
})

describe('columns and cells', () => {
  test('a column fits its values, a text has links, and the open issue is marked', async () => {
    const {api, field, grid, page, project} = fleet
    const vessel = field('Vessel')
    const {id} = await api.issue(project, 61)
    const url = 'https://ships.example/registry/imo-9321483/documents/certificates'
    await api.update(id, {values: [{fieldId: vessel, value: {text: `See ${url}.`}}]})
    await grid.open(project, `columns=num,name,${vessel}&where=${encodeURIComponent('[["num","between","60","62"]]')}&issue=61`)
    const width = async () => (await grid.header(vessel).boundingBox())!.width
    const before = await width()
    await grid.header(vessel).locator('.resizer').dblclick()
    await expect.poll(width).toBeGreaterThan(before + 100)
    const fits = () => grid.cell(1, vessel).evaluate(c => c.scrollWidth <= c.clientWidth)
    expect(await fits()).toBe(true)
    const link = grid.cell(1, vessel).getByRole('link')
    expect(await link.getAttribute('href')).toBe(url)
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow')
    await link.click() // selects the cell
    await expect.poll(() => grid.cell(1, vessel).getAttribute('class')).toMatch(/active/)
    expect(fleet.watched.context.pages()).toHaveLength(1)
    await page.getByRole('complementary', {name: 'Issue FLEET-61'}).waitFor()
    expect(await page.locator('.grid-row.opened').getAttribute('aria-rowindex')).toBe('3')
    expect(await violations(page)).toEqual([])
  })
})

describe('the status line', () => {
  test('summarizes the selected range', async () => {
    const {api, field, grid, page, project} = fleet
    const hours = field('Running Hours')
    await grid.open(project, `columns=num,name,${hours}`)
    await grid.cell(0, hours).click()
    await grid.cell(9, hours).click({modifiers: ['Shift']})
    const values = (await api.walk(project, null, {num: {between: {from: 1, to: 10}}}, [hours])).flatMap(i =>
      i.values[0] ? [Number(i.values[0].display)] : [],
    )
    const sum = values.reduce((a, b) => a + b, 0)
    const summary = page.getByTestId('summary')
    await expect.poll(() => summary.textContent()).toContain(`Sum ${sum.toLocaleString('en-US', {maximumSignificantDigits: 15})}`)
    expect(await summary.textContent()).toMatch(values.length < 10 ? `10 cells, ${values.length} filled` : /^10 cells/)
    await page.keyboard.press('Escape')
    await summary.waitFor({state: 'detached'})
  })

  test('shows the cost on request, and explains the view in the playground', async () => {
    const {grid, page, project, watched} = fleet
    await grid.open(project, `sort=-updated&where=${encodeURIComponent('[["num","lte","500"]]')}`)
    expect(await page.locator('.status .cost').count()).toBe(0)
    await page.getByRole('contentinfo').getByRole('button', {name: 'Cost'}).click()
    await page
      .locator('.status .cost')
      .getByText(/Last page: \d+ calls? · [\d.]+ RCU/)
      .waitFor()
    expect(await violations(page)).toEqual([])
    const [tab] = await Promise.all([watched.context.waitForEvent('page'), page.getByRole('link', {name: 'Explain this view'}).click()])
    await tab.locator('.graphiql-query-editor').getByText('explain', {exact: true}).waitFor()
    const [response] = await Promise.all([
      tab.waitForResponse(r => r.url().endsWith('/graphql') && (r.request().postData() ?? '').includes('query View')),
      tab.getByRole('button', {name: /Execute/}).click(),
    ])
    const {data, errors} = (await response.json()) as {data: {project: {issues: {nodes: {num: number}[]; explain: {text: string}}}}; errors?: unknown}
    expect(errors).toBe(undefined)
    expect(data.project.issues.nodes).toHaveLength(100)
    expect(data.project.issues.nodes.every(i => i.num <= 500)).toBe(true)
    expect(data.project.issues.explain.text).not.toBe('')
    await tab.close()
    await page.reload()
    await page.locator('.status .cost').waitFor()
  })
})
