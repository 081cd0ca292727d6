// The tabs of saved views: by mouse and keyboard, in links, for other users, and after changes by others.
import type {Page} from 'playwright-core'
import {afterEach, describe, expect, test} from 'vitest'
import {look, sampleFleet, violations} from './fleet'
import {signIn} from './signin'

const fleet = sampleFleet()

const bar = (page: Page = fleet.page) => page.getByRole('tablist', {name: 'Views', exact: true})
/** Returns the names of the tabs; that of the selected one is in brackets. */
const tabs = (page: Page = fleet.page) =>
  bar(page)
    .getByRole('tab')
    .evaluateAll(all => all.map(t => (t.getAttribute('aria-selected') === 'true' ? `[${t.getAttribute('aria-label')}]` : t.getAttribute('aria-label'))))
const expectTabs = (...names: string[]) => expect.poll(() => tabs()).toEqual(names)
const tab = (name: string | RegExp, page: Page = fleet.page) => bar(page).getByRole('tab', {name})
const button = (name: string, page: Page = fleet.page) => page.getByRole('button', {name, exact: true})
const menuItem = (name: string, page: Page = fleet.page) => page.getByRole('menuitem', {name, exact: true})
const parameter = (name: string) => new URL(fleet.page.url()).searchParams.get(name)
const sorted = (column: string, direction: 'ascending' | 'descending') =>
  fleet.grid
    .header(column)
    .and(fleet.page.locator(`[aria-sort=${direction}]`))
    .waitFor()

/** Fills in the open dialog for a name, and waits until it is closed. */
async function name(text: string, {shared = false, page = fleet.page} = {}): Promise<void> {
  const dialog = page.getByRole('dialog').filter({visible: true})
  await dialog.getByRole('textbox', {name: 'Name'}).fill(text)
  if (shared) await dialog.getByRole('checkbox', {name: 'Share with all users'}).check()
  await page.keyboard.press('Enter')
  await dialog.waitFor({state: 'detached'})
}

interface Stored {
  id: string
  name: string
  shared: boolean
  isDefault: boolean
  version: number
  filter: unknown
  columns: {builtin: string | null; field: {id: string} | null; width: number | null}[]
  orderBy: {builtin: string | null; field: {id: string} | null; direction: string}[]
  groupBy: {builtin: string | null; field: {id: string} | null}[]
  summaries: {builtin: string | null; field: {id: string} | null; part: string}[]
  layout: 'GRID' | 'BOARD'
}
async function stored(api = fleet.api, project = fleet.project): Promise<Stored[]> {
  const data = await api.ask<{project: {views: {nodes: Stored[]}}}>(
    `query ($p: ID!) { project(id: $p) { views(first: 100) { nodes {
      id name shared isDefault version filter columns { builtin field { id } width } orderBy { builtin field { id } direction }
      groupBy { builtin field { id } direction nulls period } summaries { builtin field { id } part } layout
    } } } }`,
    {p: project},
  )
  return data.project.views.nodes
}
const create = async (input: Record<string, unknown>): Promise<string> => {
  const data = await fleet.api.ask<{createView: {view: {id: string}}}>('mutation ($i: CreateViewInput!) { createView(input: $i) { view { id } } }', {
    i: {projectId: fleet.project, ...input},
  })
  return data.createView.view.id
}
const update = (id: string, change: Record<string, unknown>) =>
  fleet.api.ask('mutation ($i: UpdateViewInput!) { updateView(input: $i) { view { id } } }', {i: {id, ...change}})
const remove = (id: string) => fleet.api.ask('mutation ($i: DeleteViewInput!) { deleteView(input: $i) { deletedViewId } }', {i: {id}})

afterEach(async () => {
  for (const v of await stored()) await remove(v.id)
})

