// The grid on the sample data: editing, conflicts, undo, keyboard, clipboard, the URL, offline, accessibility.
import {describe, expect, test} from 'vitest'
import {picture} from './browser'
import {delay} from './grid'
import {sampleFleet, violations} from './fleet'

const fleet = sampleFleet()
const active = () => fleet.grid.grid.getAttribute('aria-activedescendant')

describe('first look', () => {
  test('the projects, and the grid of one', {tags: ['smoke']}, async () => {
    const {grid, page} = fleet
    await page.goto('/')
    await page.getByRole('link', {name: /Fleet Maintenance/}).click()
    await grid.settled()
    expect(await grid.count()).toBe('2,000 issues')
    expect(await grid.cell(0, 'num').textContent()).toBe('1')
    expect(await page.title()).toBe('Fleet Maintenance · issuegrid')
    await picture(page, 'grid-light')
  })

  test('the first rows need five requests to the API, few to files, and less than 280 kB', async () => {
    const {grid, page, project} = fleet
    const asked: string[] = []
    const sizes: Promise<number>[] = []
    page.on('requestfinished', r => {
      const path = new URL(r.url()).pathname
      asked.push(path)
      if (path !== '/graphql') sizes.push(r.sizes().then(s => s.responseBodySize)) // the compressed size
    })
    await grid.open(project)
    await grid.count()
    expect(asked.filter(p => p === '/graphql')).toHaveLength(5) // viewer, project, saved views, page, count
    expect(asked.filter(p => p.startsWith('/assets/')).length).toBeLessThanOrEqual(6)
    const bytes = (await Promise.all(sizes)).reduce((a, b) => a + b, 0)
    expect(bytes).toBeGreaterThan(100_000)
    expect(bytes).toBeLessThan(280_000)
  })

  test('a project that is not there', async () => {
    const {page} = fleet
    await page.goto('/?project=nothing')
    await page.getByRole('heading', {name: 'This project doesn’t exist'}).waitFor()
  })
})

