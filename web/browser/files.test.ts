// CSV import and export, bulk edits, and the trash.
import {readFileSync} from 'node:fs'
import Papa from 'papaparse'
import type {Page} from 'playwright-core'
import {describe, expect, test} from 'vitest'
import {look, sampleFleet, violations} from './fleet'

const fleet = sampleFleet()

/** Drops a file on the grid, like a user with the mouse. A string is written in UTF-8. */
async function drop(page: Page, name: string, content: string | Buffer): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([name, bytes]) => {
      const data = new DataTransfer()
      data.items.add(new File([Uint8Array.from(atob(bytes!), c => c.charCodeAt(0))], name!, {type: 'text/csv'}))
      return data
    },
    [name, Buffer.from(content as string).toString('base64')],
  )
  for (const event of ['dragenter', 'dragover']) await page.dispatchEvent('[role=grid]', event, {dataTransfer})
  await page.getByText('Drop a file to import it into').waitFor()
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

/** Creates a project with the states and fields of another one, but without issues. */
async function copyOf(project: string, key: string): Promise<string> {
  const {api} = fleet
  const {project: from} = await api.ask<{project: {tenant: {id: string}; states: unknown[]; fields: {name: string; type: string; options: unknown[]}[]}}>(
    'query ($p: ID!) { project(id: $p) { tenant { id } states { name open } fields { name type options { name } } } }',
    {p: project},
  )
  const {createProject} = await api.ask<{createProject: {project: {id: string}}}>(
    'mutation ($i: CreateProjectInput!) { createProject(input: $i) { project { id } } }',
    {i: {tenantId: from.tenant.id, key, name: key, states: from.states}},
  )
  for (const {name, type, options} of from.fields) {
    const input = {projectId: createProject.project.id, name, type, ...(options.length > 0 ? {options} : {})}
    await api.ask('mutation ($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id } } }', {i: input})
  }
  return createProject.project.id
}

