import {describe, expect, test} from 'vitest'
import {isProjects, projectsQuery} from '../ui/url'
import {kinds, orders, readPlace, statuses, writePlace} from './place'

describe('the URL of the user’s issues', () => {
  test('is read as it was written', () => {
    for (const kind of kinds)
      for (const status of statuses)
        for (const order of orders)
          for (const byProject of [true, false]) {
            const place = {kind, status, order, byProject}
            expect(readPlace(writePlace(place))).toEqual(place)
          }
  })
  test('has no default values, and ignores what is invalid', () => {
    const usual = {kind: 'mine', status: 'open', order: 'updated', byProject: true} as const
    expect(writePlace(usual)).toBe('')
    expect(readPlace('?work=x&status=&order=Open&group=1')).toEqual(usual)
  })
  test('is not that of the projects', () => {
    expect(isProjects(projectsQuery)).toBe(true)
    expect(isProjects('')).toBe(false)
    expect(isProjects(writePlace({kind: 'teams', status: 'all', order: 'number', byProject: false}))).toBe(false)
  })
})
