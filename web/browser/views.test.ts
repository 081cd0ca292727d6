// Views of the grid: filters by every type, alone and combined, in the URL; columns; views that the browser stores; going to rows.
import {describe, expect, test} from 'vitest'
import {picture} from './browser'
import {look, sampleFleet, violations} from './fleet'

const fleet = sampleFleet()

/** Adds a condition like a user: chooses the column and the comparison, and fills in the inputs. */
async function addFilter(column: string, comparison: string | null, fill?: (dialog: ReturnType<typeof editor>) => Promise<void>): Promise<void> {
  const {page, grid} = fleet
  await page.getByRole('button', {name: 'Add filter'}).click()
  const dialog = editor()
  await dialog.getByRole('combobox').fill(column)
  await page.keyboard.press('Enter')
  await dialog.getByRole('heading', {name: column, exact: true}).waitFor()
  if (comparison !== null) await dialog.getByLabel('Comparison').selectOption({label: comparison})
  await fill?.(dialog)
  await dialog.getByRole('button', {name: 'Apply'}).click()
  await dialog.waitFor({state: 'detached'})
  await grid.settled()
}

const editor = () => fleet.page.getByRole('dialog', {name: /filter/i})

/** Checks that the visible rows and the count match the API's filter. */
async function expectRows(where: unknown): Promise<void> {
  const {api, grid, project} = fleet
  const oracle = await api.walk(project, null, where)
  // The count says if it has ended at its work budget.
  const counted = async () => {
    const [, some, number] = /^(at least )?([\d,]+) issues?$/.exec(await grid.count()) ?? []
    const n = Number(number?.replaceAll(',', ''))
    return some ? n > 0 && n <= oracle.length : n === oracle.length
  }
  await expect.poll(counted, {timeout: 5000}).toBe(true)
  expect(oracle.length, 'a filter that keeps nothing or everything tests nothing').toBeGreaterThan(0)
  expect(oracle.length).toBeLessThan(2000)
  const rows = await grid.rows()
  expect(rows.map(r => r.cells.num)).toEqual(oracle.slice(0, rows.length).map(i => String(i.num)))
}

