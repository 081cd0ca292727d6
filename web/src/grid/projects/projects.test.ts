import {expect, test} from 'vitest'
import {ago} from './facts'

const now = new Date('2026-11-24T12:00:00Z')

test.each([
  ['2026-11-24T11:59:30Z', 'now'],
  ['2026-11-24T12:00:05Z', 'now'], // the clock of the server is ahead
  ['2026-11-24T11:58:59Z', '1 minute ago'],
  ['2026-11-24T09:00:00Z', '3 hours ago'],
  ['2026-11-23T11:00:00Z', 'yesterday'],
  ['2026-11-05T12:00:00Z', '2 weeks ago'],
  ['2025-11-01T12:00:00Z', 'last year'],
])('%s was %s', (time, expected) => expect(ago(time, now, 'en')).toBe(expected))

test('in another language', () => expect(ago('2026-11-21T12:00:00Z', now, 'de')).toBe('vor 3 Tagen'))
