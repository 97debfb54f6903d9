/** Tests of `UnevenPods` against the same search with a limit of steps, which removes no pods by counts. */
import { bindPolicy, ClusterState, type PlacementPolicy } from '@cloister/placement'
import { ask } from '@cloister/placement/testing'
import { parseTopology, seededDraws } from '@cloister/topology'
import { expect, test } from 'vitest'
import { PartitionConfig, partitionPlacer, type PartitionIndex, UnevenPods } from '../src/index.ts'

/** Factor of the number of random states. `CLOISTER_BRUTE_FORCE=20` selects the large form of the tests. */
const TIMES = Number(process.env['CLOISTER_BRUTE_FORCE'] ?? 1)

const policy = (isExact: boolean): PlacementPolicy<PartitionConfig, PartitionIndex> => ({
  contract: 1,
  name: 'uneven',
  version: '1.0.0',
  config: PartitionConfig,
  make: (topology, config) =>
    partitionPlacer(topology, config, (tree) => ({
      rule: 'nested-remainders',
      exactSize: isExact,
      acrossPods: (search) => new UnevenPods(tree, config.order, search, isExact),
    })),
})

const machines = [
  'pgft:3;3,3,6;1,3,3;1,1,1 without nodes 0,10,20-22,47; leaf 6',
  'pgft:3;4,3,5;1,2,3;1,2,2 without nodes 1,17,30,31; L2 3 ports 0',
  'pgft:3;4,4,7;1,2,2;1,1,1 without nodes 3,40,70; leaf 9',
]

test.each(machines.flatMap((machine) => [true, false].map((isExact) => [machine, isExact] as const)))(
  'on %s, exact size %s, counts of nodes and spines change no answer of UnevenPods',
  (machine, isExact) => {
    const topology = parseTopology(machine)
    const draw = seededDraws(7)
    const placers = ['densest-first', 'sparsest-first'].map((order) =>
      [{ order }, { order, maxSteps: 1e9 }].map((config) => bindPolicy(policy(isExact), topology, config).placer),
    )
    const seen = { acrossPods: 0, refused: 0 }
    for (let trial = 0; trial < 40 * TIMES; trial++) {
      const some = (count: number, one: number): ReadonlyArray<number> =>
        Array.from({ length: count }, (_, id) => id).filter(() => draw(one) === 0)
      const [, l2] = topology.levels
      const failed = {
        nodes: some(topology.nodes, 16),
        links: [some(topology.levels[0].links, 40), some(l2.links, 2 + draw(6))],
      }
      for (const [placer, limited] of placers) {
        const state = new ClusterState(topology, { index: placer.index })
        state.fail(failed)
        for (let nodes = 2; nodes <= state.freeNodes; nodes++) {
          const outcome = ask(placer, state, nodes)
          expect(outcome).toEqual(ask(limited, state, nodes))
          if (!outcome.ok) seen.refused++
          else if (outcome.links.length > 1) seen.acrossPods++
        }
      }
    }
    expect(Math.min(seen.acrossPods, seen.refused)).toBeGreaterThan(300)
  },
)
