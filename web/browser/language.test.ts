// The page in German: no text of the English catalogue is left, in any of the main states, and a language can be chosen.
import type {Page} from 'playwright-core'
import {expect, test} from 'vitest'
import {de} from '../src/grid/messages/de'
import {en} from '../src/grid/messages/en'
import {picture} from './browser'
import {sampleFleet, violations} from './fleet'

const fleet = sampleFleet()

/** Returns the strings of a catalogue. */
const stringsOf = (section: object): string[] =>
  Object.values(section).flatMap(value => (typeof value === 'string' ? value : typeof value === 'object' && value !== null ? stringsOf(value as object) : []))

const german = new Set(stringsOf(de))
/** The English texts that are neither German ones nor names of the sample's fields. */
const english = new Set(stringsOf(en).filter(text => !german.has(text) && /\p{L}{3}/u.test(text) && !['Cost', 'Tags'].includes(text)))

/** Returns the texts that the page shows or reads out and that the English catalogue has. Names of the sample data are no texts of the page. */
async function englishOn(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const found: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) for (const name of ['aria-label', 'title', 'placeholder', 'alt']) found.push(node.getAttribute(name) ?? '')
      else if (!node.parentElement?.closest('noscript, script, style, .grid-body, .grid-head, .card')) found.push(node.textContent ?? '')
    }
    return found.map(text => text.trim())
  })
  return [...new Set(texts.filter(text => english.has(text)))]
}

test('no English text is left', () =>
  fleet.elsewhere({width: 1500, height: 900, locale: 'de-DE', translated: true}, async (page, grid) => {
    const seen: Record<string, string[]> = {}
    const look = async (state: string) => (seen[state] = await englishOn(page))
    const dialog = async (state: string, openIt: () => Promise<void>) => {
      await openIt()
      await page.locator('dialog[open], [popover]:popover-open').first().waitFor()
      await look(state)
      await page.keyboard.press('Escape')
      await page.locator('dialog[open], [popover]:popover-open').first().waitFor({state: 'detached'})
    }
    await page.goto('/')
    await page.getByRole('link', {name: /Fleet Maintenance/}).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await look('projects')
    await grid.open(fleet.project)
    expect(await grid.count()).toBe('2.000 Vorgänge')
    await look('grid')
    await picture(page, 'grid-german')
    expect(await violations(page)).toEqual([])
    await dialog('shortcuts', async () => {
      await grid.cell(0, 'name').click()
      await grid.press('?')
    })
    await dialog('palette', () => grid.press('Control+k'))
    for (const name of [de.views.menuOf(de.views.allIssues), de.views.newView, de.table.columns.title, de.filter.add])
      await dialog(name, () => page.getByRole('button', {name, exact: true}).click())
    await dialog('sort', () => page.getByRole('button', {name: 'Sortieren: #, aufsteigend'}).click())
    await dialog('a filter of dates', async () => {
      await page.getByRole('button', {name: de.filter.add, exact: true}).click()
      await page.getByRole('combobox', {name: de.filter.whichColumn}).fill('Due')
      await grid.press('Enter')
      await page.getByRole('combobox', {name: 'Due ist: Art des Werts'}).selectOption('last')
    })
    await dialog('new issue', () => grid.press('Alt+n'))
    await dialog('settings', () => page.getByRole('button', {name: de.page.settings, exact: true}).click())
    await dialog('new field', () => page.getByRole('button', {name: de.table.addField, exact: true}).click())
    await dialog('appearance', () => page.getByRole('button', {name: de.ui.appearance, exact: true}).click())
    await dialog('menu of a header', async () => {
      await grid.header('name').locator('[aria-haspopup=menu]').first().click()
    })
    await dialog('menu of a cell', () => grid.cell(1, 'name').click({button: 'right'}))
    await grid.cell(2, 'num').getByRole('link').click()
    await page.getByRole('complementary').waitFor()
    await look('panel')
    await page.getByRole('tab', {name: 'Verlauf'}).click()
    await look('history')
    // A wrong value, in German.
    await grid.cell(3, fleet.field('Due')).click()
    await page.keyboard.type('irgendwann')
    await grid.press('Enter')
    await page.getByRole('alert').filter({hasText: '„irgendwann“'}).waitFor()
    await look('a wrong value')
    await grid.press('Escape')
    expect(seen).toEqual(Object.fromEntries(Object.keys(seen).map(state => [state, []])))
    expect(Object.keys(seen).length).toBeGreaterThan(12)
  }))

test('a language is chosen, and kept', () =>
  fleet.elsewhere({translated: true}, async page => {
    await page.goto('/')
    await page.getByRole('button', {name: en.ui.appearance}).click()
    await page.getByRole('menuitemcheckbox', {name: 'Deutsch'}).click()
    await page.getByRole('button', {name: de.ui.appearance}).waitFor()
    await page.reload()
    await page.getByRole('button', {name: de.ui.appearance}).click()
    await page.getByRole('menuitemcheckbox', {name: de.ui.browserLanguage}).click()
    await page.getByRole('button', {name: en.ui.appearance}).waitFor()
  }))

test('rows have three heights, which the URL keeps', async () => {
  const {field, grid, page, project} = fleet
  await grid.open(project, `columns=num,name,${field('Report')},${field('Cost')},${field('Tags')}`)
  await grid.scrollTo(100)
  const height = async () => (await grid.cell((await grid.rows())[12]!.index, 'name').boundingBox())!.height
  const first = (pixels: number) => page.evaluate(height => Math.round(document.querySelector('[role=grid]')!.scrollTop / height), pixels)
  expect(await height()).toBeCloseTo(34, -1)
  for (const [name, pixels] of [
    ['Tall rows', 76],
    ['Compact rows', 28],
  ] as const) {
    await page.getByRole('button', {name: 'Appearance'}).click()
    await page.getByRole('menuitemcheckbox', {name}).click()
    await expect.poll(height).toBeCloseTo(pixels, -1)
    await expect.poll(() => first(pixels)).toBe(100)
    expect(await violations(page)).toEqual([])
    await picture(page, `rows-${pixels}`)
  }
  await expect.poll(() => page.url()).toContain('rows=compact')
  await page.reload()
  await grid.settled()
  await expect.poll(height).toBeCloseTo(28, -1)
})

test('a long text shows its first line, and in tall rows three', async () => {
  const {api, field, grid, page, project} = fleet
  const report = field('Report')
  const {id} = await api.issue(project, 5)
  await api.update(id, {values: [{fieldId: report, value: {text: `\n# Findings\n\n${'Rust on the hinge. '.repeat(40)}`}}]})
  await grid.open(project, `columns=num,name,${report}`)
  await expect.poll(() => grid.cell(4, report).textContent()).toBe('# Findings …')
  await grid.open(project, `columns=num,name,${report}&rows=tall`)
  await expect.poll(() => grid.cell(4, report).textContent()).toMatch(/^# Findings\n\nRust on the hinge/)
  expect(await violations(page)).toEqual([])
})
