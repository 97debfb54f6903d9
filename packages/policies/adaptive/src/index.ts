import {
  byCommunicationRatio,
  communicationCost,
  LowestSwitchPlacer,
  type PatternName,
  patternNames,
  patternOf,
  powersOfTwo,
} from '@cloister/communication'
import type { Claims, Outcome, Placement, PlacementPolicy, Placer, Request, StateView } from '@cloister/placement'
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
  make: (topology, { pattern }) => new AdaptivePlacer(topology, pattern),
}
export default adaptive

/**
 * Chooses between the placements of greedy and balanced (Mishra et al. 2020, section 4.3): for communication-intensive
 * jobs the placement with the lower cost, for all other jobs the placement with the higher cost.
 */
class AdaptivePlacer implements Placer {
  readonly claims: Claims
  readonly #topology: Topology
  readonly #pattern: PatternName
  readonly #greedy: LowestSwitchPlacer
  readonly #balanced: LowestSwitchPlacer

  constructor(topology: Topology, pattern: PatternName) {
    this.#topology = topology
    this.#pattern = pattern
    this.#greedy = new LowestSwitchPlacer(topology, byCommunicationRatio(topology))
    this.#balanced = new LowestSwitchPlacer(topology, powersOfTwo(topology))
    this.claims = this.#balanced.claims
  }

  place(state: StateView, request: Request): Outcome {
    const balanced = this.#balanced.place(state, request)
    const greedy = this.#greedy.place(state, request)
    // Greedy and balanced refuse the same jobs, because their rules only divide a job among leaves.
    if (!balanced.ok || !greedy.ok || sameIds(balanced.nodes, greedy.nodes)) return balanced
    const costOfBalanced = this.#cost(state, request, balanced)
    const costOfGreedy = this.#cost(state, request, greedy)
    const isGreedyChosen =
      request.communication === undefined ? costOfGreedy > costOfBalanced : costOfGreedy < costOfBalanced
    return isGreedyChosen ? { ...greedy, note: { as: 'greedy' } } : { ...balanced, note: { as: 'balanced' } }
  }

  #cost(state: StateView, { communication }: Request, { nodes }: Placement): number {
    const pattern = patternOf(communication?.pattern ?? this.#pattern) ?? patternOf(this.#pattern)
    return communicationCost(this.#topology, (leaf) => state.communicatingNodesOnLeaf(leaf), nodes, pattern)
  }
}

function sameIds(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
