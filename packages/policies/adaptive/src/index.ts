import {
  byCommunicationRatio,
  communicationCost,
  type CostMeasure,
  costMeasures,
  type LeafChoice,
  leafRanks,
  leafTies,
  LowestSwitchPlacer,
  patternOf,
  powersOfTwo,
} from '@cloister/communication'
import type { Placement, PlacementPolicy, Placer, Request, StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import * as v from 'valibot'
import { version } from './version.ts'

/** Configuration of the policy adaptive. */
export interface Config extends LeafChoice {
  /**
   * Pattern, or mixture of patterns, for the cost of jobs that do not communicate, or that have an unknown pattern.
   */
  readonly pattern: string
  /** Measure of the cost that chooses between two placements. */
  readonly cost: CostMeasure
}

const Config = v.strictObject({
  pattern: v.exactOptional(
    v.pipe(
      v.string(),
      v.check((name) => patternOf(name) !== undefined, 'Expected a pattern or a mixture of patterns'),
      v.description('pattern for the cost of jobs without communication or with an unknown pattern'),
    ),
    'recursive-doubling',
  ),
  cost: v.exactOptional(
    v.pipe(
      v.picklist(costMeasures),
      v.description('cost: of effective hops, of effective hops by the size of messages, or of plain hops'),
    ),
    'effective',
  ),
  ties: v.exactOptional(
    v.pipe(v.picklist(leafTies), v.description('choice between equal leaves, as in greedy and balanced')),
    'ids',
  ),
  ranks: v.exactOptional(v.pipe(v.picklist(leafRanks), v.description('order of ranks, as in balanced')), 'ids'),
  from: v.exactOptional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.description('time in seconds; jobs submitted earlier are placed as by slurm-tree; default: 0'),
    ),
  ),
})

/**
 * The policy adaptive (Mishra, Agrawal and Malakar, *Communication-aware Job Scheduling using SLURM*, ICPP Workshops
 * 2020, section 4.3) chooses between the placements of greedy and balanced by the cost of communication.
 */
export const adaptive: PlacementPolicy<Config> = {
  contract: 1,
  name: 'adaptive',
  version,
  config: Config,
  make: adaptivePlacer,
}
export default adaptive

/**
 * Chooses between the placements of greedy and balanced (Mishra et al. 2020, section 4.3): for communication-intensive
 * jobs the placement with the lower cost, for all other jobs the placement with the higher cost.
 */
function adaptivePlacer(topology: Topology, { pattern: fallback, cost: measure, ...choice }: Config): Placer {
  const greedyPlacer = new LowestSwitchPlacer(topology, byCommunicationRatio(topology, choice))
  const balancedPlacer = new LowestSwitchPlacer(topology, powersOfTwo(topology, choice))
  const cost = (state: StateView, { communication }: Request, placement: Placement): number => {
    const pattern = patternOf(communication?.pattern ?? fallback) ?? patternOf(fallback)!
    const others = (leaf: number): number => state.communicatingNodesOnLeaf(leaf)
    return communicationCost(topology, others, ranksOf(placement), pattern, measure)
  }
  return {
    claims: balancedPlacer.claims,
    place(state, request) {
      const balanced = balancedPlacer.place(state, request)
      const greedy = greedyPlacer.place(state, request)
      // Greedy and balanced refuse the same jobs, because their rules only divide a job among leaves.
      if (!balanced.ok || !greedy.ok || sameIds(ranksOf(balanced), ranksOf(greedy))) return balanced
      const costOfBalanced = cost(state, request, balanced)
      const costOfGreedy = cost(state, request, greedy)
      const isGreedyChosen =
        request.communication === undefined ? costOfGreedy > costOfBalanced : costOfGreedy < costOfBalanced
      return isGreedyChosen ? { ...greedy, note: { as: 'greedy' } } : { ...balanced, note: { as: 'balanced' } }
    },
  }
}

function ranksOf({ nodes, ranks }: Placement): ArrayLike<number> {
  return ranks ?? nodes
}

function sameIds(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
