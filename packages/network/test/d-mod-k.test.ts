import type { Routes } from '@cloister/placement'
import { downPorts, parseTopology, pgft, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dModK, followOn, RoutingError } from '../src/index.ts'
import { shapes } from './shapes.ts'

/** Returns the number of flows on every link in each direction, under the given routes. */
function loads(
  topology: Topology,
  routes: Routes,
  flows: ReadonlyArray<readonly [number, number]>,
): ReadonlyMap<string, number> {
  const follow = followOn(topology)
  const load = new Map<string, number>()
  for (const [from, to] of flows) {
    follow(routes, from, to, (level, link, up) => {
      const key = `${up ? 'up' : 'down'} ${level} ${link}`
      load.set(key, (load.get(key) ?? 0) + 1)
    })
  }
  return load
}

test('D-mod-k leads from every node to every node on a shortest way', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const topology = pgft(shape)
      const routes = dModK(topology)
      const follow = followOn(topology)
      for (let from = 0; from < topology.nodes; from++) {
        for (let to = 0; to < topology.nodes; to++) {
          const visited: Array<number> = []
          follow(routes, from, to, (level, _, up) => up && visited.push(level))
          let leaves: readonly [number, number] = [topology.leafOfNode[from], topology.leafOfNode[to]]
          let climbed = 0
          for (let l = 1; leaves[0] !== leaves[1]; l++, climbed++)
            leaves = [Math.floor(leaves[0] / shape.m[l]), Math.floor(leaves[1] / shape.m[l])]
          expect(visited).toEqual(Array.from({ length: climbed }, (_, level) => level))
        }
      }
    }),
    { numRuns: 60 },
  )
})

test('D-mod-k gives the ports of radix:4 that were computed by hand', () => {
  const topology = parseTopology('radix:4')
  const routes = dModK(topology)
  const towards = (level: number, sw: number): ReadonlyArray<number> =>
    Array.from({ length: 16 }, (_, node) => routes.port(level, sw, node))
  // Leaf 0 has nodes 0 and 1. Messages for all other nodes go up by the last bit of the node's id.
  expect(towards(0, 0)).toEqual([0, 1, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3])
  // The leaves of pod 0 have nodes 0-1 and 2-3. At L2 switch 1, messages for all other nodes go up by the second-last
  // bit.
  expect(towards(1, 1)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3, 2, 2, 3, 3])
  // A spine has one down-port for each pod.
  expect(towards(2, 3)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
})

test.each([
  'radix:4',
  'radix:8',
  'pgft:3;3,3,6;1,3,3;1,1,1',
  'kary:2:4',
  'pgft:3;4,4,2;1,4,2;1,1,2',
  'pgft:2;6,4;1,3;1,2',
])('on the tree %s with full bisection, D-mod-k puts at most one flow on a link for every shift (Zahavi)', (spec) => {
  const topology = parseTopology(spec)
  const routes = dModK(topology)
  const { nodes } = topology
  for (let shift = 1; shift < nodes; shift++) {
    const flows = Array.from({ length: nodes }, (_, node) => [node, (node + shift) % nodes] as const)
    expect(Math.max(...loads(topology, routes, flows).values())).toBe(1)
  }
})

test('D-mod-k loads the links of a level equally under all-to-all traffic', () => {
  const topology = parseTopology('pgft:3;4,4,4;1,4,2;1,1,2')
  const flows = Array.from(
    { length: topology.nodes ** 2 },
    (_, i) => [i % topology.nodes, Math.floor(i / topology.nodes)] as const,
  )
  const load = loads(topology, dModK(topology), flows)
  const on = (direction: string, level: number): ReadonlyArray<number> =>
    Array.from({ length: topology.levels[level].links }, (_, link) => load.get(`${direction} ${level} ${link}`) ?? 0)
  expect(new Set([...on('up', 0), ...on('down', 0)])).toEqual(new Set([60]))
  expect(new Set([...on('up', 1), ...on('down', 1)])).toEqual(new Set([48]))
})

test('dModK refuses a switch graph, and the error names regular trees', () => {
  expect(() => dModK(graphOf())).toThrow(RoutingError)
  expect(() => dModK(graphOf())).toThrow(/switch graph.*radix:18/)
})

test('followOn throws an error with the place for routes that break off or lead in circles', () => {
  const topology = parseTopology('radix:4')
  const down = downPorts(topology)
  const follow = followOn(topology)
  const nowhere: Routes = { port: () => -1 }
  expect(() => follow(nowhere, 0, 9, () => {})).toThrow(
    'switch 0 of level 0 has no entry for node 9, on the way from node 0',
  )
  const home: Routes = { port: () => 0 }
  expect(() => follow(home, 0, 9, () => {})).toThrow('ends at node 0')
  const upAndDown: Routes = { port: (level, sw) => (level === 0 ? down[0].first[sw + 1] - down[0].first[sw] : 0) }
  expect(() => follow(upAndDown, 0, 9, () => {})).toThrow('goes up again')
})

function graphOf(): Topology {
  const { pgft: _, ...graph } = parseTopology('radix:4')
  return graph
}
