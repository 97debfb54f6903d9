import { downPorts, parseTopology, switchGraph, switchOfLink, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  describePath,
  directedLinkName,
  type DirectedLink,
  firstSwitchOfLevels,
  LoggedTables,
  type Route,
  RoutedPaths,
  spellEntries,
} from '../src/index.ts'

const irregular = switchGraph({
  name: 'uneven',
  leaves: [3, 1, 2],
  parents: [
    [[0, 1], [0], [1]],
    [[0, 0], [0]],
  ],
})
const machines = [parseTopology('radix:4'), parseTopology('pgft:1;5;1;1'), irregular]

/** Returns the cables of a machine by the names of both ends, such as `leaf 0 port 2` and `level 1 switch 0 port 1`. */
function cablesOf(topology: Topology): ReadonlyMap<string, string> {
  const { levels, leafOfNode } = topology
  const used = new Map<string, number>()
  const nextPort = (sw: string): string => {
    const port = used.get(sw) ?? 0
    used.set(sw, port + 1)
    return `${sw} ${port}`
  }
  const cables = new Map<string, string>()
  leafOfNode.forEach((leaf, node) => void cables.set(nextPort(`0 ${leaf}`), `node ${node}`))
  levels.forEach(({ parentOfLink }, level) => {
    // The lower level has all its down-ports already, and a level's links are in the order of its switches.
    parentOfLink.forEach((parent, link) => {
      const [low, high] = [
        nextPort(`${level} ${switchOfLink(topology, level, link)}`),
        nextPort(`${level + 1} ${parent}`),
      ]
      cables.set(low, high)
      cables.set(high, low)
    })
  })
  return cables
}

const cablesByMachine = new Map(machines.map((topology) => [topology, cablesOf(topology)]))

/** Follows a message cable by cable. Returns the switches, and why the message is lost. */
function naivePath(topology: Topology, ports: ReadonlyMap<string, number>, from: number, to: number) {
  const cables = cablesByMachine.get(topology)!
  const switches: Array<string> = []
  for (let sw = `0 ${topology.leafOfNode[from]}`; ;) {
    switches.push(sw)
    if (switches.indexOf(sw) < switches.length - 1) return { switches, lost: 'loop' }
    const port = ports.get(`${sw} ${to}`) ?? -1
    if (port < 0) return { switches, lost: 'no-entry' }
    const end = cables.get(`${sw} ${port}`)
    if (end === undefined) return { switches, lost: 'no-port' }
    if (end.startsWith('node')) return { switches, lost: end === `node ${to}` ? null : 'other-node' }
    sw = end.split(' ').slice(0, 2).join(' ')
  }
}

/** Port of each switch for each node that leads the message down if a way down exists, and up otherwise. */
function soundPorts(topology: Topology, choose: (count: number) => number): Map<string, number> {
  const { levels, leafOfNode } = topology
  const down = downPorts(topology)
  const below = (level: number, sw: number, port: number): number | undefined => {
    const id = down[level].below[down[level].first[sw] + port]
    return level === 0 ? undefined : switchOfLink(topology, level - 1, id)
  }
  const isAbove = (level: number, sw: number, node: number): boolean =>
    level === 0
      ? leafOfNode[node] === sw
      : Array.from({ length: downCount(level, sw) }, (_, port) => below(level, sw, port)!).some((child) =>
          isAbove(level - 1, child, node),
        )
  const downCount = (level: number, sw: number): number => down[level].first[sw + 1] - down[level].first[sw]
  const ports = new Map<string, number>()
  for (const [level, { switches, firstPort }] of levels.entries())
    for (let sw = 0; sw < switches; sw++)
      for (let node = 0; node < topology.nodes; node++) {
        const up = firstPort[sw + 1] - firstPort[sw]
        const downwards = Array.from({ length: downCount(level, sw) }, (_, port) => port).filter((port) =>
          level === 0
            ? down[0].below[down[0].first[sw] + port] === node
            : isAbove(level - 1, below(level, sw, port)!, node),
        )
        const port =
          downwards.length > 0
            ? downwards[choose(downwards.length)]
            : up > 0
              ? downCount(level, sw) + choose(up)
              : undefined
        if (port !== undefined) ports.set(`${level} ${sw} ${node}`, port)
      }
  return ports
}

