import type { Topology } from '@cloister/topology'
import { noOwner } from './questions.ts'

/** Number of nodes of each leaf by state, at a moment. */
export interface LeafUse {
  readonly held: Int32Array
  readonly down: Int32Array
  /**
   * Free nodes on a leaf that is partly held or down, or that has a held uplink. No request for whole leaves can use
   * these nodes. Isolating policies place jobs larger than a pod on whole leaves (the Jigsaw paper's Algorithm 1), so
   * only small jobs can use stranded nodes.
   */
  readonly stranded: Int32Array
}

/**
 * Counts the held, down and stranded nodes of each leaf.
 *
 * @param leafLinks owners of the links from leaves up; undefined if links have no owners
 */
export function leafUse(
  { leaves, firstNodeOfLeaf, levels }: Topology,
  nodeOwners: Int32Array,
  leafLinks: Int32Array | undefined,
): LeafUse {
  const [held, down, stranded] = Array.from({ length: 3 }, () => new Int32Array(leaves))
  const firstPort = levels[0]?.firstPort
  for (let leaf = 0; leaf < leaves; leaf++) {
    let free = 0
    for (let node = firstNodeOfLeaf[leaf]; node < firstNodeOfLeaf[leaf + 1]; node++)
      if (nodeOwners[node] === noOwner.free) free++
      else if (nodeOwners[node] === noOwner.down) down[leaf]++
      else held[leaf]++
    let isWhole = held[leaf] + down[leaf] === 0
    if (isWhole && leafLinks !== undefined && firstPort !== undefined)
      for (let link = firstPort[leaf]; link < firstPort[leaf + 1]; link++) isWhole &&= leafLinks[link] === noOwner.free
    if (!isWhole) stranded[leaf] = free
  }
  return { held, down, stranded }
}
