// Tests the built playground in a real browser, against the real server.

import axe, {type AxeResults} from 'axe-core'
import type {Browser, Page} from 'playwright-core'
import {beforeAll, describe, expect, test} from 'vitest'
import {examples} from '../src/explorer/examples'
import type {Answer} from '../src/explorer/exchange'
import {calls, figure} from '../src/explorer/report'
import {API} from './api'
import {launch, type Look, open, picture, type Watched} from './browser'
import {type Server, startServer} from './server'
import {startClosed, token} from './signin'

let browser: Browser
let server: Server

beforeAll(async () => {
  browser = await launch()
  return () => browser.close()
})

beforeAll(async () => {
  server = await startServer()
  return () => server.stop()
})

/** Opens the playground, runs act, and checks that no unexpected trouble occurred. */
async function visit(act: (page: Page, watched: Watched) => Promise<void>, look: Look & {url?: string; expected?: RegExp} = {}) {
  const watched = await open(browser, look.url ?? server.url, look)
  try {
    await watched.page.goto('/playground')
    await ready(watched.page)
    await act(watched.page, watched)
    expect(watched.troubles.filter(t => !look.expected?.test(t))).toEqual([])
  } finally {
    await watched.context.close()
  }
}

/** Waits for the editors and the schema. */
async function ready(page: Page) {
  await page.locator('.graphiql-query-editor .view-line').first().waitFor()
  await page.getByRole('button', {name: /Re-fetch/, disabled: false}).waitFor()
}

const summary = (page: Page) => page.locator('.summary')
const answerWindow = (page: Page) => page.locator('.result-window .view-lines')
const panel = (page: Page) => page.locator('.graphiql-plugin')

/** Runs the query in the editor, waits until the page shows the response, and returns it. */
async function run(page: Page): Promise<{answer: Answer; operation: string | null}> {
  const [response] = await Promise.all([page.waitForResponse(r => new URL(r.url()).pathname === '/graphql'), page.locator('.graphiql-execute-button').click()])
  const answer = (await response.json()) as Answer
  await page.locator('.graphiql-execute-button[aria-label^="Execute"]').waitFor()
  return {answer, operation: (response.request().postDataJSON() as {operationName: string | null}).operationName}
}

const tab = (page: Page, name: string) => page.locator('.graphiql-tab', {hasText: new RegExp(`^${name}`)})
const openTab = (page: Page, name: string) => tab(page, name).locator('.graphiql-tab-button').click()
const openPanel = (page: Page, title: string) => page.getByRole('button', {name: `Show ${title}`}).click()

/** Replaces the content of an editor below the query. */
async function write(page: Page, tool: 'Variables' | 'Headers', text: string) {
  await page.getByRole('button', {name: tool, exact: true}).click()
  const editor = page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden) .monaco-editor').first()
  await editor.click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}

async function runsAllExamples(page: Page) {
  for (const {name} of examples) {
    await openTab(page, name)
    const {answer, operation} = await run(page)
    expect({operation, errors: answer.errors}).toEqual({operation: name, errors: undefined})
    expect(
      Object.values(answer.data as object).every(value => value !== null),
      `${name} has data`,
    ).toBe(true)
    const cost = answer.extensions?.cost
    if (!cost) throw new Error(`${name} has no cost`)
    await expect.poll(() => summary(page).textContent()).toContain(`${name} ${figure(calls(cost))} call`)
    await expect.poll(() => answerWindow(page).textContent()).toContain('"data"')
  }
}