describe('editing', () => {
  test('a text, seen at once, saved, undone and done again', {tags: ['smoke']}, async () => {
    const {api, grid, page, project} = fleet
    await grid.open(project)
    const before = await api.issue(project, 1)
    await grid.cell(0, 'name').click()
    await grid.press('Enter')
    await page.keyboard.type('Grease the hinges')
    await grid.press('Enter')
    expect(await grid.cell(0, 'name').textContent()).toBe('Grease the hinges')
    await grid.saved()
    expect((await api.issue(project, 1)).name).toBe('Grease the hinges')
    expect(await active()).toBe('c-1-1')
    await grid.press('Control+z')
    await grid.saved()
    expect((await api.issue(project, 1)).name).toBe(before.name)
    expect(await grid.cell(0, 'name').textContent()).toBe(before.name)
    await grid.press('Control+Shift+z')
    await grid.saved()
    expect((await api.issue(project, 1)).name).toBe('Grease the hinges')
  })

  test('what was written is dropped by Escape', {tags: ['smoke']}, async () => {
    const {api, grid, page, project} = fleet
    await grid.open(project)
    const before = await api.issue(project, 1)
    await grid.cell(0, 'name').click()
    await grid.press('Enter')
    await page.keyboard.type('Leave the hinges')
    await grid.press('Escape')
    await page.locator('.cell-editor').waitFor({state: 'detached'})
    expect(await grid.cell(0, 'name').textContent()).toBe(before.name)
    await grid.saved()
    expect((await api.issue(project, 1)).name).toBe(before.name)
  })

  test('every type by the keyboard', {tags: ['smoke']}, async () => {
    const {api, field, fields, grid, page, project} = fleet
    await grid.open(project)
    const row = 10
    const num = Number(await grid.cell(row, 'num').textContent())
    const edits: [string, string, string][] = [
      ['Vessel', 'Der Ärger', 'Der Ärger'],
      ['Running Hours', '9007199254740993', '9007199254740993'],
      ['Cost', '-12.5', '-12.5'],
      ['Tags', 'one, "two, three"', 'one, two, three'],
      ['Assignee', 'Ada Lovelace', 'Ada Lovelace'],
    ]
    for (const [name, typed, saved] of edits) {
      await grid.cell(row, field(name)).click()
      await grid.press('Delete')
      await page.keyboard.type(typed)
      await grid.press('Enter')
      await grid.saved()
      expect(await api.value(project, num, field(name)), name).toBe(saved)
    }
    await grid.cell(row, field('Due')).click()
    await grid.press('Enter')
    await grid.cell(row, field('Due')).getByRole('textbox').fill('2031-12-24')
    await grid.press('Enter')
    await grid.cell(row, field('Inspected')).click()
    await grid.press('Enter')
    await grid.cell(row, field('Inspected')).getByRole('textbox').fill('2031-12-24T18:30')
    await grid.press('Enter')
    await grid.cell(row, field('Safety')).click()
    await grid.press('Delete', 'Space')
    await grid.cell(row, field('Priority')).click()
    await page.keyboard.type('crit')
    await page.getByRole('option', {name: 'Critical'}).waitFor()
    await picture(page, 'edit-option')
    expect(await violations(page)).toEqual([])
    await grid.press('Tab')
    await grid.saved()
    expect(await api.value(project, num, field('Due'))).toBe('2031-12-24')
    expect(new Date(await api.value(project, num, field('Inspected'))).getTime()).toBe(new Date('2031-12-24T18:30').getTime())
    expect(await api.value(project, num, field('Safety'))).toBe('true')
    expect(await api.value(project, num, field('Priority'))).toBe('Critical')
    const systems = fields.Systems!
    await grid.cell(row, systems.id).click()
    await grid.press('Delete', 'Enter')
    await page.getByRole('option', {name: systems.options[1]!.name}).click()
    await page.keyboard.type(systems.options[0]!.name.slice(0, 3))
    await picture(page, 'edit-options')
    await grid.press('Enter')
    await grid.saved()
    expect((await api.value(project, num, systems.id)).split(', ').sort()).toEqual([systems.options[0]!.name, systems.options[1]!.name].sort())
  })

  test('what does not fit is not saved, and says why', {tags: ['smoke']}, async () => {
    const {api, field, grid, page, project} = fleet
    await grid.open(project)
    const before = await api.value(project, 3, field('Running Hours'))
    await grid.cell(2, field('Running Hours')).click()
    await page.keyboard.type('12 bottles')
    await grid.press('Enter')
    await page.getByRole('alert').filter({hasText: 'not an integer'}).waitFor()
    await picture(page, 'edit-invalid')
    await grid.press('Escape')
    expect(await api.value(project, 3, field('Running Hours'))).toBe(before)
    expect(await grid.cell(2, field('Running Hours')).textContent()).toBe(before)
  })

  test('a refusal of the server rolls back', {tags: ['smoke']}, async () => {
    const {api, grid, page, project} = fleet
    await grid.open(project)
    const before = await api.issue(project, 5)
    await grid.cell(4, 'name').click()
    await grid.press('Enter')
    await grid.cell(4, 'name').locator('textarea').fill('x'.repeat(1001))
    await grid.press('Enter')
    await page.getByRole('alert').filter({hasText: 'Not saved'}).waitFor()
    expect(await grid.cell(4, 'name').textContent()).toBe(before.name)
    expect((await api.issue(project, 5)).version).toBe(before.version)
  })

  test('stays with its issue when rows above it go', async () => {
    const {api, grid, page, project} = fleet
    await grid.open(project)
    const rows = await grid.rows()
    const [gone, edited, next] = [4, 5, 6].map(i => Number(rows[i]!.cells.num)) as [number, number, number]
    const before = (await api.issue(project, next)).name
    const {id} = await api.issue(project, gone)
    await api.ask('mutation ($i: DeleteIssueInput!) { deleteIssue(input: $i) { clientMutationId: __typename } }', {i: {issue: {id}}})
    await delay(page, 1000, 'updateIssue')
    await grid.cell(4, 'name').dblclick()
    await page.keyboard.type('of an issue that is gone')
    await grid.press('Enter', 'F2', 'Control+A')
    await page.keyboard.type('Half')
    await expect.poll(() => grid.cell(4, 'num').textContent()).toBe(String(edited)) // the row above is removed
    await page.keyboard.type(' and half')
    await grid.press('Enter')
    await grid.saved()
    expect((await api.issue(project, edited)).name).toBe('Half and half')
    expect((await api.issue(project, next)).name).toBe(before)
    await api.ask('mutation ($i: RestoreIssueInput!) { restoreIssue(input: $i) { issue { num } } }', {i: {id}})
  })

  test('what was written is saved when its row is scrolled away', {tags: ['smoke']}, async () => {
    const {api, grid, page, project} = fleet
    await grid.open(project)
    await grid.cell(3, 'name').dblclick()
    await grid.press('Control+A')
    await page.keyboard.type('Written before scrolling')
    await grid.scrollTo(500)
    await expect.poll(async () => (await api.issue(project, 4)).name).toBe('Written before scrolling')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
  })

  test('the active cell stays with its issue when rows above it go', async () => {
    const {api, grid, page, project} = fleet
    await grid.open(project)
    await page.getByRole('checkbox', {name: 'Select issue 23', exact: true}).click()
    await page.getByRole('region', {name: 'Selected issues'}).getByRole('button', {name: 'Delete…'}).click()
    await delay(page, 700, 'deleteIssues')
    await page.getByRole('dialog').getByRole('button', {name: 'Delete', exact: true}).click()
    await page.getByRole('dialog').waitFor({state: 'detached'})
    const num = Number(await grid.cell(25, 'num').textContent())
    await grid.cell(25, fleet.field('Vessel')).click()
    await page.getByRole('button', {name: 'Undo', exact: true}).click() // the row is restored above it
    await expect.poll(() => grid.cell(26, 'num').textContent()).toBe(String(num))
    expect(await active()).toMatch(/^c-26-/)
    expect((await api.walk(project)).length).toBe(2000)
  })
})

