import { expect, it } from 'vitest'
import { mix } from '../src/page/drawing/colors.ts'
import { idleColor } from '../src/page/gantt/layers.ts'

const colors = { none: 0xff_ff_ff_ff, few: 0xff_00_ff_00, fragmented: 0xff_00_00_ff }

it('`idleColor` is loud if a waiting job needs no more nodes than are idle, and undefined if no job waits', () => {
  expect(idleColor(0, 0, 0, colors)).toBeUndefined()
  expect(idleColor(5, 0, 0, colors)).toBeUndefined()
  expect(idleColor(Number.NaN, 0, 0, colors)).toBeUndefined()
  expect(idleColor(5, 0, 5, colors)).toBe(mix(colors.none, colors.fragmented, 0.75))
  expect(idleColor(5, 5, 0, colors)).toBe(mix(colors.none, colors.few, 0.75))
  expect(idleColor(10, 0, 5, colors)).toBe(mix(colors.none, colors.fragmented, 0.375))
})
