import { placementDefect } from '../../allocation.ts'
import type { Placement } from '../../contract.ts'
import type { ClusterState } from '../../state.ts'
import type { Property } from '../question.ts'

/** Property of the basis, because a history cannot continue after an invalid placement. */
export const placements: Property = {
  name: 'a placement names free nodes and links, ascending, each once',
  standsOn: [],
  isBasis: true,
  applies: () => true,
  defect({ state, outcome }) {
    const message = outcome.ok ? freePlacementDefect(state, outcome) : undefined
    return message === undefined
      ? undefined
      : { message, test: ['expect(outcome.ok && freePlacementDefect(state, outcome)).toBeUndefined()'] }
  },
}

/**
 * Returns the first fault of a placement in a state, or undefined if there is none. Faults are ids that do not exist or
 * do not ascend, and resources that are not free.
 */
export function freePlacementDefect<Index>(state: ClusterState<Index>, placement: Placement): string | undefined {
  const defect = placementDefect(state.topology, placement)
  if (defect !== undefined) return defect
  for (const node of Array.from(placement.nodes)) if (!state.isNodeFree(node)) return `node ${node} is not free`
  for (const [level, ids] of placement.links.entries()) {
    for (const link of Array.from(ids)) {
      if (state.linkCapacity === 0 && !state.isLinkFree(level, link)) return `level-${level} link ${link} is not free`
      if (state.linkCapacity > 0 && state.capacityLeft(level, link) < (placement.bandwidth ?? Infinity))
        return `level-${level} link ${link} has too little bandwidth left`
    }
  }
  return undefined
}