describe('when somebody else was faster', () => {
  /** Starts to edit a cell, changes the issue as another user, and saves. */
  async function race(row: number, column: string, typed: string, theirs: Record<string, unknown>) {
    const {api, grid, page, project} = fleet
    const {id} = await api.issue(project, row + 1)
    await grid.cell(row, column).click()
    await grid.press('Enter')
    await api.update(id, theirs)
    await page.keyboard.type(typed)
    await grid.press('Enter')
  }

  test('the same cell: both values are kept, and the keys go where they were meant', {tags: ['smoke']}, async () => {
    const {api, grid, page, project} = fleet
    await grid.open(project)
    const next = (await api.issue(project, 9)).name
    const updating = page.waitForResponse(r => r.request().postData()?.includes('UpdateIssue') ?? false)
    await race(7, 'name', 'Mine', {name: 'Theirs'})
    await page.keyboard.type('Typed on') // in the cell below, while the conflict is found
    await updating
    const mark = grid.cell(7, 'name').getByRole('button', {name: 'Name was also changed by others: choose a value'})
    await mark.waitFor()
    await page
      .getByRole('alert')
      .filter({hasText: /^“Name” in FLEET-8 was also changed by .+ \(.+\)\. Your value isn’t saved yet/})
      .waitFor()
    await page.keyboard.type('!')
    await grid.press('Enter')
    await grid.saved()
    expect((await api.issue(project, 9)).name).toBe('Typed on!')
    expect(next).not.toBe('Typed on!')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
    expect(await violations(page)).toEqual([])

    const list = page.getByRole('dialog', {name: 'Conflicts'})
    await mark.click()
    await grid.press('Enter', 'Space') // choose nothing
    expect(await list.locator('dd').allTextContents()).toEqual([expect.any(String), 'Theirs', 'Mine'])
    await picture(page, 'conflict')
    expect(await violations(page)).toEqual([])
    await list.getByRole('button', {name: 'Use mine'}).click()
    await list.waitFor({state: 'detached'})
    await grid.saved()
    expect((await api.issue(project, 8)).name).toBe('Mine')
    await mark.waitFor({state: 'detached'})
    await page.getByRole('alert').waitFor({state: 'detached'})
    await grid.press('Control+z')
    await grid.saved()
    expect((await api.issue(project, 8)).name).toBe('Theirs')
    // The list was open when the last conflict ended, and does not open by itself at the next one.
    await race(9, 'name', 'Mine too', {name: 'Theirs too'})
    await page.getByRole('button', {name: '1 conflict'}).waitFor()
    expect(await list.count()).toBe(0)
  })

  test('a conflict stays until a value is chosen, by the keyboard too', async () => {
    const {api, field, grid, page, project} = fleet
    await grid.open(project)
    await race(7, 'name', 'Mine again', {name: 'Theirs again'})
    await race(12, field('Vessel'), 'My ship', {values: [{fieldId: field('Vessel'), value: {text: 'Their ship'}}]})
    await page.getByRole('button', {name: '2 conflicts'}).waitFor()
    await grid.scrollTo(400)
    await grid.scrollTo(0)
    await grid.cell(12, field('Vessel')).click()
    await grid.press('F8')
    const list = page.getByRole('dialog', {name: 'Conflicts'})
    expect(await list.locator('dd').allTextContents()).toEqual([expect.any(String), 'Their ship', 'My ship', expect.any(String), 'Theirs again', 'Mine again'])
    await grid.press('Escape')
    await list.waitFor({state: 'detached'})
    await grid.press('F8', 'Tab', 'Tab', 'Tab', 'Enter') // the link, Use mine, Keep theirs
    await page.getByRole('button', {name: '1 conflict'}).waitFor()
    expect(await api.value(project, 13, field('Vessel'))).toBe('Their ship')
    await page.getByText('“Vessel” in FLEET-13 stays Their ship.').waitFor()
    await page.locator('.toast', {hasText: 'stays Their ship'}).getByRole('button', {name: 'Use mine'}).click()
    await expect.poll(() => api.value(project, 13, field('Vessel'))).toBe('My ship')
  })
})

