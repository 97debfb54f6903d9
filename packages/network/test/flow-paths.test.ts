import { bindPolicy, ClusterState } from '@cloister/placement'
import { request } from '@cloister/placement/testing'
import { jigsaw } from '@cloister/policy-jigsaw'
import { dModK, partitionRouter } from '@cloister/routing'
import { parseTopology, seededDraws, type Topology } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import {
  DirectedLinks,
  type FlowPaths,
  FlowPathsBuilder,
  maxMinRates,
  randomUpPorts,
  spreadOver,
} from '../src/index.ts'
import { unfairness } from './fairness.ts'

const trees = ['radix:4', 'radix:8', 'kary:3:3', 'pgft:3;4,4,3;1,2,2;1,1,3', 'pgft:2;4,6;1,3;1,2'].map((spec) =>
  parseTopology(spec),
)
const capacities = { node: 24, levels: [11.9] }

/** Load of each link per unit of each flow's rate. */
function loads({ flows, first, links, share }: FlowPaths, count: number): ReadonlyArray<number> {
  const load = Array<number>(count).fill(0)
  for (let at = first[0]; at < first[flows]; at++) load[links[at]] += share[at]
  return load
}

function between(topology: Topology, add: (builder: FlowPathsBuilder, links: DirectedLinks) => void): FlowPaths {
  const links = new DirectedLinks(topology, capacities)
  const builder = new FlowPathsBuilder(topology, links)
  add(builder, links)
  return builder.build()
}

describe.each(trees)('$name', (topology) => {
  const links = new DirectedLinks(topology, capacities)

  test('has two directed links for each node and each cable, with their capacities', () => {
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

  test('a flow goes as far up as it comes down, whatever routes it takes', () => {
    const draw = seededDraws(topology.nodes)
    for (let trial = 0; trial < 60; trial++) {
      const [from, to] = [draw(topology.nodes), draw(topology.nodes)]
      const routed = [dModK(topology), randomUpPorts(topology, trial)].map((routes) =>
        between(topology, (builder) => builder.addRouted(routes, from, to)),
      )
      const spread = between(topology, (builder, own) => builder.add(spreadOver(topology, own, from, to)))
      const lengths = [...routed, spread].map((paths) => loads(paths, links.count).reduce((sum, load) => sum + load, 0))
      expect(lengths[1]).toBe(lengths[0])
      expect(lengths[2]).toBeCloseTo(lengths[0], 9)
      if (from === to) expect(lengths[0]).toBe(0)
    }
  })

  test('rates are fair under every kind of routes', () => {
    const draw = seededDraws(7)
    const pairs = Array.from({ length: 150 }, () => [draw(topology.nodes), draw(topology.nodes)] as const)
    for (const routes of [dModK(topology), randomUpPorts(topology, 1), undefined]) {
      const paths = between(topology, (builder, own) => {
        for (const [from, to] of pairs)
          if (routes === undefined) builder.add(spreadOver(topology, own, from, to))
          else builder.addRouted(routes, from, to)
      })
      expect(unfairness(paths, links.capacity, maxMinRates(paths, links.capacity))).toBeUndefined()
    }
  })
})

test('where nothing is tapered, spreading gives every flow of a permutation all of its node', () => {
  const topology = parseTopology('radix:8')
  const draw = seededDraws(3)
  const targets = [...Array(topology.nodes).keys()]
  for (let at = targets.length - 1; at > 0; at--) {
    const other = draw(at + 1)
    ;[targets[at], targets[other]] = [targets[other], targets[at]]
  }
  const even = new DirectedLinks(topology, { node: 10, levels: [10] })
  const spread = between(topology, (builder) => {
    for (const [from, to] of targets.entries()) if (from !== to) builder.add(spreadOver(topology, even, from, to))
  })
  for (const rate of maxMinRates(spread, even.capacity)) expect(rate).toBeCloseTo(10, 9)
})

test('random up-ports are the same for the same seed, and others for another', () => {
  const topology = parseTopology('radix:8')
  const portsOf = (seed: number) => {
    const routes = randomUpPorts(topology, seed)
    return [...topology.leafOfNode.keys()].map((node) => routes.port(0, 5, node))
  }
  expect(portsOf(1)).toEqual(portsOf(1))
  expect(portsOf(1)).not.toEqual(portsOf(2))
})

test('flows of a job on links of its own do not change, whatever other jobs send', () => {
  const topology = parseTopology('radix:8')
  const links = new DirectedLinks(topology, capacities)
  const { placer } = bindPolicy(jigsaw, topology)
  const state = new ClusterState(topology, { index: placer.index, linkCapacity: 0 })
  const tables = partitionRouter(() => ({ update: () => {}, digest: () => new Uint8Array(32) })).make(topology)
  if ('unsupported' in tables) throw new Error(tables.unsupported)
  const draw = seededDraws(11)
  const builder = new FlowPathsBuilder(topology, links)
  const jobs: Array<ReadonlyArray<readonly [from: number, to: number]>> = []
  for (let job = 0; job < 12; job++) {
    const outcome = placer.place(state, request(2 + draw(14), { job: String(job) }), state.index)
    if (!outcome.ok) continue
    state.apply({ ...outcome, job: String(job), communicates: false, estimatedEnd: 1, startOrder: job })
    tables.add(String(job), outcome)
    const { nodes } = outcome
    jobs.push(
      Array.from({ length: 3 * nodes.length }, () => [nodes[draw(nodes.length)], nodes[draw(nodes.length)]] as const),
    )
  }
  expect(jobs.length).toBeGreaterThan(5)
  for (const [from, to] of jobs.flat()) builder.addRouted(tables, from, to)
  const together = [...maxMinRates(builder.build(), links.capacity)]
  const apart = jobs.flatMap((flows) => [
    ...maxMinRates(
      between(topology, (own) => {
        for (const [from, to] of flows) own.addRouted(tables, from, to)
      }),
      links.capacity,
    ),
  ])
  expect(together).toEqual(apart)
})

test('a capacity that is none is refused', () => {
  expect(() => new DirectedLinks(trees[0], { node: 0, levels: [1] })).toThrow(
    'capacities.node: found 0, expected a positive number',
  )
  expect(() => new DirectedLinks(trees[0], { node: 1, levels: [] })).toThrow('capacities.levels[-1]: found undefined')
})
