import type { IndexHooks, StateView } from '@cloister/placement'
import { PodCapacity } from './pod-capacity.ts'
import { count, slotsOfPorts } from './slots.ts'
import type { TreeShape } from './tree-shape.ts'

/**
 * Free nodes and links of a machine, with counts, so that a search need not read every leaf. The usable nodes of a leaf
 * are its free nodes, but at most as many as its free up-ports suffice for. A slot (`slots.ts`) stands for a free cable
 * to a switch above.
 */
export interface FreeIndex {
  /** Memory of all other fields: one copy of this array copies the index. */
  readonly cells: Int32Array
  readonly free: Int32Array
  readonly usable: Int32Array
  /** Number of leaves of a pod with at least k free nodes, at `[pod * (nodesPerLeaf + 1) + k]`. */
  readonly leavesFree: Int32Array
  /** Number of leaves of a pod with at least k usable nodes, at `[pod * (nodesPerLeaf + 1) + k]`. */
  readonly leavesUsable: Int32Array
  /**
   * Numbers for most refusals: the first pod with the most free nodes (at `MOST_FREE_POD`), its free nodes (at
   * `MOST_FREE_NODES`), the number of whole leaves of the machine (at `WHOLE_LEAVES`), and the number of nodes of
   * `wholeNodes` (at `WHOLE_NODES`).
   */
  readonly summary: Int32Array
  /** Number of pods with at least k whole leaves, at `[k]`. */
  readonly podsWithWhole: Int32Array
  /**
   * Number of nodes that a job takes of each leaf with all present nodes and all uplinks of the whole tree free; 0 for any
   * other leaf. Empty for a machine without absent parts.
   */
  readonly wholeNodes: Int32Array
  /**
   * Largest job that the leaves of each pod can hold, or an upper bound of it; empty for a machine without absent parts.
   */
  readonly capacity: Int32Array
  /** Masks of the free uplink slots of every leaf, and of the free spine slots of every L2 switch. */
  readonly leafSlots: Int32Array
  readonly l2Slots: Int32Array
}

export const MOST_FREE_POD = 0
export const MOST_FREE_NODES = 1
export const WHOLE_LEAVES = 2
export const WHOLE_NODES = 3

/** Returns the hooks that build, copy and update the index of a tree's free nodes and links. */
export function freeIndexHooks(tree: TreeShape): IndexHooks<FreeIndex> {
  const capacity = tree.present === undefined ? undefined : new PodCapacity(tree)
  return {
    build(state) {
      const index = emptyIndex(tree)
      for (let leaf = 0; leaf < tree.topology.leaves; leaf++) updateLeaf(tree, index, state, leaf)
      const l2 = tree.pods * tree.l2PerPod
      for (let sw = 0; sw < l2; sw++) updateL2(tree, index, state, sw)
      countWhole(tree, index)
      for (let pod = 0; pod < index.capacity.length; pod++) index.capacity[pod] = capacity!.of(index, pod)
      summarise(tree, index, state)
      return index
    },
    copy(from, into) {
      into.cells.set(from.cells)
    },
    changed(index, state, leaves, upper) {
      for (let i = 0; i < leaves.length; i++) recountWhole(tree, index, state, leaves[i])
      for (let i = 0; i < upper.length; i++) updateL2(tree, index, state, upper[i])
      if (leaves.length === 0) return
      if (capacity !== undefined) updateCapacity(tree, index, capacity, leaves)
      summarise(tree, index, state)
    },
  }
}

function emptyIndex(tree: TreeShape): FreeIndex {
  const leaves = tree.topology.leaves
  const counts = tree.pods * (tree.nodesPerLeaf + 1)
  const l2 = tree.pods * tree.l2PerPod
  const lengths = [
    leaves,
    leaves,
    counts,
    counts,
    4,
    tree.leavesPerPod + 1,
    tree.present?.length ?? 0,
    tree.present === undefined ? 0 : tree.pods,
    leaves * tree.leafWords,
    l2 * tree.l2Words,
  ]
  const cells = new Int32Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  const [free, usable, leavesFree, leavesUsable, summary, podsWithWhole, wholeNodes, capacity, leafSlots, l2Slots] =
    lengths.map((length) => cells.subarray(at, (at += length)))
  // Every leaf has at least 0 free and 0 usable nodes.
  for (let row = 0; row < counts; row += tree.nodesPerLeaf + 1) leavesFree[row] = leavesUsable[row] = tree.leavesPerPod
  return {
    cells,
    free,
    usable,
    leavesFree,
    leavesUsable,
    summary,
    podsWithWhole,
    wholeNodes,
    capacity,
    leafSlots,
    l2Slots,
  }
}

