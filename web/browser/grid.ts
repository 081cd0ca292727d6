// The grid as a user sees and operates it.
import type {Page} from 'playwright-core'

/** A visible row: its index, and the strings of its cells by column. */
export interface Shown {
  index: number
  cells: Record<string, string>
}

const rowHeight = 34

export class GridPage {
  constructor(readonly page: Page) {}

  /** Opens a project's grid, with more parameters for the URL's query. */
  async open(project: string, query = ''): Promise<void> {
    await this.page.goto(`/?project=${project}${query && '&' + query}`)
    await this.settled()
  }

  get grid() {
    return this.page.getByRole('grid')
  }

  /** Waits until every visible row is loaded. */
  async settled(): Promise<void> {
    await this.page.waitForFunction(() => {
      const grid = document.querySelector('[role=grid]')
      if (!grid || grid.getAttribute('aria-busy') === 'true') return false
      const {top, bottom} = grid.getBoundingClientRect()
      const height = Number(grid.querySelector<HTMLElement>('.grid-body')?.style.height.replace('px', ''))
      const rows = [...grid.querySelectorAll<HTMLElement>('.grid-body > [role=row]')].filter(r => {
        const box = r.getBoundingClientRect()
        return box.bottom > top + 40 && box.top < bottom
      })
      return (height === 0 || rows.length > 0) && rows.every(r => !r.querySelector('.bone'))
    })
  }

  /** Returns the rendered rows: the visible ones and some around them. */
  rows(): Promise<Shown[]> {
    return this.page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('.grid-body > [role=row]')]
        .filter(row => !row.querySelector('.bone'))
        .map(row => ({
          index: Number(row.getAttribute('aria-rowindex')) - 2,
          cells: Object.fromEntries([...row.querySelectorAll<HTMLElement>('[data-column]')].map(c => [c.dataset.column!, cellText(c)])),
        }))
        .sort((a, b) => a.index - b.index),
    )
  }

  async scrollTo(index: number): Promise<void> {
    await this.count() // before that, the grid is only as tall as its loaded rows
    await this.page.evaluate(top => {
      const grid = document.querySelector('[role=grid]')!
      grid.scrollTop = top
      return new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    }, index * rowHeight)
    await this.settled()
  }

  /** Returns the first visible row. */
  async top(): Promise<Shown | undefined> {
    const first = await this.page.evaluate(height => Math.ceil(document.querySelector('[role=grid]')!.scrollTop / height), rowHeight)
    return (await this.rows()).find(r => r.index === first)
  }

  cell(row: number, column: string) {
    return this.page.locator(`[aria-rowindex="${row + 2}"] [data-column="${column}"]`)
  }

  header(column: string) {
    return this.page.locator(`[role=columnheader][data-column="${column}"]`)
  }

  press(...keys: string[]): Promise<void> {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve())
  }

  /** Waits until all edits are saved. */
  async saved(): Promise<void> {
    await this.page.waitForFunction(() => !/Saving/.test(document.querySelector('footer.status')?.textContent ?? ''))
  }

  /** Returns the number of rows as the page shows it. */
  async count(): Promise<string> {
    await this.page.waitForFunction(() => !document.querySelector('[data-testid=count]')?.textContent?.includes('…'))
    return (await this.page.getByTestId('count').textContent()) ?? ''
  }
}

/** Delays the requests that contain a text, by milliseconds. */
export const delay = (page: Page, time: number, text = ''): Promise<unknown> =>
  page.route('**/graphql', async route => {
    if (route.request().postData()?.includes(text)) await new Promise(resolve => setTimeout(resolve, time))
    await route.continue()
  })

/** Installs a function in the page that returns the string of a cell, with its pills separated. */
export function cellTexts(): void {
  Object.assign(window, {
    cellText: (cell: HTMLElement) => {
      const pills = [...cell.querySelectorAll('.pill')]
      return pills.length > 0 ? pills.map(p => p.textContent).join(', ') : cell.textContent
    },
  })
}

declare global {
  function cellText(cell: HTMLElement): string
}