describe('a view', () => {
  test('is saved, changed, saved again, renamed, duplicated and deleted', async () => {
    const {field, grid, page, project} = fleet
    const cost = field('Cost')
    await grid.open(project)
    await expectTabs('[All issues]')
    await button('Save as a new view').click()
    await name('Mine')
    await expectTabs('All issues', '[Mine, private]')

    // Columns with widths, filter and order.
    await grid.open(project, `sort=-${cost}&where=${encodeURIComponent(`[["${cost}","gte",5000]]`)}&columns=num,name,${cost}&widths=name:444`)
    await expectTabs('[All issues, changed]', 'Mine, private')
    const rows = (await grid.rows()).map(r => r.cells.num)
    await button('Save as…').click()
    await name('Dear ones', {shared: true})
    await expectTabs('All issues', '[Dear ones]', 'Mine, private')
    const [dear] = await stored()
    expect(dear).toMatchObject({
      name: 'Dear ones',
      shared: true,
      columns: [
        {builtin: 'NUM', width: null},
        {builtin: 'NAME', width: 444},
        {field: {id: cost}, width: null},
      ],
      filter: {and: [{fields: [{fieldId: cost, number: {gte: 5000}}]}]},
      orderBy: [{field: {id: cost}, direction: 'DESC'}],
    })
    expect(new URL(page.url()).search).toBe(`?project=${project}&saved=${dear!.id}`)
    await page.reload()
    await grid.settled()
    expect((await grid.rows()).map(r => r.cells.num)).toEqual(rows)
    await page.getByRole('button', {name: /^Remove filter: Cost/}).waitFor()

    // A change is marked, discarded, and saved.
    await grid.header(field('Cost')).getByRole('button', {name: 'Cost', exact: true}).click()
    await expectTabs('All issues', '[Dear ones, changed]', 'Mine, private')
    await look(page, 'tabs')
    await button('Discard changes').click()
    await expectTabs('All issues', '[Dear ones]', 'Mine, private')
    await sorted(cost, 'descending')
    await page.getByRole('button', {name: /^Remove filter: Cost/}).click()
    await expect.poll(() => parameter('where')).toBe('default')
    // It is kept while another tab is shown.
    await tab(/^Mine/).click()
    await expectTabs('All issues', 'Dear ones, changed', '[Mine, private]')
    expect(await grid.count()).toBe('2,000 issues')
    await tab(/^Dear ones/).click()
    await expectTabs('All issues', '[Dear ones, changed]', 'Mine, private')
    await button('Save').click()
    await expectTabs('All issues', '[Dear ones]', 'Mine, private')
    expect((await stored())[0]).toMatchObject({name: 'Dear ones', filter: null, orderBy: [{direction: 'DESC'}], version: 2})

    // By keyboard: the arrows move the focus, Enter opens a tab.
    await tab('Dear ones').focus()
    await grid.press('ArrowRight', 'Enter')
    await expectTabs('All issues', 'Dear ones', '[Mine, private]')
    await grid.press('F2')
    const dialog = page.getByRole('dialog', {name: 'Rename view: Mine'})
    await dialog.getByRole('textbox').fill(' ')
    await grid.press('Enter')
    await dialog.getByRole('alert').filter({hasText: 'A name is required'}).waitFor()
    await name('A few')
    await expectTabs('All issues', 'Dear ones', '[A few, private]')
    await grid.press('Home')
    expect(await tab('All issues').evaluate(e => e === document.activeElement)).toBe(true)
    await grid.press('F2', 'Delete', 'ArrowLeft') // nothing can be done with all issues
    expect(await tab(/^A few/).evaluate(e => e === document.activeElement)).toBe(true)
    expect(await bar().locator('[tabindex="0"]').count()).toBe(1)

    // The names of private views are unique.
    await tab('Dear ones').click({button: 'right'})
    await menuItem('Duplicate…').click()
    await page.getByRole('dialog', {name: 'Save view'}).getByRole('textbox', {name: 'Name'}).fill('a FEW')
    await grid.press('Enter')
    await page.getByRole('alert').filter({hasText: 'A view named “a FEW” already exists'}).waitFor()
    await name('Copy')
    await expectTabs('All issues', 'Dear ones', 'A few, private', '[Copy, private]')
    expect((await stored()).find(v => v.name === 'Copy')).toMatchObject({shared: false, orderBy: [{direction: 'DESC'}]})

    await button('Menu for view: Copy').click()
    await menuItem('Share').click()
    await expectTabs('All issues', '[Copy]', 'Dear ones', 'A few, private')
    await tab('Copy').focus()
    await grid.press('Shift+F10')
    await menuItem('Make private').click()
    await expectTabs('All issues', 'Dear ones', 'A few, private', '[Copy, private]')
    await tab(/^Copy/).focus()
    await grid.press('Delete')
    await page.getByRole('dialog', {name: 'Delete view: Copy'}).getByText('This cannot be undone.').waitFor()
    expect(await violations(page)).toEqual([])
    await button('Cancel').click()
    expect(await stored()).toHaveLength(3)
    await grid.press('Delete')
    await page.getByRole('dialog', {name: 'Delete view: Copy'}).getByRole('button', {name: 'Delete…'}).click()
    await expectTabs('[All issues]', 'Dear ones', 'A few, private')
    expect((await stored()).map(v => v.name).sort()).toEqual(['A few', 'Dear ones'])
  })

  test('keeps groups and summaries', async () => {
    const {field, grid, page, project} = fleet
    const [cost, due] = [field('Cost'), field('Due')]
    const headers = () => page.locator('.grid-body .grid-row.group-row').count()
    await grid.open(project, `group=-${due}.quarter.first&summaries=${cost}:sum,name:distinct`)
    await button('Save as…').click()
    await name('Quarters')
    await expectTabs('All issues', '[Quarters, private]')
    const groupBy = [{builtin: null, field: {id: due}, direction: 'DESC', nulls: 'FIRST', period: 'QUARTER'}]
    const summaries = [
      {builtin: 'NAME', field: null, part: 'DISTINCT'},
      {builtin: null, field: {id: cost}, part: 'SUM'},
    ]
    const [view] = await stored()
    expect(view).toMatchObject({groupBy, orderBy: []})
    expect(new Set(view!.summaries)).toEqual(new Set(summaries))
    expect(new URL(page.url()).search).toBe(`?project=${project}&saved=${view!.id}`)
    await page.reload()
    await expect.poll(headers).toBeGreaterThan(0)
    await page.getByTestId('footer').waitFor()

    await page.getByRole('button', {name: 'Group: Grouped by Due'}).click()
    await page.getByRole('dialog', {name: 'Group'}).getByRole('button', {name: 'Do not group'}).click()
    await expect.poll(headers).toBe(0)
    await page.keyboard.press('Escape')
    await expectTabs('All issues', '[Quarters, private, changed]')
    expect(parameter('group')).toBe('default')
    await button('Save').click()
    await expectTabs('All issues', '[Quarters, private]')
    const [changed] = await stored()
    expect(changed).toMatchObject({groupBy: [], version: 2})
    expect(changed!.summaries).toHaveLength(2)

    // A board is another layout of the view, which the same button takes back.
    const board = page.getByRole('button', {name: 'Board', exact: true})
    await board.click()
    await expectTabs('All issues', '[Quarters, private, changed]')
    await board.click()
    await expectTabs('All issues', '[Quarters, private]')
    expect(new URL(page.url()).search).toBe(`?project=${project}&saved=${view!.id}`)
    await board.click()
    await expectTabs('All issues', '[Quarters, private, changed]')
    await button('Save').click()
    await expectTabs('All issues', '[Quarters, private]')
    expect((await stored())[0]).toMatchObject({layout: 'BOARD', version: 3})
    await page.reload()
    await page.locator('.board').waitFor()
  })

  test('says what is not saved with it, which stays in the URL', async () => {
    const {grid, page, project} = fleet
    await grid.open(project, 'sort=-name&q=pump&rows=tall')
    await button('Save as…').click()
    await page.getByText('are not saved with the view').waitFor()
    await name('Pumps')
    await expectTabs('All issues', '[Pumps, private]')
    expect([parameter('q'), parameter('rows'), parameter('sort')]).toEqual(['pump', 'tall', null])
  })
})

