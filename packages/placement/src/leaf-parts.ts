import type { Topology } from '@cloister/topology'
import type { StateView } from './view.ts'

/** Nodes of one leaf in one block of the machine. */
export interface LeafPart {
  readonly leaf: number
  /** Number of nodes. */
  readonly size: number
  /** Ids of the nodes, ascending; absent if all nodes of the leaf are in the block. */
  readonly nodes?: Int32Array
}

/** Blocks of a machine (NVLink domains), as parts of leaves. On a machine without blocks, each leaf is a block. */
export interface BlockParts {
  /** Parts of each block in the order of the leaves, block by block. */
  readonly parts: ReadonlyArray<LeafPart>
  /** First part of each block, then the number of all parts. */
  readonly firstPart: Int32Array
  /** Number of nodes of all blocks before each block, then the number of all nodes. */
  readonly firstNode: Int32Array
}

/** Returns the leaves of a machine as blocks of one part. */
export function partsOfLeaves({ leaves, firstNodeOfLeaf: firstNode }: Topology): BlockParts {
  const parts = Array.from({ length: leaves }, (_, leaf) => ({ leaf, size: firstNode[leaf + 1] - firstNode[leaf] }))
  return { parts, firstPart: Int32Array.from({ length: leaves + 1 }, (_, leaf) => leaf), firstNode }
}

/** Returns the blocks of a machine as parts of leaves; the leaves if the machine has no blocks. */
export function partsOfBlocks(topology: Topology): BlockParts {
  const { blocks, leafOfNode, firstNodeOfLeaf } = topology
  if (blocks === undefined) return partsOfLeaves(topology)
  const parts: Array<LeafPart> = []
  const firstPart = [0]
  const firstNode = [0]
  for (const { nodes } of blocks) {
    for (let at = 0, end = 0; at < nodes.length; at = end) {
      const leaf = leafOfNode[nodes[at]]
      while (end < nodes.length && leafOfNode[nodes[end]] === leaf) end++
      const size = end - at
      const isWhole = size === firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf]
      parts.push(isWhole ? { leaf, size } : { leaf, size, nodes: nodes.subarray(at, end) })
    }
    firstPart.push(parts.length)
    firstNode.push(firstNode[firstNode.length - 1] + nodes.length)
  }
  return { parts, firstPart: Int32Array.from(firstPart), firstNode: Int32Array.from(firstNode) }
}

/** Returns the number of free nodes of a part. */
export function freeNodesOfPart(state: StateView, { leaf, nodes }: LeafPart): number {
  if (nodes === undefined) return state.freeNodesOnLeaf(leaf)
  let free = 0
  for (const node of nodes) if (state.isNodeFree(node)) free++
  return free
}

/** Writes the ids of a part's free nodes into `out` from `offset` on, ascending; returns how many ids it wrote. */
export function freeNodeIdsOfPart(
  state: StateView,
  { leaf, nodes }: LeafPart,
  out: Int32Array,
  offset: number,
): number {
  if (nodes === undefined) return state.freeNodeIds(leaf, out, offset)
  let at = offset
  for (const node of nodes) if (state.isNodeFree(node)) out[at++] = node
  return at - offset
}
