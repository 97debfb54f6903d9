import { communicationCost, type PatternName, patternOf } from '@cloister/communication'
import { byCommunicationRatio, LowestSwitchPlacer, powersOfTwo } from '@cloister/lowest-switch'
import type { Claims, Outcome, Placement, Placer, Request, StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/** Section 4.3: of the placements of greedy and balanced the cheaper one for jobs that communicate, the dearer one for others. */
export class AdaptivePlacer implements Placer {
  readonly claims: Claims
  readonly #topology: Topology
  readonly #pattern: PatternName
  readonly #greedy: LowestSwitchPlacer
  readonly #balanced: LowestSwitchPlacer

  /** @param pattern for jobs that name none, or one whose cost is not known */
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
    // Both are refused together: neither rule is about where there is room.
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