describe('the default view', () => {
  test('is what the project opens with, and comes first', async () => {
    const {grid, page, project, field} = fleet
    const cost = field('Cost')
    await create({name: 'Other', shared: true})
    const id = await create({name: 'Start', shared: true, orderBy: [{column: {fieldId: cost}, direction: 'DESC'}]})
    await grid.open(project)
    await expectTabs('[All issues]', 'Other', 'Start')
    await tab('Start').click({button: 'right'})
    await menuItem('Make default').click()
    await expectTabs('Start, default', '[All issues]', 'Other')
    await grid.open(project)
    await expectTabs('[Start, default]', 'All issues', 'Other')
    await sorted(cost, 'descending')
    expect(parameter('saved')).toBe(id)
    await tab('All issues').click()
    await sorted('num', 'ascending')
    await page.reload()
    await expectTabs('Start, default', '[All issues]', 'Other')

    // A link of an earlier version is as it was, also when what it said is removed.
    await grid.open(project, 'sort=-name')
    await expectTabs('Start, default', '[All issues, changed]', 'Other')
    await button('Discard changes').click()
    await page.reload()
    await expectTabs('Start, default', '[All issues]', 'Other')

    await button('Menu for view: All issues').click()
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Copy link'])
    await grid.press('Escape')
    await tab(/^Start/).click({button: 'right'})
    await menuItem('Remove as default').click()
    await expectTabs('[All issues]', 'Other', 'Start')
  })
})

