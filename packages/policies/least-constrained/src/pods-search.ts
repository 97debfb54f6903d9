import { cablesTo, count, type FreeIndex, intersect, type Search, type TreeShape } from '@cloister/isolation'
import { wordsFor } from '@cloister/placement'

/**
 * Shape of a placement across pods: `pods` full pods of `leaves` full leaves of `nodes` nodes. The remainder pod has
 * `remainderLeaves` full leaves, fewer than a full pod, and perhaps a remainder leaf.
 */
export interface Shape {
  readonly pods: number
  readonly leaves: number
  readonly nodes: number
  readonly remainderLeaves: number
  /** Number of nodes on the remainder leaf; 0 if the shape has no remainder leaf. */
  readonly remainder: number
  /** True if the remainder leaf is in the only full pod; the remainder pod then has at most as many full leaves. */
  readonly isInFullPod: boolean
}

/**
 * Search for the cables, pods and leaves of a placement of one shape. The cables of a full leaf are chosen first, one
 * by one. After each cable, full pods and a remainder pod must exist for the cables chosen so far; if not, the search
 * drops the cable. The leaves with the chosen cables are an intersection of masks. Pods are chosen by their common spines.
 *
 * The search is exhaustive, lowest L2 indices and first pods first, with one exception. Suppose that pod A failed at
 * some depth, and that pod B leaves no common spine at this depth that A did not leave. The search then skips B. For
 * every solution with B there would be a solution with A instead of B. If A were the remainder pod of the solution with
 * B, A and B could change places. The search skips no pod if the full pod has the remainder leaf.
 */
export class PodsSearch {
  /** Full pods of the placement, ascending. `remainderPod` and `remainderLeaf` are -1 if the placement has none. */
  readonly pods: Int32Array
  remainderPod = -1
  remainderLeaf = -1
  /** Number of cables of a full leaf, and in `remainderCables` of the remainder leaf, to each L2 index. */
  readonly cables: Int32Array
  readonly remainderCables: Int32Array
  readonly #tree: TreeShape
  readonly #search: Search
  #picked = 0
  /** L2 index of each chosen slot, in the order of the choice. */
  readonly #l2Of: Int32Array
  /** Number of words of a mask of the leaves of a pod, and of the leaves of all pods. */
  readonly #podWords: number
  readonly #words: number
  /** Masks of the leaves of each pod with a free uplink slot, in row `slot`. */
  readonly #leavesWith: Int32Array
  #hasLeavesWith = false
  /** Masks of the leaves of each pod with enough free nodes and the first k chosen slots free, in row k. */
  readonly #full: Int32Array
  /** Number of nodes of the leaves in row 0 of `#full`; -1 if row 0 is void. */
  #nodesOfFull = -1
  /** Number of full leaves of each pod with the slots chosen so far. */
  readonly #fullLeaves: Int32Array
  /**
   * Masks of the spine slots that the first d full pods have in common, by L2 index, in row d. The row after the full
   * pods includes the remainder pod.
   */
  readonly #spines: Int32Array
  readonly #spineWords: number
  readonly #failures: Failures
  #index!: FreeIndex
  #shape!: Shape

  constructor(tree: TreeShape, search: Search) {
    const { pods, leavesPerPod, leafPorts, l2PerPod, l2Words } = tree
    this.#tree = tree
    this.#search = search
    this.pods = new Int32Array(pods)
    this.cables = new Int32Array(l2PerPod)
    this.remainderCables = new Int32Array(l2PerPod)
    this.#l2Of = new Int32Array(leafPorts)
    this.#podWords = wordsFor(leavesPerPod)
    this.#words = pods * this.#podWords
    this.#leavesWith = new Int32Array(leafPorts * this.#words)
    this.#full = new Int32Array((leafPorts + 1) * this.#words)
    this.#fullLeaves = new Int32Array(pods)
    this.#spineWords = l2PerPod * l2Words
    this.#spines = new Int32Array((pods + 2) * this.#spineWords).fill(-1, 0, this.#spineWords)
    this.#failures = new Failures(this.#spineWords, l2Words)
  }

  /** Sets the free nodes and links for the following searches. */
  begin(index: FreeIndex): void {
    this.#index = index
    this.#hasLeavesWith = false
    this.#nodesOfFull = -1
  }

