import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { occupancyOf } from '../src/page/gantt/heat.ts'
import { columnsOf } from './span-columns.ts'

it('`occupancyOf` returns the held share of the node-time of each band of nodes in each column of pixels', () => {
  const span = fc.record({
    start: fc.nat(20),
    length: fc.nat(9),
    first: fc.nat(9),
    nodes: fc.integer({ min: 1, max: 6 }),
    runs: fc.boolean(),
  })
  const frame = fc.record({
    from: fc.nat(10),
    length: fc.integer({ min: 1, max: 20 }),
    width: fc.integer({ min: 1, max: 7 }),
  })
  const bands = fc.uniqueArray(fc.nat(15), { minLength: 2, maxLength: 5 }).map((all) => all.toSorted((a, b) => a - b))
  fc.assert(
    fc.property(fc.array(span, { maxLength: 4 }), frame, bands, (spans, { from, length, width }, edges) => {
      const now = 25
      const taken = spans.map(({ start, length: lasts, first, nodes, runs }) => ({
        start,
        end: runs ? Number.NaN : start + lasts,
        first,
        last: first + nodes - 1,
      }))
      const shares = occupancyOf(columnsOf(taken), { from, to: from + length, width }, edges, now)
      for (let band = 0; band + 1 < edges.length; band++)
        for (let x = 0; x < width; x++) {
          const [left, right] = [x, x + 1].map((at) => from + (at / width) * length)
          let held = 0
          for (const { start, length: lasts, first, nodes, runs } of spans) {
            const time = Math.min(right, runs ? now : start + lasts) - Math.max(left, start)
            const among = Math.min(first + nodes, edges[band + 1]) - Math.max(first, edges[band])
            if (time > 0 && among > 0) held += time * among
          }
          const all = (right - left) * (edges[band + 1] - edges[band])
          expect(shares[band * width + x]).toBeCloseTo(Math.min(1, held / all), 4)
        }
    }),
  )
})
