// Administration in the page, from an empty server on: tenants, projects, states and fields.
import type {Browser, Page} from 'playwright-core'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {API} from './api'
import {hold} from './board'
import {launch, open, picture, type Watched} from './browser'
import {look, violations} from './fleet'
import {cellTexts, GridPage} from './grid'
import {startServers, type Server} from './server'

let server: Server
let browser: Browser
let watched: Watched
let page: Page
let api: API

beforeAll(async () => {
  server = await startServers({args: ['--no-sample']})
  browser = await launch()
  watched = await open(browser, server.url, {width: 1500, height: 900})
  page = watched.page
  await watched.context.addInitScript(cellTexts)
  api = new API(server.url)
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

interface Definition {
  name: string
  key: string
  states: {name: string; open: boolean; color: string | null}[]
  fields: {name: string; type: string; required: boolean; archived: boolean; description: string | null; options: {name: string; color: string | null}[]}[]
}

/** Returns the definition of the only project of the tenant with this name. */
async function definition(tenant: string): Promise<Definition> {
  const {tenants} = await api.ask<{tenants: {nodes: {name: string; projects: {nodes: Definition[]}}[]}}>(
    `{ tenants { nodes { name projects { nodes { name key states { name open color }
      fields(includeArchived: true) { name type required archived description options { name color } } } } } } }`,
  )
  return tenants.nodes.find(t => t.name === tenant)!.projects.nodes[0]!
}

const dialog = () => page.getByRole('dialog').filter({visible: true}).first()
const button = (name: string | RegExp) => dialog().getByRole('button', {name, exact: typeof name === 'string'})
const closed = () => page.locator('dialog[open]').waitFor({state: 'detached'})
/** Opens the dialog of a field from the menu of its column. */
async function editField(name: string): Promise<void> {
  await page.getByRole('button', {name: `Menu for ${name}`}).click()
  await page.getByRole('menuitem', {name: 'Edit field…'}).click()
  await page.getByRole('dialog', {name: `Field: ${name}`}).waitFor()
}
const options = async (field: string) => (await definition('Harbor')).fields.find(f => f.name === field)!.options.map(o => o.name)
const clean = async () => expect(await violations(page)).toEqual([])

describe.sequential('administration', () => {
  test('an empty server: a tenant, a project with states, and its page', async () => {
    await page.goto('/')
    await page.getByText('There are no tenants yet.').waitFor()
    await look(page, 'admin-empty')
    await page.getByRole('button', {name: 'New tenant'}).click()
    await button('Create tenant').click()
    await dialog().getByRole('alert').filter({hasText: 'name'}).waitFor() // an empty name is refused by the server's message
    await dialog().getByLabel('Name').fill('Harbor')
    await clean()
    await button('Create tenant').click()
    await closed()
    await page.getByRole('button', {name: 'New project'}).click()
    await dialog().getByLabel('Name', {exact: true}).fill('Ship Repairs')
    expect(await dialog().getByLabel('Key').inputValue()).toBe('SHIP')
    await dialog().getByLabel('New state').fill('Waiting')
    await page.keyboard.press('Enter')
    await button('Move Waiting up').click()
    await button('Color of Waiting').click()
    await page.getByRole('button', {name: 'Red'}).click()
    await dialog().getByLabel('Name of state 1').fill('To do')
    await look(page, 'admin-project')
    await button('Create project').click()
    await page.getByRole('heading', {name: 'SHIP Ship Repairs'}).waitFor()
    expect(await definition('Harbor')).toMatchObject({
      name: 'Ship Repairs',
      key: 'SHIP',
      states: [
        {name: 'To do', open: true, color: '#218bff'},
        {name: 'In progress', open: true},
        {name: 'Waiting', open: true, color: '#cf222e'},
        {name: 'Done', open: false},
      ],
      fields: [],
    })
    await page.getByText('No issues yet').waitFor()
  })

  test('a field of every type is added at the end of the header, and shown', async () => {
    const types: [string, string][] = [
      ['Ship', 'Text'],
      ['Report', 'Long text'],
      ['Berth', 'Integer'],
      ['Cost', 'Number'],
      ['Due', 'Date'],
      ['Docked at', 'Date and time'],
      ['Insured', 'Yes or no'],
      ['Priority', 'Single option'],
      ['Trades', 'Multiple options'],
      ['Labels', 'Tags'],
      ['Master', 'Person'],
    ]
    for (const [name, type] of types) {
      await page.getByRole('button', {name: 'Add a field'}).click()
      await dialog().getByLabel('Name', {exact: true}).fill(name)
      await dialog().getByLabel('Type').selectOption({label: type})
      if (/option/.test(type))
        for (const option of ['Low', 'High', 'Urgent']) {
          await dialog().getByLabel('New option').fill(option)
          await page.keyboard.press('Enter')
        }
      if (name === 'Priority') {
        await dialog().getByLabel('Description').fill('What is repaired first')
        await look(page, 'admin-field')
      }
      await button('Create field').click()
      await closed()
      if (type !== 'Long text') await page.getByRole('columnheader', {name}).waitFor()
    }
    // The other server may have the older definition for some seconds.
    await expect.poll(async () => (await definition('Harbor')).fields.map(f => f.name)).toEqual(types.map(([name]) => name))
    await expect.poll(async () => new Set((await definition('Harbor')).fields.map(f => f.type)).size).toBe(11)
    await expect
      .poll(async () => (await definition('Harbor')).fields.find(f => f.name === 'Priority'))
      .toMatchObject({
        description: 'What is repaired first',
        options: [
          {name: 'Low', color: '#6e7781'},
          {name: 'High', color: '#218bff'},
          {name: 'Urgent', color: '#2da44e'},
        ],
      })
    await picture(page, 'admin-fields')
  })

  test('a name that is taken is refused, and the form keeps what was typed', async () => {
    await page.getByRole('button', {name: 'Add a field'}).click()
    await dialog().getByLabel('Name', {exact: true}).fill(' ship ')
    await button('Create field').click()
    await dialog().getByRole('alert').filter({hasText: /ship/i}).waitFor()
    expect(await dialog().getByLabel('Name', {exact: true}).inputValue()).toBe(' ship ')
    await button('Cancel').click()
    await closed()
  })

  test('options are renamed, recolored, moved and added at once, and merged into others', async () => {
    const {tenants} = await api.ask<{
      tenants: {nodes: {projects: {nodes: {id: string; fields: {id: string; name: string; options: {id: string; name: string}[]}[]}[]}}[]}
    }>('{ tenants { nodes { projects { nodes { id fields { id name options { id name } } } } } } }')
    const project = tenants.nodes[0]!.projects.nodes[0]!
    const priority = project.fields.find(f => f.name === 'Priority')!
    const ship = project.fields.find(f => f.name === 'Ship')!
    const berths = ['1', '12', 'north']
    for (const [i, option] of priority.options.entries())
      await api.ask('mutation ($i: CreateIssueInput!) { createIssue(input: $i) { issue { id } } }', {
        i: {
          projectId: project.id,
          issue: {
            name: `Repair ${i}`,
            values: [
              {fieldId: priority.id, value: {optionId: option.id}},
              {fieldId: ship.id, value: {text: berths[i]}},
            ],
          },
        },
      })
    const grid = new GridPage(page)
    await page.getByRole('button', {name: 'Refresh'}).click()
    await expect.poll(() => grid.cell(0, priority.id).textContent()).toBe('Low')

    await editField('Priority')
    // A change that is made while another one is being saved waits for it.
    const {count, release} = await hold(page, 'UpdateOption', 'requests')
    await dialog().getByLabel('Name of option 1').fill('Minor')
    await page.keyboard.press('Enter')
    await expect.poll(count).toBe(1)
    await dialog().getByLabel('Name of option 3').press('Alt+ArrowUp')
    await dialog().getByLabel('New option').fill('Never')
    await page.keyboard.press('Enter')
    release()
    await expect.poll(() => options('Priority')).toEqual(['Minor', 'Urgent', 'High', 'Never'])
    await page.unroute('**/graphql')
    await dialog().getByLabel('Name of option 4').fill('minor')
    await page.keyboard.press('Enter')
    await dialog().getByRole('alert').waitFor() // two options can't have one name
    expect(await dialog().getByLabel('Name of option 4').inputValue()).toBe('minor')
    await page.keyboard.press('Escape')
    expect(await dialog().getByLabel('Name of option 4').inputValue()).toBe('Never')
    await button('Color of Never').click()
    await page.getByRole('button', {name: 'No color'}).click()
    await expect.poll(async () => (await definition('Harbor')).fields.find(f => f.name === 'Priority')!.options[3]!.color).toBe(null)
    await look(page, 'admin-options')

    await button('Remove Minor').click()
    expect(await button('Remove Minor').isDisabled()).toBe(true)
    await dialog().getByLabel('Replace it with').selectOption({label: 'High'})
    await clean()
    await button('Remove Minor').click()
    await expect.poll(() => options('Priority')).toEqual(['Urgent', 'High', 'Never'])
    await button('Cancel').click()
    await closed()
    await expect.poll(() => grid.cell(0, priority.id).textContent()).toBe('High')
  })

  test('a type is changed by a job, or a message says why not', async () => {
    const grid = new GridPage(page)
    const ship = (await page.getByRole('columnheader', {name: 'Ship'}).getAttribute('data-column'))!
    await editField('Ship')
    await button('Change type…').click()
    await dialog().getByLabel('New type of Ship').selectOption({label: 'Integer'})
    await clean()
    await button('Change type').click()
    await dialog().getByRole('alert').filter({hasText: 'Changing the type of “Ship” failed: SHIP-3'}).waitFor()
    await button('Change type…').click()
    await dialog().getByLabel('New type of Ship').selectOption({label: 'Integer'})
    await dialog()
      .getByLabel(/remove it from the issue/i)
      .check()
    await button('Change type').click()
    await expect.poll(async () => (await definition('Harbor')).fields[0]!.type).toBe('INTEGER')
    await button('Cancel').click()
    await closed()
    await expect
      .poll(async () => [await grid.cell(0, ship).textContent(), await grid.cell(1, ship).textContent(), await grid.cell(2, ship).textContent()])
      .toEqual(['1', '12', ''])
    // The rows can be read again before the definition of the field; a value of the old type would be refused.
    await expect.poll(() => grid.cell(2, ship).getAttribute('class')).toContain('number')
    await grid.cell(2, ship).click()
    await grid.press('4', 'Enter')
    await grid.saved()
    await expect.poll(() => grid.cell(2, ship).textContent()).toBe('4')
  })

  test('states are changed, and merged into others', async () => {
    await page.getByRole('button', {name: 'Settings'}).click()
    await page.getByRole('tab', {name: 'States'}).click()
    await dialog().getByLabel('Type of Waiting').selectOption('closed')
    await expect.poll(async () => (await definition('Harbor')).states.map(s => s.open)).toEqual([true, true, false, false])
    await dialog().getByLabel('New state').fill('Paid')
    await button('Add').click()
    await expect.poll(async () => (await definition('Harbor')).states.map(s => s.name)).toEqual(['To do', 'In progress', 'Waiting', 'Done', 'Paid'])
    await look(page, 'admin-states')
    await button('Remove To do').click()
    await dialog().getByLabel('Replace it with').selectOption({label: 'In progress'})
    await button('Remove To do').click()
    await expect.poll(async () => (await definition('Harbor')).states.map(s => s.name)).toEqual(['In progress', 'Waiting', 'Done', 'Paid'])
    await page.getByRole('tab', {name: 'Fields'}).click()
    await clean()
    await button('Close').click()
    await closed()
    await expect.poll(() => new GridPage(page).cell(0, 'state').textContent()).toBe('In progress')
  })

  test('a field is archived and restored, and deleted only after its name is typed', async () => {
    await editField('Berth')
    await button('Archive').click()
    await closed()
    await page.getByRole('columnheader', {name: 'Berth'}).waitFor({state: 'detached'})
    await page.getByRole('button', {name: 'Settings'}).click()
    await page.getByRole('tab', {name: 'Fields'}).click()
    await button('Berth').click()
    await button('Restore from archive').click()
    await closed()
    await page.getByRole('columnheader', {name: 'Berth'}).waitFor()
    await editField('Berth')
    await button('Delete…').click()
    expect(await button('Delete field').isDisabled()).toBe(true)
    await dialog().getByLabel('To confirm, type Berth').fill('Berth')
    await clean()
    await button('Delete field').click()
    await closed()
    await page.getByRole('columnheader', {name: 'Berth'}).waitFor({state: 'detached'})
    await expect.poll(async () => (await definition('Harbor')).fields.map(f => f.name)).not.toContain('Berth')
  })

  test('a project is renamed, deleted and restored', async () => {
    await page.getByRole('button', {name: 'Settings'}).click()
    await dialog().getByLabel('Name').fill('Repairs')
    await button('Save').click()
    await expect.poll(async () => (await definition('Harbor')).name).toBe('Repairs')
    await look(page, 'admin-settings')
    await button('Delete project…').click()
    await button('Delete project').click()
    await page.getByText('No projects yet.').waitFor()
    await page.getByRole('button', {name: 'More actions for Harbor'}).click()
    await page.getByRole('menuitem', {name: 'Deleted projects…'}).click()
    await clean()
    await button('Restore Repairs').click()
    await button('Close').click()
    await page
      .getByRole('link', {name: /SHIP Repairs/})
      .getByText('3 open')
      .waitFor()
    await look(page, 'admin-projects')
    await page.getByRole('searchbox', {name: 'Search projects'}).fill('nothing')
    await page.getByText('No matching projects.').waitFor()
    await page.getByRole('searchbox', {name: 'Search projects'}).fill('rép')
    await page.getByRole('link', {name: /SHIP Repairs/}).waitFor()
  })

  test('a tenant is renamed, and deleted only after its name is typed', async () => {
    await page.getByRole('button', {name: 'More actions for Harbor'}).click()
    await page.getByRole('menuitem', {name: 'Edit tenant…'}).click()
    await dialog().getByLabel('Name').fill('Harbor and Sons')
    await button('Save').click()
    await closed()
    await page.getByRole('heading', {name: 'Harbor and Sons'}).waitFor()
    await page.getByRole('button', {name: 'More actions for Harbor and Sons'}).click()
    await page.getByRole('menuitem', {name: 'Edit tenant…'}).click()
    await button('Delete…').click()
    await dialog()
      .getByLabel(/To confirm/)
      .fill('Harbor and Sons')
    await clean()
    await button('Delete tenant').click()
    await closed()
    await page.getByText('There are no tenants yet.').waitFor()
    expect(watched.troubles).toEqual([])
  })
})
