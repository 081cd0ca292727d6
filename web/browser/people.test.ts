// Users and teams: assigned and watching in the side panel, mentioned in comments, as values of fields, and the issues of all projects that are theirs.
import type {Page} from 'playwright-core'
import {afterEach, beforeAll, describe, expect, test} from 'vitest'
import type {API} from './api'
import {picture} from './browser'
import {look, violations} from './fleet'
import {delay} from './grid'
import {signIn} from './signin'

const users = signIn()
type Opened = Awaited<ReturnType<typeof users.as>>
const opened: Opened[] = []
const ids: Record<string, string> = {}
let ann: API
let admin: API
let second: string
/** The numbers of open issues of the sample, one for each test. */
let nums: number[]

/** Opens the sample's project as a user; the page must have no troubles at the end. */
async function as(user: string, role: string): Promise<Opened> {
  const one = await users.as(user, role)
  opened.push(one)
  return one
}

beforeAll(async () => {
  for (const [user, role] of Object.entries({ann: 'editor', bob: 'editor', eve: 'reader', root: 'admin'})) {
    const {viewer} = await users.api(user, role).ask<{viewer: {user: {id: string}}}>('{ viewer { user { id } } }')
    ids[user] = viewer.user.id
  }
  ann = users.api('ann', 'editor')
  admin = users.api('root', 'admin')
  const {viewer} = await admin.ask<{viewer: {tenant: {id: string}}}>('{ viewer { tenant { id } } }')
  const tenant = viewer.tenant.id
  const {createTeam} = await admin.ask<{createTeam: {team: {id: string}}}>('mutation ($i: CreateTeamInput!) { createTeam(input: $i) { team { id } } }', {
    i: {tenantId: tenant, name: 'Bolts'},
  })
  ids.team = createTeam.team.id
  await admin.ask('mutation ($i: AddTeamMembersInput!) { addTeamMembers(input: $i) { team { id } } }', {i: {teamId: ids.team, userIds: [ids.bob]}})
  const {createProject} = await admin.ask<{createProject: {project: {id: string}}}>(
    'mutation ($i: CreateProjectInput!) { createProject(input: $i) { project { id } } }',
    {
      i: {
        tenantId: tenant,
        name: 'Garden',
        key: 'GARDEN',
        states: [
          {name: 'To do', open: true},
          {name: 'Finished', open: false},
        ],
      },
    },
  )
  second = createProject.project.id
  const {project} = await ann.ask<{project: {issues: {nodes: {num: number; state: {open: boolean}}[]}}}>(
    'query ($p: ID!) { project(id: $p) { issues(first: 50) { nodes { num state { open } } } } }',
    {p: users.project},
  )
  nums = project.issues.nodes.filter(i => i.state.open).map(i => i.num)
})

afterEach(async () => {
  for (const one of opened.splice(0)) {
    expect(one.troubles).toEqual([])
    await one.close()
  }
})

const panel = (page: Page) => page.getByRole('complementary', {name: /^Issue \w+-\d+$/})
const part = (page: Page, name: string) => panel(page).getByRole('group', {name})
const names = (page: Page, name: string) => part(page, name).getByRole('listitem').allInnerTexts()

/** Returns the names of the participants of an issue of the sample, as the API has them. */
async function stored(num: number): Promise<{assignees: string[]; watchers: string[]}> {
  interface Named {
    name: string
  }
  const {project} = await ann.ask<{project: {issueByNum: {assignees: Named[]; watchers: Named[]}}}>(
    `query ($p: ID!, $n: Int!) { project(id: $p) { issueByNum(num: $n) {
      assignees { name } watchers { name } } } }`,
    {p: users.project, n: num},
  )
  return {assignees: project.issueByNum.assignees.map(p => p.name), watchers: project.issueByNum.watchers.map(p => p.name)}
}