describe('filters', () => {
  test('by every type', async () => {
    const {grid, page, project, field, fields} = fleet
    const option = (name: string, n: number) => fields[name]!.options[n]!
    const at = (name: string, member: string, comparison: unknown) => ({fields: [{fieldId: field(name), [member]: comparison}]})
    const typed = (text: string) => async (dialog: ReturnType<typeof editor>) => {
      await dialog.locator('.filter-values input').first().fill(text)
    }
    const range = (from: string, to: string) => async (dialog: ReturnType<typeof editor>) => {
      await dialog.getByLabel('From').fill(from)
      await dialog.getByLabel('To').fill(to)
    }
    const checked =
      (...names: string[]) =>
      async (dialog: ReturnType<typeof editor>) => {
        for (const name of names) await dialog.getByLabel(name, {exact: true}).check()
      }
    const time = new Date('2024-06-01T00:00').toISOString()
    const cases: [string, string | null, Parameters<typeof addFilter>[2], unknown][] = [
      ['#', 'is between', range('10', '30'), {num: {between: {from: 10, to: 30}}}],
      ['Name', 'contains', typed('hinge'), {name: {contains: 'hinge'}}],
      ['State', 'is any of', checked('Planned', 'Done'), null],
      ['Updated', 'is before', typed('2031-01-01T00:00'), {updatedAt: {gte: '2000-01-01T00:00:00Z'}}],
      ['Vessel', 'begins with', typed('cor'), at('Vessel', 'text', {startsWith: 'cor'})],
      ['Running Hours', 'is greater than', typed('9000'), at('Running Hours', 'integer', {gt: '9000'})],
      ['Cost', 'is between', range('1000', '2000.5'), at('Cost', 'number', {between: {from: 1000, to: 2000.5}})],
      ['Due', 'is before', typed('2024-03-01'), at('Due', 'date', {lt: '2024-03-01'})],
      ['Inspected', 'is on or after', typed('2024-06-01T00:00'), at('Inspected', 'dateTime', {gte: time})],
      ['Safety', null, undefined, at('Safety', 'boolean', {eq: true})],
      ['Priority', 'is none of', checked(option('Priority', 0).name), at('Priority', 'option', {notInIds: [option('Priority', 0).id]})],
      [
        'Systems',
        'has all of',
        checked(option('Systems', 0).name, option('Systems', 1).name),
        at('Systems', 'options', {hasAllIds: [option('Systems', 0).id, option('Systems', 1).id]}),
      ],
      ['Assignee', 'is empty', undefined, at('Assignee', 'isNull', true)],
    ]
    for (const [column, comparison, fill, where] of cases) {
      await grid.open(project)
      await addFilter(column, comparison, fill)
      if (column === 'Updated') expect(await grid.count()).toBe('2,000 issues')
      else if (column === 'State') {
        const {Planned, Done} = await fleet.api.states(project)
        await expectRows({state: {inIds: [Planned, Done]}})
      } else await expectRows(where)
    }
    await picture(page, 'filter')
  }, 180_000)

  test('combined by all or any, survive a reload, and are cleared', async () => {
    const {grid, page, project, field} = fleet
    await grid.open(project)
    await addFilter('Vessel', 'is', d => d.locator('.filter-values input').fill('Aurora'))
    await addFilter('Running Hours', 'is less than', d => d.locator('.filter-values input').fill('1000'))
    const both = [{fields: [{fieldId: field('Vessel'), text: {eq: 'Aurora'}}]}, {fields: [{fieldId: field('Running Hours'), integer: {lt: '1000'}}]}]
    await expectRows({and: both})
    await page.getByLabel('Rows must match').selectOption('any')
    await grid.settled()
    await expectRows({or: both})
    expect(await violations(page)).toEqual([])
    await page.reload()
    await grid.settled()
    await expectRows({or: both})
    await page.getByRole('button', {name: 'Remove filter: Vessel is Aurora'}).click()
    await grid.settled()
    await expectRows(both[1])
    await page.getByRole('button', {name: 'Clear filters'}).click()
    await grid.settled()
    expect(await grid.count()).toBe('2,000 issues')
  })

  test('what is no number is refused by the input', async () => {
    const {grid, page, project} = fleet
    await grid.open(project)
    await page.getByRole('button', {name: 'Add filter'}).click()
    await editor().getByRole('combobox').fill('Cost')
    await page.keyboard.press('Enter')
    await editor().locator('.filter-values input').first().fill('much')
    await page.keyboard.press('Enter')
    await editor().getByText('“much” is not a number').waitFor()
    await page.keyboard.press('Escape')
    expect(new URL(page.url()).searchParams.has('where')).toBe(false)
  })

  test('the search finds numbers, keys and words, and an empty answer', async () => {
    const {api, field, grid, page, project} = fleet
    await grid.open(project)
    const search = page.getByLabel('Search issues')
    const found = async (text: string, where: unknown) => {
      await search.fill(text)
      await page.waitForFunction(q => new URLSearchParams(location.search).get('q') === q, text)
      await grid.settled()
      await expectRows(where)
    }
    const one = (word: string) => ({
      or: [
        {name: {contains: word}},
        {fields: [{fieldId: field('Vessel'), text: {contains: word}}]},
        {fields: [{fieldId: field('Assignee'), user: {contains: word}}]},
      ],
    })
    await grid.press('/')
    expect(await search.evaluate(e => e === document.activeElement)).toBe(true)
    await found('davit lifeboat', {and: [one('davit'), one('lifeboat')]})
    await found('winch petrel', {and: [one('winch'), one('petrel')]})
    await found('"fuel filter" ada', {and: [one('fuel filter'), one('ada')]})
    await found('FLEET-12', {num: {eq: 12}})
    await found('1500', {num: {eq: 1500}})
    await page.reload()
    await grid.settled()
    await expectRows({num: {eq: 1500}})

    // A search narrows a filter of which one condition is enough.
    const any = {or: [{name: {contains: 'winch'}}, {name: {contains: 'hinge'}}]}
    await grid.open(project, `match=any&where=${encodeURIComponent('[["name","contains","winch"],["name","contains","hinge"]]')}`)
    await expectRows(any)
    await found('petrel', {and: [any, one('petrel')]})
    expect((await api.walk(project, null, {and: [any, one('petrel')]})).length).toBeGreaterThan(0)

    await search.fill('no such thing')
    await page.getByRole('heading', {name: 'No issues match the search'}).waitFor()
    await look(page, 'empty')
    await page.getByRole('button', {name: 'Clear search and filters'}).click()
    await grid.settled()
    expect(await grid.count()).toBe('2,000 issues')
  })
})