describe('the page', () => {
  test('has a shell before the editor, which needs no script', async () => {
    const {context, page, troubles} = await open(browser, server.url)
    await page.route(/\.js$/, route => route.abort())
    await page.goto('/playground')
    await page.getByText('The editor is loading').waitFor()
    expect(await page.locator('.shell').evaluate(shell => getComputedStyle(shell).display)).toBe('grid') // the style is loaded
    expect(troubles.filter(t => !t.includes('ERR_FAILED'))).toEqual([])
    await context.close()
  })

  test('says so when the editor can not be loaded', async () => {
    const {context, page} = await open(browser, server.url)
    await page.route(/Explorer-.*\.js$/, route => route.abort())
    await page.goto('/playground')
    await page.getByText('The editor cannot be loaded').waitFor()
    await context.close()
  })

  test('loads', {tags: ['smoke']}, () =>
    visit(async page => {
      await picture(page, 'playground-light')
      expect(await page.title()).toBe('issuegrid playground')
      expect(await page.getByRole('link', {name: 'issuegrid'}).getAttribute('href')).toBe('/')
      expect(await page.locator('.graphiql-tab-button').allTextContents()).toEqual(examples.map(e => e.name))
    }),
  )

  test('is dark where the system is, and where its setting says so, and light again', () =>
    visit(
      async page => {
        const background = () => page.locator('.graphiql-container').evaluate(c => getComputedStyle(c).backgroundColor)
        const dark = await background()
        await run(page)
        await openPanel(page, 'Cost and plan')
        await picture(page, 'playground-dark')
        await page.getByRole('button', {name: 'Open settings dialog'}).click()
        await page.getByRole('button', {name: 'Light', exact: true}).click()
        expect(await background()).not.toBe(dark)
        await page.keyboard.press('Escape')
        await page.reload()
        await ready(page)
        expect(await background()).not.toBe(dark)
      },
      {dark: true},
    ))

  test('is for phones as far as GraphiQL is', () =>
    visit(
      async page => {
        await run(page)
        await picture(page, 'playground-phone')
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
        await summary(page).getByRole('button').click()
        await picture(page, 'playground-phone-cost')
      },
      {width: 390, height: 800},
    ))
})

describe('the examples', () => {
  test('run as they are, and show what they cost', {tags: ['smoke']}, () => visit(runsAllExamples))

  test('run on a server with other data', async () => {
    const other = await startServer({args: ['--no-sample']})
    try {
      await fill(other.url)
      await visit(runsAllExamples, {url: other.url})
    } finally {
      await other.stop()
    }
  })

  test('tell when there is no project', async () => {
    const empty = await startServer({args: ['--no-sample']})
    try {
      await visit(
        async page => {
          await openPanel(page, 'Examples')
          await panel(page).getByText('This server has no project that you can access').waitFor()
        },
        {url: empty.url},
      )
    } finally {
      await empty.stop()
    }
  })

  test('are opened again after they were closed', () =>
    visit(async page => {
      await openTab(page, 'NextPage')
      await tab(page, 'NextPage').getByRole('button', {name: 'Close Tab'}).click()
      await expect.poll(() => tab(page, 'NextPage').count()).toBe(0)
      await openPanel(page, 'Examples')
      await panel(page).getByText('the project FLEET, Fleet Maintenance').waitFor()
      await picture(page, 'playground-examples')
      await panel(page).getByRole('button', {name: 'NextPage'}).click()
      const {answer, operation} = await run(page)
      expect([operation, answer.errors]).toEqual(['NextPage', undefined])
    }))

  test('are there again at the next visit, in the tab that was open', () =>
    visit(async page => {
      for (const name of ['FirstPage', 'Filtered']) {
        await openTab(page, name)
        await expect
          .poll(() =>
            page.evaluate(() => (JSON.parse((localStorage['graphiql:tabState'] as string | undefined) ?? '{}') as {activeTabIndex?: number}).activeTabIndex),
          )
          .toBe(examples.findIndex(e => e.name === name))
        await page.reload()
        await ready(page)
        expect(await page.locator('.graphiql-tab-button').allTextContents()).toEqual(examples.map(e => e.name))
        const {answer, operation} = await run(page)
        expect([operation, answer.errors]).toEqual([name, undefined])
      }
    }))

  test('have what somebody has written in them at the next visit', () =>
    visit(async page => {
      await openTab(page, 'NextPage')
      await write(page, 'Variables', '{"project": "mine"}')
      await expect.poll(() => page.evaluate(() => localStorage['graphiql:tabState'] as string)).toContain('mine')
      // Simulates data of another server at the last visit.
      const foreign = {FirstPage: '{"project": "elsewhere"}'}
      await page.evaluate(
        ([given]) => {
          const tabs = JSON.parse(localStorage['graphiql:tabState'] as string) as {tabs: {variables: string}[]}
          tabs.tabs[0]!.variables = given.FirstPage
          localStorage['graphiql:tabState'] = JSON.stringify(tabs)
          localStorage['issuegrid:given'] = JSON.stringify(given)
        },
        [foreign] as const,
      )
      await page.reload()
      await ready(page)
      await openTab(page, 'FirstPage')
      expect((await run(page)).answer.errors).toBeUndefined()
      await openTab(page, 'NextPage')
      expect((await run(page)).answer.errors?.[0]?.extensions?.code).toBe('NOT_FOUND')
    }))
})