describe('in the side panel', () => {
  test('users and teams are found, assigned and removed by mouse and keyboard', async () => {
    const {page, grid} = await as('ann', 'editor')
    await grid.open(users.project, `issue=${nums[0]}`)
    await part(page, 'Assignees').getByRole('button', {name: 'Assign to me'}).click()
    await expect.poll(() => names(page, 'Assignees')).toEqual(['ann'])
    expect(await part(page, 'Assignees').getByRole('button', {name: 'Assign to me'}).count()).toBe(0)

    await part(page, 'Assignees').getByRole('button', {name: 'Add assignee'}).click()
    const input = page.getByRole('combobox', {name: 'Add assignee'})
    await page.getByRole('option', {name: 'Bolts'}).waitFor()
    expect(await page.getByRole('option', {name: 'ann'}).count()).toBe(0)
    await look(page, 'people-picker')
    await input.pressSequentially('BO')
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['bob', 'Bolts'])
    await input.press('Enter')
    await expect.poll(() => names(page, 'Assignees')).toEqual(['ann', 'bob'])
    await expect.poll(() => page.getByRole('option', {name: 'bob'}).count()).toBe(0)
    await page.getByRole('option', {name: 'Bolts'}).click()
    await expect.poll(() => names(page, 'Assignees')).toEqual(['ann', 'bob', 'Bolts'])
    await input.pressSequentially('nobody')
    await page.getByText('Nobody found.').waitFor()
    await input.press('Escape')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Add assignee')
    expect(await panel(page).isVisible()).toBe(true)
    expect(await stored(nums[0]!)).toEqual({assignees: ['ann', 'bob', 'Bolts'], watchers: []})

    await part(page, 'Watchers').getByRole('button', {name: 'Watch', exact: true}).click()
    await expect.poll(() => names(page, 'Watchers')).toEqual(['ann'])
    await part(page, 'Assignees').getByRole('button', {name: 'Remove ann from assignees'}).click()
    await expect.poll(() => names(page, 'Assignees')).toEqual(['bob', 'Bolts'])
    expect(await stored(nums[0]!)).toEqual({assignees: ['bob', 'Bolts'], watchers: ['ann']})
    expect(await violations(page)).toEqual([])

    // An edit in the grid is based on the version after these changes.
    await grid.cell(nums[0]! - 1, 'name').click()
    await grid.press('Enter')
    await page.keyboard.type('Renamed after the assignment')
    await grid.press('Enter')
    await grid.saved()
    expect((await ann.issue(users.project, nums[0]!)).name).toBe('Renamed after the assignment')
  })

  test('a reader sees them, and changes by others appear', async () => {
    const {page, grid} = await as('eve', 'reader')
    await ann.ask('mutation ($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { id } } }', {
      i: {issue: {id: (await ann.issue(users.project, nums[1]!)).id, assignees: {addIds: [ids.bob]}}},
    })
    await grid.open(users.project, `issue=${nums[1]}`)
    await expect.poll(() => names(page, 'Assignees')).toEqual(['bob'])
    expect(await part(page, 'Assignees').getByRole('button').count()).toBe(0)
    expect(await part(page, 'Watchers').innerText()).toMatch(/Watchers\s*—/)
  })
})

describe('mentions', () => {
  test('an at sign finds users, who become watchers', async () => {
    const {page, grid} = await as('ann', 'editor')
    await grid.open(users.project, `issue=${nums[2]}`)
    await panel(page).getByRole('tab', {name: 'Comments'}).click()
    const box = panel(page).getByRole('textbox', {name: 'Write a comment'})
    await box.pressSequentially('Mail me@example.com, ')
    expect(await page.getByRole('combobox', {name: 'Mention'}).count()).toBe(0)
    await box.pressSequentially('@')
    const input = page.getByRole('combobox', {name: 'Mention'})
    await input.pressSequentially('bo')
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['bob']) // no teams
    expect(await violations(page)).toEqual([])
    await input.press('Enter')
    expect(await box.inputValue()).toBe('Mail me@example.com, @bob ')
    await page.keyboard.type('or ask root')
    await panel(page).getByRole('button', {name: 'Mention'}).click()
    await input.press('Escape')
    expect(await box.inputValue()).toBe('Mail me@example.com, @bob or ask root @')
    await page.keyboard.type('home')
    await panel(page).getByRole('button', {name: 'Comment', exact: true}).click()
    await panel(page).locator('.comments').getByText('@bob or ask root @home').waitFor()
    expect(await stored(nums[2]!)).toEqual({assignees: [], watchers: ['bob']})
    const {issue} = await ann.ask<{issue: {comments: {nodes: {mentions: {name: string}[]}[]}}}>(
      'query ($i: ID!) { issue(id: $i) { comments { nodes { mentions { name } } } } }',
      {i: (await ann.issue(users.project, nums[2]!)).id},
    )
    expect(issue.comments.nodes).toEqual([{mentions: [{name: 'bob'}]}])
  })
})

