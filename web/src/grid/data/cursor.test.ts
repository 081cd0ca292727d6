import {expect, test} from 'vitest'
import {atPresent} from './cursor'

test.each([
  ['AbC_-9', 'AbC_-9'],
  ['AbC_-9.1764110069123456', 'AbC_-9'],
  ['AbC.-62135596800000000', 'AbC'],
  ['AbC~x_~Yz.0', 'AbC~x_~Yz'],
  ['', ''],
])('%s continues at the current time as %s', (cursor, want) => expect(atPresent(cursor)).toBe(want))