describe('the editor', () => {
  test('completes what the schema has', () =>
    visit(async page => {
      await page.getByRole('button', {name: 'New tab'}).click()
      await page.locator('.graphiql-query-editor .monaco-editor').first().click()
      await page.keyboard.type('{ view')
      const suggestion = page.locator('.suggest-widget .monaco-list-row', {hasText: 'viewer'})
      await suggestion.first().waitFor()
      await picture(page, 'playground-completion')
      await page.keyboard.press('Enter')
      await expect.poll(() => page.locator('.graphiql-query-editor .view-lines').textContent()).toContain('viewer')
    }))

  test('marks what the schema has not, in the query and in the variables', () =>
    visit(async page => {
      await page.locator('.graphiql-query-editor .view-line', {hasText: 'pageInfo'}).click()
      await page.keyboard.press('End')
      await page.keyboard.type(' nonsense')
      await page.locator('.graphiql-query-editor .squiggly-error').first().waitFor()
      await write(page, 'Variables', '{"project": 1')
      await page.locator('.graphiql-editor-tool .squiggly-error').first().waitFor()
      await picture(page, 'playground-mistakes')
    }))

  test('formats what is written', () =>
    visit(async page => {
      await write(page, 'Variables', '{"project":"P"}')
      await page.getByRole('button', {name: /Prettify/}).click()
      await expect.poll(() => page.locator('.graphiql-query-editor .view-line').allTextContents()).toContainEqual(expect.stringMatching(/^\s+state\s\{$/))
      await expect
        .poll(() => page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden) .view-line').allTextContents())
        .toEqual(['{', expect.stringMatching(/^\s+"project":\s"P"$/), '}', ''])
    }))
})

test('the schema is explained, with @oneOf and the specifications of scalars', () =>
  visit(async page => {
    await page.getByRole('button', {name: 'Docs'}).click()
    await panel(page).getByRole('link', {name: 'Query', exact: true}).click()
    await panel(page).getByText('The entry points for reading.').waitFor()
    await picture(page, 'playground-docs')
    const [response] = await Promise.all([page.waitForResponse(r => r.url().endsWith('/graphql')), page.getByRole('button', {name: /Re-fetch/}).click()])
    const {data} = (await response.json()) as {data: {__schema: {types: {name: string; isOneOf?: boolean; specifiedByURL?: string}[]}}}
    const type = (name: string) => data.__schema.types.find(t => t.name === name)
    expect([type('ValueInput')?.isOneOf, type('Date')?.specifiedByURL]).toEqual([true, 'https://scalars.graphql.org/andimarek/local-date.html'])
    // The editor itself detects two members of a @oneOf as an error.
    await page.getByRole('button', {name: 'New tab'}).click()
    await page.locator('.graphiql-query-editor .monaco-editor').first().click()
    await page.keyboard.insertText('{ project(id: "P") { issues(orderBy: [{column: {builtin: NUM, fieldId: "F"}}]) { totalCount } } }')
    await page.locator('.graphiql-query-editor .squiggly-error').first().waitFor()
  }))

describe('cost and plan', () => {
  test('are the figures of the answer', () =>
    visit(
      async page => {
        await openTab(page, 'Explained')
        const {answer} = await run(page)
        await summary(page).getByRole('button').click()
        const cost = answer.extensions!.cost!
        const figures = await panel(page).locator('.figures > div').allTextContents()
        expect(figures).toEqual([`calls${figure(calls(cost))}`, `RCU${figure(cost.rcu)}`, `items${figure(cost.items)}`])
        const {text} = (answer.data as {project: {issues: {explain: {text: string}}}}).project.issues.explain
        await panel(page).getByText('As a text').click()
        expect(await panel(page).locator('pre').textContent()).toBe(text)
        expect(await panel(page).locator('.tree .kind').allTextContents()).toContain('page')
        expect(await panel(page).locator('.tree .compared').first().textContent()).toMatch(/^[\d,]+ \w+; about [\d,]+ expected$/)
        expect(await panel(page).locator('.http').textContent()).toMatch(/Time\d+ ms.*Size.*Status200.*Request id\w{26}/)
        await picture(page, 'playground-plan')
      },
      {height: 1100},
    ))

  test('say that the cost was not requested', () =>
    visit(async page => {
      await write(page, 'Headers', '{}')
      expect((await run(page)).answer.extensions).toBeUndefined()
      await expect.poll(() => summary(page).textContent()).toContain('cost not requested')
      await openPanel(page, 'Cost and plan')
      await panel(page).getByText('The cost was not requested.').waitFor()
      await picture(page, 'playground-no-cost')
    }))

  test('show the codes of errors', () =>
    visit(async page => {
      await openPanel(page, 'Cost and plan')
      await write(page, 'Variables', '{"project": "nowhere"}')
      await run(page)
      await expect.poll(() => panel(page).locator('.failures').textContent()).toContain('NOT_FOUND no such project at project')
      await expect.poll(() => summary(page).textContent()).toContain('1 error (NOT_FOUND)')
      await picture(page, 'playground-error')
    }))

  test('a browser without a network says so, and goes on when it is back', () =>
    visit(
      async (page, {context}) => {
        // The editor starts its workers on first use, and the JSON worker again when the schema has provided the types of variables.
        const started: string[] = []
        page.on('worker', worker => started.push(/(\w+)\.worker/.exec(worker.url())?.[1] ?? ''))
        page.on('framenavigated', () => started.splice(0))
        await page.reload()
        await ready(page)
        await expect.poll(() => started.toSorted()).toEqual(['editor', 'graphql', 'json', 'json'])
        await Promise.all(page.workers().map(worker => worker.evaluate(() => undefined))) // resolves when the workers are loaded
        await context.setOffline(true)
        await page.locator('.graphiql-execute-button').click()
        await expect.poll(() => answerWindow(page).textContent()).toMatch(/this\s+browser\s+is\s+offline/)
        expect(await summary(page).textContent()).toContain('No response')
        await openPanel(page, 'Cost and plan')
        await picture(page, 'playground-offline')
        await context.setOffline(false)
        expect((await run(page)).answer.errors).toBeUndefined()
      },
      {expected: /ERR_INTERNET_DISCONNECTED/},
    ))
})

describe('headers', () => {
  const bearer = 'Bearer a-secret-that-stays-here'

  test('are the same in all tabs, and are never stored', () =>
    visit(async page => {
      await write(page, 'Headers', `{"X-Show-Cost": "1", "Authorization": "${bearer}"}`)
      const sent = page.waitForRequest(r => r.url().endsWith('/graphql'))
      await run(page)
      expect((await sent).headers().authorization).toBe(bearer)
      await openTab(page, 'Filtered')
      const again = page.waitForRequest(r => r.url().endsWith('/graphql'))
      await run(page)
      expect((await again).headers().authorization).toBe(bearer)
      // GraphiQL stores changes within half a second, including the active tab.
      await expect.poll(() => page.evaluate(() => (JSON.parse(localStorage['graphiql:tabState'] as string) as {activeTabIndex: number}).activeTabIndex)).toBe(2)
      const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))
      expect(stored).toContain('Filtered')
      expect(stored).not.toContain('secret')
      await page.reload()
      await ready(page)
      const cost = page.waitForRequest(r => r.url().endsWith('/graphql'))
      await run(page)
      expect([(await cost).headers().authorization, (await cost).headers()['x-show-cost']]).toEqual([undefined, '1'])
    }))

  test('sign in where one has to: then the schema and the examples are there', async () => {
    const closed = await startClosed()
    try {
      await visit(
        async page => {
          await openPanel(page, 'Examples')
          await panel(page).getByText('The server does not list its projects').waitFor()
          await picture(page, 'playground-sign-in')
          await write(page, 'Headers', `{"X-Show-Cost": "1", "Authorization": "Bearer ${token('tester', 'operator')}"}`)
          await panel(page).getByText('the project FLEET').waitFor()
          await page.getByRole('button', {name: 'Variables', exact: true}).click()
          expect((await run(page)).answer.errors).toBeUndefined()
          await page.getByRole('button', {name: 'Docs'}).click()
          await panel(page).getByRole('link', {name: 'Mutation', exact: true}).waitFor()
        },
        {url: closed.url, expected: /status of 401/},
      )
    } finally {
      await closed.stop()
    }
  })
})

