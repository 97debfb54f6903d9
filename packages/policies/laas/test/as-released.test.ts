import { bindPolicy, ClusterState, type Placement, type Resources, type StateView } from '@cloister/placement'
import { ask } from '@cloister/placement/testing'
import { parseTopology, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { laas } from '../src/index.ts'
import { type Released, releasedSearch } from './released-search.ts'

/** Returns the ids of nodes, leaf uplinks and L2 uplinks of a naive placement, ascending. */
function idsOf(topology: Topology, state: StateView, { nodes, uplinks, spines }: Released) {
  const perLeaf = topology.firstNodeOfLeaf[1]
  const ids = Array.from(nodes).flatMap(([leaf, amount]) => {
    const free = new Int32Array(perLeaf)
    state.freeNodeIds(leaf, free)
    return Array.from(free.subarray(0, amount))
  })
  const leafLinks = Array.from(uplinks).flatMap(([leaf, ports]) => ports.map((port) => leaf * perLeaf + port))
  const l2Links = Array.from(spines).flatMap(([pod, ports]) =>
    Array.from({ length: perLeaf }, (_, index) => ports.map((port) => (pod * perLeaf + index) * perLeaf + port)).flat(),
  )
  return [ids, leafLinks, l2Links].map((each) => each.sort((a, b) => a - b))
}

/**
 * Draws failed nodes and links. The naive search counts only free nodes, so an uplink fails only on a leaf with a failed
 * node; a port to the spines fails on all L2 switches of a pod.
 */
function failures({ pgft }: Topology): fc.Arbitrary<Resources> {
  const [perLeaf, leavesPerPod, pods] = pgft!.m
  const ports = fc.subarray(Array.from({ length: perLeaf }, (_, port) => port))
  const some = (count: number): fc.Arbitrary<ReadonlyArray<readonly [sw: number, ports: ReadonlyArray<number>]>> =>
    fc.tuple(...Array.from({ length: count }, (_, sw) => fc.tuple(fc.constant(sw), ports)))
  return fc
    .tuple(some(leavesPerPod * pods), some(pods))
    .map(([leaves, spines]) => ({
      nodes: leaves.filter(([, down]) => down.length > 0).map(([leaf]) => leaf * perLeaf),
      links: [
        leaves.flatMap(([leaf, down]) => down.map((port) => leaf * perLeaf + port)),
        spines.flatMap(([pod, down]) =>
          Array.from({ length: perLeaf }, (_, index) =>
            down.map((port) => (pod * perLeaf + index) * perLeaf + port),
          ).flat(),
        ),
      ],
    }))
}

test.each(['radix:4', 'radix:6', 'radix:8'])(
  'with `search: as-released`, LaaS places every job of a random history on %s like the naive search',
  (spelling) => {
    const topology = parseTopology(spelling)
    const { placer } = bindPolicy(laas, topology, { search: 'as-released' })
    const met = { oneLeaf: 0, fewUplinks: 0, onePod: 0, fewSpines: 0, severalPods: 0, refused: 0 }
    fc.assert(
      fc.property(
        fc.option(failures(topology)),
        fc.array(fc.tuple(fc.nat(99), fc.nat(99)), { minLength: 30, maxLength: 60 }),
        (failed, events) => {
          const state = new ClusterState(topology, { index: placer.index })
          if (failed !== null) state.fail(failed)
          for (const [at, [share, choice]] of events.entries()) {
            if (choice < 45 && state.running.length > 0) state.release(state.running[choice % state.running.length])
            const size = 1 + Math.floor((topology.nodes / 2) * (share / 100) ** 2)
            const outcome = ask(placer, state, size)
            const naive = size > state.freeNodes ? undefined : releasedSearch(topology, state, size)
            expect(outcome.ok).toBe(naive !== undefined)
            if (!outcome.ok || naive === undefined) {
              met.refused++
              continue
            }
            const { nodes, links } = outcome
            const [leafLinks = [], l2Links = []] = links
            expect([nodes, leafLinks, l2Links].map((ids) => Array.from(ids))).toEqual(idsOf(topology, state, naive))
            count(outcome, naive.spines.size)
            state.apply({ job: `${at}`, nodes, links, estimatedEnd: 0, startOrder: at })
          }
        },
      ),
      { numRuns: 100 },
    )
    for (const [kind, times] of Object.entries(met)) expect(times, kind).toBeGreaterThan(0)

    function count({ nodes, links: [leafLinks = [], l2Links = []] }: Placement, pods: number): void {
      if (leafLinks.length === 0) met.oneLeaf++
      else if (pods === 0) met[leafLinks.length < nodes.length ? 'fewUplinks' : 'onePod']++
      else met[l2Links.length < leafLinks.length ? 'fewSpines' : 'severalPods']++
    }
  },
)

/** Free spine ports or uplinks of the first three pods or leaves, in which only the second and third have one in common. */
const freePorts = [[0], [1, 2], [1]]
const down = (each: number): ReadonlyArray<number> => [0, 1, 2].filter((port) => !freePorts[each].includes(port))
const from = (first: number, end: number): ReadonlyArray<number> =>
  Array.from({ length: end - first }, (_, at) => first + at)

test.each([
  [
    'leaf of a pod',
    3,
    {
      nodes: [0, 3, 6, 7, ...from(9, 54)],
      links: [from(0, 3).flatMap((leaf) => down(leaf).map((port) => 3 * leaf + port))],
    },
  ],
  [
    'pod',
    9,
    {
      nodes: [6, 15, 21, 24, ...from(27, 54)],
      links: [[], from(0, 9).flatMap((l2) => down(Math.floor(l2 / 3)).map((port) => 3 * l2 + port))],
    },
  ],
])(
  'with `search: as-released`, LaaS tries only the first %s that can be the only full one, and refuses a job of %i nodes that the exhaustive search places',
  (_, size, failed) => {
    const topology = parseTopology('radix:6')
    const answers = [{}, { search: 'as-released' }].map((config) => {
      const { placer } = bindPolicy(laas, topology, config)
      const state = new ClusterState(topology, { index: placer.index })
      state.fail(failed)
      expect(releasedSearch(topology, state, size)).toBeUndefined()
      return ask(placer, state, size).ok
    })
    expect(answers).toEqual([true, false])
  },
)
