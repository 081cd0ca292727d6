// What people of three languages type and paste into cells of every type: the API stores what they meant, or nothing, and the page says why.
import type {Page} from 'playwright-core'
import {expect, test} from 'vitest'
import {cases, tomorrow, type Case} from './cells'
import {sampleFleet, violations} from './fleet'

const fleet = sampleFleet()

/** Puts a table on the clipboard as a spreadsheet does: as HTML and as text. */
async function toClipboard(page: Page, rows: readonly string[]): Promise<void> {
  await page.evaluate(async cells => {
    const quoted = cells.map(c => (/[\t\n"]/.test(c) ? `"${c.replaceAll('"', '""')}"` : c))
    const escaped = (c: string) => c.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    const html = `<table>${cells.map(c => `<tr><td>${escaped(c)}</td></tr>`).join('')}</table>`
    const blob = (type: string, text: string) => new Blob([text], {type})
    await navigator.clipboard.write([new ClipboardItem({'text/html': blob('text/html', html), 'text/plain': blob('text/plain', quoted.join('\r\n') + '\r\n')})])
  }, rows)
}

/** Returns the value as the API shows it, with sets in alphabetical order. */
const sorted = (name: string, text: string) => (name === 'Systems' || name === 'Tags' ? text.split(', ').sort().join(', ') : text)

test.each(Object.keys(cases))('typed in %s', locale =>
  fleet.elsewhere({locale}, async (page, grid) => {
    const {api, field, project} = fleet
    await grid.open(project)
    const day = new Date()
    day.setDate(day.getDate() + 1)
    const next: Case = [tomorrow[locale]!, day.toLocaleDateString('sv-SE')]
    for (const [name, list] of Object.entries(cases[locale]!)) {
      for (const [text, want] of name === 'Due' ? [...list, next] : list) {
        const cell = grid.cell(11, field(name))
        await cell.click({position: {x: 60, y: 10}})
        if (name === 'Tags' || name === 'Systems') await grid.press('Delete')
        await grid.saved()
        const before = await api.value(project, 12, field(name))
        // An input method needs an input, and Space changes a check box.
        if (text.charCodeAt(0) > 127 || text.startsWith(' ')) await grid.press('F2', 'ControlOrMeta+a')
        await page.keyboard.type(text)
        const said = (error: Error) => Promise.reject(new Error(`${name}: ${text}: ${error.message}`))
        await grid.press('Enter')
        if (typeof want === 'string') {
          await page.locator('.cell-editor').waitFor({state: 'detached'}).catch(said)
          await expect.poll(async () => sorted(name, await api.value(project, 12, field(name))), {message: `${name}: ${text}`}).toBe(sorted(name, want))
          await grid.saved()
        } else {
          await page.getByRole('alert').filter({hasText: want}).waitFor().catch(said)
          await grid.press('Escape')
          expect(await api.value(project, 12, field(name)), `${name}: ${text}`).toBe(before)
        }
      }
    }
  }),
)

test.each(Object.keys(cases))('pasted in %s', locale =>
  fleet.elsewhere({locale}, async (page, grid) => {
    const {api, field, project} = fleet
    await grid.open(project)
    for (const [name, list] of Object.entries(cases[locale]!)) {
      const accepted = list.filter((c): c is [string, string] => typeof c[1] === 'string')
      const refused = list.filter((c): c is [string, RegExp] => typeof c[1] !== 'string')
      await toClipboard(
        page,
        accepted.map(([text]) => text),
      )
      await grid.cell(0, field(name)).click({position: {x: 60, y: 10}})
      await grid.press('ControlOrMeta+v')
      await expect
        .poll(async () => sorted(name, await api.value(project, accepted.length, field(name))), {message: name})
        .toBe(sorted(name, accepted.at(-1)![1]))
      await grid.saved()
      const rows = await api.walk(project, null, {num: {lte: accepted.length}}, [field(name)])
      expect(
        rows.map((r, i) => [accepted[i]![0], sorted(name, r.values[0]?.display ?? '')]),
        name,
      ).toEqual(accepted.map(([text, want]) => [text, sorted(name, want)]))
      for (const [text, want] of refused) {
        const before = await api.value(project, 1, field(name))
        await toClipboard(page, [text])
        await grid.cell(0, field(name)).click({position: {x: 60, y: 10}})
        await grid.press('ControlOrMeta+v')
        const toast = page
          .getByRole('alert')
          .filter({hasText: `“${name}” in issue `})
          .filter({hasText: want})
        await toast.waitFor()
        await toast.getByRole('button', {name: 'Close message'}).click()
        expect(await api.value(project, 1, field(name)), `${name}: ${text}`).toBe(before)
      }
    }
  }),
)

test('the line breaks of a text are kept, and Alt+Enter makes one', async () => {
  const {api, field, grid, page, project} = fleet
  const issue = await api.issue(project, 21)
  await api.update(issue.id, {values: [{fieldId: field('Vessel'), value: {text: 'Pasted\nthree'}}]})
  await grid.open(project)
  await grid.cell(20, field('Vessel')).click()
  await grid.press('Enter', 'End', 'ControlOrMeta+End')
  await page.keyboard.type('!')
  await grid.press('Alt+Enter')
  await page.keyboard.type('last')
  await page.evaluate(() => navigator.clipboard.writeText(' one\ntwo'))
  await grid.press('ControlOrMeta+v', 'Enter')
  await expect.poll(() => api.value(project, 21, field('Vessel'))).toBe('Pasted\nthree!\nlast one\ntwo')
})

test('quotes are a part of a cell if its HTML shows them', async () => {
  const {api, field, grid, page, project} = fleet
  const [vessel, cost] = [field('Vessel'), field('Cost')]
  await grid.open(project, `columns=num,name,${vessel},${cost}`)
  await page.evaluate(async () => {
    const html = '<html><body><!--StartFragment--><table><tr><td>&quot;begins</td><td>1</td></tr><tr><td>ends&quot;</td><td>2</td></tr></table></body></html>'
    const blob = (type: string, text: string) => new Blob([text], {type})
    const text = '"begins\t1\r\nends"\t2\r\n'
    await navigator.clipboard.write([new ClipboardItem({'text/html': blob('text/html', html), 'text/plain': blob('text/plain', text)})])
  })
  await grid.cell(4, vessel).click()
  await grid.press('ControlOrMeta+v')
  await expect.poll(() => Promise.all([5, 6].map(n => api.value(project, n, vessel)))).toEqual(['"begins', 'ends"'])
})

test('long texts are copied whole, and filled', async () => {
  const {api, field, grid, page, project} = fleet
  const [report, vessel] = [field('Report'), field('Vessel')]
  const texts = [`${'Long. '.repeat(400)}\n  The end.`, '  Two\nlines', ' spaces at the ends ']
  for (const [i, text] of texts.entries()) await api.update((await api.issue(project, 41 + i)).id, {values: [{fieldId: report, value: {text}}]})
  await grid.open(project, `columns=num,name,${report},${vessel}`)
  await grid.scrollTo(38)
  const values = (column: string) => Promise.all(texts.map((_, i) => api.value(project, 41 + i, column)))
  await grid.cell(40, report).click()
  await grid.press('ControlOrMeta+c')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('The end.')
  await grid.cell(42, report).click({modifiers: ['Shift']})
  await grid.press('ControlOrMeta+c')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(' spaces at the ends ')
  await grid.cell(40, vessel).click()
  await grid.press('ControlOrMeta+v')
  await expect.poll(() => values(vessel)).toEqual(texts)
  await grid.cell(40, vessel).click()
  await grid.cell(42, vessel).click({modifiers: ['Shift']})
  await grid.press('Delete')
  await expect.poll(() => values(vessel)).toEqual(['', '', ''])
  await grid.press('ControlOrMeta+r') // from the column to the left
  await expect.poll(() => values(vessel)).toEqual(texts)
})

test('an option that is missing is created by an arrow key, not by a typing error', async () => {
  const {api, field, grid, page, project} = fleet
  const before = await api.value(project, 22, field('Priority'))
  await grid.open(project)
  await grid.cell(21, field('Priority')).click()
  await page.keyboard.type('Whenever')
  await grid.press('Enter')
  await page.getByRole('alert').filter({hasText: '“Whenever” is not one of the options'}).waitFor()
  expect((await api.fields(project)).find(f => f.name === 'Priority')!.options.map(o => o.name)).not.toContain('Whenever')
  expect(await violations(page)).toEqual([])
  await grid.press('ArrowDown', 'Enter')
  await expect.poll(() => api.value(project, 22, field('Priority'))).toBe('Whenever')
  await page.locator('.pill', {hasText: 'Whenever'}).first().waitFor()
  await grid.press('ControlOrMeta+z')
  await expect.poll(() => api.value(project, 22, field('Priority'))).toBe(before)
})

test('a click elsewhere keeps a tag that is still being typed, and tells of an option that is not there', async () => {
  const {api, field, grid, page, project} = fleet
  await grid.open(project)
  await grid.cell(22, field('Tags')).click()
  await grid.press('Delete')
  await page.keyboard.type('first, sec')
  await grid.cell(24, 'name').click()
  await expect.poll(() => api.value(project, 23, field('Tags'))).toBe('first, sec')
  const before = await api.value(project, 23, field('Priority'))
  await grid.cell(22, field('Priority')).click()
  await page.keyboard.type('Cri')
  await grid.cell(24, 'name').click()
  await page.getByText('“Priority” was not saved: “Cri” is not one of the options.').waitFor()
  expect(await api.value(project, 23, field('Priority'))).toBe(before)
})

test('a part of a person’s name chooses the person, and becomes a new one only if it is added', async () => {
  const {api, field, grid, page, project} = fleet
  const owner = field('Assignee')
  const [first, second] = [await api.issue(project, 26), await api.issue(project, 27)]
  await api.update(first.id, {values: [{fieldId: owner, value: {user: 'Anna Schäfer'}}]})
  await api.update(second.id, {values: [{fieldId: owner, clear: true}]})
  await grid.open(project)
  const typed = async (text: string, ...keys: string[]) => {
    await grid.cell(26, owner).click()
    await page.keyboard.type(text)
    await page.getByRole('listbox').waitFor()
    await grid.press(...keys)
  }
  await typed('scha', 'Enter')
  await expect.poll(() => api.value(project, 27, owner)).toBe('Anna Schäfer')
  await typed('Anna')
  await grid.cell(28, 'name').click()
  await page.getByText('“Assignee” was not saved: “Anna” could be Anna Schäfer').waitFor()
  expect(await api.value(project, 27, owner)).toBe('Anna Schäfer')
  await typed('Anna', 'ArrowUp', 'Enter')
  await expect.poll(() => api.value(project, 27, owner)).toBe('Anna')
  await typed('nna', 'Enter') // in the middle of a name, it is none
  await expect.poll(() => api.value(project, 27, owner)).toBe('nna')
})

test('a click on a check box changes it, and Shift+Space selects the row', async () => {
  const {api, field, grid, project} = fleet
  await grid.open(project)
  const cell = grid.cell(23, field('Safety'))
  const before = await api.value(project, 24, field('Safety'))
  await cell.getByRole('checkbox').click()
  await expect.poll(() => api.value(project, 24, field('Safety'))).toBe(before === 'true' ? 'false' : 'true')
  await grid.press('Space')
  await expect.poll(() => api.value(project, 24, field('Safety'))).toBe(before === 'true' ? 'true' : 'false')
  await grid.press('Shift+Space')
  await grid.page.getByRole('checkbox', {name: 'Select issue 24'}).and(grid.page.locator(':checked')).waitFor()
})

test('the panel has the same choices', async () => {
  const {api, field, grid, page, project} = fleet
  await grid.open(project)
  await grid.cell(24, 'num').getByRole('link').click()
  const edit = page.getByRole('complementary').getByRole('button', {name: 'Edit Priority'})
  const input = page.getByRole('complementary').getByRole('combobox', {name: 'Priority'})
  await edit.click()
  await input.fill('hig')
  await grid.press('Enter')
  await expect.poll(() => api.value(project, 25, field('Priority'))).toBe('High')
  await edit.click()
  await page.getByRole('option', {name: 'Low'}).click()
  await expect.poll(() => api.value(project, 25, field('Priority'))).toBe('Low')
})

test('an input method that composes nothing clears nothing', async () => {
  const {api, field, grid, page, project} = fleet
  await grid.open(project)
  const names = ['Vessel', 'Running Hours', 'Priority', 'Assignee'] as const
  const values = () => Promise.all(names.map(name => api.value(project, 13, field(name))))
  const {id} = await api.issue(project, 13)
  const given = {Vessel: {text: 'Petrel'}, 'Running Hours': {integer: '7'}, Assignee: {user: 'Ann'}}
  await api.update(id, {values: Object.entries(given).map(([name, value]) => ({fieldId: field(name), value}))})
  const before = await values()
  expect(before).not.toContain('')
  const {version} = await api.issue(project, 13)
  for (const name of names) {
    await grid.cell(12, field(name)).click()
    await page.getByRole('grid').dispatchEvent('keydown', {key: 'Process'})
    await page.locator('.cell-editor').waitFor()
    await grid.cell(15, 'name').click()
    await page.locator('.cell-editor').waitFor({state: 'detached'})
  }
  await grid.saved()
  expect(await values()).toEqual(before)
  expect((await api.issue(project, 13)).version).toBe(version)
})

test('keys of layouts without Latin letters, of Option and AltGr, and of input methods', async () => {
  const {api, field, grid, page, project} = fleet
  const value = (num: number) => api.value(project, num, field('Vessel'))
  const {id} = await api.issue(project, 31)
  await api.update(id, {values: [{fieldId: field('Vessel'), value: {text: 'Petrel'}}]})
  await grid.open(project)
  const cell = (num: number) => grid.cell(num - 1, field('Vessel'))
  const press = (key: object) => page.getByRole('grid').dispatchEvent('keydown', {bubbles: true, cancelable: true, ...key})

  // Ctrl+D and Ctrl+Z of a Cyrillic layout.
  await cell(31).click()
  await cell(32).click({modifiers: ['Shift']})
  const before = await value(32)
  await press({key: 'в', code: 'KeyD', ctrlKey: true})
  await expect.poll(() => value(32)).toBe('Petrel')
  await press({key: 'я', code: 'KeyZ', ctrlKey: true})
  await expect.poll(() => value(32)).toBe(before)

  // A character that is typed with AltGr.
  await cell(33).click()
  await press({key: 'ł', code: 'KeyL', modifierAltGraph: true})
  await page.keyboard.type('odz')
  await grid.press('Enter')
  await expect.poll(() => value(33)).toBe('łodz')

  // An input method may name the letter of the key with which it starts, and end a composition before the key that confirms it.
  await cell(34).click()
  await press({key: 'k', code: 'KeyK', keyCode: 229})
  const editor = page.locator('.cell-editor')
  await editor.waitFor()
  await page.keyboard.insertText('蚊')
  await editor.locator('input, textarea').first().dispatchEvent('keydown', {key: 'Enter', code: 'Enter', keyCode: 229, bubbles: true})
  expect(await editor.isVisible()).toBe(true)
  await grid.press('Enter')
  await expect.poll(() => value(34)).toBe('蚊')
})
