import { bindPolicy, ClusterState } from '@cloister/placement'
import { request } from '@cloister/placement/testing'
import { jigsaw } from '@cloister/policy-jigsaw'
import {
  DirectedLinks,
  dModK,
  type FlowPath,
  type FlowPaths,
  FlowPathsBuilder,
  maxMinRates,
  partitionRouter,
  randomUpPorts,
  routedPaths,
  SpreadLinks,
} from '../src/index.ts'
import { lowestCommonLevel, parseTopology, seededDraws, type Topology } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import { unfairness } from './fairness.ts'

const trees = ['radix:4', 'radix:8', 'kary:3:3', 'pgft:3;4,4,3;1,2,2;1,1,3', 'pgft:2;4,6;1,3;1,2'].map((spec) =>
  parseTopology(spec),
)
const capacities = { node: 24, levels: [11.9] }

function between(path: FlowPath, flows: ReadonlyArray<readonly [from: number, to: number]>): FlowPaths {
  const builder = new FlowPathsBuilder()
  for (const [from, to] of flows) builder.add(path, from, to)
  return builder.build()
}

/** Returns the share of a flow on every directed link, by even division over all up-ports of each switch. */
function divided(topology: Topology, links: DirectedLinks, from: number, to: number): Map<number, number> {
  const { levels, leafOfNode } = topology
  const shares = new Map<number, number>()
  if (from === to) return shares
  shares.set(links.ofNode(from, 'up'), 1).set(links.ofNode(to, 'down'), 1)
  for (const [node, direction] of [
    [from, 'up'],
    [to, 'down'],
  ] as const) {
    let at = new Map([[leafOfNode[node], 1]])
    for (let level = 0; level < lowestCommonLevel(topology, from, to); level++) {
      const above = new Map<number, number>()
      for (const [sw, share] of at) {
        const { firstPort, parentOfLink } = levels[level]
        for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++) {
          const each = share / (firstPort[sw + 1] - firstPort[sw])
          shares.set(links.ofLevel(level, link, direction), each)
          above.set(parentOfLink[link], (above.get(parentOfLink[link]) ?? 0) + each)
        }
      }
      at = above
    }
  }
  return shares
}

describe.each(trees)('on the topology $name', (topology) => {
  const links = new DirectedLinks(topology, capacities)

  test('DirectedLinks has a link in each direction, with the given capacity, for each node and each cable', () => {
    const cables = topology.levels.reduce((sum, level) => sum + level.links, 0)
    expect(links.count).toBe(2 * (topology.nodes + cables))
    const ids = new Set<number>()
    for (const direction of ['up', 'down'] as const) {
      for (let node = 0; node < topology.nodes; node++) ids.add(links.ofNode(node, direction))
      topology.levels.forEach((level, at) => {
        for (let link = 0; link < level.links; link++) ids.add(links.ofLevel(at, link, direction))
      })
    }
    expect([...ids].sort((a, b) => a - b)).toEqual([...Array(links.count).keys()])
    expect(links.capacity[links.ofNode(topology.nodes - 1, 'down')]).toBe(24)
    expect(links.capacity[links.count - 1]).toBe(11.9)
  })

  const draw = seededDraws(topology.nodes)
  const pairs = Array.from({ length: 150 }, () => [draw(topology.nodes), draw(topology.nodes)] as const)

  test.each([
    ['D-mod-k', dModK(topology)],
    ['random up-ports', randomUpPorts(topology, 1)],
  ])(
    'under the routes %s, a flow has as many links up as down, and the rates of flows are max-min fair',
    (_, routes) => {
      const path = routedPaths(topology, links, routes)
      for (const [from, to] of pairs.slice(0, 60)) {
        const { length } = between(path, [[from, to]]).links
        expect(length).toBe(from === to ? 0 : 2 + 2 * lowestCommonLevel(topology, from, to))
      }
      const paths = between(path, pairs)
      expect(unfairness(paths, links.capacity, maxMinRates(paths, links.capacity))).toBeUndefined()
    },
  )

  test('rates of flows on SpreadLinks equal the rates of flows that are divided evenly over the up-ports of each switch', () => {
    const spread = new SpreadLinks(topology, capacities)
    const rates = maxMinRates(
      between((from, to, visit) => spread.follow(from, to, visit), pairs),
      spread.capacity,
    )
    const load = new Float64Array(links.count)
    const most = new Float64Array(links.count)
    const shares = pairs.map(([from, to]) => divided(topology, links, from, to))
    shares.forEach((own, flow) =>
      own.forEach((share, link) => {
        load[link] += share * rates[flow]
        most[link] = Math.max(most[link], rates[flow])
      }),
    )
    load.forEach((each, link) => expect(each).toBeLessThanOrEqual(links.capacity[link] * (1 + 1e-9)))
    shares.forEach((own, flow) => {
      if (own.size === 0) return expect(rates[flow]).toBe(Infinity)
      const bottlenecks = [...own.keys()].filter(
        (link) => load[link] >= links.capacity[link] * (1 - 1e-9) && rates[flow] >= most[link] * (1 - 1e-9),
      )
      expect(bottlenecks.length).toBeGreaterThan(0)
    })
  })
})

