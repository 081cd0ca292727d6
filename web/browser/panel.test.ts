// The side panel: fields, texts and history of an issue; new issues; the trash.
import {describe, expect, test} from 'vitest'
import {look, sampleFleet, violations} from './fleet'

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
    expect(await panel().getByRole('group', {name: 'Vessel'}).locator('.panel-value').textContent()).toBe(await api.value(project, 12, field('Vessel')))
    expect(new URL(page.url()).searchParams.get('issue')).toBe('12')
    await look(page, 'panel')
    await panel().getByRole('tab', {name: 'History'}).click()
    await panel().getByText('Second line').waitFor()
    await look(page, 'panel-history')
    await page.keyboard.press('Escape')
    await panel().waitFor({state: 'detached'})
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
  })

  test('an edit is seen in the grid, in the history, and undone', async () => {
    const {api, grid, page, project, field} = fleet
    await grid.open(project, 'issue=14')
    const before = await api.value(project, 14, field('Vessel'))
    const vessel = panel().getByRole('group', {name: 'Vessel'})
    expect(await panel().locator('[role=tabpanel] :is(input:not([type=search]), textarea, select)').count()).toBe(0)
    await vessel.locator('.panel-value').click()
    await vessel.getByRole('textbox').fill('Argo')
    await page.keyboard.press('Enter')
    await expect.poll(() => vessel.locator('.panel-value').textContent()).toBe('Argo')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Edit Vessel')
    await expect.poll(() => grid.cell(13, field('Vessel')).textContent()).toBe('Argo')
    await expect.poll(() => api.value(project, 14, field('Vessel'))).toBe('Argo')
    await panel().getByRole('tab', {name: 'History'}).click()
    await panel().getByText('Argo').first().waitFor()
    await page.getByRole('button', {name: /^Undo/}).first().click()
    await expect.poll(() => api.value(project, 14, field('Vessel'))).toBe(before)
  })

  test('the keys of an input method are no commands', async () => {
    const {api, grid, page, project, field} = fleet
    await grid.open(project, 'issue=15')
    const before = await api.value(project, 15, field('Vessel'))
    const vessel = panel().getByRole('group', {name: 'Vessel'})
    await vessel.locator('.panel-value').click()
    const input = vessel.getByRole('textbox')
    await input.fill('に')
    for (const key of ['Enter', 'Escape']) await input.dispatchEvent('keydown', {key, code: key, keyCode: 229, bubbles: true, cancelable: true})
    expect(await input.inputValue()).toBe('に')
    await input.fill('日本丸')
    await page.keyboard.press('Enter')
    await expect.poll(() => api.value(project, 15, field('Vessel'))).toBe('日本丸')
    // Ctrl+Z of a Cyrillic layout
    const undo = {key: 'я', code: 'KeyZ', ctrlKey: true, bubbles: true, cancelable: true}
    await panel().getByRole('button', {name: 'Edit Vessel'}).dispatchEvent('keydown', undo)
    await expect.poll(() => api.value(project, 15, field('Vessel'))).toBe(before)
  })

  test('F2 and Enter on a value open its editor, Escape leaves it, and a choice ends it', async () => {
    const {api, grid, page, project, fields, field} = fleet
    await grid.open(project, 'issue=17')
    const name = (await api.issue(project, 17)).name
    const priority = panel().getByRole('group', {name: 'Priority'})
    await panel().getByRole('button', {name: 'Edit Name', exact: true}).focus()
    for (const key of ['F2', 'Enter']) {
      await page.keyboard.press(key)
      await panel().getByRole('textbox', {name: 'Name'}).fill('Not this')
      await look(page, 'panel-editing')
      await page.keyboard.press('Escape')
      expect(await panel().locator('.panel-name .panel-value').textContent()).toBe(name)
    }
    // The editor shows the description of its field, so without it everything below moves; a click finds its target nevertheless.
    await panel().getByRole('group', {name: 'Vessel'}).locator('.panel-value').click()
    await panel().getByText('The ship that needs the work.').waitFor()
    await panel().getByRole('group', {name: 'Cost'}).locator('.panel-value').click()
    await panel().getByRole('group', {name: 'Cost'}).getByRole('textbox').waitFor()
    await expect.poll(() => panel().getByRole('textbox').count()).toBe(1)
    await page.keyboard.press('Escape')
    const before = await priority.locator('.panel-value').textContent()
    const other = fields.Priority!.options.find(o => o.name !== before)!
    await priority.getByRole('button', {name: 'Edit Priority'}).click()
    await priority.getByRole('option', {name: other.name, exact: true}).waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await priority.getByRole('button', {name: 'Edit Priority'}).press('Enter')
    await priority.getByRole('option', {name: other.name, exact: true}).click()
    await priority.getByText(other.name).waitFor()
    expect(await priority.getByRole('combobox').count()).toBe(0)
    await expect.poll(() => api.value(project, 17, field('Priority'))).toBe(other.name)
  })

  test('fields without a value are behind a button, and can be filled', async () => {
    const {api, grid, page, project, field} = fleet
    const {id} = await api.issue(project, 19)
    await api.update(id, {values: [{fieldId: field('Vessel'), clear: true}]})
    await grid.open(project, 'issue=19')
    const vessel = panel().getByRole('group', {name: 'Vessel'})
    await panel()
      .getByRole('button', {name: /^Show \d+ empty fields?$/})
      .click()
    expect(await vessel.locator('.panel-value').textContent()).toBe('—')
    expect(await violations(page)).toEqual([])
    await vessel.getByRole('button', {name: 'Edit Vessel'}).click()
    await page.keyboard.type('Argo')
    await page.keyboard.press('Enter')
    await expect.poll(() => api.value(project, 19, field('Vessel'))).toBe('Argo')
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

  test('a description is Markdown, and no script of it runs', async () => {
    const {api, grid, page, project} = fleet
    const {id} = await api.issue(project, 20)
    const description = [
      '# Heading\n\n**bold** text,\nsecond line with [a link](https://a.example/x).\n\n- [x] done\n- open\n\n|a|b|\n|-|-|\n|1|2|\n\n> quoted\n\n```\ncode\n```',
      '<script>window.ran = 1</script>',
      '<img src=x onerror="window.ran = 1">',
      '<svg onload="window.ran = 1">',
      '<svg></p><style><a id="</style><img src=1 onerror=window.ran=1>">',
      '![x](https://evil.example/pixel.gif)',
      '![x](/none.png "\\" onerror=\\"window.ran=1")',
      '[click](javascript:window.ran=1) [click](java&Tab;script&colon;window.ran=1) [click](data:text/html,<script>window.ran=1</script>)',
      '<a href="javascript:window.ran=1">click</a> <iframe src="javascript:parent.ran=1"></iframe>',
    ].join('\n\n')
    await api.update(id, {description})
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({colorScheme})
      await grid.open(project, 'issue=20')
      const text = panel().locator('.markdown').first()
      await text.getByRole('heading', {name: 'Heading', level: 4}).waitFor()
      await look(page, `panel-markdown-${colorScheme}`)
    }
    const text = panel().locator('.markdown').first()
    expect(await text.locator('script, img, svg, style, iframe, [onload], [onerror]').count()).toBe(0)
    expect(await text.locator('a[href]').evaluateAll(links => links.map(a => [(a as HTMLAnchorElement).href, (a as HTMLAnchorElement).rel]))).toEqual(
      ['https://a.example/x', 'https://evil.example/pixel.gif'].map(href => [href, 'noopener noreferrer nofollow']),
    )
    for (const link of await text.getByText('click').all()) await link.click()
    expect(await text.textContent()).toContain('<script>window.ran = 1</script>')
    expect(await page.evaluate(() => (window as {ran?: number}).ran)).toBeUndefined()
    // The page has no troubles either: no violation of its policy, and no foreign request (see the hooks of fleet.ts).
  })

  test('of a long description the beginning is rendered, and the rest on request', async () => {
    const {api, grid, page, project} = fleet
    const {id} = await api.issue(project, 21)
    const most = 256 << 10
    const paragraphs = Array.from({length: most / 64}, (_, i) => `**${String(i).padStart(6, '0')}** ${'x'.repeat(51)}\n\n`)
    await api.update(id, {description: paragraphs.join('')})
    await grid.open(project, 'issue=21')
    const bold = panel().locator('.markdown strong')
    await bold.first().waitFor()
    expect(await bold.count()).toBeLessThan(paragraphs.length / 10)
    expect(await violations(page)).toEqual([])
    await panel().getByRole('button', {name: 'Show all'}).click()
    await expect.poll(() => bold.count()).toBe(paragraphs.length)
    expect(await bold.last().textContent()).toBe(String(paragraphs.length - 1).padStart(6, '0'))
    await panel().getByRole('button', {name: 'Show less'}).click()
    await expect.poll(() => bold.count()).toBeLessThan(paragraphs.length / 10)
    // Nested so deeply that the renderer gives up.
    await api.update(id, {description: `${'>'.repeat(10_000)} deep`})
    await page.reload()
    await panel().locator('.markdown-plain').filter({hasText: 'deep'}).waitFor()
  })

  test('goes to the next issue in the order of the grid, and survives a reload', async () => {
    const {api, grid, page, project, field} = fleet
    const oracle = await api.walk(project, [{column: {fieldId: field('Cost')}, direction: 'DESC'}])
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
    await panel().getByRole('heading', {name: 'Issue FLEET-99999 doesn’t exist'}).waitFor()
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
    await look(page, 'new-issue')
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
    await panel().getByRole('button', {name: 'More actions'}).click()
    await page.getByRole('menuitem', {name: 'Delete…'}).click()
    await page.getByRole('dialog', {name: 'Delete FLEET-18?'}).getByRole('button', {name: 'Delete'}).click()
    await panel().waitFor({state: 'detached'})
    await page.getByRole('button', {name: 'More', exact: true}).click()
    await page.getByRole('menuitem', {name: 'Trash…'}).click()
    const dialog = page.getByRole('dialog', {name: /trash/i})
    await dialog.getByRole('button', {name: 'Restore FLEET-18'}).waitFor()
    await look(page, 'trash')
    await dialog.getByRole('button', {name: 'Restore FLEET-18'}).click()
    await expect.poll(async () => (await api.walk(project)).some(i => i.id === before.id)).toBe(true)
  })
})
