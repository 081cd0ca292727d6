// The values that the editor of a filter suggests: by mouse and keyboard, for texts, people and tags, and what remains if they cannot be read.
import {describe, expect, test} from 'vitest'
import {look, sampleFleet} from './fleet'

const fleet = sampleFleet()

interface Value {
  text: string
  totalCount: number
}

/** Returns the first values of a column that begin with a prefix. */
async function valuesOf(column: unknown, prefix: string | null): Promise<Value[]> {
  const {project} = await fleet.api.ask<{project: {groups: {nodes: (Value & {text: string | null})[]}}}>(
    'query ($p: ID!, $by: [IssueGroupBy!]!, $prefix: String) { project(id: $p) { groups(by: $by, prefix: $prefix, first: 10) { nodes { text totalCount } } } }',
    {p: fleet.project, by: [{column}], prefix},
  )
  return project.groups.nodes.filter(n => n.text !== null)
}

const editor = () => fleet.page.getByRole('dialog', {name: /filter/i})
const options = () => editor().getByRole('listbox').getByRole('option').allInnerTexts()
const said = ({text, totalCount}: Value) => `${text} ${totalCount.toLocaleString('en-US')} issue${totalCount === 1 ? '' : 's'}`
/** The text of an option, whose note may be in another line. */
const flat = async () => (await options()).map(o => o.split(/\s+/).join(' ').trim())

/** Opens the editor of a new condition, and returns the input of its operand. */
async function begin(column: string, comparison: string) {
  const {page} = fleet
  await page.getByRole('button', {name: 'Add filter'}).click()
  await editor().getByRole('combobox').fill(column)
  await page.keyboard.press('Enter')
  await editor().getByRole('heading', {name: column, exact: true}).waitFor()
  await editor().getByLabel('Comparison').selectOption({label: comparison})
  return editor().getByRole('combobox', {name: new RegExp(`^${column} ${comparison}`)})
}

const conditions = () => JSON.parse(new URL(fleet.page.url()).searchParams.get('where') ?? '[]') as unknown[][]

describe('suggestions', () => {
  test('of texts have their counts, and are chosen with the keyboard', async () => {
    const {grid, page, project, field} = fleet
    const column = {fieldId: field('Vessel')}
    await grid.open(project)
    const input = await begin('Vessel', 'is')
    const all = await valuesOf(column, null)
    await input.click()
    await expect.poll(flat).toEqual(all.map(said))
    await look(page, 'filter-suggestions')
    const wanted = all.at(-1)!.text
    const prefix = wanted.slice(0, wanted.indexOf(' ') > 0 ? wanted.indexOf(' ') + 2 : 3)
    await input.fill(prefix.toLowerCase())
    const found = await valuesOf(column, prefix)
    await expect.poll(flat).toEqual(found.map(said))
    expect(await input.getAttribute('aria-activedescendant')).toBeNull()
    await page.keyboard.press('ArrowDown')
    expect(
      await editor()
        .locator(`[id="${await input.getAttribute('aria-activedescendant')}"]`)
        .innerText(),
    ).toContain(found[0]!.text)
    await page.keyboard.press('Enter')
    expect(await input.inputValue()).toBe(found[0]!.text)
    expect(await input.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('Enter')
    await expect.poll(conditions).toEqual([[field('Vessel'), 'is', found[0]!.text]])
  })

  test('leave what is typed as it is, and Escape closes them first', async () => {
    const {grid, page, project, field} = fleet
    await grid.open(project)
    const input = await begin('Vessel', 'contains')
    const [first] = await valuesOf({fieldId: field('Vessel')}, null)
    await input.fill(first!.text.slice(0, 2))
    await expect.poll(options).not.toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => editor().getByRole('listbox').count()).toBe(0)
    expect(await input.inputValue()).toBe(first!.text.slice(0, 2))
    await page.keyboard.press('Enter')
    await expect.poll(conditions).toEqual([[field('Vessel'), 'contains', first!.text.slice(0, 2)]])
  })

  test('of names, people and tags are chosen with the mouse', async () => {
    const {grid, page, project, field, fields} = fleet
    const person = Object.values(fields).find(f => f.type === 'USER')!.name
    await grid.open(project)
    const [user] = await valuesOf({fieldId: field(person)}, null)
    await (await begin(person, 'has any of the names')).fill(user!.text.slice(0, 2))
    await editor()
      .getByRole('option', {name: said(user!)})
      .click()
    await editor().getByRole('button', {name: 'Apply'}).click()
    const tags = await valuesOf({fieldId: field('Tags')}, null)
    await (await begin('Tags', 'has any of')).click()
    await expect.poll(flat).toEqual(tags.map(said))
    for (const tag of tags.slice(0, 2))
      await editor()
        .getByRole('option', {name: said(tag)})
        .click()
    await editor().getByRole('button', {name: 'Apply'}).click()
    const [name] = await valuesOf({builtin: 'NAME'}, 'Clean')
    await (await begin('Name', 'begins with')).fill('clean')
    await editor()
      .getByRole('option', {name: said(name!)})
      .click()
    await editor().getByRole('button', {name: 'Apply'}).click()
    await expect.poll(conditions).toEqual([
      [field(person), 'anyOf', user!.text],
      [field('Tags'), 'hasAny', ...tags.slice(0, 2).map(t => t.text)],
      ['name', 'startsWith', name!.text],
    ])
    expect(page.url()).toContain('where=')
  })

  test('that are superseded are given up, and their errors are not shown', async () => {
    const {grid, page, project, field} = fleet
    await grid.open(project)
    const prefixes: unknown[] = []
    let fails = false
    await page.route('**/graphql', async route => {
      const body = route.request().postDataJSON() as {query: string; variables: {prefix: string | null}}
      if (!body.query.startsWith('query ColumnValues(')) return route.continue()
      prefixes.push(body.variables.prefix)
      if (fails) return route.fulfill({json: {data: null, errors: [{message: 'overloaded', extensions: {code: 'INTERNAL'}}]}})
      // The first request is never answered.
      if (prefixes.length > 1) await route.continue()
    })
    const input = await begin('Vessel', 'is')
    const [abandoned] = await Promise.all([
      page.waitForEvent('requestfailed'),
      input
        .click()
        .then(() => expect.poll(() => prefixes).toEqual([null]))
        .then(() => input.fill('o')),
    ])
    expect(abandoned.failure()?.errorText).toMatch(/ABORTED/)
    await expect.poll(() => prefixes).toEqual([null, 'o'])
    fails = true
    await input.fill('q')
    await expect.poll(() => prefixes).toEqual([null, 'o', 'q'])
    await expect.poll(() => editor().getByRole('listbox').count()).toBe(0)
    expect(await editor().getByRole('alert').allInnerTexts()).toEqual(['', ''])
    await page.keyboard.press('Enter')
    await expect.poll(conditions).toEqual([[field('Vessel'), 'is', 'q']])
    await page.unrouteAll()
  })
})
