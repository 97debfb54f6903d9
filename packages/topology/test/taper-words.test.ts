import { expect, test } from 'vitest'
import { describeTaper, levelName, parseTopology, shareOf, tapersOf, taperText } from '../src/index.ts'

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

test('shareOf returns the exact loads of a tapered tree, and nothing for other trees', () => {
  const share = (spec: string): unknown => shareOf(parseTopology(spec))
  expect(share('radix:4')).toBeUndefined()
  expect(share('kary:2:4')).toBeUndefined()
  expect(share('pgft:1;9;1;1')).toBeUndefined()
  expect(share('pgft:2;12,6;1,8;1,1')).toEqual({ uplink: [3, 2], spine: [3, 2] })
  expect(share('pgft:3;12,10,12;1,8,7;1,1,1')).toEqual({ uplink: [3, 2], spine: [15, 7] })
  // More uplinks than nodes make no taper.
  expect(share('pgft:3;2,4,2;1,4,2;1,1,1')).toEqual({ uplink: [1, 1], spine: [2, 1] })
})