/** Creates a project that differs from the samples: one issue, no options, a required field. */
async function fill(url: string) {
  const api = new API(url)
  const {createTenant} = await api.ask<{createTenant: {tenant: {id: string}}}>('mutation { createTenant(input: {name: "Other"}) { tenant { id } } }')
  const {createProject} = await api.ask<{createProject: {project: {id: string}}}>(
    'mutation($t: ID!) { createProject(input: {tenantId: $t, key: "O", name: "Other"}) { project { id } } }',
    {t: createTenant.tenant.id},
  )
  const project = createProject.project.id
  const {createCustomField} = await api.ask<{createCustomField: {field: {id: string}}}>(
    'mutation($p: ID!) { createCustomField(input: {projectId: $p, name: "Reason", type: LONG_TEXT, required: true}) { field { id } } }',
    {p: project},
  )
  await api.ask(
    'mutation($p: ID!, $f: ID!) { createIssue(input: {projectId: $p, issue: {name: "Only one", values: [{fieldId: $f, value: {text: "because"}}]}}) { issue { id } } }',
    {p: project, f: createCustomField.field.id},
  )
}

/** Violations that axe finds in GraphiQL itself and that neither its options nor a little CSS can fix: the rule, where, and why it stays. */
const theirs: {rule: string; where: RegExp; why: string}[] = [
  {
    rule: 'nested-interactive',
    where: /^(\.graphiql-tab|li:nth-child\(\d\)$)/,
    why: 'a tab of operations is a list item with the role tab, and has its button and the one that closes it inside',
  },
  {
    rule: 'label-content-name-mismatch',
    where: /^(\.graphiql-history-item:nth-child\(\d\) > )?\.graphiql-history-item-label/,
    why: 'the button of an entry of the history is labelled "Set active", whatever it shows',
  },
]

