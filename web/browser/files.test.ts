// CSV import and export, bulk edits, and the trash.
import {readFileSync} from 'node:fs'
import Papa from 'papaparse'
import type {Page} from 'playwright-core'
import {describe, expect, test} from 'vitest'
import {picture} from './browser'
import {sampleFleet, violations} from './fleet'

const fleet = sampleFleet()

/** Drops a file on the grid, like a user with the mouse. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([name, text]) => {
      const data = new DataTransfer()
      data.items.add(new File([text!], name!, {type: 'text/csv'}))
      return data
    },
    [name, text],
  )
  for (const event of ['dragenter', 'dragover']) await page.dispatchEvent('[role=grid]', event, {dataTransfer})
  await page.getByText('Drop a CSV file to import it into').waitFor()
  await page.dispatchEvent('[role=grid]', 'drop', {dataTransfer})
}

/** Returns the parsed file that the page exports. */
async function download(page: Page, begin: () => Promise<void>): Promise<{name: string; rows: Record<string, string>[]}> {
  const [file] = await Promise.all([page.waitForEvent('download'), begin()])
  const {data, errors} = Papa.parse<Record<string, string>>(readFileSync(await file.path(), 'utf8'), {header: true, skipEmptyLines: true})
  expect(errors).toEqual([])
  return {name: file.suggestedFilename(), rows: data}
}

const closeDialog = (page: Page) => page.getByRole('dialog').getByRole('button', {name: 'Close', exact: true}).last().click()

describe('import', () => {
  test('a file that is dropped: preview, progress, and the rows that were refused', async () => {
    const {api, grid, page, project, field} = fleet
    await grid.open(project)
    const before = await api.walk(project)
    const lines = Array.from({length: 230}, (_, i) => `Import ${i},Planned,${i === 7 ? 'many' : i},"a, b",${i % 2 ? 'Yes' : 'no'},Critical,${i}`)
    await drop(page, 'issues.csv', ['Name,State,Running Hours,Tags,Safety,Priority,Unknown', ...lines].join('\r\n'))
    await page.getByText(/will be imported/).waitFor()
    await picture(page, 'import-mapping')
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', {name: 'Import', exact: true}).click()
    await page.getByText(/issues made/).waitFor()
    await picture(page, 'import-done')
    expect(await violations(page)).toEqual([])
    expect(await page.getByRole('dialog').innerText()).toMatch(/229 issues made/)
    const refused = await download(page, () => page.getByRole('button', {name: /refused rows/i}).click())
    expect(refused.rows).toHaveLength(1)
    expect(refused.rows[0]).toMatchObject({Name: 'Import 7', 'Running Hours': 'many'})
    await closeDialog(page)
    const after = await api.walk(project, null, null, ['Running Hours', 'Tags', 'Safety', 'Priority'].map(field))
    const made = after.slice(before.length)
    expect(made.map(i => [i.name, i.state.name, ...i.values.map(v => v?.display)])).toEqual(
      Array.from({length: 230}, (_, i) => [`Import ${i}`, 'Planned', String(i), 'a, b', i % 2 ? 'true' : 'false', 'Critical']).filter((_, i) => i !== 7),
    )
    await expect.poll(() => grid.count()).toBe(`${after.length.toLocaleString('en-US')} issues`)
  }, 120_000)
})

describe('export', () => {
  test('has the rows and columns of the view, in its order', async () => {
    const {api, grid, page, project, field} = fleet
    await grid.open(
      project,
      `sort=-${field('Cost')}&columns=num,name,${field('Cost')},${field('Systems')}&where=${encodeURIComponent(JSON.stringify([[field('Vessel'), 'is', 'Petrel']]))}`,
    )
    await page.getByRole('button', {name: 'Import and export'}).click()
    await page.getByRole('menuitem', {name: 'Export CSV…'}).click()
    await picture(page, 'export')
    expect(await violations(page)).toEqual([])
    const {name, rows} = await download(page, () => page.getByRole('button', {name: 'Export', exact: true}).click())
    expect(name).toMatch(/^FLEET-\d{4}-\d\d-\d\d\.csv$/)
    const where = {fields: [{field: field('Vessel'), text: {eq: 'Petrel'}}]}
    const oracle = await api.walk(project, [{column: {field: field('Cost')}, direction: 'DESC'}], where, [field('Cost'), field('Systems')])
    expect(oracle.length).toBeGreaterThan(100)
    expect(rows.map(r => Object.values(r))).toEqual(oracle.map(i => [String(i.num), i.name, i.values[0]?.display ?? '', i.values[1]?.display ?? '']))
    await closeDialog(page)
  })
})

describe('chosen rows', () => {
  test('get the same value, and have their own again when it is undone', async () => {
    const {api, grid, page, project, field} = fleet
    await grid.open(project)
    const nums = [101, 102, 103]
    await grid.scrollTo(95)
    const before = await Promise.all(nums.map(n => api.value(project, n, field('Vessel'))))
    for (const n of nums) await page.getByRole('checkbox', {name: `Choose ${n}`, exact: true}).click()
    await page.getByRole('region', {name: 'Chosen issues'}).getByRole('button', {name: 'Edit…'}).click()
    const dialog = page.getByRole('dialog', {name: 'Edit 3 issues'})
    await dialog.getByLabel('Column').selectOption({label: 'Vessel'})
    await dialog.getByLabel('New value').fill('Poseidon')
    await picture(page, 'bulk-edit')
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', {name: /^Change/}).click()
    await dialog.waitFor({state: 'detached'})
    expect(await Promise.all(nums.map(n => api.value(project, n, field('Vessel'))))).toEqual(['Poseidon', 'Poseidon', 'Poseidon'])
    expect(await grid.cell(101, field('Vessel')).textContent()).toBe('Poseidon')
    await page.getByRole('button', {name: /^Undo/}).first().click()
    await grid.saved()
    expect(await Promise.all(nums.map(n => api.value(project, n, field('Vessel'))))).toEqual(before)
  })

  test('go to the trash, and come back', async () => {
    const {api, grid, page, project} = fleet
    await grid.open(project)
    const all = await api.walk(project)
    await page.getByRole('checkbox', {name: 'Choose 2', exact: true}).click()
    await page.getByRole('checkbox', {name: 'Choose 4', exact: true}).click()
    await page.getByRole('region', {name: 'Chosen issues'}).getByRole('button', {name: 'Delete…'}).click()
    const dialog = page.getByRole('dialog')
    expect(await violations(page)).toEqual([])
    await dialog
      .getByRole('button', {name: /delete|trash/i})
      .last()
      .click()
    await dialog.waitFor({state: 'detached'})
    expect(await api.walk(project)).toHaveLength(all.length - 2)
    await grid.settled()
    expect((await grid.rows()).slice(0, 3).map(r => r.cells.num)).toEqual(['1', '3', '5'])
    await page.getByRole('button', {name: /^Undo/}).first().click()
    await expect.poll(async () => (await api.walk(project)).length).toBe(all.length)
    await expect.poll(async () => (await grid.rows()).slice(0, 4).map(r => r.cells.num)).toEqual(['1', '2', '3', '4'])
  })
})
