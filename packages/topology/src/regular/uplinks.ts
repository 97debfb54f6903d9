import type { Topology } from '../topology.ts'

/** The parents of a switch, each once, ascending. */
export function parentsOf({ levels }: Topology, level: number, sw: number): ReadonlyArray<number> {
  const { firstPort, parentOfLink } = levels[level]
  return [...new Set(parentOfLink.subarray(firstPort[sw], firstPort[sw + 1]))].sort((a, b) => a - b)
}

/** How many cables lead from a switch to one of its parents. */
export function cablesTo({ levels }: Topology, level: number, sw: number, parent: number): number {
  const { firstPort, parentOfLink } = levels[level]
  return parentOfLink.subarray(firstPort[sw], firstPort[sw + 1]).filter((each) => each === parent).length
}