describe('for everybody: axe finds nothing', () => {
  const states: [string, (page: Page) => Promise<unknown>][] = [
    ['at the start', () => Promise.resolve()],
    [
      'with an error',
      async page => {
        await write(page, 'Variables', '{"project": "nowhere"}')
        await run(page)
        await openPanel(page, 'Cost and plan')
      },
    ],
    [
      'with an answer and its plan, in that panel',
      async page => {
        await openTab(page, 'Explained')
        await run(page)
      },
    ],
    ['with the examples', page => openPanel(page, 'Examples')],
    [
      'with the history',
      async page => {
        await run(page)
        await openPanel(page, 'History')
      },
    ],
    [
      'with the documentation',
      async page => {
        await openPanel(page, 'Documentation Explorer')
        await panel(page).getByRole('link', {name: 'Query', exact: true}).click()
      },
    ],
    ['with the headers', page => page.getByRole('button', {name: 'Headers', exact: true}).click()],
    ['with the settings', page => page.getByRole('button', {name: 'Open settings dialog'}).click()],
  ]
  // One page shows the states one after the other.
  test.each([{dark: false}, {dark: true}])('dark: $dark', ({dark}) =>
    visit(
      async page => {
        await page.evaluate(axe.source)
        for (const [name, act] of states) {
          await act(page)
          const results: AxeResults = await page.evaluate(() => (window as unknown as {axe: typeof axe}).axe.run({resultTypes: ['violations']}))
          const found = results.violations.flatMap(({id, nodes}) =>
            nodes.map(n => ({rule: id, where: n.target.join(' '), html: n.html.slice(0, 200), why: n.failureSummary})),
          )
          expect(
            found.filter(f => !theirs.some(t => t.rule === f.rule && t.where.test(f.where))),
            name,
          ).toEqual([])
        }
      },
      {dark},
    ),
  )
})
