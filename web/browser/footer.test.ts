// The footer: summaries of columns by mouse and keyboard, in links and stored views, after edits and with filters, and what is shown when they fail.
import {describe, expect, test} from 'vitest'
import {look, sampleFleet} from './fleet'

const fleet = sampleFleet()

const footer = () => fleet.page.getByTestId('footer')
const cell = (column: string) => footer().locator(`[data-column="${column}"]`)
const figure = async (column: string) => (await cell(column).locator('.figure-value').textContent()) ?? ''
const label = (column: string) => cell(column).locator('.visually-hidden').textContent()
const summariesOf = () => new URL(fleet.page.url()).searchParams.get('summaries')
const pick = (name: string) => fleet.page.getByRole('menuitemcheckbox', {name, exact: true}).click()
const read = () => expect.poll(() => footer().getAttribute('aria-busy')).toBe('false')

/** Returns a part of a column's summary from the API. */
async function oracle(column: unknown, part: string, where: unknown = null): Promise<unknown> {
  const {project} = await fleet.api.ask<{project: {issues: {summary: Record<string, unknown>}}}>(
    `query ($p: ID!, $c: IssueColumn!, $w: IssueFilter) { project(id: $p) { issues(first: 0, where: $w) { summary(column: $c) { ${part} } } } }`,
    {p: fleet.project, c: column, w: where},
  )
  return project.issues.summary[part]
}

/** Counts the requests for summaries from now on. */
function requests(): () => number {
  let n = 0
  fleet.page.on('request', r => {
    if (r.postData()?.includes('GridSummaries')) n++
  })
  return () => n
}

