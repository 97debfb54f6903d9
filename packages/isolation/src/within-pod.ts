import type { Placement, StateView } from '@cloister/placement'
import { type FreeIndex, MOST_FREE_NODES } from './free-index.ts'
import type { TreeShape } from './tree-shape.ts'
import { PlacementMasks } from './placement-masks.ts'
import type { PartitionConfig, Search } from './search.ts'
import { addLowest, count, countCommon } from './slots.ts'
import { UnevenLeaves } from './uneven-leaves.ts'

/** Search on one leaf and in one pod: the first half of GET_ALLOCATION in Algorithm 1 of the Jigsaw paper. */
export class WithinPod {
  readonly #tree: TreeShape
  readonly #config: PartitionConfig
  readonly #search: Search
  readonly #onePod: OnePodSearch
  /** Search for leaves with different numbers of nodes; undefined if no part of the tree is absent. */
  readonly #uneven?: UnevenLeaves
  readonly #candidates: Int32Array
  #candidateCount = 0

  constructor(tree: TreeShape, config: PartitionConfig, search: Search) {
    this.#tree = tree
    this.#config = config
    this.#search = search
    this.#onePod = new OnePodSearch(tree, search)
    if (tree.present !== undefined && config.search === undefined) this.#uneven = new UnevenLeaves(tree, config.order)
    this.#candidates = new Int32Array(tree.pods)
  }

