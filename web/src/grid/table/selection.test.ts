import {expect, test} from 'vitest'
import {contains, extended, footerRow, keyMove, rectangle} from './selection'

const size = {rows: 1000, columns: 10, page: 20}
const press = (key: string, row: number, column: number, held: 'ctrl' | 'meta' | 'alt' | null = null) =>
  keyMove({key, ctrlKey: held === 'ctrl', metaKey: held === 'meta', altKey: held === 'alt'}, {row, column}, size)

test.each<[string, 'ctrl' | 'meta' | null, [number, number], [number, number]]>([
  ['ArrowDown', null, [5, 5], [6, 5]],
  ['ArrowUp', null, [5, 5], [4, 5]],
  ['ArrowUp', null, [0, 5], [-1, 5]],
  ['ArrowDown', null, [-1, 5], [0, 5]],
  ['ArrowLeft', null, [5, 5], [5, 4]],
  ['ArrowRight', null, [5, 5], [5, 6]],
  ['ArrowDown', 'ctrl', [5, 5], [999, 5]],
  ['ArrowUp', 'meta', [5, 5], [0, 5]],
  ['ArrowRight', 'ctrl', [5, 5], [5, 9]],
  ['ArrowLeft', 'meta', [5, 5], [5, 0]],
  ['Home', null, [5, 5], [5, 0]],
  ['End', null, [5, 5], [5, 9]],
  ['Home', 'ctrl', [5, 5], [0, 0]],
  ['End', 'ctrl', [5, 5], [999, 9]],
  ['PageDown', null, [5, 5], [25, 5]],
  ['PageUp', null, [25, 5], [5, 5]],
  ['PageUp', null, [5, 5], [0, 5]],
  ['PageUp', null, [-1, 5], [-1, 5]],
])('%s with %s leads from %j to %j', (key, held, [row, column], [toRow, toColumn]) =>
  expect(press(key, row, column, held)).toEqual({row: toRow, column: toColumn}),
)

test.each<[string, boolean, number, number]>([
  ['ArrowDown', false, 999, footerRow],
  ['ArrowDown', false, 998, 999],
  ['ArrowDown', true, 5, 999],
  ['PageDown', false, 990, 1010],
  ['ArrowDown', false, footerRow, footerRow],
  ['PageDown', false, footerRow, footerRow],
  ['ArrowRight', false, footerRow, footerRow],
  ['End', false, footerRow, footerRow],
  ['ArrowUp', false, footerRow, 999],
  ['PageUp', false, footerRow, 980],
  ['Home', true, footerRow, 0],
])('with a footer, %s (Ctrl: %s) leads from row %d to row %d', (key, ctrlKey, row, to) =>
  expect(keyMove({key, ctrlKey, metaKey: false, altKey: false}, {row, column: 5}, {...size, hasFooter: true})?.row).toBe(to),
)

test('other keys lead nowhere', () => {
  for (const key of ['a', 'Enter', 'Tab', 'Escape', ' ', 'constructor']) expect(press(key, 5, 5)).toBeNull()
  for (const key of ['ArrowDown', 'Home', 'PageUp']) expect(press(key, 5, 5, 'alt')).toBeNull()
})

test('a rectangle lies between the active cell and its anchor', () => {
  expect(rectangle({active: {row: 2, column: 7}, anchor: {row: 5, column: 3}})).toEqual({top: 2, bottom: 5, left: 3, right: 7})
  const one = rectangle({active: {row: 2, column: 7}, anchor: null})
  expect(one).toEqual({top: 2, bottom: 2, left: 7, right: 7})
  expect([1, 2, 3].map(row => contains(one, row))).toEqual([false, true, false])
})

test.each([
  [
    {row: 5, column: 2},
    {top: 1, bottom: 5, left: 1, right: 2},
  ],
  [
    {row: 2, column: 6},
    {top: 1, bottom: 2, left: 1, right: 6},
  ],
  [
    {row: 4, column: 3},
    {top: 1, bottom: 4, left: 1, right: 2},
  ], // two rows down are farther than one column
  [
    {row: 3, column: 3},
    {top: 1, bottom: 3, left: 1, right: 2},
  ],
  [
    {row: 0, column: 0},
    {top: 1, bottom: 2, left: 1, right: 2},
  ],
  [
    {row: 0, column: 4},
    {top: 1, bottom: 2, left: 1, right: 4},
  ],
])('the fill handle at %j extends the range to %j', (place, expected) => {
  expect(extended({top: 1, bottom: 2, left: 1, right: 2}, place)).toEqual(expected)
})
