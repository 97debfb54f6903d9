import type { Placement, StateView } from '@cloister/placement'
import type { FreeIndex } from './free-index.ts'
import type { TreeShape } from './tree-shape.ts'
import { PlacementMasks } from './placement-masks.ts'
import { PodCapacity } from './pod-capacity.ts'
import type { PartitionConfig } from './search.ts'
import { addLowest, count, countCommon } from './slots.ts'

/**
 * Search in one pod for leaves with different numbers of nodes, for trees with absent parts. All leaves own one set S of
 * uplinks, except a remainder leaf, which owns a part of S. S is as large as the largest number of flows of a leaf needs.
 * Bandwidth then follows from the auditor's rule `nested-remainders`. The search takes the leaves with the most nodes
 * first. If the sets are few, the search is exhaustive, because `FreeIndex.capacity` has the largest job that some set S
 * allows.
 */
export class UnevenLeaves {
  readonly #tree: TreeShape
  readonly #order: PartitionConfig['order']
  readonly #capacity: PodCapacity
  /** Number of nodes that the job takes of each leaf of the pod; 0 for other leaves. */
  readonly #taken: Int32Array
  /** Mask of the free uplink slots that the taken leaves have in common. */
  readonly #common: Int32Array
  readonly #full: Int32Array
  readonly #rest: Int32Array

  constructor(tree: TreeShape, order: PartitionConfig['order']) {
    this.#tree = tree
    this.#order = order
    this.#capacity = new PodCapacity(tree)
    this.#taken = new Int32Array(tree.leavesPerPod)
    this.#common = new Int32Array(tree.leafWords)
    this.#full = new Int32Array(tree.leafWords)
    this.#rest = new Int32Array(tree.leafWords)
  }

