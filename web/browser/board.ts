// The board of a page on the sample data, for tests.
import type {Page} from 'playwright-core'
import {expect} from 'vitest'
import type {Fleet} from './fleet'

export interface Group {
  key: string
  name: string | null
  totalCount: number
  issues: {nodes: {num: number}[]}
  last: {nodes: {num: number}[]}
}

/** Returns functions that read the board of a page, and use it. */
export function boardOf(fleet: Fleet) {
  /** Returns the groups of the API, with their first issues in an order. */
  async function oracle(by: Record<string, unknown> = {column: {builtin: 'STATE'}}, orderBy: unknown = null, where: unknown = null): Promise<Group[]> {
    const {project} = await fleet.api.ask<{project: {groups: {nodes: Group[]}}}>(
      `query ($p: ID!, $by: [IssueGroupBy!]!, $orderBy: [IssueOrder!], $where: IssueFilter) { project(id: $p) {
        groups(by: $by, first: 100, empty: true, orderBy: $orderBy, where: $where) { nodes { key name totalCount issues(first: 100) { nodes { num } } last: issues(last: 1) { nodes { num } } } } } }`,
      {p: fleet.project, by: [by], orderBy, where},
    )
    return project.groups.nodes
  }

  const param = (name: string) => new URL(fleet.page.url()).searchParams.get(name)
  const board = () => fleet.page.getByTestId('board')
  const column = (key: string) => board().locator(`.board-column[data-group="${key}"]`)
  const card = (num: number) => board().locator(`a[data-num="${num}"]`)
  const countOf = async (key: string) => (await column(key).locator('.group-count').textContent()) ?? ''

  /** Returns the numbers of the rendered cards of a column, from the top. */
  const cardsOf = (key: string) =>
    column(key)
      .locator('.board-cards [data-card]')
      .evaluateAll(all =>
        all
          .sort((a, b) => Number((a as HTMLElement).dataset.card) - Number((b as HTMLElement).dataset.card))
          .map(c => Number(c.querySelector<HTMLElement>('[data-num]')?.dataset.num)),
      )
  const state = async (num: number) => (await fleet.api.issue(fleet.project, num)).state.name

  /** Waits until a column has its count and its first cards. */
  async function expectColumn({key, totalCount, issues}: Group, cards = 5): Promise<void> {
    await expect.poll(() => countOf(key)).toBe(totalCount.toLocaleString('en-US'))
    const want = issues.nodes.slice(0, cards).map(i => i.num)
    await expect.poll(async () => (await cardsOf(key)).slice(0, cards)).toEqual(want)
  }

  async function openBoard(query = ''): Promise<void> {
    await fleet.page.goto(`/?project=${fleet.project}&layout=board${query && '&' + query}`)
    await fleet.page.waitForFunction(() => {
      const board = document.querySelector('[data-testid=board]')
      return board?.getAttribute('aria-busy') === 'false' && board.querySelector('.board-column') !== null && board.querySelector('.bone') === null
    })
  }

  /** Presses a card and moves it over a column, without releasing it. */
  async function drag(num: number, key: string): Promise<void> {
    const {mouse} = fleet.page
    const from = (await card(num).boundingBox())!
    const to = (await column(key).boundingBox())!
    await mouse.move(from.x + 40, from.y + 30)
    await mouse.down()
    await mouse.move(from.x + 60, from.y + 40)
    await mouse.move(to.x + to.width / 2, to.y + to.height / 2, {steps: 4})
  }

  const active = () =>
    fleet.page.evaluate(() => {
      const card = document.activeElement as HTMLElement | null
      return card?.dataset.num ?? card?.closest<HTMLElement>('.board-column')?.dataset.group ?? ''
    })

  return {oracle, param, board, column, card, countOf, cardsOf, state, expectColumn, openBoard, drag, active}
}

/**
 * Holds back the answers to requests with an operation, which the server has given already, or the requests themselves. `count` is that of the requests so far.
 */
export async function hold(page: Page, operation: string, what: 'answers' | 'requests' = 'answers') {
  const held: (() => void)[] = []
  const state = {count: 0, isOn: true}
  await page.route('**/graphql', async route => {
    const {operationName} = (route.request().postDataJSON() ?? {}) as {operationName?: string}
    if (operationName !== operation) return route.fallback()
    const response = what === 'answers' ? await route.fetch() : undefined
    state.count++
    if (state.isOn) await new Promise<void>(resolve => held.push(resolve))
    await (response ? route.fulfill({response}) : route.fallback())
  })
  return {
    count: () => state.count,
    /** Lets all go, also later ones. */
    release: () => {
      state.isOn = false
      held.splice(0).forEach(go => go())
    },
    /** Holds back only those that are held already. */
    noMore: () => {
      state.isOn = false
    },
  }
}