describe('the clipboard', () => {
  test('a range is copied, pasted and undone as a whole', async () => {
    const {field, grid, page, project} = fleet
    await grid.open(project)
    const [hours, vessel] = [field('Running Hours'), field('Vessel')]
    const texts = async (rows: number[]) =>
      Promise.all(rows.map(async r => [await grid.cell(r, vessel).textContent(), await grid.cell(r, hours).textContent()]))
    const before = await texts([33, 34])
    await grid.cell(30, vessel).click()
    await grid.cell(31, hours).click({modifiers: ['Shift']})
    await grid.press('Control+c')
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toBe((await texts([30, 31])).map(r => r.join('\t')).join('\n'))
    await grid.cell(33, vessel).click()
    await grid.press('Control+v')
    await grid.saved()
    expect(await texts([33, 34])).toEqual(await texts([30, 31]))
    await grid.press('Control+z')
    await grid.saved()
    expect(await texts([33, 34])).toEqual(before)
  })

  test('has no formulas for other programs, and the exact values for the grid', async () => {
    const {api, field, grid, page, project} = fleet
    const vessel = field('Vessel')
    const texts = ["=cmd|' /C calc'!A0", "x;=1+1\t-2\r\n'@a", '  ', '-5', 'say "no"']
    const from = await Promise.all(texts.map((_, i) => api.issue(project, 51 + i)))
    for (const [i, text] of texts.entries()) await api.update(from[i]!.id, {values: [{fieldId: vessel, value: {text}}]})
    const values = (first: number) => Promise.all(texts.map((_, i) => api.value(project, first + i, vessel)))
    expect(await values(51)).toEqual(texts)
    await grid.open(project)
    await grid.scrollTo(45)

    await grid.cell(50, vessel).click()
    await grid.cell(54, vessel).click({modifiers: ['Shift']})
    await grid.press('Control+c')
    // The line ends of the clipboard depend on the system.
    const copied = (await page.evaluate(() => navigator.clipboard.readText())).replaceAll('\r\n', '\n')
    expect(copied).toBe(["'=cmd|' /C calc'!A0", `"'x;'=1+1\t'-2\n''@a"`, '  ', '-5', '"say ""no"""'].join('\n'))
    await grid.cell(60, vessel).click()
    await grid.press('Control+v')
    await grid.saved()
    expect(await values(61)).toEqual(texts)

    // Simulates a program that keeps only plain text.
    await page.evaluate(text => navigator.clipboard.writeText(text), copied.split('\n')[0]!)
    await grid.cell(61, vessel).click()
    await grid.press('Control+v')
    await grid.saved()
    expect(await api.value(project, 62, vessel)).toBe(texts[0])

    await grid.cell(50, vessel).click()
    await grid.press('Control+c')
    await grid.cell(62, vessel).click()
    await grid.press('F2', 'Control+a', 'Control+v', 'Enter')
    await grid.saved()
    expect(await api.value(project, 63, vessel)).toBe(texts[0])
    await page.getByRole('searchbox').first().click()
    await grid.press('Control+v')
    expect(await page.getByRole('searchbox').first().inputValue()).toBe(texts[0])
  })

  test('rows below the last one become issues, and no column is dropped', async () => {
    const {api, field, grid, page, project} = fleet
    const last = (await api.walk(project)).at(-1)!
    await grid.open(project, `columns=num,name,${field('Priority')},${field('Vessel')}&where=${encodeURIComponent(`[["num","gte","${last.num - 1}"]]`)}`)
    const paste = async (column: string, text: string) => {
      await page.evaluate(text => navigator.clipboard.writeText(text), text)
      await grid.cell(1, column).click()
      await grid.press('Control+v')
    }
    await paste(field('Vessel'), 'a\tb')
    await page.getByRole('alert').filter({hasText: 'Nothing was changed. 2 columns were copied, but there’s only room for 1 here.'}).waitFor()
    await paste(field('Vessel'), 'One\nTwo')
    await page.getByRole('alert').filter({hasText: '1 row below the last issue was not pasted: new issues need a value in “Name”.'}).waitFor()
    await expect.poll(() => api.value(project, last.num, field('Vessel'))).toBe('One')
    await paste('name', 'Renamed\tLow\nNew one\tHigh\nNew two\tlow')
    await page.getByRole('button', {name: 'Create 2 issues'}).click()
    await page.getByText('2 issues created.').waitFor()
    const names = async () => (await api.walk(project)).slice(-3).map(i => i.name)
    expect(await names()).toEqual(['Renamed', 'New one', 'New two'])
    await expect.poll(() => grid.count()).toBe('4 issues')
    await page.locator('.toast', {hasText: '2 issues created.'}).getByRole('button', {name: 'Undo'}).click()
    await expect.poll(async () => (await names()).at(-1)).toBe('Renamed')
    // The offer ends with the paste, and the keys work wherever the focus is.
    await paste('name', 'Another\tLow\nNew three\tHigh')
    const offer = page.getByRole('button', {name: 'Create 1 issue'})
    await offer.waitFor()
    await expect.poll(async () => (await names()).at(-1)).toBe('Another')
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await grid.press('Control+z')
    await expect.poll(async () => (await names()).at(-1)).toBe('Renamed')
    await offer.waitFor({state: 'detached'})
  })

  test('a range is filled down and right, and undone as a whole', async () => {
    const {api, field, grid, page, project} = fleet
    await grid.open(
      project,
      `columns=num,name,${field('Vessel')},${field('Assignee')},${field('Priority')}&where=${encodeURIComponent('[["num","between","80","84"]]')}`,
    )
    const values = async (name: string) =>
      (await api.walk(project, null, {num: {between: {from: 80, to: 84}}}, [field(name)])).map(i => i.values[0]?.display ?? '')
    const before = await Promise.all(['Vessel', 'Assignee', 'Priority'].map(values))
    await grid.cell(1, field('Vessel')).click()
    await grid.cell(4, field('Priority')).click({modifiers: ['Shift']})
    await grid.press('Control+d')
    await grid.saved()
    const filled = before.map(([first, second]) => [first, second, second, second, second])
    await expect.poll(() => Promise.all(['Vessel', 'Assignee', 'Priority'].map(values))).toEqual(filled)
    await grid.press('Control+z')
    await expect.poll(() => Promise.all(['Vessel', 'Assignee', 'Priority'].map(values))).toEqual(before)
    await grid.cell(1, field('Vessel')).click()
    await grid.press('Control+d') // from the cell above
    await expect.poll(async () => (await values('Vessel'))[1]).toBe(before[0]![0])
    await grid.press('ArrowRight', 'Control+r') // from the cell to the left
    await expect.poll(async () => (await values('Assignee'))[1]).toBe(before[0]![0])
    await grid.press('Control+a', 'Control+c')
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied.match(/^8[0-4]\t/gm)).toHaveLength(5)
    expect(copied.match(/\t/g)).toHaveLength(5 * 4)
  })

  test('numbers keep their value in a language with a decimal comma', () =>
    fleet.elsewhere({locale: 'de-DE'}, async (page, grid) => {
      const {api, field, project} = fleet
      const {id} = await api.issue(project, 31)
      await api.update(id, {values: [{fieldId: field('Cost'), value: {number: 1.234}}]})
      await grid.open(project)
      const move = async (row: number, isExact: boolean) => {
        await grid.cell(30, field('Cost')).click()
        await grid.press('Control+c')
        expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('1,234')
        if (!isExact) await page.evaluate(() => navigator.clipboard.writeText('1,234'))
        await grid.cell(row, field('Cost')).click()
        await grid.press('Control+v')
        await expect.poll(() => api.value(project, row + 1, field('Cost'))).toBe('1.234')
      }
      await move(31, true)
      await move(32, false)
    }))

  test('of a table that does not fit, nothing is pasted', async () => {
    const {api, field, grid, page, project} = fleet
    await grid.open(project)
    const before = await api.issue(project, 41)
    await page.evaluate(() => navigator.clipboard.writeText('Good\t12\nBad\ttwelve'))
    await grid.scrollTo(35)
    await grid.cell(40, field('Vessel')).click()
    await grid.press('Control+v')
    await page.getByRole('alert').filter({hasText: 'Nothing was changed. “Running Hours” in issue 42: “twelve” is not an integer.'}).waitFor()
    expect((await api.issue(project, 41)).version).toBe(before.version)
  })
})

