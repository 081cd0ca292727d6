// The board: its columns and cards, loading more of both, dragging, the keyboard, links, filters, conflicts and refusals, and the same on a phone.
import {describe, expect, test} from 'vitest'
import {boardOf, hold, type Group} from './board'
import {look, sampleFleet, violations} from './fleet'

const fleet = sampleFleet({width: 1500, height: 900})

const {oracle, param, board, column, card, countOf, state, expectColumn, openBoard, drag, active} = boardOf(fleet)

describe('the board', () => {
  test('begins with the states, has all of them with their first cards, from one operation, and stays in the link', async () => {
    const {grid, page, project} = fleet
    const groups = await oracle()
    await grid.open(project)
    const operations: string[] = []
    page.on('request', r => {
      const body = r.postData()
      if (body && r.url().endsWith('/graphql')) operations.push((JSON.parse(body) as {operationName: string}).operationName)
    })
    await page.getByRole('button', {name: 'Board', exact: true}).click()
    for (const g of groups.slice(0, 4)) await expectColumn(g)
    await page.waitForFunction(() => !document.querySelector('[data-testid=count]')?.textContent?.includes('…'))
    expect(operations.filter(o => o !== 'GridCount')).toEqual(['Board'])
    expect([param('layout'), param('group')]).toEqual(['board', null])
    expect(await column(groups[0]!.key).getAttribute('aria-label')).toBe(
      `${groups[0]!.name}, ${groups[0]!.totalCount} issue${groups[0]!.totalCount === 1 ? '' : 's'}, column 1 of ${groups.length}`,
    )
    await look(page, 'board')
    await page.reload()
    for (const g of groups.slice(0, 4)) await expectColumn(g)
    await page.getByRole('button', {name: 'Board', exact: true}).click()
    await grid.settled()
    expect([param('layout'), param('group')]).toEqual([null, null])
    expect(await page.locator('.group-row').count()).toBe(0)
  })

  test('follows the order, the filter and the columns of the view', async () => {
    const {page, field} = fleet
    const cost = field('Cost')
    await openBoard(`group=state&sort=-${cost}&columns=num,name,${cost}`)
    const sorted = await oracle(undefined, [{column: {fieldId: cost}, direction: 'DESC'}])
    for (const g of sorted.slice(0, 3)) await expectColumn(g)
    const first = sorted.find(g => g.issues.nodes.length > 0)!
    expect(await card(first.issues.nodes[0]!.num).locator('.card-label').allTextContents()).toEqual(['Cost: '])
    await page.getByRole('searchbox', {name: 'Search issues'}).fill('FLEET-12')
    const found = await state(12)
    for (const g of sorted.slice(0, 3)) await expect.poll(() => countOf(g.key)).toBe(g.name === found ? '1' : '0')
    await page.getByRole('searchbox', {name: 'Search issues'}).fill('nothing is like this')
    await page.getByText('No issues match the search').waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('loads more cards as a column is scrolled', async () => {
    const {page} = fleet
    const groups = await oracle()
    const big = groups.find(g => g.totalCount >= 80)!
    const asked: {keys: string[]; first: number; after: string | null}[] = []
    page.on('request', r => {
      const body = r.postData()
      if (body?.includes('query GridGroupPage')) asked.push((JSON.parse(body) as {variables: (typeof asked)[0]}).variables)
    })
    await openBoard()
    await expectColumn(big)
    expect(asked).toEqual([])
    const list = column(big.key).locator('.board-cards')
    await list.evaluate(l => (l.scrollTop = 3000))
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    expect(asked[0]).toMatchObject({keys: [big.key], first: 20})
    expect(asked[0]!.after).toBeTruthy()
    const height = await column(big.key)
      .locator('.board-place')
      .first()
      .evaluate(p => p.getBoundingClientRect().height)
    const at = Math.ceil(3000 / height)
    const want = big.issues.nodes[at]!.num
    await card(want).waitFor()
    expect(await column(big.key).locator('[data-card]').count()).toBeLessThan(30)
    expect(await card(want).locator('xpath=ancestor::*[@role="listitem"]').getAttribute('aria-posinset')).toBe(String(at + 1))
  })

  test('collapses columns, which are kept in the link and not loaded', async () => {
    const {page} = fleet
    const groups = await oracle()
    const [first, second] = groups
    await openBoard('group=state')
    await page.getByRole('button', {name: `Collapse ${first!.name}`}).click()
    await expect.poll(() => param('collapsed')).toBe(first!.key)
    expect((await column(first!.key).boundingBox())!.width).toBeLessThan(80)
    await page.reload()
    await expectColumn(second!)
    expect(await column(first!.key).locator('[data-card]').count()).toBe(0)
    expect(await countOf(first!.key)).toBe(first!.totalCount.toLocaleString('en-US'))
    await page.getByRole('button', {name: `Expand ${first!.name}`}).click()
    await expectColumn(first!)
    expect(await violations(page)).toEqual([])
  })

  test('loads more columns as it is scrolled', async () => {
    const {field} = fleet
    const by = {column: {fieldId: field('Cost')}, width: 500}
    const groups = await oracle(by)
    expect(groups.length).toBeGreaterThan(25)
    await openBoard(`group=${field('Cost')}.500`)
    await expectColumn(groups[0]!)
    expect(await board().locator('.board-column').count()).toBeLessThan(12)
    await board().evaluate(b => (b.scrollLeft = b.scrollWidth))
    await expect
      .poll(async () => {
        await board().evaluate(b => (b.scrollLeft = b.scrollWidth))
        return column(groups.at(-1)!.key).count()
      })
      .toBe(1)
    await expectColumn(groups.at(-1)!, 1)
  })

  test('shows the summaries that are chosen for the footer', async () => {
    const {field} = fleet
    const groups = await oracle()
    await openBoard(`columns=num,name,${field('Cost')}&summaries=${field('Cost')}:sum`)
    await expect.poll(async () => (await column(groups[0]!.key).locator('.board-figures').textContent()) ?? '').toMatch(/Sum [\d,.]+/)
  })

  test('opens an issue in the panel, and Escape returns to its card', async () => {
    const {page} = fleet
    const [first] = await oracle()
    await openBoard()
    const num = first!.issues.nodes[0]!.num
    await card(num).click()
    await page.getByRole('complementary', {name: `Issue FLEET-${num}`}).waitFor()
    expect(param('issue')).toBe(String(num))
    expect(await violations(page)).toEqual([])
    await page
      .getByRole('complementary', {name: `Issue FLEET-${num}`})
      .getByRole('button', {name: 'Close'})
      .click()
    await expect.poll(active).toBe(String(num))
  })
})

describe('dragging', () => {
  test('moves a card where the order has it, changes the counts at once, and can be undone', async () => {
    const {page} = fleet
    const groups = await oracle()
    const [first, second] = groups
    const num = first!.issues.nodes[1]!.num
    await openBoard()
    await expectColumn(first!)
    await drag(num, second!.key)
    await page.locator('.drag-label', {hasText: `FLEET-${num}`}).waitFor()
    expect(await column(second!.key).getAttribute('class')).toContain('target')
    const {release} = await hold(page, 'UpdateIssue', 'requests')
    await page.mouse.up()
    await expect.poll(() => countOf(first!.key)).toBe(String(first!.totalCount - 1))
    expect(await countOf(second!.key)).toBe((second!.totalCount + 1).toLocaleString('en-US'))
    expect(await column(second!.key).locator(`.board-arriving a[data-num="${num}"]`).count()).toBe(1)
    expect(await state(num)).toBe(first!.name)
    release()
    await expect.poll(() => state(num)).toBe(second!.name)
    await expect.poll(() => page.locator('.board-arriving').count()).toBe(0)
    const after = await oracle()
    await expectColumn(after[0]!)
    await expectColumn(after[1]!)
    await expect.poll(() => page.getByTestId('said').textContent()).toBe(`FLEET-${num} moved to ${second!.name}`)
    expect(param('issue')).toBeNull() // a drag is no click

    await page.keyboard.press('Control+z')
    await expect.poll(() => state(num)).toBe(first!.name)
    await expectColumn(first!)
    await expectColumn(second!)
  })

  test('is cancelled by Escape, and outside of other columns nothing moves', async () => {
    const {page, project, api} = fleet
    const [first, second] = await oracle()
    const num = first!.issues.nodes[0]!.num
    const {version} = await api.issue(project, num)
    await openBoard()
    await drag(num, second!.key)
    await page.locator('.drag-label').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.drag-label').count()).toBe(0)
    await page.mouse.up()
    await drag(num, first!.key)
    expect(await board().locator('.target').count()).toBe(0)
    await page.mouse.up()
    await drag(num, second!.key)
    await page.mouse.move(300, 5)
    await expect.poll(() => board().locator('.target').count()).toBe(0)
    await page.mouse.up()
    await expectColumn(first!)
    expect((await api.issue(project, num)).version).toBe(version)
    expect(param('issue')).toBeNull()
  })

  test('moves all selected cards as one step', async () => {
    const {page} = fleet
    const groups = await oracle()
    const [first, second, third] = groups
    const nums = [first!.issues.nodes[0]!.num, second!.issues.nodes[0]!.num]
    await openBoard()
    for (const num of nums)
      await board()
        .getByRole('checkbox', {name: `Select issue ${num}`, exact: true})
        .check({force: true})
    await drag(nums[0]!, third!.key)
    await page.locator('.drag-label', {hasText: '2 issues'}).waitFor()
    await page.mouse.up()
    for (const num of nums) await expect.poll(() => state(num)).toBe(third!.name)
    await expectColumn((await oracle())[2]!)
    await page.keyboard.press('Control+z')
    await expect.poll(() => state(nums[0]!)).toBe(first!.name)
    await expect.poll(() => state(nums[1]!)).toBe(second!.name)
    await expectColumn(first!)
  })

  test('a refused move puts the card back, with a message', async () => {
    const {page} = fleet
    const [first, second] = await oracle()
    const num = first!.issues.nodes[0]!.num
    await openBoard()
    await page.route('**/graphql', async route => {
      if (!route.request().postData()?.includes('mutation UpdateIssue')) return route.fallback()
      await route.fulfill({json: {data: null, errors: [{message: 'the state may not change', extensions: {code: 'BAD_USER_INPUT'}}]}})
    })
    await drag(num, second!.key)
    await page.mouse.up()
    await page.getByText('Not saved: the state may not change').waitFor()
    await expectColumn(first!)
    await expectColumn(second!)
    expect(await state(num)).toBe(first!.name)
  })

  test('a conflict leaves the card where the other user has put it, and lets the user choose', async () => {
    const {page, project, api} = fleet
    const groups = await oracle()
    const [first, second, third] = groups
    const num = first!.issues.nodes[0]!.num
    await openBoard()
    await expectColumn(first!)
    const {id} = await api.issue(project, num)
    const states = await api.states(project)
    await api.update(id, {stateId: states[third!.name!]})
    await drag(num, second!.key)
    await page.mouse.up()
    await page.getByText(`“State” in FLEET-${num} was also changed`).waitFor()
    const after = await oracle()
    for (const g of after.slice(0, 3)) await expectColumn(g)
    await page.getByRole('button', {name: 'Review', exact: true}).click()
    const conflicts = page.getByRole('dialog', {name: 'Conflicts'})
    await conflicts.getByRole('button', {name: /mine/i}).first().click()
    await expect.poll(() => state(num)).toBe(second!.name)
    const last = await oracle()
    for (const g of last.slice(0, 3)) await expectColumn(g)
    await api.update(id, {stateId: states[first!.name!]})
  })

  test('gives and removes the value of a field', async () => {
    const {page, project, api, field} = fleet
    const safety = field('Safety')
    const by = {column: {fieldId: safety}}
    const [first, second, without] = await oracle(by)
    const num = first!.issues.nodes[0]!.num
    const before = await api.value(project, num, safety)
    await openBoard(`group=${safety}`)
    await drag(num, without!.key)
    await page.locator('.drag-label', {hasText: 'No Safety'}).waitFor()
    await page.mouse.up()
    await expect.poll(() => api.value(project, num, safety)).toBe('')
    await expectColumn((await oracle(by))[0]!)
    await page.keyboard.press('Control+z')
    await expect.poll(() => api.value(project, num, safety)).toBe(before)
    await expectColumn(first!)
    await drag(num, second!.key)
    await page.mouse.up()
    await expect.poll(() => api.value(project, num, safety)).not.toBe(before)
    for (const g of await oracle(by)) await expectColumn(g)
  })

  test('the board scrolls while a card is near its edge', async () => {
    const {page} = fleet
    await page.setViewportSize({width: 800, height: 800})
    const [first] = await oracle()
    await openBoard()
    const num = first!.issues.nodes[0]!.num
    const from = (await card(num).boundingBox())!
    await page.mouse.move(from.x + 40, from.y + 30)
    await page.mouse.down()
    await page.mouse.move(400, 400)
    const {x, width} = (await board().boundingBox())!
    await page.mouse.move(x + width - 5, 400)
    await expect.poll(() => board().evaluate(b => b.scrollLeft)).toBeGreaterThan(200)
    await page.keyboard.press('Escape')
    await page.mouse.up()
  })

  test('is not possible between ranges, and the menu says why', async () => {
    const {page, field} = fleet
    await openBoard(`group=${field('Due')}.month`)
    const some = board().locator('a[data-num]').first()
    await some.click({button: 'right'})
    const reason = page.getByRole('menuitem', {name: 'Issues can’t be moved between these groups of “Due”.'})
    await reason.waitFor()
    expect(await reason.isDisabled()).toBe(true)
    expect(await board().locator('.drag-handle').count()).toBe(0)
  })
})

describe('the keyboard', () => {
  test('moves among cards and columns, and opens an issue', async () => {
    const {page} = fleet
    const [first, second] = await oracle()
    const num = (g: Group, i: number) => String(g.issues.nodes[i]!.num)
    await openBoard()
    await card(first!.issues.nodes[0]!.num).focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(active).toBe(num(first!, 1))
    await page.keyboard.press('ArrowRight')
    await expect.poll(active).toBe(num(second!, 1))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await expect.poll(active).toBe(second!.key)
    await page.keyboard.press('Enter')
    await expect.poll(() => param('collapsed')).toBe(second!.key)
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await expect.poll(active).toBe(num(second!, 0))
    await page.keyboard.press('End')
    await expect.poll(active).toBe(String(second!.last.nodes[0]!.num))
    await page.keyboard.press('Home')
    await expect.poll(active).toBe(num(second!, 0))
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', {name: `Issue FLEET-${num(second!, 0)}`}).waitFor()
  })

  test('moves a card by the menu of the grid, and the focus follows it', async () => {
    const {page} = fleet
    const [first, second] = await oracle()
    const num = first!.issues.nodes[0]!.num
    await openBoard()
    await card(num).focus()
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', {name: 'Move to group…'}).click()
    await page.getByRole('menu', {name: `Move FLEET-${num} to`}).waitFor()
    await page.keyboard.type(second!.name!) // with spaces, which select nothing
    const focused = () => page.evaluate(() => document.activeElement?.textContent.trim())
    await expect.poll(focused).toBe(second!.name)
    await page.keyboard.press('Enter')
    await expect.poll(() => state(num)).toBe(second!.name)
    await expect.poll(() => page.getByTestId('said').textContent()).toBe(`FLEET-${num} moved to ${second!.name}`)
    await expectColumn((await oracle())[1]!)
    await expect.poll(active).toBe(String(num))
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Control+z')
    await expect.poll(() => state(num)).toBe(first!.name)
    await expectColumn(first!)
  })
})

describe('changes by others', () => {
  test('move a card to its column when the cards are read again', async () => {
    const {page, project, api} = fleet
    const [first, second] = await oracle()
    const num = first!.issues.nodes[0]!.num
    await openBoard()
    await expectColumn(first!)
    const {id} = await api.issue(project, num)
    const states = await api.states(project)
    await api.update(id, {stateId: states[second!.name!]})
    const after = await oracle()
    await expect
      .poll(async () => {
        await page.evaluate(() => window.dispatchEvent(new Event('focus')))
        return countOf(first!.key)
      })
      .toBe(String(after[0]!.totalCount))
    await expectColumn(after[0]!)
    await expectColumn(after[1]!)
    await api.update(id, {stateId: states[first!.name!]})
  })
})
