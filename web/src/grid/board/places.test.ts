import {describe, expect, test} from 'vitest'
import {columnAt, header, keyMove, shownCard, type Place} from './places'

/** Columns with 3 cards, with none, and with 1. */
const cards = [3, 0, 1]
const size = {columns: 3, cards: (column: number) => cards[column]!, page: 2}

function press(key: string, from: Place, held: Partial<Record<'ctrlKey' | 'altKey' | 'shiftKey', boolean>> = {}): [number, number] | null {
  const to = keyMove({key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held}, from, size)
  return to && [to.column, to.card]
}

describe('keys', () => {
  test('arrows lead to the next card, and to the header above the first', () => {
    expect(press('ArrowDown', {column: 0, card: 0})).toEqual([0, 1])
    expect(press('ArrowDown', {column: 0, card: 2})).toEqual([0, 2])
    expect(press('ArrowUp', {column: 0, card: 1})).toEqual([0, 0])
    expect(press('ArrowUp', {column: 0, card: 0})).toEqual([0, header])
    expect(press('ArrowUp', {column: 0, card: header})).toEqual([0, header])
    expect(press('ArrowDown', {column: 0, card: header})).toEqual([0, 0])
  })

  test('arrows lead to the same height in the next column, or to its last card or header', () => {
    expect(press('ArrowRight', {column: 0, card: 2})).toEqual([1, header])
    expect(press('ArrowRight', {column: 1, card: header})).toEqual([2, header])
    expect(press('ArrowRight', {column: 2, card: 0})).toEqual([2, 0])
    expect(press('ArrowLeft', {column: 2, card: 0})).toEqual([1, header])
    expect(press('ArrowLeft', {column: 0, card: 1})).toEqual([0, 1])
  })

  test('with Ctrl, to the edge', () => {
    expect(press('ArrowRight', {column: 0, card: 2}, {ctrlKey: true})).toEqual([2, 0])
    expect(press('ArrowDown', {column: 0, card: 0}, {ctrlKey: true})).toEqual([0, 2])
    expect(press('ArrowUp', {column: 0, card: 2}, {ctrlKey: true})).toEqual([0, 0])
    expect(press('Home', {column: 2, card: 0}, {ctrlKey: true})).toEqual([0, 0])
    expect(press('End', {column: 0, card: 0}, {ctrlKey: true})).toEqual([2, 0])
  })

  test('pages, and both ends of a column', () => {
    expect(press('PageDown', {column: 0, card: 0})).toEqual([0, 2])
    expect(press('PageUp', {column: 0, card: 1})).toEqual([0, 0])
    expect(press('PageUp', {column: 0, card: header})).toEqual([0, header])
    expect(press('End', {column: 0, card: 0})).toEqual([0, 2])
    expect(press('Home', {column: 0, card: 2})).toEqual([0, 0])
    expect(press('End', {column: 1, card: header})).toEqual([1, header])
  })

  test('others are of the page', () => {
    expect(press('a', {column: 0, card: 0})).toBeNull()
    expect(press('ArrowDown', {column: 0, card: 0}, {altKey: true})).toBeNull()
    expect(press('ArrowDown', {column: 0, card: 0}, {shiftKey: true})).toBeNull()
  })
})

test('a hidden card is skipped', () => {
  const near = (card: number, hidden: number[], up = false) => shownCard(card, 4, i => hidden.includes(i), up)
  expect([near(1, []), near(1, [1]), near(1, [1, 2]), near(1, [1], true), near(3, [3]), near(2, [2, 3])]).toEqual([1, 2, 3, 0, 2, 1])
  expect([near(0, [0], true), near(0, [0, 1, 2, 3]), near(header, [0])]).toEqual([header, header, header])
})

test('a card is dropped on the column below the pointer, and outside of the board on none', () => {
  const board = {left: 10, right: 500, top: 100, bottom: 600}
  const columns = [
    {key: 'a', left: -90, right: 200},
    {key: 'b', left: 212, right: 600},
  ]
  expect([15, 199, 200, 212, 500].map(x => columnAt(x, 300, board, columns))).toEqual(['a', 'a', null, 'b', 'b'])
  expect([columnAt(5, 300, board, columns), columnAt(550, 300, board, columns)]).toEqual([null, null])
  expect([columnAt(50, 99, board, columns), columnAt(50, 601, board, columns)]).toEqual([null, null])
})
