/** The search by itself, under rules of a policy that spans no two pods. */
import { bindPolicy, ClusterState, type PlacementPolicy } from '@cloister/placement'
import { ask, policyChecks } from '@cloister/placement/testing'
import { formatIdset, parseTopology } from '@cloister/topology'
import { Schema } from 'effect'
import { describe, expect, test } from 'vitest'
import { PartitionConfig, partitionPlacer, type PartitionIndex } from '../src/index.ts'

const inOnePod: PlacementPolicy<PartitionConfig, PartitionIndex> = {
  contract: 2,
  name: 'in-one-pod',
  version: '1.0.0',
  config: Schema.toStandardSchemaV1(PartitionConfig, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, config) =>
    partitionPlacer(topology, config, () => ({
      rule: 'in-one-pod',
      exactSize: true,
      acrossPods: () => ({ find: () => undefined }),
    })),
}

describe('a policy that spans no two pods keeps the contract and its claims', () => {
  const configs = [{}, { order: 'sparsest-first', leafJobsHoldUplinks: true }, { sharing: { capacity: 1500 } }]
  test.each(policyChecks(inOnePod, { configs }))('$name', ({ run }) => run())
})

test('one leaf before several, and the leaves of one pod over the same L2 switches', () => {
  const topology = parseTopology('radix:6')
  const { placer } = bindPolicy(inOnePod, topology)
  const state = new ClusterState(topology, { index: placer.index })
  state.fail({ nodes: [0], links: [[3]] })
  const placed = (nodes: number): unknown => {
    const outcome = ask(placer, state, nodes)
    return outcome.ok ? [outcome.nodes, ...outcome.links].map((ids) => formatIdset(ids)) : outcome
  }
  expect(placed(3)).toEqual(['3-5'])
  // Leaf 1 has an uplink too few for three nodes: leaf 2 is the full one, leaf 0 the remainder leaf.
  expect(placed(4)).toEqual(['1,6-8', '0,6-8'])
  expect(placed(10)).toEqual({
    ok: false,
    code: 'no-placement',
    constraint: 'free leaves',
    nearest: { pod: 1, have: 9, need: 10 },
  })
})
