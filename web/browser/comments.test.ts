// Comments in the side panel: written, previewed, answered, changed and deleted, and by users with different rights.
import type {Page} from 'playwright-core'
import {describe, expect, test} from 'vitest'
import {look, sampleFleet, violations} from './fleet'
import {signIn} from './signin'

const fleet = sampleFleet()
const panel = (page: Page = fleet.page) => page.getByRole('complementary', {name: /^Issue FLEET-\d+$/})
const comments = (page: Page = fleet.page) => panel(page).locator('.comments:not(.replies) > li > article')
const openTab = (page: Page = fleet.page) => panel(page).getByRole('tab', {name: 'Comments'}).click()
const box = (name: string, page: Page = fleet.page) => panel(page).getByRole('textbox', {name})

/** Returns what the API has of the comments on an issue, newest first. */
async function stored(num: number) {
  const {api, project} = fleet
  const {id} = await api.issue(project, num)
  interface Stored {
    body: string
    editCount: number
    replies: {nodes: {body: string}[]}
  }
  const {issue} = await api.ask<{issue: {comments: {nodes: Stored[]}}}>(
    'query ($id: ID!) { issue(id: $id) { comments { nodes { body editCount replies { nodes { body } } } } } }',
    {id},
  )
  return issue.comments.nodes.map(c => [c.body, c.editCount, ...c.replies.nodes.map(r => r.body)])
}

describe('the tab of comments', () => {
  test('a comment is previewed, written, answered, changed and deleted', async () => {
    const {grid, page} = fleet
    await grid.open(fleet.project, 'issue=21')
    await openTab()
    await panel().getByText('No comments yet.').waitFor()
    expect(await violations(page)).toEqual([])
    await box('Write a comment').fill('It **drips** again.')
    await panel().getByRole('button', {name: 'Preview'}).click()
    await panel().getByRole('region', {name: 'Preview'}).locator('strong', {hasText: 'drips'}).waitFor()
    await panel().getByRole('button', {name: 'Comment', exact: true}).click()
    await comments().locator('strong', {hasText: 'drips'}).waitFor()
    await expect.poll(() => stored(21)).toEqual([['It **drips** again.', 0]])
    await box('Write a comment').fill('Second')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => comments().count()).toBe(2)
    expect(await comments().first().locator('.markdown').innerText()).toBe('Second')

    const first = comments().nth(1)
    await first.getByRole('button', {name: 'Reply'}).click()
    await box('Write a reply').fill('A new seal helps.')
    await page.keyboard.press('Control+Enter')
    await first.locator('.replies', {hasText: 'A new seal helps.'}).waitFor()
    await look(page, 'panel-comments')
    await expect
      .poll(() => stored(21))
      .toEqual([
        ['Second', 0],
        ['It **drips** again.', 0, 'A new seal helps.'],
      ])

    await comments().first().getByRole('button', {name: 'Edit'}).click()
    await box('Edit').fill('Changed')
    await comments().first().getByRole('button', {name: 'Save'}).click()
    await comments().first().getByText('edited').waitFor()
    expect((await stored(21))[0]).toEqual(['Changed', 1])
    await first.getByRole('button', {name: 'Delete'}).first().click()
    await page.getByRole('dialog').getByText('It and its 1 reply can’t be restored.').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', {name: 'Delete'}).click()
    await expect.poll(() => comments().count()).toBe(1)
    expect(await stored(21)).toEqual([['Changed', 1]])
  })

  test('a draft is kept, more comments are loaded, and an edit does not replace another one unseen', async () => {
    const {api, grid, project} = fleet
    const {id} = await api.issue(project, 22)
    const create = (body: string) =>
      api.ask<{createComment: {comment: {id: string}}}>('mutation ($i: CreateCommentInput!) { createComment(input: $i) { comment { id } } }', {
        i: {issueId: id, body},
      })
    for (let n = 0; n < 25; n++) await create(`Comment ${n}`)
    await grid.open(project, 'issue=22')
    await openTab()
    await expect.poll(() => comments().count()).toBe(20)
    await panel().getByRole('button', {name: 'Show more'}).click()
    await expect.poll(() => comments().count()).toBe(25)
    expect(await comments().locator('.markdown').allInnerTexts()).toEqual(Array.from({length: 25}, (_, n) => `Comment ${24 - n}`))

    await box('Write a comment').fill('Half a sen')
    await panel().getByRole('tab', {name: 'History'}).click()
    await openTab()
    expect(await box('Write a comment').inputValue()).toBe('Half a sen')

    const {createComment} = await create('Mine')
    await panel().getByRole('tab', {name: 'Details'}).click()
    await openTab()
    await comments().first().getByText('Mine').waitFor()
    await api.ask('mutation ($i: UpdateCommentInput!) { updateComment(input: $i) { comment { id } } }', {
      i: {id: createComment.comment.id, body: 'Theirs'},
    })
    await comments().first().getByRole('button', {name: 'Edit'}).click()
    await box('Edit').fill('Mine, changed')
    await comments().first().getByRole('button', {name: 'Save'}).click()
    await comments().first().getByRole('alert').waitFor()
    expect(await box('Edit').inputValue()).toBe('Mine, changed')
    await comments().first().getByText('Theirs').waitFor()
    expect((await stored(22))[0]).toEqual(['Theirs', 1])
    await comments().first().getByRole('button', {name: 'Save'}).click()
    await expect.poll(() => box('Edit').count()).toBe(0)
    expect((await stored(22))[0]).toEqual(['Mine, changed', 2])
  })
})