  /** Returns the first placement in the order of shapes and pods, if any and if the search has steps left. */
  find(state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    if (nodes > index.summary[MOST_FREE_NODES]) return undefined
    this.#findCandidates(state, nodes)
    if (this.#uneven !== undefined) return this.#onUnevenLeaves(this.#uneven, state, index, nodes)
    const { leavesPerPod, nodesPerLeaf, leafPorts, nodesFor, uplinksFor } = this.#tree
    const most = Math.min(nodes - 1, nodesPerLeaf, nodesFor[leafPorts])
    const least = Math.max(1, Math.ceil(nodes / leavesPerPod))
    const dense = this.#config.order === 'densest-first'
    if (dense) {
      const single = this.#onOneLeaf(state, index, nodes)
      if (single !== undefined) return single
    }
    for (let step = 0; step <= most - least; step++) {
      const perLeaf = dense ? most - step : least + step
      const [leaves, remainder] = [Math.floor(nodes / perLeaf), nodes % perLeaf]
      const uplinks = uplinksFor[this.#search.fewestUplinks && leaves === 1 ? remainder : perLeaf]
      const remainderUplinks = uplinksFor[remainder]
      const isNarrow = uplinks < uplinksFor[perLeaf]
      const shape = { leaves, nodes: perLeaf, uplinks, isNarrow, remainder, remainderUplinks }
      const placement = this.#leavesInSomePod(state, index, shape)
      if (placement !== undefined || this.#search.exhausted) return placement
    }
    return dense ? undefined : this.#onOneLeaf(state, index, nodes)
  }

  #onUnevenLeaves(uneven: UnevenLeaves, state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    if (this.#config.order === 'densest-first')
      return this.#onOneLeaf(state, index, nodes) ?? uneven.find(state, index, nodes)
    return uneven.find(state, index, nodes) ?? this.#onOneLeaf(state, index, nodes)
  }

  #findCandidates(state: StateView, nodes: number): void {
    this.#candidateCount = 0
    for (let pod = 0; pod < this.#tree.pods; pod++) {
      if (state.freeNodesInPod(pod) >= nodes) this.#candidates[this.#candidateCount++] = pod
    }
    if (this.#search.asReleased)
      this.#candidates
        .subarray(0, this.#candidateCount)
        .sort((a, b) => state.freeNodesInPod(a) - state.freeNodesInPod(b) || a - b)
  }

  #onOneLeaf(state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    const { nodesPerLeaf, leavesPerPod } = this.#tree
    const { leafJobsHoldUplinks } = this.#config
    if (nodes > nodesPerLeaf) return undefined
    const [leaves, offered] = leafJobsHoldUplinks ? [index.leavesUsable, index.usable] : [index.leavesFree, index.free]
    for (let i = 0; i < this.#candidateCount; i++) {
      const pod = this.#candidates[i]
      if (leaves[pod * (nodesPerLeaf + 1) + nodes] === 0) continue
      let leaf = pod * leavesPerPod
      while (offered[leaf] < nodes) leaf++
      return onOneLeaf(this.#tree, state, index, leaf, nodes, leafJobsHoldUplinks)
    }
    return undefined
  }

  #leavesInSomePod(state: StateView, index: FreeIndex, shape: LeafShape): Placement | undefined {
    const stride = this.#tree.nodesPerLeaf + 1
    const needed = shape.leaves + (shape.remainder > 0 ? 1 : 0)
    for (let i = 0; i < this.#candidateCount; i++) {
      const pod = this.#candidates[i]
      if (offeredFor(shape, index.leavesUsable, index.leavesFree)[pod * stride + shape.nodes] < shape.leaves) continue
      if (index.leavesUsable[pod * stride + shape.remainder] < needed) continue
      if (this.#onePod.find(index, pod, shape)) return inOnePod(this.#tree, state, index, this.#onePod, shape)
      if (this.#search.exhausted) return undefined
      this.#search.obstacle = 'common uplinks'
    }
    return undefined
  }
}

/** Division of a job in one pod: `leaves` full leaves of `nodes` nodes, and a remainder leaf if `remainder` > 0. */
interface LeafShape {
  readonly leaves: number
  readonly nodes: number
  readonly uplinks: number
  /** True for a single full leaf with `fewestUplinks`, which has fewer uplinks than `nodes` nodes need. */
  readonly isNarrow: boolean
  readonly remainder: number
  readonly remainderUplinks: number
}

/** Returns the numbers of usable nodes if a full leaf needs uplinks for all its nodes, else the numbers of free nodes. */
function offeredFor(shape: LeafShape, usable: Int32Array, free: Int32Array): Int32Array {
  return shape.isNarrow ? free : usable
}

/**
 * Search in one pod: FIND_L2 of Algorithm 1 of the Jigsaw paper. The full leaves have enough nodes, and free uplinks to
 * enough common L2 switches; the remainder leaf has free uplinks to enough of these L2 switches. The search tries
 * leaves in order of ids. A search that is not `asReleased` is exhaustive if its steps suffice.
 */
class OnePodSearch {
  /** Full leaves of the last successful search, ascending, and its remainder leaf; -1 without remainder leaf. */
  readonly chosen: Int32Array
  remainderLeaf = -1
  /** Mask of the free uplink slots that the first `d` chosen leaves have in common, in row `d`. */
  readonly common: Int32Array
  /** Memory in which `inOnePod` marks the uplink slots of the full leaves and of the remainder leaf. */
  readonly fullCables: Int32Array
  readonly remainderCables: Int32Array
  readonly #tree: TreeShape
  readonly #search: Search

  constructor(tree: TreeShape, search: Search) {
    this.#tree = tree
    this.#search = search
    this.chosen = new Int32Array(tree.leavesPerPod)
    this.fullCables = new Int32Array(tree.leafWords)
    this.remainderCables = new Int32Array(tree.leafWords)
    this.common = new Int32Array((tree.leavesPerPod + 1) * tree.leafWords).fill(-1)
  }

  find(index: FreeIndex, pod: number, shape: LeafShape): boolean {
    return this.#pick(index, pod, shape, 0, pod * this.#tree.leavesPerPod)
  }

  /** Returns the index in `common` of the mask of the slots that all full leaves have in common. */
  commonOf(shape: LeafShape): number {
    return shape.leaves * this.#tree.leafWords
  }

  #pick(index: FreeIndex, pod: number, shape: LeafShape, depth: number, from: number): boolean {
    if (depth === shape.leaves) return this.#findRemainder(index, pod, shape)
    const { leavesPerPod, leafWords } = this.#tree
    const above = depth * leafWords
    const here = above + leafWords
    const last = (pod + 1) * leavesPerPod - (shape.leaves - depth)
    const offered = offeredFor(shape, index.usable, index.free)
    for (let leaf = from; leaf <= last; leaf++) {
      if (offered[leaf] < shape.nodes) continue
      if (!this.#search.step()) return false
      if (!this.#search.asReleased && this.#sameAsTried(index, shape, from, leaf)) continue
      for (let word = 0; word < leafWords; word++)
        this.common[here + word] = this.common[above + word] & index.leafSlots[leaf * leafWords + word]
      if (count(this.common, here, leafWords) < shape.uplinks) continue
      this.chosen[depth] = leaf
      if (this.#pick(index, pod, shape, depth + 1, leaf + 1)) return true
      if (this.#search.asReleased && depth + 1 === shape.leaves) return false
    }
    return false
  }

  /** A leaf with the same free slots as an earlier leaf at this depth fails like the earlier leaf. */
  #sameAsTried(index: FreeIndex, shape: LeafShape, from: number, leaf: number): boolean {
    const { leafWords } = this.#tree
    for (let tried = from; tried < leaf; tried++) {
      if (index.usable[tried] < shape.nodes) continue
      let word = 0
      while (word < leafWords && index.leafSlots[tried * leafWords + word] === index.leafSlots[leaf * leafWords + word])
        word++
      if (word === leafWords) return true
    }
    return false
  }

  #findRemainder(index: FreeIndex, pod: number, shape: LeafShape): boolean {
    this.remainderLeaf = -1
    if (shape.remainder === 0) return true
    const { leavesPerPod, leafWords } = this.#tree
    const common = shape.leaves * leafWords
    for (let leaf = pod * leavesPerPod, next = 0; leaf < (pod + 1) * leavesPerPod; leaf++) {
      if (next < shape.leaves && this.chosen[next] === leaf) next++
      else if (
        index.free[leaf] >= shape.remainder &&
        countCommon(index.leafSlots, leaf * leafWords, this.common, common, leafWords) >= shape.remainderUplinks
      ) {
        this.remainderLeaf = leaf
        return true
      }
    }
    return false
  }
}

/** Returns the placement on the first free nodes of one leaf, without links or with the uplinks that the nodes need. */
function onOneLeaf(
  tree: TreeShape,
  state: StateView,
  index: FreeIndex,
  leaf: number,
  nodes: number,
  holdUplinks: boolean,
): Placement {
  const uplinks = holdUplinks ? tree.uplinksFor[nodes] : 0
  const masks = new PlacementMasks(tree, state)
  if (!holdUplinks) {
    masks.takeNodes(leaf, nodes)
    return masks.placement()
  }
  const slots = new Int32Array(tree.leafWords)
  addLowest(index.leafSlots, leaf * tree.leafWords, slots, 0, tree.leafWords, uplinks)
  masks.takeLeaf(leaf, nodes, slots)
  return masks.placement()
}

/** Returns a placement in one pod: all full leaves use one set S of uplink slots, the remainder leaf a part of S. */
function inOnePod(
  tree: TreeShape,
  state: StateView,
  index: FreeIndex,
  search: OnePodSearch,
  shape: LeafShape,
): Placement {
  const { leafWords } = tree
  const { common, fullCables: full, remainderCables: remainder } = search
  const all = search.commonOf(shape)
  remainder.fill(0)
  if (shape.remainder > 0) {
    const leaf = search.remainderLeaf * leafWords
    for (let word = 0; word < leafWords; word++) full[word] = common[all + word] & index.leafSlots[leaf + word]
    addLowest(full, 0, remainder, 0, leafWords, shape.remainderUplinks)
  }
  full.set(remainder)
  addLowest(common, all, full, 0, leafWords, shape.uplinks - shape.remainderUplinks)
  const masks = new PlacementMasks(tree, state)
  let pending = search.remainderLeaf
  for (let i = 0; i < shape.leaves; i++) {
    const leaf = search.chosen[i]
    if (pending >= 0 && pending < leaf) {
      masks.takeLeaf(pending, shape.remainder, remainder)
      pending = -1
    }
    masks.takeLeaf(leaf, shape.nodes, full)
  }
  if (pending >= 0) masks.takeLeaf(pending, shape.remainder, remainder)
  return masks.placement()
}