function updateLeaf(tree: TreeShape, index: FreeIndex, state: StateView, leaf: number): void {
  const { leafWords, l2PerPod, leafCables, leavesPerPod, nodesPerLeaf } = tree
  const at = leaf * leafWords
  if (leafCables === 1) {
    for (let word = 0; word < leafWords; word++) index.leafSlots[at + word] = state.portMask(0, leaf, word)
  } else {
    slotsOfPorts((word) => state.portMask(0, leaf, word), l2PerPod, leafCables, index.leafSlots, at, leafWords)
  }
  const free = state.freeNodesOnLeaf(leaf)
  const slots = count(index.leafSlots, at, leafWords)
  const usable = Math.min(free, tree.nodesFor[slots])
  const row = Math.floor(leaf / leavesPerPod) * (nodesPerLeaf + 1)
  recount(index.leavesFree, row, index.free[leaf], free)
  recount(index.leavesUsable, row, index.usable[leaf], usable)
  index.free[leaf] = free
  index.usable[leaf] = usable
  if (tree.present === undefined) return
  const whole = slots === tree.leafPorts && usable === Math.min(tree.present[leaf], tree.wholeLeaf) ? usable : 0
  index.summary[WHOLE_NODES] += whole - index.wholeNodes[leaf]
  index.wholeNodes[leaf] = whole
}

function recount(counts: Int32Array, row: number, before: number, after: number): void {
  for (let k = before + 1; k <= after; k++) counts[row + k]++
  for (let k = after + 1; k <= before; k++) counts[row + k]--
}

function countWhole(
  { pods, leavesPerPod, nodesPerLeaf, wholeLeaf }: TreeShape,
  { podsWithWhole, leavesUsable, summary }: FreeIndex,
): void {
  for (let pod = 0; pod < pods; pod++) {
    const whole = leavesUsable[pod * (nodesPerLeaf + 1) + wholeLeaf]
    podsWithWhole[whole]++
    summary[WHOLE_LEAVES] += whole
  }
  for (let k = leavesPerPod; k > 0; k--) podsWithWhole[k - 1] += podsWithWhole[k]
}

/** Updates the data of a leaf, and the numbers of whole leaves. */
function recountWhole(tree: TreeShape, index: FreeIndex, state: StateView, leaf: number): void {
  const { leavesPerPod, nodesPerLeaf, wholeLeaf } = tree
  const { leavesUsable, podsWithWhole, summary } = index
  const at = Math.floor(leaf / leavesPerPod) * (nodesPerLeaf + 1) + wholeLeaf
  const before = leavesUsable[at]
  updateLeaf(tree, index, state, leaf)
  const after = leavesUsable[at]
  if (after > before) podsWithWhole[after]++
  else if (after < before) podsWithWhole[before]--
  summary[WHOLE_LEAVES] += after - before
}

/** Updates the capacity of the pods of some leaves, in ascending order. */
function updateCapacity(
  { leavesPerPod }: TreeShape,
  index: FreeIndex,
  capacity: PodCapacity,
  leaves: ArrayLike<number>,
): void {
  for (let i = 0, last = -1; i < leaves.length; i++) {
    const pod = Math.floor(leaves[i] / leavesPerPod)
    if (pod !== last) index.capacity[pod] = capacity.of(index, pod)
    last = pod
  }
}

function summarise({ pods }: TreeShape, { summary }: FreeIndex, state: StateView): void {
  let mostFree = 0
  let most = -1
  for (let pod = 0; pod < pods; pod++) {
    const free = state.freeNodesInPod(pod)
    if (free > most) {
      most = free
      mostFree = pod
    }
  }
  summary[MOST_FREE_POD] = mostFree
  summary[MOST_FREE_NODES] = most
}

function updateL2(tree: TreeShape, index: FreeIndex, state: StateView, sw: number): void {
  const { l2Words, spinesPerL2, l2Cables } = tree
  const at = sw * l2Words
  if (l2Cables === 1) {
    for (let word = 0; word < l2Words; word++) index.l2Slots[at + word] = state.portMask(1, sw, word)
  } else {
    slotsOfPorts((word) => state.portMask(1, sw, word), spinesPerL2, l2Cables, index.l2Slots, at, l2Words)
  }
}
