import fc from 'fast-check'
import { expect, test } from 'vitest'
import { downPorts, pgft } from '../src/index.ts'
import { linksOf, shapes } from './arbitraries.ts'

test('downPorts gives the nodes of a leaf, or the links from below a switch, in the order of ids', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const topology = pgft(shape)
      downPorts(topology).forEach(({ first, below, portOf }, level) => {
        const count = level === 0 ? topology.nodes : topology.levels[level - 1].links
        const above =
          level === 0 ? [...topology.leafOfNode] : linksOf(topology, level - 1).map(([, , parent]) => parent)
        for (let sw = 0; sw < topology.levels[level].switches; sw++) {
          const expected = Array.from({ length: count }, (_, id) => id).filter((id) => above[id] === sw)
          expect([...below.subarray(first[sw], first[sw + 1])]).toEqual(expected)
          expect(expected.map((id) => portOf[id])).toEqual(expected.map((_, port) => port))
        }
      })
    }),
    { numRuns: 50 },
  )
})
