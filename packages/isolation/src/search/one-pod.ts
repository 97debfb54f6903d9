import type { Search } from './search.ts'
import type { FreeIndex } from '../tree/free-index.ts'
import type { TreeShape } from '../tree/tree-shape.ts'
import { count, countCommon } from '../tree/slots.ts'

/** Division of a job in one pod: `leaves` full leaves of `nodes` nodes, and a remainder leaf if `remainder` > 0. */
export interface LeafShape {
  readonly leaves: number
  readonly nodes: number
  readonly remainder: number
}

/**
 * Search in one pod: FIND_L2 of Algorithm 1 of the Jigsaw paper. The full leaves have enough nodes, and free uplinks to
 * enough common L2 switches; the remainder leaf has free uplinks to enough of these L2 switches. The search tries
 * leaves in order of ids, and is exhaustive if its steps suffice.
 */
export class OnePodSearch {
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
    for (let leaf = from; leaf <= last; leaf++) {
      if (index.usable[leaf] < shape.nodes) continue
      if (!this.#search.step()) return false
      if (this.#sameAsTried(index, shape, from, leaf)) continue
      for (let word = 0; word < leafWords; word++)
        this.common[here + word] = this.common[above + word] & index.leafSlots[leaf * leafWords + word]
      if (count(this.common, here, leafWords) < shape.nodes) continue
      this.chosen[depth] = leaf
      if (this.#pick(index, pod, shape, depth + 1, leaf + 1)) return true
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
        countCommon(index.leafSlots, leaf * leafWords, this.common, common, leafWords) >= shape.remainder
      ) {
        this.remainderLeaf = leaf
        return true
      }
    }
    return false
  }
}
