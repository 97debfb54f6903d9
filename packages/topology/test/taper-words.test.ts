import { expect, test } from 'vitest'
import { describeTaper, levelName, parseTopology, tapersOf, taperText } from '../src/index.ts'

test('describeTaper names the levels with fewer links up than down, and nothing for a full tree', () => {
  expect(describeTaper(parseTopology('radix:4'))).toBeUndefined()
  const tapered = parseTopology('pgft:3;4,2,2;1,2,1;1,1,1')
  expect(describeTaper(tapered)).toBe('4 nodes over 2 uplinks of a leaf, 2 links over 1 uplink of an L2 switch')
  expect(tapersOf(tapered).map(taperText)).toEqual(['2:1', '2:1'])
})

test('taperText rounds to two digits, and levelName names every level', () => {
  expect([taperText({ down: 4, up: 3 }), taperText({ down: 4, up: 0 })]).toEqual(['1.33:1', 'none'])
  expect([0, 1, 2, 3].map(levelName)).toEqual(['leaf', 'L2', 'spine', 'L4'])
})