describe('links', () => {
  test('name the view and what differs from it', async () => {
    const {grid, page, project, field} = fleet
    const cost = field('Cost')
    const id = await create({name: 'Dear ones', shared: true, orderBy: [{column: {fieldId: cost}, direction: 'DESC'}], filter: {name: {contains: 'pump'}}})
    await grid.open(project, `saved=${id}&where=${encodeURIComponent('[["name","contains","winch"]]')}`)
    await expectTabs('All issues', '[Dear ones, changed]')
    await sorted(cost, 'descending')
    await button('Menu for view: Dear ones').click()
    await menuItem('Copy link').click()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(copied).toContain(`saved=${id}&where=`)
    expect(await copied()).not.toContain('sort=')
    await page.goto(await copied())
    await page.getByRole('button', {name: 'Remove filter: Name contains winch'}).waitFor()

    // A view is found by its name.
    await tab('All issues').click()
    await grid.press('Control+k')
    await page.getByRole('dialog', {name: 'Find'}).getByRole('combobox').fill('dear')
    await page.getByRole('option', {name: /^Dear ones/}).waitFor()
    await grid.press('Enter')
    await expectTabs('All issues', '[Dear ones]')
  })

  test('to a view that does not exist open with all issues and say so', async () => {
    const {grid, page, project} = fleet
    await grid.open(project, 'saved=VjAvMC8w&sort=-name')
    await page.getByText('The view in this link does not exist').waitFor()
    await expectTabs('[All issues, changed]')
    await sorted('name', 'descending')
  })

  test('to a view of this browser open as before, and the views can be saved on the server', async () => {
    const {field, grid, page, project} = fleet
    const cost = field('Cost')
    await page.goto('/')
    await page.evaluate(
      ([key, views]) => localStorage.setItem(key!, views!),
      [
        `issuegrid:views:${project}`,
        JSON.stringify([
          {name: 'Dear ones', query: `?sort=-${cost}`},
          {name: 'Tall ones', query: '?rows=tall&sort=-name'},
        ]),
      ],
    )
    await grid.open(project, `sort=-${cost}&view=Dear+ones`)
    await button('Views in this browser: Dear ones').waitFor()
    await sorted(cost, 'descending')
    const offer = page.getByRole('complementary', {name: 'Views in this browser'})
    await offer.getByText('This browser stores 2 views').waitFor()
    expect(await violations(page)).toEqual([])
    await offer.getByRole('button', {name: 'Not now'}).click()
    await page.reload()
    await grid.settled()
    expect(await offer.count()).toBe(0)
    await grid.press('Control+k')
    await page.getByRole('dialog', {name: 'Find'}).getByRole('combobox').fill('tall ones')
    await page.getByRole('option', {name: /^Tall ones/}).waitFor()
    await grid.press('Enter')
    await sorted('name', 'descending')

    await button('Views in this browser: Tall ones').click()
    await menuItem('Save on the server as private views').click()
    await page.getByRole('alert').filter({hasText: 'also still in this browser: Tall ones'}).waitFor()
    await expect.poll(async () => (await tabs()).slice(1)).toEqual(['Dear ones, private', 'Tall ones, private'])
    expect(await page.evaluate(key => localStorage.getItem(key), `issuegrid:views:${project}`)).not.toContain('Dear ones')
  })
})

