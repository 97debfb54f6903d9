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
import {
  configSchema,
  integer,
  oneOf,
  type Placement,
  type PlacementPolicy,
  type Placer,
  type Request,
  type StateView,
  text,
  withRule,
} from '@cloister/placement'
import type { Topology } from '@cloister/topology'
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

const config = configSchema<Config>({
  pattern: {
    type: withRule(text, (name) =>
      patternOf(name) === undefined ? 'Expected a pattern or a mixture of patterns' : undefined,
    ),
    default: 'recursive-doubling',
    description: 'pattern for the cost of jobs without communication or with an unknown pattern',
  },
  cost: {
    type: oneOf(costMeasures),
    default: 'effective',
    description: 'cost: of effective hops, of effective hops by the size of messages, or of plain hops',
  },
  ties: {
    type: oneOf(leafTies),
    default: 'ids',
    description: 'choice between equal leaves, as in greedy and balanced',
  },
  ranks: { type: oneOf(leafRanks), default: 'ids', description: 'order of ranks, as in balanced' },
  from: {
    type: integer({ least: 0 }),
    description: 'time in seconds; jobs submitted earlier are placed as by slurm-tree; default: 0',
  },
})

/**
 * The policy adaptive (Mishra, Agrawal and Malakar, *Communication-aware Job Scheduling using SLURM*, ICPP Workshops
 * 2020, section 4.3) chooses between the placements of greedy and balanced by the cost of communication.
 */
export const adaptive: PlacementPolicy<Config> = {
  contract: 1,
  name: 'adaptive',
  version,
  config,
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