describe('import', () => {
  test('a file that is dropped: preview, progress, and the rows that were rejected', {tags: ['smoke']}, async () => {
    const {api, grid, page, project, field} = fleet
    await grid.open(project)
    const before = await api.walk(project)
    const lines = Array.from(
      {length: 230},
      (_, i) => `Import ${i},Planned,${i === 7 ? 'many' : i},"a, b",${i % 2 ? 'Yes' : 'no'},${i < 9 ? 'Urgent' : 'Critical'},${i}`,
    )
    await drop(page, 'issues.csv', ['Name,State,Running Hours,Tags,Safety,Priority,Unknown', ...lines].join('\r\n'))
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Expected result: 221 issues added, 0 changed, 0 unchanged, 9 rows rejected.').waitFor()
    await dialog.getByText('1 row rejected: not an integer').waitFor()
    await dialog.getByText('9 rows rejected: not an option').waitFor()
    await dialog.getByText(/new fields of FLEET: "Unknown"/).waitFor()
    await dialog.getByText('The cells of the column "Tags" are lists, whose members are separated by ","').waitFor()
    await look(page, 'import-mapping')
    await dialog.getByLabel('Import “Unknown” as').selectOption({label: 'Don’t import'})
    await dialog.getByRole('button', {name: 'Check again'}).click()
    await dialog.getByText(/new fields of FLEET/).waitFor({state: 'detached'})
    await dialog.getByLabel('Add missing options').check()
    await dialog.getByRole('button', {name: 'Check again'}).click()
    await dialog.getByText('Expected result: 229 issues added, 0 changed, 0 unchanged, 1 row rejected.').waitFor()
    await dialog.getByText(/new options .*"Urgent"/).waitFor()
    await dialog.getByRole('button', {name: 'Import', exact: true}).click()
    await dialog.getByText('229 issues added, 0 changed, 0 unchanged, 1 row rejected.', {exact: true}).waitFor()
    await look(page, 'import-done')
    const rejected = await download(page, () => page.getByRole('button', {name: 'Download rejected rows'}).click())
    expect(rejected.name).toBe('issues.rejects.csv')
    expect(rejected.rows).toHaveLength(1)
    expect(rejected.rows[0]).toMatchObject({Name: 'Import 7', 'Running Hours': 'many', reject_line: '9', reject_column: 'Running Hours'})
    await closeDialog(page)
    const after = await api.walk(project, null, null, ['Running Hours', 'Tags', 'Safety', 'Priority'].map(field))
    const made = after.slice(before.length)
    expect(made.map(i => [i.name, i.state.name, ...i.values.map(v => v?.display)])).toEqual(
      Array.from({length: 230}, (_, i) => [`Import ${i}`, 'Planned', String(i), 'a, b', i % 2 ? 'true' : 'false', i < 9 ? 'Urgent' : 'Critical']).filter(
        (_, i) => i !== 7,
      ),
    )
    await expect.poll(() => grid.count()).toBe(`${after.length.toLocaleString('en-US')} issues`)
    expect((await api.fields(project)).map(f => f.name)).not.toContain('Unknown')
  })

  test('a file that is imported again changes its issues; the import continues while its dialog is closed', async () => {
    const {api, grid, page} = fleet
    const project = await copyOf(fleet.project, 'AGAIN')
    const file = (cost: (i: number) => string) => ['Id,Title,Cost', ...Array.from({length: 120}, (_, i) => `A-${i},Row ${i},${cost(i)}`)].join('\n')
    const run = async (text: string, counts: string) => {
      await drop(page, 'again.csv', text)
      const dialog = page.getByRole('dialog')
      await dialog.getByText(counts).waitFor()
      await dialog.getByRole('button', {name: 'Import', exact: true}).click()
      return dialog
    }
    await grid.open(project)
    const first = await run(
      file(i => String(i)),
      '120 issues added, 0 changed, 0 unchanged, 0 rows rejected.',
    )
    await first.getByText('120 issues added, 0 changed, 0 unchanged, 0 rows rejected.', {exact: true}).waitFor()
    await closeDialog(page)
    const second = await run(
      file(i => String(i === 5 ? -5 : i)),
      '0 issues added, 1 changed, 119 unchanged, 0 rows rejected.',
    )
    // The import may have ended before the dialog is closed.
    await second
      .getByRole('button', {name: /Continue in the background|Close/})
      .last()
      .click()
    await second.waitFor({state: 'detached'})
    const cost = (await api.fields(project)).find(f => f.name === 'Cost')!.id
    await expect.poll(() => api.value(project, 6, cost)).toBe('-5')
    expect((await api.walk(project)).map(i => i.version)).toEqual(Array.from({length: 120}, (_, i) => (i === 5 ? 2 : 1)))
  })

  test.each([
    ['it continues', true, 'The import of early.csv is complete: 3 issues added, 0 changed, 0 rows rejected.'],
    ['a message says that it could not begin', false, 'The import of early.csv could not begin.'],
  ])('an import whose dialog is closed before the server has answered: %s', async (_, reached, told) => {
    const {api, grid, page} = fleet
    const project = await copyOf(fleet.project, reached ? 'EARLY' : 'OFFLINE')
    await grid.open(project)
    await drop(page, 'early.csv', 'Id,Title\n1,One\n2,Two\n3,Three')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Expected result: 3 issues added').waitFor()
    let answer = () => {}
    const closed = new Promise<void>(resolve => (answer = resolve))
    await page.route('**/imports/*', async route => {
      if (route.request().method() === 'POST') {
        await closed
        if (!reached) return route.abort('internetdisconnected')
      }
      return route.continue()
    })
    await dialog.getByRole('button', {name: 'Import', exact: true}).click()
    await expect.poll(() => dialog.getByRole('button', {name: 'Cancel', exact: true}).isDisabled()).toBe(true)
    await dialog.getByRole('button', {name: 'Close'}).click()
    await dialog.waitFor({state: 'detached'})
    answer()
    await page.getByText(told).waitFor()
    await page.unroute('**/imports/*')
    if (!reached) {
      await page.getByRole('button', {name: 'Show', exact: true}).click()
      await dialog.getByRole('button', {name: 'Import', exact: true}).click()
      await dialog.getByText('3 issues added, 0 changed, 0 unchanged, 0 rows rejected.', {exact: true}).waitFor()
      await closeDialog(page)
    }
    expect(await api.walk(project)).toHaveLength(3)
    await expect.poll(() => grid.count()).toBe('3 issues')
  })

  test('a page that is loaded again during an import tells its result', async () => {
    const {api, grid, page} = fleet
    const project = await copyOf(fleet.project, 'RELOAD')
    await grid.open(project)
    await drop(page, 'long.csv', ['Id,Title', ...Array.from({length: 600}, (_, i) => `${i},Row ${i}`)].join('\n'))
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Expected result: 600 issues added').waitFor()
    await dialog.getByRole('button', {name: 'Import', exact: true}).click()
    await dialog.getByRole('button', {name: 'Continue in the background'}).waitFor()
    await page.reload()
    await page.getByText('The import of long.csv is complete: 600 issues added, 0 changed, 0 rows rejected.').waitFor({timeout: 60_000})
    await page.getByRole('button', {name: 'Show', exact: true}).click()
    await page.getByRole('dialog', {name: 'Import long.csv'}).getByText('600 issues added').waitFor()
    await closeDialog(page)
    expect(await api.walk(project)).toHaveLength(600)
    await expect.poll(() => grid.count()).toBe('600 issues')
  })

  test.each([
    ['a spreadsheet', 'PK\x03\x04…', 'save it as CSV'],
    ['no rows', 'Name,State\n', 'but no rows'],
  ])('%s is refused, and another file can be chosen', async (_, text, message) => {
    const {grid, page, project} = fleet
    await grid.open(project)
    await drop(page, 'bad.csv', text)
    await page.getByRole('dialog').getByText(message).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', {name: 'Choose a file…'}).waitFor()
  })

  test('rows without the value of a required field are explained, and nothing is imported', async () => {
    const {api, grid, page, project} = fleet
    const {project: p} = await api.ask<{project: {fields: {name: string; required: boolean}[]}}>(
      'query ($p: ID!) { project(id: $p) { fields { name required } } }',
      {
        p: project,
      },
    )
    const required = p.fields.filter(f => f.required).map(f => f.name)
    expect(required).not.toEqual([])
    await grid.open(project)
    await drop(page, 'bare.csv', 'Name\nx\n')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Nothing to import: 0 issues added, 0 changed, 0 unchanged, 1 row rejected.').waitFor()
    await dialog.getByText(new RegExp(`1 row rejected.*${required[0]}`)).waitFor()
    expect(await dialog.getByRole('button', {name: 'Import', exact: true}).isDisabled()).toBe(true)
    expect(await violations(page)).toEqual([])
  })

  /** Imports what the dialog shows, and returns the values of the issues by their names. */
  async function importedInto(project: string, names: readonly string[], counts: string): Promise<(string | undefined)[][]> {
    const {api, page} = fleet
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`Expected result: ${counts}`).waitFor()
    await dialog.getByRole('button', {name: 'Import', exact: true}).click()
    await dialog.getByText(counts, {exact: true}).waitFor()
    await closeDialog(page)
    const fields = await api.fields(project)
    const ids = names.map(name => fields.find(f => f.name === name)!.id)
    const issues = await api.walk(project, null, null, ids)
    return issues.map(i => [i.name, ...i.values.map(v => v?.display)])
  }

  test('the numbers, dates and words of a German spreadsheet are read', async () => {
    const {api, grid, page} = fleet
    const project = await copyOf(fleet.project, 'GERMAN')
    await grid.open(project)
    const lines = [
      'Name;Status;Running Hours;Cost;Due;Inspected;Safety;Erstellt;Rabatt',
      'Pumpe;New;1.234.567,00;1.234,50 €;24.12.2026;24.12.2026 15:04;ja;1.2.2025;12,5 %',
      'Anker;Planned;12;99,00 €;1.2.2027;;nein;24.12.2025;3 %',
    ]
    await drop(page, 'wartung.csv', lines.join('\r\n'))
    const dialog = page.getByRole('dialog')
    await expect.poll(() => dialog.getByLabel('Decimal separator in “Cost”').inputValue()).toBe(',')
    expect(await dialog.getByLabel('Format of “Due”').inputValue()).toBe('D.M.YYYY')
    expect(await dialog.getByLabel('Import “Erstellt” as').inputValue()).toBe('createdAt')
    expect(await dialog.getByLabel('Time zone of “Inspected”').inputValue()).toBe(await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone))
    expect(await dialog.getByText('can be read in two ways').count()).toBe(0)
    const names = ['Running Hours', 'Cost', 'Due', 'Inspected', 'Safety', 'Rabatt']
    expect(await importedInto(project, names, '2 issues added, 0 changed, 0 unchanged, 0 rows rejected.')).toEqual([
      ['Pumpe', '1234567', '1234.5', '2026-12-24', '2026-12-24T15:04:00Z', 'true', '12.5'],
      ['Anker', '12', '99', '2027-02-01', undefined, 'false', '3'],
    ])
    expect((await api.walk(project)).map(i => i.createdAt)).toEqual(['2025-02-01T00:00:00Z', '2025-12-24T00:00:00Z'])
  })

  test('encoding, delimiter and header are found in the whole file, shown, and can be changed', async () => {
    const {api, grid, page, project} = fleet
    await grid.open(project)
    const before = await api.walk(project)
    await drop(page, 'märz.csv', Buffer.from('Wartung im März\r\n\r\nName;Ort;Priority\r\nÖlwechsel, Müller;Größ;Low\r\nPrüfung;Köln;High\r\n', 'latin1'))
    const dialog = page.getByRole('dialog')
    const select = (label: string) => dialog.getByRole('group', {name: 'How the file is read'}).getByLabel(label)
    const columns = () => dialog.locator('tbody tr th').allInnerTexts()
    await dialog.getByText('Expected result: 2 issues added').waitFor()
    const shown = () => Promise.all(['Encoding', 'Columns are separated by', 'Names of the columns'].map(label => select(label).inputValue()))
    expect(await shown()).toEqual(['windows-1252', ';', '3'])
    expect(await violations(page)).toEqual([])
    await look(page, 'import-reading')
    const names = await columns()
    await select('Names of the columns').selectOption('None')
    await dialog.getByText('column 2').first().waitFor()
    expect(await shown()).toEqual(['windows-1252', ';', '0'])
    await select('Names of the columns').selectOption('In line 3')
    await dialog.getByText('Expected result: 2 issues added').waitFor()
    expect(await columns()).toEqual(names)
    await dialog.getByRole('button', {name: 'Import', exact: true}).click()
    await dialog.getByText('2 issues added', {exact: false}).waitFor()
    await closeDialog(page)
    expect((await api.walk(project)).slice(before.length).map(i => i.name)).toEqual(['Ölwechsel, Müller', 'Prüfung'])
  })

  test('what can be read in two ways is asked about', async () => {
    const {grid, page} = fleet
    const project = await copyOf(fleet.project, 'ASKS')
    await grid.open(project)
    await drop(page, 'orders.csv', 'Name,When,Due,Cost\nx,03/04/2026,05/06/2026,"1,234"\n')
    const dialog = page.getByRole('dialog')
    const question = (cell: string) => dialog.getByRole('group', {name: `“${cell}” can be read in two ways. It means:`})
    await question('03/04/2026').waitFor()
    // Fields that there are take no guess, so their row is rejected.
    await dialog.getByText('Nothing to import: 0 issues added, 0 changed, 0 unchanged, 1 row rejected.').waitFor()
    expect(await question('03/04/2026').getByRole('button').allTextContents()).toEqual(['Wednesday, March 4, 2026', 'Friday, April 3, 2026'])
    expect(await question('1,234').getByRole('button').allTextContents()).toEqual(['1234', '1.234'])
    await look(page, 'import-question')
    const answers = {'03/04/2026': 'Friday, April 3, 2026', '05/06/2026': 'Friday, June 5, 2026', '1,234': '1.234'}
    for (const [cell, name] of Object.entries(answers)) {
      const answer = question(cell).getByRole('button', {name, exact: true})
      await answer.click()
      await expect.poll(() => answer.getAttribute('aria-pressed')).toBe('true')
    }
    expect(await dialog.getByLabel('Decimal separator in “Cost”').inputValue()).toBe(',')
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', {name: 'Check again'}).click()
    expect(await importedInto(project, ['When', 'Due', 'Cost'], '1 issue added, 0 changed, 0 unchanged, 0 rows rejected.')).toEqual([
      ['x', '2026-04-03', '2026-06-05', '1.234'],
    ])
  })

  test('a mapping that cannot be is marked in its rows', async () => {
    const {grid, page, watched} = fleet
    await grid.open(await copyOf(fleet.project, 'MAPS'))
    await drop(page, 'title.csv', 'Caption,When\nx,31.01.2026\n')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('no column becomes the name of the issues').waitFor()
    expect(await dialog.getByRole('button', {name: 'Import', exact: true}).isDisabled()).toBe(true)
    await dialog.getByLabel('Import “Caption” as').selectOption({label: 'Name'})
    await dialog.getByLabel('Type of the new field for “When”').selectOption({label: 'Date'})
    await dialog.getByLabel('Format of “When”').fill('DD.MM')
    await dialog.getByRole('button', {name: 'Check again'}).click()
    await dialog.getByRole('row', {name: /When/}).getByText('does not name year, month and day').waitFor()
    await look(page, 'import-problem')
    await dialog.getByLabel('Format of “When”').fill('DD.MM.YYYY')
    await dialog.getByRole('button', {name: 'Check again'}).click()
    await dialog.getByText('Expected result: 1 issue added').waitFor()
    // The browser logs the request that was refused.
    expect(watched.troubles.splice(0)).toEqual([expect.stringMatching(/400 \(Bad Request\).*\/imports\//)])
    await dialog.getByRole('button', {name: 'Cancel', exact: true}).click()
  })
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
    await look(page, 'export')
    const {name, rows} = await download(page, () => page.getByRole('button', {name: 'Export', exact: true}).click())
    expect(name).toMatch(/^FLEET-\d{4}-\d\d-\d\d\.csv$/)
    const where = {fields: [{fieldId: field('Vessel'), text: {eq: 'Petrel'}}]}
    const oracle = await api.walk(project, [{column: {fieldId: field('Cost')}, direction: 'DESC'}], where, [field('Cost'), field('Systems')])
    expect(oracle.length).toBeGreaterThan(100)
    expect(rows.map(r => Object.values(r))).toEqual(oracle.map(i => [String(i.num), i.name, i.values[0]?.display ?? '', i.values[1]?.display ?? '']))
    await closeDialog(page)
  })

  test('comes back as it was when it is imported', async () => {
    const {api, grid, page, project} = fleet
    const fields = (await api.fields(project)).map(f => f.id)
    const columns = ['num', 'name', 'state', 'created', ...fields].join()
    await grid.open(project, `columns=${columns}&where=${encodeURIComponent(JSON.stringify([['num', 'lt', '151']]))}`)
    await page.getByRole('button', {name: 'Import and export'}).click()
    await page.getByRole('menuitem', {name: 'Export CSV…'}).click()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: 'Export', exact: true}).click()])
    const text = readFileSync(await file.path(), 'utf8')
    await closeDialog(page)
    const copy = await copyOf(project, 'COPY')
    await grid.open(copy)
    await drop(page, 'copy.csv', text)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Expected result: 150 issues added, 0 changed, 0 unchanged, 0 rows rejected.').waitFor()
    await dialog.getByRole('button', {name: 'Import', exact: true}).click()
    await dialog.getByText('150 issues added, 0 changed, 0 unchanged, 0 rows rejected.', {exact: true}).waitFor()
    await closeDialog(page)
    const shown = async (id: string) =>
      (
        await api.walk(
          id,
          null,
          {num: {lt: 151}},
          (await api.fields(id)).map(f => f.id),
        )
      ).map(i => [i.num, i.name, i.state.name, i.createdAt, ...i.values.map(v => v?.display)])
    const want = await shown(project)
    expect(want).toHaveLength(150)
    expect(await shown(copy)).toEqual(want)
  })
})

describe('selected rows', () => {
  test('get the same value, and have their own again when it is undone', async () => {
    const {api, grid, page, project, field} = fleet
    await grid.open(project)
    const nums = [101, 102, 103]
    await grid.scrollTo(95)
    const before = await Promise.all(nums.map(n => api.value(project, n, field('Vessel'))))
    for (const n of nums) await page.getByRole('checkbox', {name: `Select issue ${n}`, exact: true}).click()
    await page.getByRole('region', {name: 'Selected issues'}).getByRole('button', {name: 'Edit…'}).click()
    const dialog = page.getByRole('dialog', {name: 'Edit 3 issues'})
    await dialog.getByLabel('Column').selectOption({label: 'Vessel'})
    await dialog.getByLabel('New value').fill('Poseidon')
    await look(page, 'bulk-edit')
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
    await page.getByRole('checkbox', {name: 'Select issue 2', exact: true}).click()
    await page.getByRole('checkbox', {name: 'Select issue 4', exact: true}).click()
    await page.getByRole('region', {name: 'Selected issues'}).getByRole('button', {name: 'Delete…'}).click()
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
