/** Tests of `partitionPlacer` with the rules of a policy that places no job in two pods. */
import { bindPolicy, ClusterState, type PlacementPolicy } from '@cloister/placement'
import { ask, policyChecks } from '@cloister/placement/testing'
import { formatIdset, parseTopology, seededDraws } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import { PartitionConfig, partitionPlacer, type PartitionIndex } from '../src/index.ts'

const inOnePod: PlacementPolicy<PartitionConfig, PartitionIndex> = {
  contract: 1,
  name: 'in-one-pod',
  version: '1.0.0',
  config: PartitionConfig,
  make: (topology, config) =>
    partitionPlacer(topology, config, () => ({
      rule: 'in-one-pod',
      exactSize: true,
      acrossPods: () => ({ find: () => undefined }),
    })),
}

describe('a policy that uses partitionPlacer, and places no job in two pods, keeps the contract and its claims', () => {
  const configs = [{}, { order: 'sparsest-first', leafJobsHoldUplinks: true }, { sharing: { capacity: 1500 } }]
  test.each(policyChecks(inOnePod, { configs }))('$name', ({ run }) => run())
})

test('partitionPlacer tries one leaf before several leaves, and connects the full leaves of a job to the same L2 switches', () => {
  const topology = parseTopology('radix:6')
  const { placer } = bindPolicy(inOnePod, topology)
  const state = new ClusterState(topology, { index: placer.index })
  state.fail({ nodes: [0], links: [[3]] })
  const placed = (nodes: number): unknown => {
    const outcome = ask(placer, state, nodes)
    return outcome.ok ? [outcome.nodes, ...outcome.links].map((ids) => formatIdset(ids)) : outcome
  }
  expect(placed(3)).toEqual(['3-5'])
  // Leaf 1 has too few uplinks for three nodes. Leaf 2 is the full leaf, and leaf 0 is the remainder leaf.
  expect(placed(4)).toEqual(['1,6-8', '0,6-8'])
  expect(placed(10)).toEqual({
    ok: false,
    code: 'no-placement',
    constraint: 'free leaves',
    nearest: { pod: 1, have: 9, need: 10 },
  })
})

test('regression: one absent node of a machine with 64 uplinks a leaf made the search for common uplinks endless', () => {
  const topology = parseTopology('pgft:2;64,64;1,64;1,1 without node 0')
  const { placer } = bindPolicy(inOnePod, topology)
  expect(placer.claims).toMatchObject({ monotone: false, complete: false })
  const state = new ClusterState(topology, { index: placer.index })
  const draw = seededDraws(5)
  const half = (count: number): ReadonlyArray<number> =>
    Array.from({ length: count }, (_, id) => id).filter(() => draw(2) === 0)
  state.fail({ nodes: half(topology.nodes), links: [half(64 * 64)] })
  expect([20, 50, 400].map((nodes) => ask(placer, state, nodes).ok)).toEqual([true, true, false])
})

test('a search with few sets of uplinks is exhaustive on a machine with absent parts', () => {
  const { placer } = bindPolicy(inOnePod, parseTopology('radix:18 without node 0'))
  expect(placer.claims).toMatchObject({ monotone: true, complete: true })
})