describe('others', () => {
  test('change a view: it appears, and what is not saved stays', async () => {
    const {field, grid, page, project} = fleet
    const cost = field('Cost')
    const id = await create({name: 'Ours', shared: true})
    await grid.open(project, `saved=${id}&sort=-name`)
    await expectTabs('All issues', '[Ours, changed]')
    await update(id, {name: 'Theirs', filter: {name: {contains: 'pump'}}})
    await create({name: 'New', shared: true})
    const refresh = page.getByRole('button', {name: 'Refresh'})
    await refresh.click()
    await expectTabs('All issues', 'New', '[Theirs, changed]')
    await sorted('name', 'descending')
    await page.getByRole('button', {name: 'Remove filter: Name contains pump'}).waitFor()

    // What both have changed is a conflict.
    await button('Save').click()
    const conflict = page.getByRole('dialog', {name: '“Theirs” was changed by another user'})
    await conflict.waitFor()
    expect(await violations(page)).toEqual([])
    await conflict.getByRole('button', {name: 'Overwrite'}).click()
    await expectTabs('All issues', 'New', '[Theirs]')
    expect((await stored()).find(v => v.id === id)).toMatchObject({filter: {name: {contains: 'pump'}}, orderBy: [{builtin: 'NAME', direction: 'DESC'}]})

    await grid.header('num').getByRole('button', {name: '#', exact: true}).click()
    await expectTabs('All issues', 'New', '[Theirs, changed]')
    await update(id, {orderBy: [{column: {fieldId: cost}}]})
    await button('Save').click()
    await conflict.getByRole('button', {name: 'Show their version'}).click()
    await expectTabs('All issues', 'New', '[Theirs]')
    await sorted(cost, 'ascending')

    // What a deleted view showed is still there.
    await remove(id)
    await refresh.click()
    await page.getByText('“Theirs” was deleted, or made private by another user').waitFor()
    await expectTabs('[All issues, changed]', 'New')
    await sorted(cost, 'ascending')
    await page.getByRole('button', {name: 'Remove filter: Name contains pump'}).waitFor()
  })

  test('have saved filters that conditions cannot express', async () => {
    const {api, grid, page, project} = fleet
    const filter = {or: [{and: [{name: {contains: 'pump'}}, {num: {lt: 1000}}]}, {num: {lte: 3}}]}
    const id = await create({name: 'By a program', filter})
    await grid.open(project, `saved=${id}`)
    await expectTabs('All issues', '[By a program, private]')
    const {length} = await api.walk(project, null, filter)
    await expect.poll(() => grid.count()).toBe(`${length} issues`)
    await page.getByRole('button', {name: 'Remove filter: Further conditions'}).click()
    await expectTabs('All issues', '[By a program, private, changed]')
    await expect.poll(() => grid.count()).toBe('2,000 issues')
    expect(parameter('filter')).toBe('default')
  })

  test('delete a field: the view opens, and says what it leaves out', async () => {
    const {api, grid, page, project} = fleet
    const {createCustomField} = await api.ask<{createCustomField: {field: {id: string}}}>(
      'mutation ($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id } } }',
      {i: {projectId: project, name: 'Short-lived', type: 'TEXT'}},
    )
    const field = createCustomField.field.id
    const id = await create({
      name: 'Old',
      columns: [{column: {builtin: 'NAME'}}, {column: {fieldId: field}}],
      filter: {num: {lte: 5}, fields: [{fieldId: field, isNull: true}]},
    })
    await grid.open(project, `saved=${id}`)
    await expect.poll(() => grid.count()).toBe('5 issues')
    await api.ask('mutation ($i: DeleteCustomFieldInput!) { deleteCustomField(input: $i) { deletedCustomFieldId } }', {i: {id: field}})
    const problems = page.locator('.view-problems')
    await expect
      .poll(async () => {
        await page.reload()
        await grid.settled()
        return problems.getByRole('listitem').allTextContents()
      })
      .toEqual([expect.stringMatching(/^Columns: .*Short-lived/), expect.stringMatching(/^Filter: .*Short-lived/)])
    expect(await grid.count()).toBe('5 issues')
    await look(page, 'tabs-problems')
    await button('Save without them').click()
    await problems.waitFor({state: 'detached'})
    expect((await stored()).find(v => v.id === id)).toMatchObject({columns: [{builtin: 'NAME'}], filter: {and: [{num: {lte: 5}}]}})
  })
})

