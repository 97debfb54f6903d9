import { downPorts, pgft, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NO_ENTRY, partitionRoutes, type SwitchEntries } from '../src/routes/partition-routes.ts'
import { breachOfRoutes } from '../src/routes/route-checks.ts'

const count = fc.integer({ min: 1, max: 3 })

const topologies: fc.Arbitrary<Topology> = fc
  .integer({ min: 1, max: 4 })
  .chain((height) => {
    const each = { minLength: height, maxLength: height }
    return fc.record({ m: fc.array(count, each), w: fc.array(count, each), p: fc.array(count, each) })
  })
  .map(({ m, w, p }) => pgft({ m, w: [1, ...w.slice(1)], p: [1, ...p.slice(1)] }))

const all = (length: number): Int32Array => Int32Array.from({ length }, (_, id) => id)
const wholeTree = (topology: Topology): ReadonlyArray<Int32Array> => topology.levels.map(({ links }) => all(links))

/** Random nodes and links of a tree, seldom connected. */
const jobs = topologies.chain((topology) =>
  fc.record({
    topology: fc.constant(topology),
    nodes: fc.subarray([...all(topology.nodes)], { minLength: 1 }).map((ids) => Int32Array.from(ids)),
    links: fc.tuple(
      ...topology.levels.map(({ links }) => fc.subarray([...all(links)]).map((ids) => Int32Array.from(ids))),
    ),
  }),
)

const everything = (): boolean => true

test('partitionRoutes routes a job on a whole tree by the formula of D-mod-k', () => {
  fc.assert(
    fc.property(topologies, (topology) => {
      const { w, p } = topology.pgft!
      const ports = downPorts(topology)
      /** Returns the up-port of a switch on a level towards a node. */
      const up = (level: number, node: number): number => {
        const parents = w.slice(0, level + 1).reduce((product, each) => product * each, 1)
        return Math.floor(node / parents) % (w[level + 1] * p[level + 1])
      }
      for (const { level, sw, ports: row } of partitionRoutes(
        topology,
        ports,
        all(topology.nodes),
        wholeTree(topology),
      )) {
        const { first, below } = ports[level]
        const down = first[sw + 1] - first[sw]
        row.forEach((port, node) => {
          if (port >= down) return expect(port - down).toBe(up(level, node))
          const id = below[first[sw] + port]
          if (level === 0) return expect(id).toBe(node)
          const uplinks = topology.levels[level - 1].firstPort[1]
          // The switch need not be the parent of the formula, but the cable number is the formula's.
          const cable = (port: number): number => Math.floor(port / w[level])
          return expect(cable(id % uplinks)).toBe(cable(up(level - 1, node)))
        })
      }
    }),
    { numRuns: 60 },
  )
})

test('partitionRoutes connects all nodes of a job on a whole tree', () => {
  fc.assert(
    fc.property(topologies, (topology) => {
      const nodes = all(topology.nodes)
      const ports = downPorts(topology)
      expect(
        breachOfRoutes(
          topology,
          ports,
          nodes,
          partitionRoutes(topology, ports, nodes, wholeTree(topology)),
          everything,
        ),
      ).toBeUndefined()
    }),
    { numRuns: 60 },
  )
})

test("no entry of partitionRoutes leads outside of the job's nodes and links, and a message stops only at a leaf without an entry", () => {
  fc.assert(
    fc.property(jobs, ({ topology, nodes, links }) => {
      const ports = downPorts(topology)
      const owns = (region: number, id: number): boolean => (region === 0 ? nodes : links[region - 1]).includes(id)
      const breach = breachOfRoutes(topology, ports, nodes, partitionRoutes(topology, ports, nodes, links), owns)
      if (breach !== undefined)
        expect(breach).toMatch(/^node \d+ does not reach node \d+: leaf \d+ has no entry for the node$/)
      expect(breach === undefined).toBe(areConnected(topology, nodes, links))
    }),
    { numRuns: 300 },
  )
})

/** Returns true if all leaves of the nodes reach a common switch in pairs, by any links upwards. */
function areConnected(topology: Topology, nodes: Int32Array, links: ReadonlyArray<Int32Array>): boolean {
  const above = (level: number, sw: number): ReadonlyArray<number> =>
    [...(links[level] ?? [])]
      .filter((link) => topology.levels[level].firstPort[sw] <= link && link < topology.levels[level].firstPort[sw + 1])
      .map((link) => topology.levels[level].parentOfLink[link])
  const climb = (leaf: number): ReadonlySet<string> => {
    const met = new Set<string>()
    let at = new Set([leaf])
    for (let level = 0; at.size > 0; level++) {
      for (const sw of at) met.add(`${level} ${sw}`)
      at = new Set([...at].flatMap((sw) => above(level, sw)))
    }
    return met
  }
  const climbs = [...new Set([...nodes].map((node) => topology.leafOfNode[node]))].map(climb)
  return climbs.every((a) => climbs.every((b) => [...a].some((each) => b.has(each))))
}

describe('breachOfRoutes', () => {
  const topology = pgft({ m: [2, 2, 4], w: [1, 2, 2], p: [1, 1, 1] })
  const ports = downPorts(topology)
  // The job has all nodes and all leaf uplinks of pods 0 and 1. The job has only half of the L2 uplinks of these pods:
  // the uplinks of the L2 switches with index 0.
  const nodes = all(8)
  const links = [all(8), Int32Array.from([0, 1, 4, 5])]
  const owns = (region: number, id: number): boolean => (region === 0 ? nodes : links[region - 1]).includes(id)
  const routes = partitionRoutes(topology, ports, nodes, links)

  const changed = (level: number, sw: number, j: number, port: number): ReadonlyArray<SwitchEntries> =>
    routes.map((each) => (each.level === level && each.sw === sw ? { ...each, ports: each.ports.with(j, port) } : each))
  const found = (level: number, sw: number, j: number, port: number): string | undefined =>
    breachOfRoutes(topology, ports, nodes, changed(level, sw, j, port), owns)

  test('breachOfRoutes finds no fault in the entries of partitionRoutes', () => {
    expect(breachOfRoutes(topology, ports, nodes, routes, owns)).toBeUndefined()
  })

  test.each([
    [
      'a foreign uplink',
      1,
      1,
      0,
      2,
      'L2 switch 1 sends messages for node 0 over L2 uplink 2, which the job does not own',
    ],
    [
      'a foreign link down',
      2,
      0,
      0,
      2,
      'switch 0 of level 2 sends messages for node 0 over L2 uplink 8, which the job does not own',
    ],
    ['no such port', 0, 0, 5, 4, 'leaf 0 sends messages for node 5 to port 4, which the switch does not have'],
    ['another node', 0, 0, 0, 1, 'leaf 0 sends messages for node 0 to node 1'],
    ['no entry', 0, 0, 5, NO_ENTRY, 'node 0 does not reach node 5: leaf 0 has no entry for the node'],
    ['a dead end above', 0, 0, 5, 3, 'node 0 does not reach node 5: L2 switch 1 has no entry for the node'],
    ['back up', 1, 0, 0, 2, 'node 2 does not reach node 0: the entries form a loop'],
  ])('breachOfRoutes finds a changed entry: %s', (_, level, sw, j, port, message) => {
    expect(found(level, sw, j, port)).toBe(message)
  })
})
