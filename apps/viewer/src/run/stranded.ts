import type { Topology } from '@cloister/topology'
import { noOwner } from './questions.ts'

/** Nodes of each leaf by what they are at a moment. */
export interface LeafUse {
  readonly held: Int32Array
  readonly down: Int32Array
  /**
   * Free nodes that no request for whole leaves can have: on a leaf that is partly held or down, or whose uplinks are not all
   * free. Isolating policies place what is larger than a pod on whole leaves (the Jigsaw paper's Algorithm 1): such nodes
   * serve small jobs only.
   */
  readonly stranded: Int32Array
}

/**
 * Tells how the nodes of each leaf are used.
 *
 * @param leafLinks owners of the links from leaves up; undefined where links have no owners
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