describe('the keyboard alone', () => {
  test('? lists the keys', async () => {
    const {grid, page, project} = fleet
    await grid.open(project)
    const dialog = page.getByRole('dialog', {name: 'Keyboard shortcuts'})
    await grid.press('?')
    await dialog.getByRole('row', {name: 'Ctrl+G go to an issue number'}).waitFor()
    expect(await violations(page)).toEqual([])
    await grid.press('Escape')
    await dialog.waitFor({state: 'detached'})
    await grid.cell(2, 'name').click()
    await grid.press('?')
    await dialog.waitFor()
    await grid.press('Escape')
    await page.getByRole('button', {name: 'More'}).click()
    await page.getByRole('menuitem', {name: 'Keyboard shortcuts'}).click()
    await dialog.waitFor()
  })

  test('walks, sorts and opens menus', async () => {
    const {grid, page, project} = fleet
    await grid.open(project)
    await grid.grid.focus()
    await grid.press('ArrowDown', 'ArrowRight', 'ArrowRight')
    expect(await active()).toBe('c-1-2')
    // until the rows are counted, the end is that of those that are loaded
    const atEnd = async () => {
      await grid.press('Control+End')
      await grid.settled()
      return active()
    }
    await expect.poll(atEnd).toMatch(/^c-1999-/)
    await grid.press('Control+Home', 'PageDown')
    await expect.poll(async () => Number(/^c-(\d+)/.exec((await active()) ?? '')?.[1])).toBeGreaterThan(15)
    await grid.press('Control+Home', 'ArrowUp', 'ArrowRight')
    expect(await active()).toBe('h-name')
    await grid.press('Enter')
    await grid.header('name').and(page.locator('[aria-sort=ascending]')).waitFor()
    await grid.press('Enter')
    await grid.header('name').and(page.locator('[aria-sort=descending]')).waitFor()
    await grid.press('Alt+ArrowDown')
    const menu = page.getByRole('menu', {name: 'Column: Name'})
    await menu.waitFor()
    await picture(page, 'column-menu')
    expect(await violations(page)).toEqual([])
    await grid.press('End', 'Enter') // Hide
    await menu.waitFor({state: 'detached'})
    expect(await grid.header('name').count()).toBe(0)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
  })
})