describe('summaries', () => {
  test('are chosen in the menus of a header and of the footer', async () => {
    const {grid, page, project, field} = fleet
    await grid.open(project)
    expect(await footer().count()).toBe(0)
    await grid.header('state').getByRole('button', {name: 'Menu for State'}).click()
    await page.getByRole('menuitem', {name: 'Summarize…'}).click()
    expect(await page.getByRole('menuitemcheckbox').allTextContents()).toEqual(['None', 'Filled', 'Empty', 'Distinct values'])
    await pick('Distinct values')
    await footer().waitFor()
    await read()
    expect(await figure('state')).toBe(String(await oracle({builtin: 'STATE'}, 'distinct')))

    await cell(field('Cost')).getByRole('button').click()
    await pick('Sum')
    await cell(field('Safety')).getByRole('button').click()
    await pick('Percent checked')
    await cell(field('Due')).getByRole('button').click()
    expect(await page.getByRole('menuitemcheckbox').allTextContents()).toEqual(['None', 'Filled', 'Empty', 'Distinct values', 'Earliest', 'Latest'])
    await pick('Latest')
    await read()
    const [sum, percent, due] = await Promise.all([
      oracle({fieldId: field('Cost')}, 'sum'),
      oracle({fieldId: field('Safety')}, 'percentChecked'),
      oracle({fieldId: field('Due')}, 'max'),
    ])
    expect(Number((await figure(field('Cost'))).replaceAll(',', ''))).toBeCloseTo(sum as number, 6)
    expect(await figure(field('Safety'))).toMatch(/^\d+(\.\d)?%$/)
    expect(Math.abs(parseFloat(await figure(field('Safety'))) - (percent as number))).toBeLessThan(0.051)
    expect(await figure(field('Due'))).toBe(new Date(due as string).toLocaleDateString('en-US', {dateStyle: 'medium', timeZone: 'UTC'}))
    expect(await label(field('Due'))).toBe(`Due, Latest: ${await figure(field('Due'))}`)
    expect(await label('name')).toBe('Name: no summary')
    await look(page, 'footer')

    const link = summariesOf()
    expect(link).toBe(`state:distinct,${field('Cost')}:sum,${field('Safety')}:percentChecked,${field('Due')}:max`)
    await page.reload()
    await footer().waitFor()
    await read()
    expect(await figure('state')).toBe(String(await oracle({builtin: 'STATE'}, 'distinct')))
    expect(summariesOf()).toBe(link)

    await page.goBack()
    await expect.poll(summariesOf).toBe(link!.split(',').slice(0, 3).join(','))
    await cell(field('Cost')).getByRole('button').click()
    await pick('None')
    await expect.poll(summariesOf).not.toContain(field('Cost'))
    expect(await label(field('Cost'))).toBe('Cost: no summary')
  })

  test('are reached with the keyboard', async () => {
    const {grid, page, project, field} = fleet
    await grid.open(project, `columns=num,name,${field('Running Hours')}&summaries=${field('Running Hours')}:sum`)
    await grid.count()
    await footer().waitFor()
    await grid.grid.focus()
    await grid.press('Control+End', 'ArrowDown')
    const active = () => grid.grid.getAttribute('aria-activedescendant')
    await expect.poll(active).toBe(`f-${field('Running Hours')}`)
    await grid.press('Home', 'End', 'Enter')
    await page.getByRole('menu', {name: 'Summary of Running Hours'}).waitFor()
    await grid.press('ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Median')
    await grid.press('Enter')
    await read()
    expect(await figure(field('Running Hours'))).toBe(
      ((await oracle({fieldId: field('Running Hours')}, 'median')) as number).toLocaleString('en-US', {maximumFractionDigits: 2}),
    )
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
    await expect.poll(active).toBe(`f-${field('Running Hours')}`)
    // Typing and Delete in the footer change no cell.
    await grid.press('x', 'Delete', 'Control+v')
    expect(await page.locator('.editing').count()).toBe(0)
    await grid.press('ArrowUp')
    await expect.poll(active).toMatch(/^c-\d+-2$/)
    await grid.press('ArrowDown')
    await expect.poll(active).toBe(`f-${field('Running Hours')}`)
    // Without a summary, the last row is active again.
    await grid.press('Enter', 'Home', 'Enter')
    await expect.poll(() => footer().count()).toBe(0)
    await expect.poll(active).toMatch(/^c-\d+-2$/)
  })

  test('follow the filter and edits, and not the pages', async () => {
    const {grid, page, project, api, field} = fleet
    const column = field('Running Hours')
    const sent = requests()
    await grid.open(project, `summaries=${column}:sum`)
    await read()
    await expect.poll(() => figure(column)).not.toBe('…')
    expect(sent()).toBe(1)
    await grid.scrollTo(150)
    await grid.scrollTo(0)
    expect(sent()).toBe(1)
    const total = (await oracle({fieldId: column}, 'sum')) as number
    expect(await figure(column)).toBe(total.toLocaleString('en-US'))

    // An edit of the column changes the sum; one of another column is not asked about.
    const [first] = await grid.rows()
    const before = await api.value(project, Number(first!.cells.num), column)
    await grid.cell(0, column).dblclick()
    await page.keyboard.type(String(Number(before || 0) + 1000))
    await page.keyboard.press('Enter')
    await expect.poll(() => figure(column)).toBe((total + 1000).toLocaleString('en-US'))
    expect(sent()).toBe(2)
    await page.keyboard.press('Control+z')
    await expect.poll(() => figure(column)).toBe(total.toLocaleString('en-US'))
    expect(sent()).toBe(3)

    const state = fleet.fields.Priority!
    await page.goto(`/?project=${project}&summaries=${column}:sum&where=${encodeURIComponent(JSON.stringify([[state.id, 'anyOf', state.options[0]!.id]]))}`)
    await grid.settled()
    const some = (await oracle({fieldId: column}, 'sum', {fields: [{fieldId: state.id, option: {inIds: [state.options[0]!.id]}}]})) as number
    expect(some).not.toBe(total)
    await expect.poll(() => figure(column)).toBe(some.toLocaleString('en-US'))
  })

  test('that fail say why, and are read again', async () => {
    const {grid, page, project, field} = fleet
    const [a, b] = [field('Running Hours'), field('Cost')]
    let fails = true
    await page.route('**/graphql', async route => {
      if (!fails || !route.request().postData()?.includes('GridSummaries')) return route.fallback()
      const response = await route.fetch()
      const body = (await response.json()) as {data: {project: {issues: Record<string, unknown>}}; errors?: unknown[]}
      body.data.project.issues.c0 = null
      body.errors = [{message: 'it took too long', path: ['project', 'issues', 'c0']}]
      return route.fulfill({json: body})
    })
    await grid.open(project, `columns=num,${a},${b}&summaries=${a}:sum,${b}:filled`)
    await expect.poll(() => figure(a)).toBe('!')
    expect(await label(a)).toContain('it took too long')
    expect(await figure(b)).toBe(String(await oracle({fieldId: b}, 'filled')))
    fails = false
    await cell(a).getByRole('button').click()
    await page.getByRole('menuitem', {name: 'Try again'}).click()
    await expect.poll(() => figure(a)).toBe(((await oracle({fieldId: a}, 'sum')) as number).toLocaleString('en-US'))
  })
})
