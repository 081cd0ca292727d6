// Moves on a board while the server is slow or refuses to read: what is shown, where the focus is, and what a move costs.
import {beforeEach, describe, expect, test} from 'vitest'
import {boardOf, hold} from './board'
import {sampleFleet} from './fleet'

const fleet = sampleFleet({width: 1500, height: 900})
const {oracle, board, column, card, state, expectColumn, openBoard, drag, active} = boardOf(fleet)

/** Waits until the board has the columns and cards of the API, and no card waits for its position. */
async function expectBoard(): Promise<void> {
  await expect.poll(() => board().locator('.board-arriving').count()).toBe(0)
  for (const g of (await oracle()).slice(0, 4)) await expectColumn(g)
}

async function dropOn(num: number, key: string): Promise<void> {
  await drag(num, key)
  await fleet.page.mouse.up()
}

/** Moves a card by its menu. */
async function moveByMenu(num: number, name: string): Promise<void> {
  await card(num).focus()
  await fleet.page.keyboard.press('Shift+F10')
  await fleet.page.getByRole('menuitem', {name: 'Move to group…'}).click()
  await fleet.page.getByRole('menuitemcheckbox', {name, exact: true}).press('Enter')
}

describe('while its groups are read again', () => {
  test('a card is moved again', async () => {
    const {page} = fleet
    const [first, second, third] = await oracle()
    const num = first!.issues.nodes[0]!.num
    await openBoard()
    const reads = await hold(page, 'BoardGroups')
    await dropOn(num, second!.key)
    await expect.poll(reads.count).toBe(1)
    await dropOn(num, third!.key)
    await expect.poll(() => state(num)).toBe(third!.name)
    await expect.poll(reads.count).toBe(2)
    reads.release()
    await expectBoard()
    expect(await board().locator(`a[data-num="${num}"]`).count()).toBe(1)
    await column(third!.key).locator(`a[data-num="${num}"]`).waitFor()
  })
})

test('while a move is saved, another issue is edited in the panel', async () => {
  const {page} = fleet
  const [first, second, third] = await oracle()
  const [num, other] = first!.issues.nodes.map(i => i.num)
  await openBoard()
  const saves = await hold(page, 'UpdateIssue', 'requests')
  await dropOn(num!, second!.key)
  await expect.poll(saves.count).toBe(1)
  saves.noMore()
  await card(other!).click()
  const panel = page.getByRole('complementary', {name: `Issue FLEET-${other}`})
  await panel.getByRole('button', {name: 'Edit State'}).click()
  await page.getByRole('option', {name: third!.name!}).click()
  await expect.poll(() => state(other!)).toBe(third!.name)
  await column(third!.key).locator(`.board-cards a[data-num="${other}"]`).waitFor()
  saves.release()
  await expect.poll(() => state(num!)).toBe(second!.name)
  await expectBoard()
})

describe('the focus', () => {
  test('leaves a card whose groups cannot be read, and Try again ends the move', async () => {
    const {page} = fleet
    const [first, second] = await oracle()
    const num = first!.issues.nodes[0]!.num
    await openBoard()
    let fails = true
    await page.route('**/graphql', async route => {
      if (!fails || !route.request().postData()?.includes('query BoardGroups')) return route.fallback()
      await route.fulfill({json: {data: null, errors: [{message: 'overloaded', extensions: {code: 'UNAVAILABLE'}}]}})
    })
    await moveByMenu(num, second!.name!)
    await page.getByRole('alert').getByText('overloaded').waitFor()
    const arriving = column(second!.key).locator(`.board-arriving a[data-num="${num}"]`)
    await arriving.waitFor()
    await expect.poll(active).toBe(String(num))
    await page.keyboard.press('Tab')
    await expect.poll(active).not.toBe(String(num))
    await arriving.focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(active).toBe(String(second!.issues.nodes[0]!.num))
    // The first card of the other column is the one that has left it.
    await page.keyboard.press('ArrowLeft')
    const [, next] = first!.issues.nodes
    await expect.poll(active).toBe(String(next!.num))
    await page.keyboard.press('Shift+Tab')
    await expect.poll(active).not.toBe(String(next!.num))
    expect(await active()).not.toBe(String(num))
    fails = false
    await page.getByRole('button', {name: 'Try again'}).click()
    await expectBoard()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('follows a slow move, but not from another part of the page', async () => {
    const {page} = fleet
    const [first, second] = await oracle()
    const num = first!.issues.nodes[0]!.num
    await openBoard()
    const saves = await hold(page, 'UpdateIssue', 'requests')
    await moveByMenu(num, second!.name!)
    await expect.poll(saves.count).toBe(1)
    await expect.poll(active).toBe(String(num))
    const search = page.getByRole('searchbox', {name: 'Search issues'})
    await search.focus()
    saves.release()
    await expect.poll(() => state(num)).toBe(second!.name)
    await expectBoard()
    expect(await search.evaluate(s => s === document.activeElement)).toBe(true)
    // Also not when the search loses the focus.
    await search.evaluate(s => s.blur())
    await page.getByRole('button', {name: 'Refresh'}).click()
    await expectBoard()
    expect(await active()).toBe('')
  })
})

describe('a move', () => {
  interface Asked {
    operationName: string
    variables: {keys?: string[]}
  }

  /** Moves the first card of a column to the next column, and returns the requests until nothing is missing. */
  async function move(): Promise<{asked: Asked[]; keys: string[]}> {
    const {page} = fleet
    const keys = await board()
      .locator('.board-column')
      .evaluateAll(all => all.slice(0, 2).map(c => (c as HTMLElement).dataset.group!))
    const num = Number(await column(keys[0]!).locator('.board-cards a[data-num]').first().getAttribute('data-num'))
    const before = await state(num)
    const asked: Asked[] = []
    page.on('request', r => {
      if (r.url().endsWith('/graphql')) asked.push(r.postDataJSON() as Asked)
    })
    await dropOn(num, keys[1]!)
    await expect.poll(() => state(num)).not.toBe(before)
    await expect.poll(() => board().locator('.board-arriving').count()).toBe(0)
    return {asked, keys}
  }

  // The reads of every 15 seconds are not those of the move.
  beforeEach(() =>
    fleet.page.addInitScript(() => {
      const every = window.setInterval.bind(window)
      window.setInterval = ((run: () => void, time?: number) => (time === 15_000 ? 0 : every(run, time))) as typeof window.setInterval
    }),
  )

  test('reads its two columns again in one request, and nothing else', async () => {
    await openBoard()
    const {asked, keys} = await move()
    expect(asked.map(a => a.operationName)).toEqual(['UpdateIssue', 'BoardGroups'])
    expect(new Set(asked[1]!.variables.keys)).toEqual(new Set(keys))
  })

  test('in a filtered view with summaries also counts all issues, and reads the summaries', async () => {
    const cost = fleet.field('Cost')
    await openBoard(`q=e&columns=num,name,${cost}&summaries=${cost}:sum`)
    const figures = board().locator('.board-figures')
    await figures.first().waitFor()
    await expect.poll(() => figures.filter({hasText: '…'}).count()).toBe(0)
    const {asked} = await move()
    // The summaries of columns that came into view before may still be on their way.
    const names = () => new Set(asked.map(a => a.operationName))
    await expect.poll(names).toEqual(new Set(['UpdateIssue', 'BoardGroups', 'GridCount', 'GridGroupSummaries']))
  })
})
