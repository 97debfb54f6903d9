import { PlacementMasks, type TreeShape } from '@cloister/isolation'
import type { Placement, StateView } from '@cloister/placement'

/**
 * Number of a job's nodes on a leaf (the free nodes with the lowest ids), and a mask of the job's uplinks there. A bit
 * of a mask stands for a slot: bit `b + k * parents` for the k-th of the parallel cables to parent b.
 */
export interface LeafPart {
  readonly leaf: number
  readonly nodes: number
  readonly uplinks: Int32Array
}

/** Spine links of a placement in one pod: a mask of slots for each L2 switch, in the order of L2 indices. */
export interface SpinePart {
  readonly pod: number
  readonly spines: Int32Array
}

/**
 * Placement that a search of Mosaic found. The placement with the lowest score wins. The score is a cost in
 * node-milliseconds; for several pods, the number of pods + 0.3 for each spare spine link.
 */
export interface Found {
  readonly score: number
  readonly leaves: ReadonlyArray<LeafPart>
  readonly spines: ReadonlyArray<SpinePart>
}

export function placementOf(tree: TreeShape, state: StateView, { score, leaves, spines }: Found): Placement {
  const masks = new PlacementMasks(tree, state)
  for (const part of leaves.toSorted((a, b) => a.leaf - b.leaf)) masks.takeLeaf(part.leaf, part.nodes, part.uplinks)
  for (const part of spines.toSorted((a, b) => a.pod - b.pod)) masks.takeSpines(part.pod, part.spines)
  return masks.placement({ score: Math.round(score) })
}

/**
 * Computes the sizes of nested sets of links for a row of switches, in which switch `j` sends and gets at most
 * `flows[j]` flows. The sizes suffice for any flows between the switches. The set of a switch has a link for each flow
 * of the switch and of all later switches in the row, but at most as many links as the largest switch needs. The file
 * CONDITION.md has the proof.
 *
 * @param sizes output array for the sizes of the first `count` switches
 */
export function nestedSizes(flows: ArrayLike<number>, count: number, sizes: Int32Array): void {
  let total = 0
  for (let j = 0; j < count; j++) total += flows[j]
  let most = 0
  for (let j = 0; j < count; j++) most = Math.max(most, crossing(flows[j], total))
  let behind = 0
  for (let j = count - 1; j >= 0; j--) {
    behind += crossing(flows[j], total)
    sizes[j] = Math.min(most, behind)
  }
}

/** Number of flows that can leave a switch: at most its own flows, and at most the flows of all other switches. */
function crossing(own: number, total: number): number {
  return Math.min(own, total - own)
}