describe('nothing is lost', () => {
  const focused = () => fleet.page.evaluate(() => document.activeElement?.textContent)

  test('texts of edits and replies are kept, and the focus stays in the panel', async () => {
    const {api, grid, page, project} = fleet
    const {id} = await api.issue(project, 23)
    await api.ask('mutation ($i: CreateCommentInput!) { createComment(input: $i) { comment { id } } }', {i: {issueId: id, body: 'First'}})
    await grid.open(project, 'issue=23')
    await openTab()
    await comments().first().getByRole('button', {name: 'Edit'}).click()
    await box('Edit').fill('First, changed')
    await comments().first().getByRole('button', {name: 'Reply'}).click()
    await box('Write a reply').fill('Half a reply')
    await panel().getByRole('tab', {name: 'History'}).click()
    await openTab()
    expect(await box('Edit').inputValue()).toBe('First, changed')
    expect(await box('Write a reply').inputValue()).toBe('Half a reply')

    await box('Edit').press('Escape')
    expect(await focused()).toBe('Cancel')
    expect(await box('Edit').count()).toBe(1)
    await box('Edit').press('Control+Enter')
    await expect.poll(() => box('Edit').count()).toBe(0)
    await expect.poll(focused).toBe('Edit')
    await box('Write a reply').press('Control+Enter')
    await expect.poll(() => box('Write a reply').count()).toBe(0)
    await expect.poll(focused).toBe('Reply')
    await expect.poll(() => stored(23)).toEqual([['First, changed', 1, 'Half a reply']])
    await comments().first().getByRole('button', {name: 'Delete'}).first().click()
    await page.getByRole('dialog').getByRole('button', {name: 'Delete'}).click()
    await expect.poll(() => comments().count()).toBe(0)
    await expect.poll(focused).toBe('Comments')
  })

  test('a comment whose response is lost is written once, however often it is sent', async () => {
    const {grid, page, project} = fleet
    await grid.open(project, 'issue=24')
    await openTab()
    await page.route('**/graphql', async route => {
      if (!route.request().postData()?.includes('createComment')) return route.continue()
      await route.fetch()
      await route.abort('internetdisconnected')
    })
    await box('Write a comment').fill('Only once')
    await page.keyboard.press('Control+Enter')
    await panel().getByRole('alert').waitFor()
    await page.unroute('**/graphql')
    expect(await box('Write a comment').inputValue()).toBe('Only once')
    await page.keyboard.press('Control+Enter')
    await comments().first().getByText('Only once').waitFor()
    expect(await stored(24)).toEqual([['Only once', 0]])
    await box('Write a comment').fill('Only once')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => comments().count()).toBe(2) // the same text again is another comment
  })
})

describe('with sign-in', () => {
  const users = signIn()

  test('users react, change their own comments, and readers only read', async () => {
    const api = users.api('ada', 'editor')
    const {project} = await api.ask<{project: {issueByNum: {id: string}}}>('query ($p: ID!) { project(id: $p) { issueByNum(num: 3) { id } } }', {
      p: users.project,
    })
    await api.ask('mutation ($i: CreateCommentInput!) { createComment(input: $i) { comment { id } } }', {i: {issueId: project.issueByNum.id, body: 'By Ada'}})
    const open = async (user: string, role: string) => {
      const opened = await users.as(user, role)
      await opened.grid.open(users.project, 'issue=3')
      await openTab(opened.page)
      await comments(opened.page).first().getByText('By Ada').waitFor()
      return opened
    }
    const buttons = async (page: Page) => (await comments(page).first().getByRole('button').allInnerTexts()).map(t => t.trim().replace(/\s+/g, ' '))
    const ada = await open('ada', 'editor')
    expect(await buttons(ada.page)).toEqual(['React', 'Reply', 'Edit', 'Delete'])
    expect(await comments(ada.page).first().locator('header b').innerText()).toBe('ada')

    const bob = await open('bob', 'editor')
    expect(await buttons(bob.page)).toEqual(['React', 'Reply'])
    await comments(bob.page).first().getByRole('button', {name: 'React'}).click()
    await bob.page.getByRole('menuitem', {name: 'Heart'}).click()
    const heart = (page: Page, n: number) =>
      comments(page)
        .first()
        .getByRole('button', {name: `Heart: ${n}`})
    await heart(bob.page, 1).waitFor()
    expect(await heart(bob.page, 1).getAttribute('aria-pressed')).toBe('true')
    expect(await violations(bob.page)).toEqual([])
    await ada.page.reload()
    await openTab(ada.page)
    expect(await heart(ada.page, 1).getAttribute('aria-pressed')).toBe('false')
    await heart(ada.page, 1).click()
    await heart(ada.page, 2).waitFor()
    await heart(bob.page, 1).click()
    await expect.poll(() => heart(bob.page, 1).getAttribute('aria-pressed')).toBe('false')

    const eve = await open('eve', 'reader')
    expect(await buttons(eve.page)).toEqual(['❤️ 1'])
    expect(await panel(eve.page).getByRole('textbox').count()).toBe(0)
    expect(await violations(eve.page)).toEqual([])
    for (const user of [ada, bob, eve]) {
      expect(user.troubles).toEqual([])
      await user.close()
    }
  })
})
