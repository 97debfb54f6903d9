import {
  byCommunicationRatio,
  communicationCost,
  LowestSwitchPlacer,
  type PatternName,
  patternNames,
  patternOf,
  powersOfTwo,
} from '@cloister/communication'
import type { Placement, PlacementPolicy, Placer, Request, StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { Effect, Schema } from 'effect'
import { version } from './version.ts'

/** Configuration of the policy adaptive. */
export interface Config {
  /** Pattern for the cost of jobs that do not communicate, or that have an unknown pattern. */
  readonly pattern: PatternName
}

const Config: Schema.Codec<Config, unknown> = Schema.Struct({
  pattern: Schema.Literals(patternNames)
    .annotate({ description: 'pattern for the cost of jobs without communication or with an unknown pattern' })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed('recursive-doubling' as const))),
})

/**
 * The policy adaptive (Mishra, Agrawal and Malakar, *Communication-aware Job Scheduling using SLURM*, ICPP Workshops
 * 2020, section 4.3) chooses between the placements of greedy and balanced by the cost of communication.
 */
export const adaptive: PlacementPolicy<Config> = {
  contract: 1,
  name: 'adaptive',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, { pattern }) => adaptivePlacer(topology, pattern),
}
export default adaptive

/**
 * Chooses between the placements of greedy and balanced (Mishra et al. 2020, section 4.3): for communication-intensive
 * jobs the placement with the lower cost, for all other jobs the placement with the higher cost.
 */
function adaptivePlacer(topology: Topology, fallback: PatternName): Placer {
  const greedyPlacer = new LowestSwitchPlacer(topology, byCommunicationRatio(topology))
  const balancedPlacer = new LowestSwitchPlacer(topology, powersOfTwo(topology))
  const cost = (state: StateView, { communication }: Request, { nodes }: Placement): number => {
    const pattern = patternOf(communication?.pattern ?? fallback) ?? patternOf(fallback)
    return communicationCost(topology, (leaf) => state.communicatingNodesOnLeaf(leaf), nodes, pattern)
  }
  return {
    claims: balancedPlacer.claims,
    place(state, request) {
      const balanced = balancedPlacer.place(state, request)
      const greedy = greedyPlacer.place(state, request)
      // Greedy and balanced refuse the same jobs, because their rules only divide a job among leaves.
      if (!balanced.ok || !greedy.ok || sameIds(balanced.nodes, greedy.nodes)) return balanced
      const costOfBalanced = cost(state, request, balanced)
      const costOfGreedy = cost(state, request, greedy)
      const isGreedyChosen =
        request.communication === undefined ? costOfGreedy > costOfBalanced : costOfGreedy < costOfBalanced
      return isGreedyChosen ? { ...greedy, note: { as: 'greedy' } } : { ...balanced, note: { as: 'balanced' } }
    },
  }
}

function sameIds(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
