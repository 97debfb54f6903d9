import { communicationCost, type PatternName, patternOf } from '@cloister/communication'
import { byCommunicationRatio, LowestSwitchPlacer, powersOfTwo } from '@cloister/lowest-switch'
import type { Claims, Outcome, Placement, Placer, Request, StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/**
 * Chooses between the placements of greedy and balanced (Mishra et al. 2020, section 4.3): for communication-intensive
 * jobs the placement with the lower cost, for all other jobs the placement with the higher cost.
 */
export class AdaptivePlacer implements Placer {
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
