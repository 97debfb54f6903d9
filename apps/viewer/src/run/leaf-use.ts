import type { Topology } from '@cloister/topology'
import { noOwner } from './questions.ts'

/** Numbers of held nodes, of nodes down, and of free nodes on partly used leaves, leaf by leaf. */
export interface LeafUse {
  readonly held: Int32Array
  readonly down: Int32Array
  /**
   * Free nodes on partly used leaves: leaves with a held node, a node that is down, or an uplink that is held or down.
   * 0 for any other leaf. No request for whole leaves can use these free nodes.
   */
  readonly partialLeafFree: Int32Array
}

/** Counts the nodes of `LeafUse` leaf by leaf. @param leafLinks owners of uplinks; undefined if jobs share links */
export function leafUse(
  { leaves, firstNodeOfLeaf, levels }: Topology,
  nodeOwners: Int32Array,
  leafLinks: Int32Array | undefined,
): LeafUse {
  const [held, down, partialLeafFree] = Array.from({ length: 3 }, () => new Int32Array(leaves))
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
    if (!isWhole) partialLeafFree[leaf] = free
  }
  return { held, down, partialLeafFree }
}