/** Machine, sound ports with a few forged ports, and the logged tables of these ports. */
const cases = fc
  .record({
    topology: fc.constantFrom(...machines),
    draws: fc.infiniteStream(fc.nat(1000)),
    forged: fc.array(fc.tuple(fc.nat(1000), fc.integer({ min: -1, max: 7 })), { maxLength: 6 }),
  })
  .map(({ topology, draws, forged }) => {
    const next = draws[Symbol.iterator]()
    const ports = soundPorts(topology, (count) => Number(next.next().value) % count)
    const keys = [...ports.keys()]
    for (const [at, port] of forged) ports.set(keys[at % keys.length], port)
    const firstOfLevel = firstSwitchOfLevels(topology)
    const entries = topology.levels.flatMap(({ switches }, level) =>
      Array.from({ length: switches }, (_, sw) => {
        const nodes = Array.from({ length: topology.nodes }, (__, node) => node).filter((node) =>
          ports.has(`${level} ${sw} ${node}`),
        )
        return { level, sw, nodes, ports: nodes.map((node) => ports.get(`${level} ${sw} ${node}`)!) }
      }),
    )
    const route: Route = {
      seq: 1,
      t: 0,
      type: 'route',
      cause: 0,
      entries: spellEntries(
        firstOfLevel,
        entries.filter(({ nodes }) => nodes.length > 0),
      ),
    }
    return { topology, ports, paths: new RoutedPaths(topology, new LoggedTables(topology, [route])), forged }
  })

const keyOf = ({ level, link, isUp }: DirectedLink): string => `${level} ${link} ${isUp}`

describe('RoutedPaths', () => {
  it('RoutedPaths.between follows the cables of any machine, and says why a message is lost', () => {
    const reasons = new Set<string | null>()
    fc.assert(
      fc.property(cases, ({ topology, ports, paths, forged }) => {
        for (let from = 0; from < topology.nodes; from++)
          for (let to = 0; to < topology.nodes; to++) {
            if (from === to) continue
            const found = paths.between(from, to)
            const { switches, lost } = naivePath(topology, ports, from, to)
            expect(found.switches.map(({ level, sw }) => `${level} ${sw}`)).toEqual(switches)
            expect(found.lost).toBe(lost)
            expect(found.links).toHaveLength(switches.length - 1)
            if (forged.length === 0) expect(lost).toBeNull()
            reasons.add(lost)
          }
      }),
      { numRuns: 150 },
    )
    expect(reasons).toEqual(new Set([null, 'no-entry', 'no-port', 'other-node', 'loop']))
  })

  it('RoutedPaths.ofJob counts the destinations of each link over the paths of all pairs of nodes', () => {
    fc.assert(
      fc.property(cases, fc.infiniteStream(fc.boolean()), ({ topology, paths }, draws) => {
        const next = draws[Symbol.iterator]()
        const nodes = Array.from({ length: topology.nodes }, (_, node) => node).filter(() => next.next().value)
        const found = paths.ofJob(nodes)
        const destinations = new Map<string, Set<number>>()
        let lost = 0
        for (const to of nodes)
          for (const from of nodes) {
            if (from === to) continue
            const path = paths.between(from, to)
            if (path.lost !== null) lost++
            for (const link of path.links)
              destinations.set(keyOf(link), (destinations.get(keyOf(link)) ?? new Set()).add(to))
          }
        expect(new Map(found.links.map((link) => [keyOf(link), link.destinations]))).toEqual(
          new Map(Array.from(destinations, ([key, each]) => [key, each.size])),
        )
        expect(found).toMatchObject({ lost, pairs: nodes.length * (nodes.length - 1) })
        expect(found.firstLost === null).toBe(lost === 0)
        if (found.firstLost !== null) expect(found.firstLost.lost).not.toBeNull()
        const counts = found.links.map((link) => link.destinations)
        expect(counts).toEqual(counts.toSorted((a, b) => b - a))
      }),
      { numRuns: 150 },
    )
  })
})

describe('describePath', () => {
  const topology = parseTopology('radix:4')
  const spelled = (entries: ReadonlyArray<string>, to = 2): string =>
    describePath(
      topology,
      new RoutedPaths(
        topology,
        new LoggedTables(topology, [{ seq: 1, t: 0, type: 'route', cause: 0, entries }]),
      ).between(0, to),
    )

  it.each([
    [['0 2:2', '1 2:0', '8 2:1'], 'node0 → leaf0 → l2-0 → leaf1 → node2'],
    [['0 2:2'], 'node0 → leaf0 → l2-0, which has no entry for node2'],
    [['0 2:9'], 'node0 → leaf0, which lacks the port of its entry for node2'],
    [['0 2:1'], 'node0 → leaf0, which sends messages for node2 to a different node'],
    [['0 2:2', '8 2:0'], 'node0 → leaf0 → l2-0 → leaf0: the entries form a loop'],
  ])('describePath spells the path of the entries %j: %s', (entries, text) => {
    expect(spelled(entries)).toBe(text)
  })

  it('describePath spells the path of a message to the same node, and directedLinkName names the sender first', () => {
    expect(spelled(['0 2:2'], 0)).toBe('node0')
    expect(directedLinkName(topology, { level: 0, link: 0, isUp: true })).toBe('leaf0 -> l2-0')
    expect(directedLinkName(topology, { level: 0, link: 0, isUp: false })).toBe('l2-0 -> leaf0')
  })
})