test('SpreadLinks of a tree without taper gives every flow of a permutation the full capacity of its node links', () => {
  const topology = parseTopology('radix:8')
  const spread = new SpreadLinks(topology, { node: 10, levels: [10] })
  const flows = [...topology.leafOfNode.keys()].map((node) => [node, (5 * node + 3) % topology.nodes] as const)
  const paths = between((from, to, visit) => spread.follow(from, to, visit), flows)
  maxMinRates(paths, spread.capacity).forEach((rate, flow) =>
    expect(rate).toBeCloseTo(flows[flow][0] === flows[flow][1] ? Infinity : 10, 9),
  )
})

test('randomUpPorts gives equal routes for equal seeds and different routes for different seeds', () => {
  const topology = parseTopology('radix:8')
  const portsOf = (seed: number) => {
    const routes = randomUpPorts(topology, seed)
    return [...topology.leafOfNode.keys()].map((node) => routes.port(0, 5, node))
  }
  expect(portsOf(1)).toEqual(portsOf(1))
  expect(portsOf(1)).not.toEqual(portsOf(2))
})

test('the rates of a job on its own links do not change with the traffic of other jobs', () => {
  const topology = parseTopology('radix:8')
  const links = new DirectedLinks(topology, capacities)
  const { placer } = bindPolicy(jigsaw, topology)
  const state = new ClusterState(topology, { index: placer.index, linkCapacity: 0 })
  const tables = partitionRouter().make(topology)
  if ('unsupported' in tables) throw new Error(tables.unsupported)
  const draw = seededDraws(11)
  const jobs: Array<ReadonlyArray<readonly [from: number, to: number]>> = []
  for (let job = 0; job < 12; job++) {
    const outcome = placer.place(state, request(2 + draw(14), { job: String(job) }), state.index)
    if (!outcome.ok) continue
    state.apply({ ...outcome, job: String(job), communicates: false, estimatedEnd: 1, startOrder: job })
    tables.start(String(job), outcome)
    const { nodes } = outcome
    jobs.push(
      Array.from({ length: 3 * nodes.length }, () => [nodes[draw(nodes.length)], nodes[draw(nodes.length)]] as const),
    )
  }
  expect(jobs.length).toBeGreaterThan(5)
  const path = routedPaths(topology, links, tables)
  const together = [...maxMinRates(between(path, jobs.flat()), links.capacity)]
  const apart = jobs.flatMap((flows) => [...maxMinRates(between(path, flows), links.capacity)])
  expect(together).toEqual(apart)
})

test('DirectedLinks and SpreadLinks refuse an invalid capacity', () => {
  expect(() => new DirectedLinks(trees[0], { node: 0, levels: [1] })).toThrow(
    'capacities.node: found 0, expected a positive number',
  )
  expect(() => new DirectedLinks(trees[0], { node: 1, levels: [] })).toThrow('capacities.levels[-1]: found undefined')
})