describe('the URL', () => {
  test('a reload restores order, columns, widths, and the row that was seen first', async () => {
    const {api, field, grid, page, project} = fleet
    await grid.open(project, `sort=-${field('Cost')}.first&columns=num,name,${field('Cost')}&widths=name:400`)
    await grid.scrollTo(900)
    await page.waitForFunction(() => location.search.includes('at=900'))
    const before = await grid.top()
    await page.reload()
    await grid.settled()
    expect(await grid.top()).toEqual(before)
    expect(Object.keys(before!.cells)).toEqual(['num', 'name', field('Cost')])
    expect((await grid.header('name').boundingBox())?.width).toBe(400)
    await grid.scrollTo(0)
    const oracle = await api.walk(project, [{column: {fieldId: field('Cost')}, direction: 'DESC', nulls: 'FIRST'}])
    expect((await grid.rows()).map(r => r.cells.num)).toEqual((await grid.rows()).map(r => String(oracle[r.index]!.num)))
  })

  test('a position is found again on a slow network, and one of another order is none', async () => {
    const {api, grid, page, project} = fleet
    const {project: p} = await api.ask<{project: {issues: {pageInfo: {endCursor: string}}}}>(
      'query ($p: ID!) { project(id: $p) { issues(first: 300) { pageInfo { endCursor } } } }',
      {p: project},
    )
    const {endCursor} = p.issues.pageInfo
    await delay(page, 700)
    await grid.open(project, `at=300:${endCursor}`)
    await expect.poll(async () => (await grid.top())?.cells.num).toBe('301')
    await grid.open(project, `sort=name&at=300:${endCursor}`)
    const oracle = await api.walk(project, [{column: {builtin: 'NAME'}}])
    await expect.poll(async () => (await grid.top())?.cells.num).toBe(String(oracle[0]!.num))
    await expect.poll(() => new URL(page.url()).searchParams.has('at')).toBe(false)
  })
})