describe('administration', () => {
  test('users and teams are created, changed and deactivated', async () => {
    const {page} = await as('root', 'admin')
    await page.goto('/?page=projects')
    const dialog = page.getByRole('dialog')
    const box = (name: string) => dialog.getByRole('textbox', {name, exact: true})
    const list = (name: string) => dialog.getByRole('list', {name}).getByRole('listitem').allInnerTexts()
    await page.getByRole('button', {name: /^More actions for/}).click()
    await page.getByRole('menuitem', {name: 'Users and teams…'}).click()
    await expect.poll(async () => (await list('Users')).map(t => t.trim())).toEqual(['ann', 'bob', 'eve', 'root'])
    await look(page, 'admin-people')

    await dialog.getByRole('button', {name: 'New user'}).click()
    await box('Name').fill('Zoë Adams')
    await box('E-mail address').fill('not an address')
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', {name: 'Save'}).click()
    await dialog.getByRole('alert').waitFor()
    await box('E-mail address').fill('zoe@example.com')
    await dialog.getByRole('button', {name: 'Save'}).click()
    await dialog.getByRole('searchbox').fill('ZOE')
    await expect.poll(() => list('Users')).toEqual([expect.stringContaining('zoe@example.com')])
    await dialog.getByRole('button', {name: 'Zoë Adams'}).click()
    await box('Name').fill('Zoë Brown')
    await box('E-mail address').fill('')
    await dialog.getByRole('button', {name: 'Save'}).click()
    await dialog.getByRole('button', {name: 'Zoë Brown'}).waitFor()

    await dialog.getByRole('tab', {name: 'Teams'}).click()
    await dialog.getByRole('button', {name: 'New team'}).click()
    await box('Name').fill('Nuts')
    await dialog.getByRole('button', {name: 'Save'}).click()
    await dialog.getByRole('button', {name: 'Add member'}).click()
    await page.getByRole('combobox', {name: 'Add member'}).pressSequentially('zo')
    await page.getByRole('combobox', {name: 'Add member'}).press('Enter')
    const members = () => dialog.getByRole('list', {name: 'Members'}).getByRole('listitem').allInnerTexts()
    await expect.poll(members).toEqual(['Zoë Brown'])
    await page.getByRole('option', {name: 'eve'}).click()
    await expect.poll(members).toEqual(['eve', 'Zoë Brown'])
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', {name: 'Remove eve from the team'}).click()
    await expect.poll(members).toEqual(['Zoë Brown'])
    await dialog.getByRole('button', {name: 'Cancel'}).click()
    await expect.poll(() => list('Teams')).toEqual([expect.stringContaining('Bolts'), expect.stringMatching(/Nuts\s*1 member$/)])

    await dialog.getByRole('tab', {name: 'Users'}).click()
    await dialog.getByRole('button', {name: 'Zoë Brown'}).click()
    await dialog.getByRole('button', {name: 'Deactivate'}).click()
    await expect.poll(async () => (await list('Users')).map(t => t.trim())).toEqual(['ann', 'bob', 'eve', 'root'])
    await dialog.getByLabel('Deactivated').check()
    await expect.poll(() => list('Users')).toEqual([expect.stringContaining('Zoë Brown (deactivated)')])
    interface User {
      name: string
      email: string | null
      active: boolean
      teams: {name: string}[]
    }
    const {viewer} = await admin.ask<{viewer: {tenant: {users: {nodes: User[]}}}}>(
      '{ viewer { tenant { users(active: false) { nodes { name email active teams { name } } } } } }',
    )
    expect(viewer.tenant.users.nodes).toEqual([{name: 'Zoë Brown', email: null, active: false, teams: [{name: 'Nuts'}]}])
  })
})