  find(state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    const { uplinksFor, nodesPerLeaf, leafPorts, pods, leafWords, leavesPerPod } = this.#tree
    const most = Math.min(leafPorts, uplinksFor[Math.min(nodes, nodesPerLeaf)])
    for (let step = 0; step < most; step++) {
      const uplinks = this.#order === 'densest-first' ? most - step : 1 + step
      for (let pod = 0; pod < pods; pod++) {
        if (index.capacity[pod] < nodes || !this.#mayFit(index, pod, nodes, uplinks)) continue
        this.#common.fill(-1)
        this.#taken.fill(0)
        const placement = this.#onLeaves(state, index, pod, nodes, nodes, uplinks)
        if (placement !== undefined) return placement
      }
    }
    for (let pod = 0; pod < pods; pod++) {
      // The largest set S of some leaves serves every job of at most as many nodes.
      if (index.capacity[pod] < nodes || this.#capacity.of(index, pod) < nodes || this.#capacity.isOneLeaf) continue
      this.#common.set(this.#capacity.uplinks)
      this.#taken.fill(0)
      const { largeLeaf } = this.#capacity
      const onLarge = largeLeaf < 0 ? 0 : Math.min(nodes - 1, index.free[largeLeaf])
      if (largeLeaf >= 0) this.#taken[largeLeaf % leavesPerPod] = onLarge
      return this.#onLeaves(state, index, pod, nodes, nodes - onLarge, count(this.#common, 0, leafWords))
    }
    return undefined
  }

  /** Returns false if counts of leaves rule out a pod. */
  #mayFit({ leavesUsable }: FreeIndex, pod: number, nodes: number, uplinks: number): boolean {
    const { nodesPerLeaf, nodesFor } = this.#tree
    const row = pod * (nodesPerLeaf + 1)
    let left = nodes
    for (let each = Math.min(nodesPerLeaf, nodesFor[uplinks]); each > 0; each--) left -= leavesUsable[row + each]
    return left <= 0
  }

  /**
   * Takes leaves with at least `uplinks` slots of `#common` in common for `wanted` nodes, besides the leaves of `#taken`,
   * and a remainder leaf for the rest of the nodes.
   */
  #onLeaves(
    state: StateView,
    index: FreeIndex,
    pod: number,
    nodes: number,
    wanted: number,
    uplinks: number,
  ): Placement | undefined {
    // At most nodes - 1: a job on one leaf is found by another search.
    const most = Math.min(this.#tree.nodesPerLeaf, this.#tree.nodesFor[uplinks], nodes - 1)
    const left = this.#takeLeaves(index, pod, wanted, uplinks, most)
    const restLeaf = left === 0 ? -1 : this.#restLeaf(index, pod, left, most)
    return left > 0 && restLeaf < 0 ? undefined : this.#placement(state, index, pod, nodes, left, restLeaf)
  }

  /** Adds to `#taken`, reduces `#common`, and returns the number of nodes that are left for a remainder leaf. */
  #takeLeaves(index: FreeIndex, pod: number, nodes: number, uplinks: number, most: number): number {
    const { leavesPerPod, nodesPerLeaf, leafWords } = this.#tree
    let left = nodes
    const row = pod * (nodesPerLeaf + 1)
    for (let each = Math.min(most, nodes); each > 0 && left > 0; each--) {
      if (index.leavesUsable[row + each] === 0) continue
      let others = index.leavesFree[row + each] - (each < most ? index.leavesFree[row + each + 1] : 0)
      for (let i = 0; others > 0 && each <= left; i++) {
        const leaf = pod * leavesPerPod + i
        if (Math.min(index.free[leaf], most) !== each) continue
        others--
        if (this.#taken[i] > 0) continue
        if (countCommon(this.#common, 0, index.leafSlots, leaf * leafWords, leafWords) < uplinks) continue
        for (let word = 0; word < leafWords; word++) this.#common[word] &= index.leafSlots[leaf * leafWords + word]
        this.#taken[i] = each
        left -= each
      }
    }
    return left
  }

  /**
   * Returns the first leaf that can hold the rest of the nodes, at most `most`, on some of the common uplinks; -1 if
   * there is none.
   */
  #restLeaf(index: FreeIndex, pod: number, left: number, most: number): number {
    const { leavesPerPod, uplinksFor, leafWords } = this.#tree
    if (left > most) return -1
    for (let i = 0; i < leavesPerPod; i++) {
      const leaf = pod * leavesPerPod + i
      if (this.#taken[i] > 0 || index.free[leaf] < left) continue
      if (countCommon(this.#common, 0, index.leafSlots, leaf * leafWords, leafWords) >= uplinksFor[left]) return leaf
    }
    return -1
  }

  /** Returns the placement on `#taken`, with `rest` nodes on the remainder leaf. Fewer flows than K leave any leaf. */
  #placement(
    state: StateView,
    index: FreeIndex,
    pod: number,
    nodes: number,
    rest: number,
    restLeaf: number,
  ): Placement {
    const { leavesPerPod, uplinksFor, leafWords } = this.#tree
    let most = 0
    for (const taken of this.#taken) most = Math.max(most, Math.min(taken, nodes - taken))
    this.#rest.fill(0)
    if (restLeaf >= 0) {
      for (let word = 0; word < leafWords; word++)
        this.#full[word] = this.#common[word] & index.leafSlots[restLeaf * leafWords + word]
      addLowest(this.#full, 0, this.#rest, 0, leafWords, uplinksFor[Math.min(rest, nodes - rest)])
    }
    this.#full.set(this.#rest)
    addLowest(this.#common, 0, this.#full, 0, leafWords, uplinksFor[most] - count(this.#rest, 0, leafWords))
    const masks = new PlacementMasks(this.#tree, state)
    for (let i = 0; i < leavesPerPod; i++) {
      const leaf = pod * leavesPerPod + i
      if (leaf === restLeaf) masks.takeLeaf(leaf, rest, this.#rest)
      else if (this.#taken[i] > 0) masks.takeLeaf(leaf, this.#taken[i], this.#full)
    }
    return masks.placement()
  }
}