describe('columns', () => {
  test('are resized and moved by the mouse', async () => {
    const {field, grid, page, project} = fleet
    await grid.open(project)
    const handle = grid.header('state').locator('.resizer')
    const box = (await handle.boundingBox())!
    await page.mouse.move(box.x + 3, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + 63, box.y + 10, {steps: 5})
    await page.mouse.up()
    await page.waitForFunction(() => location.search.includes('widths=state:190'))
    await grid.header(field('Vessel')).dragTo(grid.header('state'))
    await page.waitForFunction(() => location.search.includes('columns='))
    const order = await page.locator('[role=columnheader][data-column]').evaluateAll(cells => cells.map(c => (c as HTMLElement).dataset.column))
    expect(order.indexOf(field('Vessel'))).toBe(order.indexOf('state') - 1)
  })
})

describe('a network that fails', () => {
  test('offline: what is there stays, an edit is rolled back, and it goes on by itself', async () => {
    const {api, grid, page, project, watched} = fleet
    await grid.open(project)
    const before = await grid.cell(0, 'name').textContent()
    await watched.context.setOffline(true)
    await grid.cell(0, 'name').click()
    await grid.press('Enter')
    await page.keyboard.type('Offline')
    await grid.press('Enter')
    const alert = page.getByRole('alert').filter({hasText: 'Not saved'})
    await alert.waitFor()
    expect(await grid.cell(0, 'name').textContent()).toBe(before)
    await page.evaluate(() => (document.querySelector('[role=grid]')!.scrollTop = 400 * 34))
    await page.getByText('You seem to be offline').waitFor()
    await picture(page, 'offline')
    expect(await violations(page)).toEqual([])
    await watched.context.setOffline(false)
    await grid.settled()
    await alert.getByRole('button', {name: 'Try again'}).click()
    await grid.saved()
    expect((await api.issue(project, 1)).name).toBe('Offline')
  })

  test('a token that has expired: who works signs in again, and nothing is lost', async () => {
    const {api, grid, page, project, watched} = fleet
    await grid.open(project)
    let expired = true
    await page.route('**/graphql', async route => {
      if (!expired) return route.continue()
      await route.fulfill({status: 401, json: {errors: [{message: 'the token has expired', extensions: {code: 'UNAUTHENTICATED'}}]}})
    })
    await grid.cell(1, 'name').dblclick()
    await grid.press('Control+A')
    await page.keyboard.type('Written with an old token')
    await grid.press('Enter')
    const dialog = page.getByRole('dialog', {name: 'Sign in again'})
    await dialog.getByLabel('Token').fill('not a token: “quoted”')
    await dialog.getByRole('button', {name: 'Sign in'}).click()
    await dialog.getByRole('alert').filter({hasText: 'This is not a token'}).waitFor()
    await picture(page, 'sign-in')
    expect(await violations(page)).toEqual([])
    expired = false
    await dialog.getByLabel('Token').fill('Bearer new.to\nken')
    await dialog.getByRole('button', {name: 'Sign in'}).click()
    await dialog.waitFor({state: 'detached'})
    const [again] = await Promise.all([
      page.waitForRequest(r => r.url().endsWith('/graphql')),
      page.getByRole('alert').filter({hasText: 'Not saved'}).getByRole('button', {name: 'Try again'}).click(),
    ])
    expect(again.headers().authorization).toBe('Bearer new.token')
    await expect.poll(async () => (await api.issue(project, 2)).name).toBe('Written with an old token')
    watched.troubles.splice(0, Infinity, ...watched.troubles.filter(t => !/status of 401/.test(t))) // logged by the browser itself
  })

  test('the first sign-in leads to the projects, and asks no second time', async () => {
    const {page, watched} = fleet
    await page.route('**/graphql', async route => {
      if (route.request().headers().authorization) return route.continue()
      await route.fulfill({status: 401, json: {errors: [{message: 'a bearer token is required', extensions: {code: 'UNAUTHENTICATED'}}]}})
    })
    await page.goto('/')
    await page.getByRole('heading', {name: 'Sign in'}).waitFor()
    await page.getByLabel('Token').fill('first.token')
    await page.getByRole('button', {name: 'Sign in'}).click()
    await page.getByRole('link', {name: /Fleet Maintenance/}).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    for (const path of ['/', `/?project=${fleet.project}`]) {
      await page.goto(path)
      await page.getByRole('button', {name: /^Signed in/}).waitFor()
    }
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', {name: /^Signed in/}).click()
    await page.getByRole('menuitem', {name: 'Sign out'}).click()
    await page.getByRole('heading', {name: 'Sign in'}).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.reload()
    await page.getByRole('heading', {name: 'Sign in'}).waitFor()
    watched.troubles.splice(0, Infinity, ...watched.troubles.filter(t => !/status of 401/.test(t)))
  })

  test('slow: placeholders, then the rows', async () => {
    const {grid, page, project} = fleet
    await grid.open(project)
    await delay(page, 700)
    await page.evaluate(() => (document.querySelector('[role=grid]')!.scrollTop = 1500 * 34))
    await page.locator('.bone').first().waitFor()
    await picture(page, 'loading')
    await grid.settled()
    const rows = await grid.rows()
    expect(rows.map(r => r.cells.num)).toEqual(rows.map(r => String(r.index + 1)))
  })
})

