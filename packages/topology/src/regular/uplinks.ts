import type { Topology } from '../topology.ts'

/** Returns the parents of a switch, ascending and without repetitions. */
export function parentsOf({ levels }: Topology, level: number, sw: number): ReadonlyArray<number> {
  const { firstPort, parentOfLink } = levels[level]
  return [...new Set(parentOfLink.subarray(firstPort[sw], firstPort[sw + 1]))].sort((a, b) => a - b)
}

/** Returns the number of cables from a switch to a parent. */
export function cablesTo({ levels }: Topology, level: number, sw: number, parent: number): number {
  const { firstPort, parentOfLink } = levels[level]
  return parentOfLink.subarray(firstPort[sw], firstPort[sw + 1]).filter((each) => each === parent).length
}
