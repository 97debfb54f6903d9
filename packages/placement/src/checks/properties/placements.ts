import { placementDefect } from '../../allocation.ts'
import type { Placement } from '../../contract.ts'
import type { ClusterState } from '../../state.ts'
import type { Property } from '../question.ts'

/** Property of the basis: a history cannot continue after an invalid placement. */
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
 * Returns a message about the first fault of a placement in a state; undefined if it has none. Faults are those of
 * `placementDefect`, a node or link that is not free, and a link with too little bandwidth left.
 */
export function freePlacementDefect<Index>(state: ClusterState<Index>, placement: Placement): string | undefined {
  const defect = placementDefect(state.topology, placement)
  if (defect !== undefined) return defect
  for (const node of Array.from(placement.nodes))
    if (!state.isNodeFree(node)) return `node ${node} of the placement is not free`
  for (const [level, ids] of placement.links.entries()) {
    for (const link of Array.from(ids)) {
      if (state.linkCapacity === 0 && !state.isLinkFree(level, link))
        return `level-${level} link ${link} of the placement is not free`
      if (state.linkCapacity > 0 && state.capacityLeft(level, link) < (placement.bandwidth ?? Infinity))
        return `level-${level} link ${link} of the placement has ${state.capacityLeft(level, link)} MB/s left, less than the bandwidth of the placement`
    }
  }
  return undefined
}
