// The side panel: fields, texts and history of an issue; new issues; the trash.
import {describe, expect, test} from 'vitest'
import {picture} from './browser'
import {sampleFleet, violations} from './fleet'

const fleet = sampleFleet()
const panel = () => fleet.page.getByRole('complementary', {name: /^Issue FLEET-\d+$/})

describe('the panel', () => {
  test('opens by the number, and shows what the grid shows, the description and the history', async () => {
    const {api, grid, page, project, field} = fleet
    const {id} = await api.issue(project, 12)
    await api.update(id, {description: 'First line\nSecond line'})
    await grid.open(project)
    await page.getByRole('link', {name: 'Open issue 12', exact: true}).click()
    await panel().getByText('First line').waitFor()
    expect(await panel().getByRole('group', {name: 'Vessel'}).getByRole('textbox').inputValue()).toBe(await api.value(project, 12, field('Vessel')))
    expect(new URL(page.url()).searchParams.get('issue')).toBe('12')
    await picture(page, 'panel')
    expect(await violations(page)).toEqual([])
    await panel().getByRole('tab', {name: 'History'}).click()
    await panel().getByText('Second line').waitFor()
    await picture(page, 'panel-history')
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await panel().waitFor({state: 'detached'})
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
  })

  test('an edit is seen in the grid, in the history, and undone', async () => {
    const {api, grid, page, project, field} = fleet
    await grid.open(project, 'issue=14')
    const before = await api.value(project, 14, field('Vessel'))
    await panel().getByRole('group', {name: 'Vessel'}).getByRole('textbox').fill('Argo')
    await page.keyboard.press('Enter')
    await expect.poll(() => grid.cell(13, field('Vessel')).textContent()).toBe('Argo')
    await expect.poll(() => api.value(project, 14, field('Vessel'))).toBe('Argo')
    await panel().getByRole('tab', {name: 'History'}).click()
    await panel().getByText('Argo').first().waitFor()
    await page.getByRole('button', {name: /^Undo/}).first().click()
    await expect.poll(() => api.value(project, 14, field('Vessel'))).toBe(before)
  })

  test('a long text is written, and a conflict about it is a choice', async () => {
    const {api, grid, page, project} = fleet
    await grid.open(project, 'issue=15')
    const {id} = await api.issue(project, 15)
    const description = async () =>
      (await api.ask<{issue: {description: string | null}}>('query ($id: ID!) { issue(id: $id) { description } }', {id})).issue.description
    await panel().getByRole('button', {name: 'Edit Description'}).click()
    await panel().getByRole('textbox', {name: 'Description'}).fill('x'.repeat(5000))
    await panel().getByRole('button', {name: 'Save'}).click()
    await expect.poll(description).toBe('x'.repeat(5000))
    await panel().getByRole('button', {name: 'Edit Description'}).click()
    await api.update(id, {description: 'y'.repeat(5000)}) // the same length as before
    await panel().getByRole('textbox', {name: 'Description'}).fill('mine')
    await panel().getByRole('button', {name: 'Save'}).click()
    await page.getByRole('button', {name: '1 conflict'}).click()
    await page.getByRole('dialog', {name: 'Conflicts'}).getByRole('button', {name: 'Use mine'}).click()
    await expect.poll(description).toBe('mine')
  })

  test('goes to the next issue in the order of the grid, and survives a reload', async () => {
    const {api, grid, page, project, field} = fleet
    const oracle = await api.walk(project, [{column: {field: field('Cost')}, direction: 'DESC'}])
    await grid.open(project, `sort=-${field('Cost')}&issue=${oracle[2]!.num}`)
    await panel().getByRole('button', {name: 'Next issue'}).click()
    await panel()
      .getByRole('heading', {name: `Issue FLEET-${oracle[3]!.num}`})
      .waitFor()
    await page.reload()
    await panel()
      .getByRole('heading', {name: `Issue FLEET-${oracle[3]!.num}`})
      .waitFor()
  })

  test('says that an issue is not there', async () => {
    const {grid, page, project} = fleet
    await grid.open(project, 'issue=99999')
    await panel().getByRole('heading', {name: 'There is no issue FLEET-99999'}).waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('covers a phone', async () => {
    const {grid, page, project} = fleet
    await page.setViewportSize({width: 390, height: 844})
    await grid.open(project, 'issue=16')
    await panel().getByRole('tab', {name: 'Details'}).waitFor()
    await picture(page, 'panel-phone')
    expect((await panel().boundingBox())?.width).toBe(390)
    expect(await violations(page)).toEqual([])
  })
})

describe('new issues', () => {
  test('are made by the keyboard; what the server refuses stays', async () => {
    const {api, grid, page, project, fields} = fleet
    await grid.open(project)
    await grid.press('Alt+n')
    const dialog = page.getByRole('dialog', {name: /new issue/i})
    await dialog.getByRole('textbox', {name: /^Name/}).fill('x'.repeat(1001))
    await picture(page, 'new-issue')
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('combobox', {name: /^Priority/}).fill(fields.Priority!.options[0]!.name)
    await page.getByRole('option', {name: fields.Priority!.options[0]!.name}).click()
    await dialog.getByRole('button', {name: /create/i}).click()
    await dialog
      .getByText(/1,000|1000/)
      .first()
      .waitFor()
    await dialog.getByRole('textbox', {name: /^Name/}).fill('Made by hand')
    await dialog.getByRole('button', {name: /create/i}).click()
    await dialog.waitFor({state: 'detached'})
    const last = (await api.walk(project)).at(-1)!
    expect(last.name).toBe('Made by hand')
    await page.getByRole('button', {name: 'Show', exact: true}).click()
    await panel()
      .getByRole('heading', {name: `Issue FLEET-${last.num}`})
      .waitFor()
    await expect.poll(async () => (await grid.rows()).at(-1)?.cells.name).toBe('Made by hand')
  })
})

describe('the trash', () => {
  test('gives back what the panel deleted', async () => {
    const {api, grid, page, project} = fleet
    const before = await api.issue(project, 18)
    await grid.open(project, 'issue=18')
    await panel().getByRole('button', {name: 'More of this issue'}).click()
    await page.getByRole('menuitem', {name: 'Delete …'}).click()
    await page.getByRole('dialog', {name: 'Delete FLEET-18?'}).getByRole('button', {name: 'Delete'}).click()
    await panel().waitFor({state: 'detached'})
    await page.getByRole('button', {name: 'More', exact: true}).click()
    await page.getByRole('menuitem', {name: 'Trash …'}).click()
    const dialog = page.getByRole('dialog', {name: /trash/i})
    await dialog.getByRole('button', {name: 'Restore FLEET-18'}).waitFor()
    await picture(page, 'trash')
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', {name: 'Restore FLEET-18'}).click()
    await expect.poll(async () => (await api.walk(project)).some(i => i.id === before.id)).toBe(true)
  })
})
