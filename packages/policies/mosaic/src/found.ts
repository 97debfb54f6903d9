import { type Placement, popcount, type StateView } from '@cloister/placement'
import type { Tree } from './tree.ts'

/** Number of a job's nodes on a leaf (the free nodes with the lowest ids), and a mask of the job's uplinks there. */
export interface LeafPart {
  readonly leaf: number
  readonly nodes: number
  readonly uplinks: number
}

/** Spine links of a placement above one L2 switch, as a mask. */
export interface SpinePart {
  readonly l2: number
  readonly spines: number
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

export function placementOf(tree: Tree, state: StateView, { score, leaves, spines }: Found): Placement {
  const inOrder = leaves.toSorted((a, b) => a.leaf - b.leaf)
  const nodes = new Int32Array(leaves.reduce((sum, part) => sum + part.nodes, 0))
  let at = 0
  for (const part of inOrder) {
    const first = part.leaf * tree.width
    for (let left = part.nodes, mask = state.nodeMask(part.leaf, 0); left > 0; left--, mask &= mask - 1)
      nodes[at++] = first + lowest(mask)
  }
  const uplinks = idsOf(inOrder.map(({ leaf, uplinks }) => [leaf * tree.width, uplinks]))
  const above = idsOf(spines.toSorted((a, b) => a.l2 - b.l2).map(({ l2, spines }) => [l2 * tree.spines, spines]))
  const links = above.length > 0 ? [uplinks, above] : uplinks.length > 0 ? [uplinks] : []
  return { ok: true, nodes, links, note: { score: Math.round(score) } }
}

function idsOf(parts: ReadonlyArray<readonly [first: number, mask: number]>): Int32Array {
  const ids = new Int32Array(parts.reduce((sum, [, mask]) => sum + popcount(mask), 0))
  let at = 0
  for (const [first, mask] of parts)
    for (let bits = mask; bits !== 0; bits &= bits - 1) ids[at++] = first + lowest(bits)
  return ids
}

export function lowest(mask: number): number {
  return 31 - Math.clz32(mask & -mask)
}

/** Adds the lowest bits of the mask `from` to the mask `set`, until `size` bits are set or `from` has no more bits. */
export function grown(set: number, from: number, size: number): number {
  let result = set
  let rest = from & ~set
  for (let left = size - popcount(set); left > 0 && rest !== 0; left--, rest &= rest - 1) result |= rest & -rest
  return result
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