describe('my work', () => {
  const list = (page: Page) => page.locator('.work-issues > li > a')
  const keys = async (page: Page) => (await page.locator('.work-issues .key').allInnerTexts()).map(k => k.trim())

  test('the page begins with the issues of all projects, by project', async () => {
    const create = (project: string, issues: object[]) =>
      ann.ask('mutation ($i: CreateIssuesInput!) { createIssues(input: $i) { results { errors { message } } } }', {i: {projectId: project, issues}})
    await create(second, [
      ...Array.from({length: 60}, (_, n) => ({name: `Bed ${n + 1}`, assigneeIds: [ids.bob]})),
      {name: 'Of the team', assigneeIds: [ids.team]},
      {name: 'Watched', watcherIds: [ids.bob]},
    ])
    const {page} = await as('bob', 'editor')
    await page.goto('/')
    await page.getByRole('heading', {name: 'My work'}).waitFor()
    await page.getByText('62 issues').waitFor() // 60 here, and two of the sample
    expect(await page.getByRole('heading', {level: 2}).allInnerTexts()).toEqual(['Garden'])
    expect(await list(page).count()).toBe(50)
    await picture(page, 'my-work')
    expect((await list(page).first().boundingBox())!.width).toBeGreaterThan(400)
    expect((await page.locator('.work-issues > li').first().boundingBox())!.height).toBeLessThan(60)
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', {name: 'Show more'}).click()
    await expect.poll(() => list(page).count()).toBe(62)
    expect((await page.getByRole('heading', {level: 2}).allInnerTexts())[1]).toBe('Fleet Maintenance')
    expect(await page.getByRole('button', {name: 'Show more'}).count()).toBe(0)

    await page.getByLabel('By project').uncheck()
    await page.getByLabel('Order').selectOption('Number')
    await expect.poll(async () => (await keys(page)).length).toBe(50)
    const ordered = await keys(page)
    const numbers = ordered.filter(k => k.startsWith('GARDEN')).map(k => Number(k.split('-')[1]))
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    expect(page.url()).toMatch(/\?order=number&group=none$/)
    await page.reload()
    await expect.poll(() => keys(page)).toEqual(ordered)
  })

  test('teams, watched, created and closed issues have lists, and a row opens its issue', async () => {
    const {page} = await as('bob', 'editor')
    await page.goto('/')
    const tab = (name: string) => page.getByRole('navigation', {name: 'Lists of issues'}).getByRole('link', {name})
    await tab('Assigned to my teams').click()
    await page.getByText('2 issues').waitFor() // and one of the sample
    expect(await list(page).allInnerTexts()).toEqual(expect.arrayContaining([expect.stringContaining('Of the team')]))
    expect(await page.locator('.work-issues').first().innerText()).toContain('Bolts')
    await tab('Watched').click()
    await page.getByText('Watched', {exact: true}).nth(1).waitFor()
    expect(await tab('Watched').getAttribute('aria-current')).toBe('page')
    await tab('Created by me').click()
    await page.getByText('You have created no issues.').waitFor()
    await page.goBack()
    await expect.poll(() => list(page).count()).toBe(2) // and one of the sample
    await tab('Assigned to me').click()
    await page.getByLabel('Status').selectOption('Closed')
    await page.getByText('No issues are assigned to you.').waitFor()
    await page.getByLabel('Status').selectOption('Open and closed')
    await page.getByText('62 issues').waitFor()
    await list(page).first().click()
    await panel(page).waitFor()
    await expect.poll(() => names(page, 'Assignees')).toContain('bob') // the panel reads its issue

    await page.getByRole('link', {name: 'Projects'}).click()
    await page.getByRole('link', {name: /Garden/}).waitFor()
    await page.getByRole('link', {name: 'My work'}).click()
    await page.getByText('62 issues').waitFor()
  })

  test('an issue that was assigned meanwhile appears when the page gets the focus, and errors can be retried', async () => {
    const {page} = await as('eve', 'reader')
    await page.clock.install()
    await page.goto('/')
    await page.getByText('No issues are assigned to you.').waitFor()
    await ann.ask('mutation ($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { id } } }', {
      i: {issue: {id: (await ann.issue(users.project, nums[3]!)).id, assignees: {addIds: [ids.eve]}}},
    })
    await page.clock.fastForward(20_000)
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await expect.poll(() => keys(page)).toEqual([`FLEET-${nums[3]}`])
    await page.route('**/graphql', route =>
      route.fulfill({status: 503, contentType: 'application/json', body: '{"errors":[{"message":"busy","extensions":{"code":"UNAVAILABLE"}}]}'}),
    )
    await page.getByRole('link', {name: 'Watched'}).click()
    await page.getByRole('alert').getByText('busy').waitFor()
    await page.unroute('**/graphql')
    await page.getByRole('button', {name: 'Try again'}).click()
    await page.getByText('You watch no issues.').waitFor()
    opened[0]!.troubles.splice(0) // the browser logs the status 503
  })
})

const editor = (page: Page) => page.getByRole('dialog', {name: /filter/i})
const chips = (page: Page) => page.getByRole('list', {name: 'Filters', exact: true}).getByRole('listitem').allInnerTexts()
/** Adds a condition up to its operand. */
const begin = async (page: Page, column: string, comparison: string) => {
  await page.getByRole('button', {name: 'Add filter'}).click()
  await editor(page).getByRole('combobox').fill(column)
  await page.keyboard.press('Enter')
  await editor(page).getByLabel('Comparison').selectOption({label: comparison})
}
const apply = async (page: Page) => {
  await editor(page).getByRole('button', {name: 'Apply'}).click()
  await editor(page).waitFor({state: 'detached'})
}

