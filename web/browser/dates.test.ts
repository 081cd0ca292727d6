// The editor of a date. What can be typed is in cells.test.ts.
import {describe, expect, test} from 'vitest'
import {look, sampleFleet} from './fleet'

const fleet = sampleFleet()

describe('an editor of a date', () => {
  test('shows what was understood above the rows below, and its calendar', async () => {
    const {field, grid, page, project} = fleet
    await grid.open(project)
    await grid.cell(3, field('Due')).click()
    await page.keyboard.type('12/24/2026')
    await page.getByText('Thursday, December 24, 2026').waitFor()
    const note = await page.locator('.reading').boundingBox()
    expect(await page.evaluate(({x, y}) => document.elementFromPoint(x, y)?.className, {x: note!.x + 20, y: note!.y + note!.height / 2})).toBe('reading')
    await look(page, 'edit-date')
    await page.getByRole('button', {name: 'Calendar for Due'}).click()
    await page.keyboard.press('Escape')
    await grid.press('Escape')
  })

  test('keeps the value if what was typed is no date and the user clicks elsewhere, and says so', async () => {
    const {api, field, grid, page, project} = fleet
    const before = await api.value(project, 6, field('Due'))
    await grid.open(project)
    await grid.cell(5, field('Due')).click()
    await page.keyboard.type('2026-1')
    await grid.cell(8, 'name').click()
    await page.getByText('“Due” was not saved: “2026-1” is not a date (example: 2026-01-31).').waitFor()
    expect(await grid.cell(5, field('Due')).textContent()).toBe(new Date(before).toLocaleDateString('en-US', {dateStyle: 'medium', timeZone: 'UTC'}))
    expect(await api.value(project, 6, field('Due'))).toBe(before)
  })

  test('is not emptied by a half-deleted date', async () => {
    const {api, field, grid, page, project} = fleet
    const num = 102
    const issue = await api.issue(project, num)
    await api.update(issue.id, {values: [{fieldId: field('Due'), value: {date: '2026-05-06'}}]})
    await grid.open(project)
    await grid.scrollTo(num - 1)
    await grid.cell(num - 1, field('Due')).click()
    await grid.press('Enter', 'End', 'Backspace', 'Backspace', 'Enter')
    await page.getByRole('alert').filter({hasText: 'is not a date'}).waitFor()
    await grid.press('Escape')
    expect(await api.value(project, num, field('Due'))).toBe('2026-05-06')
  })
})
