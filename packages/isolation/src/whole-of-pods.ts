import type { FreeIndex } from './free-index.ts'
import type { TreeShape } from './tree-shape.ts'

/** Whole leaves of each pod, largest first, for trees where whole leaves have different numbers of nodes. */
export class WholeOfPods {
  /** Number of whole leaves of each pod. */
  readonly count: Int32Array
  readonly #tree: TreeShape
  /** Whole leaves of each pod from `pod * leavesPerPod` on. Leaves of one size are in the order of ids. */
  readonly #leaves: Int32Array
  /** Number of nodes on the first k whole leaves of each pod, at `pod * (leavesPerPod + 1) + k`. */
  readonly #sums: Int32Array
  /** Memory of `list`, by the number of nodes of a leaf. */
  readonly #places: Int32Array

  constructor(tree: TreeShape) {
    this.#tree = tree
    this.count = new Int32Array(tree.pods)
    this.#leaves = new Int32Array(tree.pods * tree.leavesPerPod)
    this.#sums = new Int32Array(tree.pods * (tree.leavesPerPod + 1))
    this.#places = new Int32Array(tree.nodesPerLeaf + 1)
  }

  /** Lists the whole leaves of an index. Returns the largest number of whole leaves of a pod. */
  list({ wholeNodes }: FreeIndex): number {
    const { pods, leavesPerPod, nodesPerLeaf } = this.#tree
    const places = this.#places
    let most = 0
    for (let pod = 0; pod < pods; pod++) {
      const first = pod * leavesPerPod
      places.fill(0)
      for (let leaf = first; leaf < first + leavesPerPod; leaf++) places[wholeNodes[leaf]]++
      // From here on, `places` has the place of the next leaf of each size, instead of the number of these leaves.
      let whole = 0
      for (let each = nodesPerLeaf, sum = pod * (leavesPerPod + 1); each > 0; each--) {
        const leaves = places[each]
        places[each] = first + whole
        whole += leaves
        for (let left = leaves; left > 0; left--, sum++) this.#sums[sum + 1] = this.#sums[sum] + each
      }
      for (let leaf = first; leaf < first + leavesPerPod; leaf++)
        if (wholeNodes[leaf] > 0) this.#leaves[places[wholeNodes[leaf]]++] = leaf
      this.count[pod] = whole
      most = Math.max(most, whole)
    }
    return most
  }

  /** Returns the number of nodes on the largest `leaves` whole leaves of a pod, or on all if there are fewer. */
  nodesOf(pod: number, leaves: number): number {
    return this.#sums[pod * (this.#tree.leavesPerPod + 1) + Math.min(leaves, this.count[pod])]
  }

  /** Returns the largest `leaves` whole leaves of a pod, or all if there are fewer; valid until the next `list`. */
  largest(pod: number, leaves: number): Int32Array {
    const first = pod * this.#tree.leavesPerPod
    return this.#leaves.subarray(first, first + Math.min(leaves, this.count[pod]))
  }
}