describe('a filter by users and teams', () => {
  let shed: string

  beforeAll(async () => {
    const {viewer} = await admin.ask<{viewer: {tenant: {id: string}}}>('{ viewer { tenant { id } } }')
    const {createProject} = await admin.ask<{createProject: {project: {id: string}}}>(
      'mutation ($i: CreateProjectInput!) { createProject(input: $i) { project { id } } }',
      {i: {tenantId: viewer.tenant.id, name: 'Shed', key: 'SHED', states: [{name: 'To do', open: true}]}},
    )
    shed = createProject.project.id
    const issues = [
      {name: 'Door', assigneeIds: [ids.ann]},
      {name: 'Roof', assigneeIds: [ids.team]},
      {name: 'Wall', assigneeIds: [ids.ann, ids.team], watcherIds: [ids.root]},
      {name: 'Floor', watcherIds: [ids.ann]},
      {name: 'Lamp', assigneeIds: [ids.root]},
    ]
    await admin.ask('mutation ($i: CreateIssuesInput!) { createIssues(input: $i) { results { errors { message } } } }', {i: {projectId: shed, issues}})
  })

  test('has conditions on sets of them and on the user, which links and saved views keep', async () => {
    const {page, grid} = await as('ann', 'editor')
    const expectRows = (...names: string[]) => expect.poll(async () => (await grid.rows()).map(r => r.cells.name)).toEqual(names)
    const expectChips = (...texts: string[]) => expect.poll(() => chips(page)).toEqual(texts)
    await grid.open(shed)
    await expectRows('Door', 'Roof', 'Wall', 'Floor', 'Lamp')
    await begin(page, 'Assignees', 'includes me')
    await apply(page)
    await expectRows('Door', 'Wall')
    await begin(page, 'Watchers', 'is not empty')
    await apply(page)
    await expectRows('Wall')
    await page.getByRole('button', {name: 'Remove filter: Watchers is not empty'}).click()
    await expectRows('Door', 'Wall')

    // People are found by typing and by the arrow keys, and Enter applies when nothing is typed.
    await begin(page, 'Assignees', 'has any of')
    const input = editor(page).getByRole('combobox', {name: 'Assignees has any of'})
    const found = editor(page).getByRole('listbox').getByRole('option')
    await editor(page).getByRole('button', {name: 'Apply'}).click()
    await editor(page).getByText('A value is required').waitFor()
    expect(await input.evaluate(e => e === document.activeElement)).toBe(true)
    await input.pressSequentially('bo')
    await expect.poll(() => found.allInnerTexts()).toEqual(['bob', 'Bolts'])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const chosen = () => editor(page).getByRole('list').getByRole('listitem').allInnerTexts()
    await expect.poll(chosen).toEqual(['Bolts'])
    await found.filter({hasText: 'root'}).click()
    await found.filter({hasText: 'eve'}).click()
    await expect.poll(chosen).toEqual(['Bolts', 'root', 'eve'])
    await input.pressSequentially('zz') // which is nobody
    await editor(page).getByRole('button', {name: 'Apply'}).click()
    await editor(page).getByText('Choose from the list, or clear the text').waitFor()
    expect(await input.getAttribute('aria-invalid')).toBe('true')
    await input.fill('')
    await look(page, 'filter-people')
    await editor(page).getByRole('button', {name: 'Remove eve'}).click()
    expect(await input.evaluate(e => e === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await editor(page).waitFor({state: 'detached'})
    await expectChips('Assignees includes me', 'Assignees has any of Bolts, root')
    await expectRows('Wall')
    expect(await violations(page)).toEqual([])
    await page.reload()
    await expectChips('Assignees includes me', 'Assignees has any of Bolts, root')
    await expectRows('Wall')

    await page.getByLabel('Rows must match').selectOption('any')
    await expectRows('Door', 'Roof', 'Wall', 'Lamp')
    await page.getByRole('button', {name: 'Assignees has any of Bolts, root', exact: true}).click()
    await expect.poll(chosen).toEqual(['Bolts', 'root'])
    await editor(page).getByRole('button', {name: 'Remove root'}).click()
    await apply(page)
    await expectChips('Assignees includes me', 'Assignees has any of Bolts')
    await expectRows('Door', 'Roof', 'Wall')

    // A saved view shows each user other issues.
    await page.getByRole('button', {name: 'Save as…', exact: true}).click()
    const dialog = page.getByRole('dialog').filter({visible: true})
    await dialog.getByRole('textbox', {name: 'Name'}).fill('Ours')
    await dialog.getByRole('checkbox', {name: 'Share with all users'}).check()
    await page.keyboard.press('Enter')
    await page.getByRole('tab', {name: 'Ours', selected: true}).waitFor()
    const {project} = await ann.ask<{project: {views: {nodes: {filter: unknown}[]}}}>('query ($p: ID!) { project(id: $p) { views { nodes { filter } } } }', {
      p: shed,
    })
    expect(project.views.nodes).toEqual([{filter: {or: [{assignees: {hasMe: true}}, {assignees: {hasAnyIds: [ids.team]}}]}}])
    const root = await as('root', 'admin')
    await root.grid.open(shed)
    await root.page.getByRole('tab', {name: 'Ours'}).click()
    await expect.poll(() => chips(root.page)).toEqual(['Assignees includes me', 'Assignees has any of Bolts'])
    await expect.poll(async () => (await root.grid.rows()).map(r => r.cells.name)).toEqual(['Roof', 'Wall', 'Lamp'])

    // An issue that no longer matches stays until the user wants to see the rows again.
    await grid.open(shed, `where=${encodeURIComponent('[["assignees","hasMe"]]')}&issue=1`)
    await part(page, 'Assignees').getByRole('button', {name: 'Remove ann from assignees'}).click()
    await page.getByRole('button', {name: 'Re-sort'}).click()
    await expectRows('Wall')
  })

  test('says which user or team is not one', async () => {
    const {page, grid} = await as('ann', 'editor')
    await page.goto(`/?project=${shed}&where=${encodeURIComponent(JSON.stringify([['assignees', 'hasAny', ids.bob, 'nobody']]))}`)
    await expect.poll(() => chips(page)).toEqual(['Assignees has any of bob, a user or team that was not found'])
    await page.getByRole('alert').filter({hasText: '"nobody" is not the id of a user or a team'}).waitFor()
    await page.getByRole('button', {name: /^Assignees has any of/}).click()
    await editor(page).getByRole('button', {name: 'Remove a user or team that was not found'}).click()
    await apply(page)
    await expect.poll(() => chips(page)).toEqual(['Assignees has any of bob'])
    await grid.settled()
  })
})

describe('a field of people', () => {
  let boat: string
  let owner: string
  let zoe: string
  /** Returns the name and the user of the owner of an issue. */
  const ownerOf = async (num: number) => {
    const {project} = await ann.ask<{project: {issueByNum: {values: [{name: string; user: {id: string} | null} | null]}}}>(
      'query ($p: ID!, $n: Int!, $f: [ID!]!) { project(id: $p) { issueByNum(num: $n) { values(fieldIds: $f) { ... on UserValue { name user { id } } } } } }',
      {p: boat, n: num, f: [owner]},
    )
    const [value] = project.issueByNum.values
    return value && [value.name, value.user?.id ?? null]
  }
  const change = (input: object) => admin.ask('mutation ($i: UpdateUserInput!) { updateUser(input: $i) { user { id } } }', {i: {id: zoe, ...input}})

  beforeAll(async () => {
    const {viewer} = await admin.ask<{viewer: {tenant: {id: string}}}>('{ viewer { tenant { id } } }')
    const tenantId = viewer.tenant.id
    const {createUser} = await admin.ask<{createUser: {user: {id: string}}}>('mutation ($i: CreateUserInput!) { createUser(input: $i) { user { id } } }', {
      i: {tenantId, name: 'Zoë Quill'},
    })
    zoe = createUser.user.id
    const {createProject} = await admin.ask<{createProject: {project: {id: string}}}>(
      'mutation ($i: CreateProjectInput!) { createProject(input: $i) { project { id } } }',
      {i: {tenantId, name: 'Boat', key: 'BOAT', states: [{name: 'To do', open: true}]}},
    )
    boat = createProject.project.id
    const {createCustomField} = await admin.ask<{createCustomField: {field: {id: string}}}>(
      'mutation ($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id } } }',
      {i: {projectId: boat, name: 'Owner', type: 'USER'}},
    )
    owner = createCustomField.field.id
    const issues = [{name: 'Sail'}, {name: 'Anchor', values: [{fieldId: owner, value: {user: 'zoe quill'}}]}, {name: 'Rope'}]
    await admin.ask('mutation ($i: CreateIssuesInput!) { createIssues(input: $i) { results { errors { message } } } }', {i: {projectId: boat, issues}})
  })

  test('has users who are picked, and names', async () => {
    const {page, grid} = await as('ann', 'editor')
    const options = () => page.getByRole('option').allInnerTexts()
    await grid.open(boat)
    const cell = (num: number) => grid.cell(num - 1, owner)
    await cell(1).click()
    await grid.press('Enter')
    await expect.poll(async () => (await options())[0]).toBe('ann')
    await expect.poll(async () => (await options()).filter(o => /quill/i.test(o))).toEqual(['Zoë Quill'])
    expect(await options()).not.toContain('Bolts')
    await look(page, 'person-picker')
    // Enter before the answer waits for it, and chooses the user with this name.
    await delay(page, 500, 'query FindPeople')
    await grid.press('Escape', 'Enter')
    await page.keyboard.type('zoe quill')
    await grid.press('Enter')
    await expect.poll(() => ownerOf(1)).toEqual(['Zoë Quill', zoe])
    await page.locator('.cell-editor').waitFor({state: 'detached'})
    await page.unrouteAll({behavior: 'wait'})
    await cell(3).click()
    await page.keyboard.type('Kim')
    await grid.press('Enter')
    await expect.poll(() => ownerOf(3)).toEqual(['Kim', null])
    await grid.saved()

    await page.reload()
    await grid.settled()
    expect(await cell(1).innerText()).toBe('Zoë Quill')
    expect(await cell(1).locator('.avatar.tinted').getAttribute('data-initials')).toBe('ZQ')
    expect(await cell(3).locator('.avatar:not(.tinted)').count()).toBe(1)
    expect(await violations(page)).toEqual([])

    // A pasted name refers to the user as in the row that it is from, and undo brings the name back.
    await cell(1).click()
    await grid.press('Control+c')
    await cell(2).click()
    await grid.press('Control+v')
    await expect.poll(() => ownerOf(2)).toEqual(['Zoë Quill', zoe])
    await grid.saved()
    await grid.press('Control+z')
    await expect.poll(() => ownerOf(2)).toEqual(['zoe quill', null])
    await cell(1).click()
    await grid.press('Delete')
    await expect.poll(() => ownerOf(1)).toBeNull()
    await grid.saved()
    await grid.press('Control+z')
    await expect.poll(() => ownerOf(1)).toEqual(['Zoë Quill', zoe])
  })

  test('is filtered by users, who keep their values under other names', async () => {
    const {page, grid} = await as('ann', 'editor')
    const expectRows = (...names: string[]) => expect.poll(async () => (await grid.rows()).map(r => r.cells.name)).toEqual(names)
    await grid.open(boat)
    await begin(page, 'Owner', 'is any of')
    const input = editor(page).getByRole('combobox', {name: 'Owner is any of'})
    await input.pressSequentially('bo')
    await expect.poll(() => editor(page).getByRole('listbox').getByRole('option').allInnerTexts()).toEqual(['bob']) // no teams
    await input.fill('ZOE')
    await page.keyboard.press('Enter')
    await expect.poll(() => editor(page).getByRole('list').getByRole('listitem').allInnerTexts()).toEqual(['Zoë Quill'])
    await apply(page)
    await expectRows('Sail')
    await expect.poll(() => chips(page)).toEqual(['Owner is any of Zoë Quill'])
    await change({name: 'Zoë Rowe'})
    await page.reload()
    await expectRows('Sail')
    await expect.poll(() => chips(page)).toEqual(['Owner is any of Zoë Rowe'])
    expect(await grid.cell(0, owner).innerText()).toBe('Zoë Rowe')
    await change({active: false})
    await page.reload()
    await expect.poll(() => grid.cell(0, owner).innerText()).toBe('Zoë Rowe (deactivated)')
    await grid.open(boat, `where=${encodeURIComponent(JSON.stringify([[owner, 'noneOfUsers', zoe]]))}`)
    await expectRows('Anchor', 'Rope')
    await begin(page, 'Created by', 'is any of')
    await editor(page).getByRole('combobox', {name: 'Created by is any of'}).pressSequentially('root')
    await page.keyboard.press('Enter')
    await apply(page)
    await expect.poll(() => chips(page)).toEqual([expect.stringMatching(/^Owner is none of Zoë Rowe/), 'Created by is any of root'])
    await expectRows('Anchor', 'Rope')
  })
  test('is filled in for a new issue, and changed in the panel', async () => {
    const {page, grid} = await as('ann', 'editor')
    await grid.open(boat)
    await grid.press('Alt+n')
    const dialog = page.getByRole('dialog', {name: 'New issue'})
    await dialog.getByRole('textbox', {name: 'Name'}).fill('Keel')
    await dialog.getByRole('button', {name: '1 more field'}).click()
    await dialog.getByRole('combobox', {name: 'Owner'}).pressSequentially('bo')
    await page.getByRole('option', {name: 'bob'}).click()
    await dialog.getByRole('button', {name: 'Create', exact: true}).click()
    await dialog.waitFor({state: 'detached'})
    expect(await ownerOf(4)).toEqual(['bob', ids.bob])
    await grid.open(boat, 'issue=4')
    await panel(page).getByRole('button', {name: 'Edit Owner'}).click()
    await panel(page).getByRole('combobox', {name: 'Owner'}).fill('ann')
    await grid.press('Enter')
    await expect.poll(() => ownerOf(4)).toEqual(['ann', ids.ann])
    await panel(page).locator('.avatar.tinted[data-initials=A]').waitFor()
  })
})

test('an administrator links the names in a field to users', async () => {
  const {viewer} = await admin.ask<{viewer: {tenant: {id: string}}}>('{ viewer { tenant { id } } }')
  const tenantId = viewer.tenant.id
  await admin.ask('mutation ($i: CreateUserInput!) { createUser(input: $i) { user { id } } }', {i: {tenantId, name: 'Mia'}})
  const {createProject} = await admin.ask<{createProject: {project: {id: string}}}>(
    'mutation ($i: CreateProjectInput!) { createProject(input: $i) { project { id } } }',
    {i: {tenantId, name: 'Quay', key: 'QUAY', states: [{name: 'To do', open: true}]}},
  )
  const quay = createProject.project.id
  const {createCustomField} = await admin.ask<{createCustomField: {field: {id: string}}}>(
    'mutation ($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id } } }',
    {i: {projectId: quay, name: 'Owner', type: 'USER'}},
  )
  const owner = createCustomField.field.id
  const issues = ['mia', 'Mia', 'lou'].map(user => ({name: `Of ${user}`, values: [{fieldId: owner, value: {user}}]}))
  await admin.ask('mutation ($i: CreateIssuesInput!) { createIssues(input: $i) { results { errors { message } } } }', {i: {projectId: quay, issues}})

  const {page, grid} = await as('root', 'admin')
  const dialog = page.getByRole('dialog', {name: 'Field: Owner'})
  const rows = () => dialog.locator('tbody tr').evaluateAll(all => all.map(tr => [...tr.children].map(c => (c as HTMLElement).innerText.trim())))
  const open = async () => {
    await page.getByRole('button', {name: 'Menu for Owner'}).click()
    await page.getByRole('menuitem', {name: 'Edit field…'}).click()
    await dialog.getByRole('button', {name: 'Link names to users…'}).click()
  }
  await grid.open(quay)
  expect(await page.locator(`[data-column="${owner}"] .avatar.tinted`).count()).toBe(0)
  await open()
  await expect.poll(rows).toEqual([
    ['lou', '1', 'Choose user…'],
    [expect.stringMatching(/^mia$/i), '2', 'Mia'],
  ])
  const submit = (name: string) => dialog.getByRole('button', {name, exact: true})
  expect(await submit('Link 1 name').isEnabled()).toBe(true)
  await look(page, 'admin-names')

  // A user is picked, and removed again: the name stays one.
  await dialog.getByRole('button', {name: 'Choose user for “lou”'}).click()
  const input = dialog.getByRole('combobox', {name: 'User for “lou”'})
  await input.press('Escape')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Choose user…')
  await page.keyboard.press('Enter')
  await input.pressSequentially('ev')
  await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['eve'])
  await input.press('Enter')
  await submit('Link 2 names').waitFor()
  expect((await rows())[0]).toEqual(['lou', '1', 'eve'])
  await page.keyboard.press('Enter')
  await submit('Link 1 name').waitFor()
  await page.setViewportSize({width: 390, height: 800})
  await look(page, 'admin-names-narrow')
  expect(await dialog.evaluate(d => d.scrollWidth <= d.clientWidth)).toBe(true)
  await page.setViewportSize({width: 1500, height: 900})

  await submit('Link 1 name').click()
  await dialog.waitFor({state: 'detached'})
  await page.getByText('1 name is being linked to a user.').waitFor()
  await expect.poll(() => page.locator(`.grid-body [data-column="${owner}"] .avatar.tinted`).count()).toBe(2)
  expect((await grid.rows()).map(r => r.cells[owner])).toEqual(['Mia', 'Mia', 'lou'])
  await open()
  await expect.poll(rows).toEqual([['lou', '1', 'Choose user…']])
  expect(await submit('Link 0 names').isDisabled()).toBe(true)
  await dialog.getByRole('button', {name: 'Cancel'}).click()
  await dialog.getByRole('button', {name: 'Link names to users…'}).waitFor()
})