  find(shape: Shape): boolean {
    this.#shape = shape
    this.cables.fill(0)
    this.#picked = 0
    if (!this.#hasLeavesWith) this.#listLeavesWith()
    if (this.#nodesOfFull !== shape.nodes) this.#listUsable(shape.nodes)
    return this.#pickCable(0)
  }

  #listLeavesWith(): void {
    const { pods, leavesPerPod, leafWords } = this.#tree
    const { leafSlots, usable } = this.#index
    this.#hasLeavesWith = true
    this.#leavesWith.fill(0)
    for (let pod = 0, leaf = 0; pod < pods; pod++) {
      for (let k = 0; k < leavesPerPod; k++, leaf++) {
        if (usable[leaf] === 0) continue
        const cell = pod * this.#podWords + (k >>> 5)
        for (let word = 0; word < leafWords; word++) {
          for (let bits = leafSlots[leaf * leafWords + word]; bits !== 0; bits &= bits - 1) {
            const slot = 32 * word + 31 - Math.clz32(bits & -bits)
            this.#leavesWith[slot * this.#words + cell] |= 1 << (k & 31)
          }
        }
      }
    }
  }

  #listUsable(nodes: number): void {
    const { pods, leavesPerPod } = this.#tree
    this.#nodesOfFull = nodes
    this.#full.fill(0, 0, this.#words)
    for (let pod = 0, leaf = 0; pod < pods; pod++)
      for (let k = 0; k < leavesPerPod; k++, leaf++)
        if (this.#index.usable[leaf] >= nodes) this.#full[pod * this.#podWords + (k >>> 5)] |= 1 << (k & 31)
  }

  /** Returns the masks of the spine slots that the full pods (and the remainder pod) have in common, by L2 index. */
  commonSpines(withRemainder: boolean): Int32Array {
    const row = this.#shape.pods + (withRemainder ? 1 : 0)
    return this.#spines.subarray(row * this.#spineWords, (row + 1) * this.#spineWords)
  }

  isFull(leaf: number): boolean {
    const { leavesPerPod } = this.#tree
    const pod = Math.floor(leaf / leavesPerPod)
    const k = leaf - pod * leavesPerPod
    const word = this.#full[this.#picked * this.#words + pod * this.#podWords + (k >>> 5)]
    return ((word >>> (k & 31)) & 1) === 1
  }

  /** Chooses the remaining cables of a full leaf from slot `from` on; cables to an L2 index in order of their slots. */
  #pickCable(from: number): boolean {
    const { nodes } = this.#shape
    const { l2PerPod, leafPorts } = this.#tree
    for (let slot = from; slot <= leafPorts - (nodes - this.#picked); slot++) {
      const i = slot % l2PerPod
      if (this.cables[i] * l2PerPod + i !== slot) continue
      if (!this.#search.step()) return false
      const left = nodes - this.#picked - 1
      // If all slots after this slot must be taken, a single check after the last slot suffices.
      const isCheckedLater = left > 0 && leafPorts - 1 - slot === left
      const areEnough = this.#countFull(slot, isCheckedLater)
      this.#l2Of[this.#picked++] = i
      this.cables[i]++
      if ((isCheckedLater || (areEnough && this.#hasPods())) && (left === 0 || this.#pickCable(slot + 1))) return true
      if (this.#search.exhausted) return false
      this.cables[i]--
      this.#picked--
    }
    return false
  }

  /**
   * Writes the next row of `#full`, with a further slot. Returns false if there are too few full pods; the row is then
   * void, unless the count is of all pods.
   */
  #countFull(slot: number, isOfAll: boolean): boolean {
    const { pods, leaves } = this.#shape
    const from = this.#picked * this.#words
    const into = from + this.#words
    const row = slot * this.#words
    let spare = this.#tree.pods - pods
    for (let pod = 0, at = 0; pod < this.#tree.pods; pod++, at += this.#podWords) {
      const full = intersect(this.#full, from + at, this.#leavesWith, row + at, this.#podWords, this.#full, into + at)
      this.#fullLeaves[pod] = full
      if (full < leaves && --spare < 0 && !isOfAll) return false
    }
    return spare >= 0
  }

  #hasPods(): boolean {
    this.#failures.forget(0)
    return this.#pickPod(0, 0)
  }

  #pickPod(depth: number, from: number): boolean {
    const { pods, leaves, isInFullPod } = this.#shape
    if (depth === pods) return this.#pickRemainderPod()
    const first = this.#failures.count
    const last = this.#tree.pods - (pods - depth)
    for (let pod = from; pod <= last; pod++) {
      if (this.#fullLeaves[pod] < leaves) continue
      if (!this.#search.step()) return false
      if (!this.#joinSpines(pod, depth, leaves)) continue
      if (
        !isInFullPod &&
        this.#failures.cover(first, this.#spines, (depth + 1) * this.#spineWords, this.#l2Of, this.#picked)
      )
        continue
      this.pods[depth] = pod
      if (this.#pickPod(depth + 1, pod + 1)) return true
      if (this.#search.exhausted) return false
      this.#failures.add(this.#spines, (depth + 1) * this.#spineWords)
    }
    this.#failures.forget(first)
    return false
  }

  /**
   * Writes the intersection of row `depth` of `#spines` and a pod's free spine slots into the next row, at the L2
   * indices of the chosen slots. Returns false if too few common slots are left for `leaves` full leaves.
   */
  #joinSpines(pod: number, depth: number, leaves: number): boolean {
    const { l2Words } = this.#tree
    // Most pods fail at the last chosen slot, because earlier slots had full pods.
    for (let k = this.#picked - 1; k >= 0; k--) {
      const i = this.#l2Of[k]
      const from = depth * this.#spineWords + i * l2Words
      const into = from + this.#spineWords
      const slots = pod * this.#spineWords + i * l2Words
      if (
        intersect(this.#spines, from, this.#index.l2Slots, slots, l2Words, this.#spines, into) <
        this.cables[i] * leaves
      )
        return false
    }
    return true
  }

  #pickRemainderPod(): boolean {
    const { pods, leaves, remainderLeaves, remainder, isInFullPod } = this.#shape
    this.remainderPod = -1
    this.remainderLeaf = -1
    if (remainderLeaves + remainder === 0) return true
    if (isInFullPod && !this.#pickRemainderLeaf(this.pods[0], leaves, 1)) return false
    for (let pod = 0, next = 0; pod < this.#tree.pods; pod++) {
      if (next < pods && this.pods[next] === pod) {
        next++
        continue
      }
      if (this.#fullLeaves[pod] < remainderLeaves) continue
      if (!this.#search.step()) return false
      if (!this.#joinSpines(pod, pods, remainderLeaves)) continue
      if (remainder === 0 || isInFullPod || this.#pickRemainderLeaf(pod, remainderLeaves, pods + 1)) {
        this.remainderPod = pod
        return true
      }
    }
    return false
  }

  /**
   * Finds a remainder leaf after setting the pod's first `fullLeaves` full leaves aside. The spine slots of the pod that
   * the job may use are in a row of `#spines`.
   */
  #pickRemainderLeaf(pod: number, fullLeaves: number, row: number): boolean {
    const { leavesPerPod } = this.#tree
    let full = 0
    for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++) {
      if (full < fullLeaves && this.isFull(leaf)) full++
      else if (this.#isRemainderLeaf(leaf, fullLeaves, row)) return true
    }
    return false
  }

  #isRemainderLeaf(leaf: number, fullLeaves: number, row: number): boolean {
    if (this.#index.usable[leaf] < this.#shape.remainder || !this.#shareCables(leaf, fullLeaves, row)) return false
    this.remainderLeaf = leaf
    return true
  }

  /**
   * Chooses the cables of the remainder leaf to each L2 index: at most the cables of a full leaf, the free cables of
   * the leaf, and the free common spine links. Returns false if the leaf cannot have enough cables.
   */
  #shareCables(leaf: number, fullLeaves: number, row: number): boolean {
    const { nodes, remainder } = this.#shape
    const { l2PerPod, l2Words, leafWords, leafPorts } = this.#tree
    let left = remainder
    for (let i = 0; i < l2PerPod; i++) {
      this.remainderCables[i] = 0
      const cables = this.cables[i]
      if (cables === 0 || left === 0) continue
      const own = cablesTo(this.#index.leafSlots, leaf * leafWords, i, l2PerPod, leafPorts)
      const spines = count(this.#spines, row * this.#spineWords + i * l2Words, l2Words) - cables * fullLeaves
      this.remainderCables[i] = Math.min(left, cables, own, spines)
      left -= this.remainderCables[i]
    }
    // The cables of a full leaf that are not chosen yet may serve the remainder leaf, too.
    return left <= nodes - this.#picked
  }
}

/** Stack of failed choices of pods: for each, the mask of the spine slots that the chosen pods have in common. */
class Failures {
  count = 0
  readonly #words: number
  readonly #l2Words: number
  #sets: Int32Array

  constructor(words: number, l2Words: number) {
    this.#words = words
    this.#l2Words = l2Words
    this.#sets = new Int32Array(64 * words)
  }

  add(set: Int32Array, at: number): void {
    const from = this.count * this.#words
    if (from === this.#sets.length) {
      const larger = new Int32Array(2 * from)
      larger.set(this.#sets)
      this.#sets = larger
    }
    for (let word = 0; word < this.#words; word++) this.#sets[from + word] = set[at + word]
    this.count++
  }

  /**
   * Returns true if the mask of any failure from index `first` on contains all slots of the mask from `set[at]` on, at
   * the first `length` L2 indices of `l2Of`.
   */
  cover(first: number, set: Int32Array, at: number, l2Of: Int32Array, length: number): boolean {
    for (let failure = first; failure < this.count; failure++) {
      const from = failure * this.#words
      let k = length - 1
      while (k >= 0 && this.#contains(from + l2Of[k] * this.#l2Words, set, at + l2Of[k] * this.#l2Words)) k--
      if (k < 0) return true
    }
    return false
  }

  #contains(from: number, set: Int32Array, at: number): boolean {
    for (let word = 0; word < this.#l2Words; word++) if ((set[at + word] & ~this.#sets[from + word]) !== 0) return false
    return true
  }

  forget(from: number): void {
    this.count = from
  }
}