describe('for everybody', () => {
  test('axe finds nothing in the light and the dark theme', {tags: ['smoke']}, async () => {
    const {grid, page, project} = fleet
    await page.goto('/')
    await page.getByRole('link', {name: /Fleet/}).waitFor()
    expect(await violations(page)).toEqual([])
    await grid.open(project)
    expect(await violations(page)).toEqual([])
    for (const dark of [false, true]) {
      await page.emulateMedia({colorScheme: dark ? 'dark' : 'light'})
      await picture(page, dark ? 'grid-dark' : 'grid-light')
    }
  })

  test('at 200 %, everything is within the window, and axe finds nothing', () =>
    fleet.elsewhere({width: 700, height: 450, scale: 2}, async (page, grid) => {
      const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      const look = async (state: string) => {
        expect(await violations(page), state).toEqual([])
        expect(await wide(), `${state}: pixels beyond the window`).toBeLessThanOrEqual(0)
        await picture(page, `zoom-${state}`)
      }
      await page.goto('/')
      await page.getByRole('link', {name: /Fleet/}).waitFor()
      await look('projects')
      await grid.open(fleet.project, 'rows=tall')
      await look('grid')
      const dialogs: Record<string, () => Promise<void>> = {
        palette: () => grid.press('Control+k'),
        'new issue': () => grid.press('Alt+n'),
        shortcuts: () =>
          page
            .getByRole('grid')
            .focus()
            .then(() => grid.press('?')),
        settings: () => page.getByRole('button', {name: 'Settings'}).click(),
        appearance: () => page.getByRole('button', {name: 'Appearance'}).click(),
        columns: () => page.getByRole('button', {name: 'Columns'}).click(),
      }
      for (const [state, show] of Object.entries(dialogs)) {
        await show()
        const shown = page.locator('dialog[open], [popover]:popover-open').first()
        await shown.waitFor()
        const box = (await shown.boundingBox())!
        expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= 700 && box.y + box.height <= 450, `${state}: ${JSON.stringify(box)}`).toBe(true)
        await look(state)
        await page.keyboard.press('Escape')
        await shown.waitFor({state: 'detached'})
      }
      await grid.cell(1, 'num').getByRole('link').click()
      await page.getByRole('complementary').waitFor()
      await look('panel')
    }))
})