describe('with sign-in', () => {
  const users = signIn()

  test('each user has the shared views and private ones, and is offered what the role permits', async () => {
    const {as, project} = users
    const actions = async (page: Page, view: string) => {
      await tab(new RegExp(`^${view}`), page).click({button: 'right'})
      const items = await page.getByRole('menuitem').allTextContents()
      await page.keyboard.press('Escape')
      return items
    }
    const ada = await as('ada', 'editor')
    await button('Save as a new view', ada.page).click()
    await name('Ada’s', {page: ada.page})
    await button('Save as a new view', ada.page).click()
    await name('Team', {shared: true, page: ada.page})
    expect(await tabs(ada.page)).toEqual(['All issues', '[Team]', 'Ada’s, private'])
    expect(await actions(ada.page, 'Team')).toEqual(['Rename…', 'Duplicate…', 'Make private', 'Copy link', 'Delete…'])

    const bob = await as('bob', 'reader')
    expect(await tabs(bob.page)).toEqual(['[All issues]', 'Team'])
    expect(await actions(bob.page, 'Team')).toEqual(['Duplicate…', 'Copy link'])
    await tab('Team', bob.page).click()
    await bob.grid.header('name').getByRole('button', {name: 'Name', exact: true}).click()
    await expect.poll(() => tabs(bob.page)).toEqual(['All issues', '[Team, changed]'])
    expect(await button('Save', bob.page).count()).toBe(0)
    await button('Save as…', bob.page).click()
    expect(await bob.page.getByRole('dialog').getByRole('checkbox').count()).toBe(0)
    await name('Bob’s', {page: bob.page})
    await expect.poll(() => tabs(bob.page)).toEqual(['All issues', 'Team', '[Bob’s, private]'])
    expect(await actions(bob.page, 'Bob')).toEqual(['Rename…', 'Duplicate…', 'Copy link', 'Delete…'])

    // The same view shows each user other issues.
    const api = users.api('ada', 'editor')
    const {project: p} = await api.ask<{project: {issues: {nodes: {id: string}[]}}}>(
      'query ($p: ID!) { project(id: $p) { issues(first: 1) { nodes { id } } } }',
      {
        p: project,
      },
    )
    await api.ask('mutation ($i: ID!) { updateIssue(input: {issue: {id: $i, name: "By Ada"}}) { issue { id } } }', {i: p.issues.nodes[0]!.id})
    await ada.grid.open(project, `where=${encodeURIComponent('[["updatedby","isMe"]]')}`)
    await button('Save as…', ada.page).click()
    await name('My issues', {shared: true, page: ada.page})
    await ada.page.getByRole('button', {name: 'Remove filter: Updated by is me'}).waitFor()
    expect((await ada.grid.rows()).map(r => r.cells.name)).toEqual(['By Ada'])
    await ada.page.getByRole('button', {name: 'Remove filter: Updated by is me'}).click()
    await bob.page.reload()
    await tab('My issues', bob.page).click()
    await bob.page.getByRole('button', {name: 'Remove filter: Updated by is me'}).waitFor()
    expect(await bob.grid.count()).toBe('0 issues')
    await tab('My issues', ada.page).click({button: 'right'})
    await menuItem('Delete…', ada.page).click()
    await ada.page.getByRole('dialog').getByRole('button', {name: 'Delete…'}).click()
    await expect.poll(() => tabs(ada.page)).toEqual(['[All issues]', 'Team', 'Ada’s, private'])

    const eve = await as('eve', 'admin')
    expect(await tabs(eve.page)).toEqual(['[All issues]', 'Team'])
    expect(await actions(eve.page, 'Team')).toEqual(['Rename…', 'Duplicate…', 'Make private', 'Make default', 'Copy link', 'Delete…'])
    for (const user of [ada, bob, eve]) {
      expect(user.troubles).toEqual([])
      await user.close()
    }
  })
})
