import { bindPolicy, ClusterState, type Outcome, type Placer } from '@cloister/placement'
import { ask, request } from '@cloister/placement/testing'
import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jigsaw } from '../src/index.ts'
import { brokenResources } from './bound-jigsaw.ts'

const capacity = 4000
const topologies = ['radix:4', 'radix:6', 'pgft:3;4,3,3;1,2,3;1,2,2'].map((spec) => parseTopology(spec))

function shared(
  name: string,
  classes?: ReadonlyArray<number>,
): { readonly placer: Placer<any>; readonly state: ClusterState<any> } {
  const topology = parseTopology(name)
  const { placer } = bindPolicy<any, any>(jigsaw, topology, {
    sharing: { capacity, ...(classes === undefined ? {} : { classes }) },
  })
  return { placer, state: new ClusterState(topology, { index: placer.index, linkCapacity: placer.linkCapacity! }) }
}

function askFor(
  { placer, state }: { readonly placer: Placer<any>; readonly state: ClusterState<any> },
  nodes: number,
  bandwidth: number | undefined,
): Outcome {
  return ask(placer, state, nodes, { bandwidth })
}

const plain = (outcome: Outcome): unknown =>
  outcome.ok ? { nodes: Array.from(outcome.nodes), links: outcome.links.map((ids) => Array.from(ids)) } : outcome

test('Jigsaw with sharing places jobs as without sharing, if links with too little bandwidth left count as taken', () => {
  fc.assert(
    fc.property(
      fc
        .constantFrom(...topologies)
        .chain((topology) =>
          fc.tuple(
            fc.constant(topology),
            brokenResources(topology),
            fc.array(fc.tuple(brokenResources(topology), fc.constantFrom(500, 1500, 3000)), { maxLength: 3 }),
          ),
        ),
      fc.constantFrom(500, 1000, 1500, 2000, 4000),
      ([topology, taken, loads], bandwidth) => {
        const machine = shared(topology.name)
        const { placer } = bindPolicy(jigsaw, topology)
        const strict = { placer, state: new ClusterState<any>(topology, { index: placer.index }) }
        machine.state.withhold({ nodes: taken.nodes, links: [] })
        for (const [{ links }, load] of loads) machine.state.withhold({ nodes: [], links }, load)
        const full = topology.levels.map(({ links }, level) =>
          Array.from({ length: links }, (_, link) => link).filter(
            (link) => machine.state.capacityLeft(level, link) < bandwidth,
          ),
        )
        strict.state.withhold({ nodes: taken.nodes, links: full })
        for (let nodes = 1; nodes <= topology.nodes + 1; nodes++) {
          const outcome = askFor(machine, nodes, bandwidth)
          expect(plain(outcome), `${nodes} nodes`).toEqual(plain(askFor(strict, nodes, undefined)))
          if (outcome.ok) expect(outcome.bandwidth).toBe(outcome.links.length === 0 ? undefined : bandwidth)
        }
      },
    ),
    { numRuns: 150 },
  )
})

test.each([
  [1, 500],
  [500, 500],
  [501, 1000],
  [2000, 2000],
  [2001, 4000],
  [undefined, 4000],
])('under Jigsaw with sharing, a job that needs %s MB/s holds %s MB/s on its links', (needed, held) => {
  const outcome = askFor(shared('radix:4'), 3, needed)
  expect(outcome.ok && outcome.bandwidth).toBe(held)
})

test('Jigsaw with sharing ignores classes of bandwidth above the capacity', () => {
  const outcome = askFor(shared('radix:4', [9000, 3000]), 3, 3001)
  expect(outcome.ok && outcome.bandwidth).toBe(4000)
})

test('Jigsaw with sharing refuses a job that requests more bandwidth than the capacity forever', () => {
  expect(askFor(shared('radix:4'), 3, 4001)).toEqual({ ok: false, code: 'never', constraint: 'link capacity' })
})

test('Jigsaw with sharing has one request key for each size and class of bandwidth', () => {
  const { placer } = shared('radix:4')
  const key = (nodes: number, bandwidth: number | undefined): unknown =>
    placer.requestKey!(request(nodes, { bandwidth }))
  expect(key(3, 600)).toBe(key(3, 1000))
  expect(new Set([key(3, 500), key(3, 1000), key(4, 500), key(3, undefined), key(3, 4001)]).size).toBe(5)
})

test('Jigsaw with sharing claims neither owned links nor full bandwidth', () => {
  expect(shared('radix:4').placer).toMatchObject({
    linkCapacity: 4000,
    claims: { links: 'capped', rule: 'jigsaw-conditions', fullBandwidth: false, monotone: true, complete: true },
  })
})

test('under Jigsaw with sharing, jobs share uplinks up to the capacity', () => {
  // Machine of two leaves of 8 nodes with a single uplink each.
  const machine = shared('pgft:2;8,2;1,1;1,1')
  machine.state.withhold({ nodes: [0, 1, 2, 3, 8, 9, 10, 11], links: [] })
  const start = (startOrder: number): boolean => {
    const outcome = askFor(machine, 2, 1500)
    if (outcome.ok) machine.state.apply({ ...outcome, job: `${startOrder}`, estimatedEnd: 0, startOrder })
    return outcome.ok
  }
  // Every job gets one node of each leaf.
  machine.state.withhold({ nodes: [4, 5, 6, 12, 13, 14], links: [] })
  expect(start(0)).toBe(true)
  machine.state.restore({ nodes: [6, 14], links: [] })
  expect(start(1)).toBe(true)
  machine.state.restore({ nodes: [5, 13], links: [] })
  expect(start(2)).toBe(false)
  machine.state.restore({ nodes: [4], links: [] })
  expect(start(3)).toBe(true)
})
