import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  cableOf,
  isFullBisection,
  linkId,
  parentOf,
  parseTopology,
  pgft,
  portOfLink,
  switchGraph,
  switchOfLink,
  tapersOf,
  type Topology,
  topologyToJson,
  upPorts,
} from '../src/index.ts'
import { shapes } from './arbitraries.ts'

/** Returns a regular tree as a switch graph without `pgft`, because `links.ts` has separate code for such graphs. */
function asGraph(topology: Topology): Topology {
  const { m, w, p } = topology.pgft!
  const leaves = Array<number>(topology.leaves).fill(m[0])
  const parents = topology.levels.slice(0, -1).map(({ switches, parentOfLink }, level) => {
    const ports = w[level + 1] * p[level + 1]
    return Array.from({ length: switches }, (_, sw) => [...parentOfLink.subarray(sw * ports, (sw + 1) * ports)])
  })
  return switchGraph({ name: topology.name, leaves, parents })
}

test('a regular tree and its switch graph have equal topologies, except for the shape', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const { pgft: _, ...tree } = pgft(shape)
      expect(asGraph(pgft(shape))).toEqual(tree)
    }),
  )
})

test('link ids ascend with switch and up-port; switchOfLink and portOfLink are the inverse of linkId; parentOf and cableOf give the parent and cable of each link', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const tree = pgft(shape)
      for (const topology of [tree, asGraph(tree)]) {
        for (let level = 0; level < topology.levels.length; level++) {
          const parents = shape.w[level + 1] ?? 0
          let link = 0
          for (let sw = 0; sw < topology.levels[level].switches; sw++) {
            for (let port = 0; port < upPorts(topology, level, sw); port++, link++) {
              expect(linkId(topology, level, sw, port)).toBe(link)
              expect(switchOfLink(topology, level, link)).toBe(sw)
              expect(portOfLink(topology, level, link)).toBe(port)
              expect(parentOf(topology, level, sw, port)).toBe(topology.levels[level].parentOfLink[link])
              expect(cableOf(topology, level, sw, port)).toBe(Math.floor(port / parents))
            }
          }
          expect(link).toBe(topology.levels[level].links)
        }
      }
    }),
    { numRuns: 50 },
  )
})

test('switchOfLink skips switches without up-ports', () => {
  const topology = switchGraph({ name: 'x', leaves: [1, 1, 1, 1, 1], parents: [[[], [0, 0], [], [], [1]]] })
  expect([0, 1, 2].map((link) => switchOfLink(topology, 0, link))).toEqual([1, 1, 4])
  expect([0, 1].map((port) => cableOf(topology, 0, 1, port))).toEqual([0, 1])
})

test('L2 switch i of every pod of Cab reaches the spines 2i and 2i+1 by 9 cables each', () => {
  const cab = parseTopology('cab')
  for (let pod = 0; pod < 4; pod++) {
    for (let i = 0; i < 18; i++) {
      for (let port = 0; port < 18; port++) {
        expect(parentOf(cab, 1, pod * 18 + i, port)).toBe(2 * i + (port % 2))
        expect(cableOf(cab, 1, pod * 18 + i, port)).toBe(Math.floor(port / 2))
      }
    }
  }
})

test('isFullBisection is true if and only if no switch below the top has fewer links up than down', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const { m, w, p } = shape
      const full = m.every((_, l) => l + 1 === m.length || w[l + 1] * p[l + 1] >= m[l] * p[l])
      expect(isFullBisection(pgft(shape))).toBe(full)
      expect(isFullBisection(asGraph(pgft(shape)))).toBe(full)
    }),
  )
})

test('tapersOf gives the numbers of links down and up of the most tapered switch of each level below the top', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const { m, w, p } = shape
      const tapers = m.slice(1).map((_, l) => ({ down: m[l] * p[l], up: w[l + 1] * p[l + 1] }))
      expect(tapersOf(pgft(shape))).toEqual(tapers)
    }),
  )
  const uneven = switchGraph({ name: 'uneven', leaves: [2, 5, 4], parents: [[[0, 1], [0, 1], [0]]] })
  expect(tapersOf(uneven)).toEqual([{ down: 4, up: 1 }])
})

test('topologyToJson lists the parents of a switch in the order of its up-ports', () => {
  const graph = asGraph(pgft({ m: [2, 3], w: [1, 2], p: [1, 2] }))
  expect(topologyToJson(graph)).toMatchObject({ graph: { leaves: [2, 2, 2], parents: [Array(3).fill([0, 1, 0, 1])] } })
})
