import {expect, test} from 'vitest'
import {speed} from './drag'

test('the page scrolls near its edges, the faster the closer the pointer is', () => {
  expect([100, 124, 300, 576, 600].map(at => speed(at, 100, 600))).toEqual([-1100, -550, 0, 550, 1100])
  expect([speed(148, 100, 600), speed(552, 100, 600)].map(Math.abs)).toEqual([0, 0])
})

test('beyond an edge it is not faster, and a small box has room between its edges', () => {
  expect([speed(-500, 100, 600), speed(5000, 100, 600)]).toEqual([-1100, 1100])
  expect(speed(130, 100, 160)).toBe(0)
  expect(speed(115, 100, 160)).toBeLessThan(0)
})