describe('columns', () => {
  test('are chosen, moved and pinned by the keyboard', async () => {
    const {grid, page, project, field} = fleet
    await grid.open(project)
    await page.getByRole('button', {name: 'Columns'}).click()
    const dialog = page.getByRole('dialog', {name: 'Columns'})
    await dialog.getByRole('checkbox', {name: /Report$/}).check() // a long text, hidden by default
    await dialog.getByRole('checkbox', {name: /Vessel$/}).uncheck()
    await dialog.getByRole('checkbox', {name: /Cost$/}).focus()
    await page.keyboard.press('Alt+ArrowUp')
    await dialog.getByRole('button', {name: 'Pin Due'}).click()
    await look(page, 'columns')
    await dialog.getByRole('button', {name: 'Done'}).click()
    await grid.settled()
    const order = await page.locator('[role=columnheader][data-column]').evaluateAll(cells => cells.map(c => (c as HTMLElement).dataset.column))
    expect(order.slice(0, 3)).toEqual(['num', 'name', field('Due')])
    expect(order).not.toContain(field('Vessel'))
    expect(order.indexOf(field('Cost'))).toBeLessThan(order.indexOf(field('Running Hours')))
    await grid.scrollTo(3)
    const due = new Date(await fleet.api.value(project, 9, field('Due')))
    expect(await grid.cell(8, field('Due')).textContent()).toBe(due.toLocaleDateString('en-US', {dateStyle: 'medium', timeZone: 'UTC'}))
  })
})

describe('views that earlier versions stored in the browser', () => {
  test('are applied, changed, renamed and deleted', async () => {
    const {grid, page, project, field} = fleet
    await page.goto('/')
    await page.evaluate(
      ([key, views]) => localStorage.setItem(key!, views!),
      [`issuegrid:views:${project}`, JSON.stringify([{name: 'Dear ones', query: `?sort=-${field('Cost')}`}])],
    )
    const menu = (name: string) => page.getByRole('button', {name, exact: true}).click()
    await grid.open(project)
    await menu('Views in this browser')
    await page.getByRole('menuitemcheckbox', {name: 'Dear ones'}).click()
    await grid.header(field('Cost')).and(page.locator('[aria-sort=descending]')).waitFor()
    await menu('Views in this browser: Dear ones')
    await page.getByRole('menuitem', {name: 'Copy link'}).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(`sort=-${field('Cost')}`)
    // A change of the view is told, and the plain grid is no change of it.
    await grid.header(field('Vessel')).getByRole('button', {name: 'Vessel', exact: true}).click()
    await page.getByRole('button', {name: 'Views in this browser: Dear ones changed'}).waitFor()
    await page.reload()
    await page.getByRole('button', {name: 'Views in this browser: Dear ones changed'}).waitFor()
    await grid.open(project)
    await menu('Views in this browser')
    expect(await page.getByRole('menuitem', {name: /^Update/}).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.goBack()
    await menu('Views in this browser: Dear ones changed')
    await page.getByRole('menuitem', {name: 'Rename view: Dear ones…'}).click()
    await page.getByRole('dialog').getByRole('textbox').fill('By vessel')
    await page.keyboard.press('Enter')
    await menu('Views in this browser: By vessel changed')
    await page.getByRole('menuitem', {name: 'Delete view: By vessel'}).click()
    await page.getByRole('button', {name: /^Views in this browser/}).waitFor({state: 'detached'})
  })
})

describe('going to', () => {
  test('a number, a value of the order, and the last row', async () => {
    const {api, grid, page, project, field} = fleet
    await grid.open(project, `sort=${field('Due')}`)
    const oracle = await api.walk(project, [{column: {fieldId: field('Due')}}], null, [field('Due')])
    const topIs = async (num: number) => {
      await grid.settled()
      expect((await grid.top())?.cells.num).toBe(String(num))
      const rows = await grid.rows()
      expect(rows.map(r => [r.index, r.cells.num])).toEqual(rows.map(r => [r.index, String(oracle[r.index]?.num)]))
    }
    const dialog = page.getByRole('dialog', {name: 'Go to a row'})
    const target = oracle[777]!
    await grid.grid.focus()
    await grid.press('Control+g')
    await dialog.getByLabel('Issue number').fill(String(target.num))
    await grid.press('Enter')
    await dialog.waitFor({state: 'detached'})
    await expect.poll(async () => (await grid.top())?.cells.num).toBe(String(target.num))
    await topIs(target.num)

    await grid.press('Control+g')
    await dialog.getByLabel(/^Due/).fill('2024-05-15')
    await dialog.getByRole('button', {name: 'Go', exact: true}).last().click()
    const first = oracle.find(i => (i.values[0]?.display ?? '9') >= '2024-05-15')!
    await expect.poll(async () => (await grid.top())?.cells.num).toBe(String(first.num))
    await topIs(first.num)

    await grid.press('Control+g')
    await dialog.getByRole('button', {name: 'Last row'}).click()
    await expect.poll(async () => (await grid.rows()).at(-1)?.cells.num).toBe(String(oracle.at(-1)!.num))
    await grid.press('Control+g')
    await dialog.getByLabel('Issue number').fill('99999')
    await grid.press('Enter')
    await page
      .getByRole('alert')
      .filter({hasText: /Issue FLEET-99999 doesn’t exist/})
      .waitFor()
  })
})
