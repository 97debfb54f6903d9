import type { FreeIndex } from './free-index.ts'
import type { TreeShape } from './tree-shape.ts'
import type { Search } from './search.ts'
import { PodFilter } from './pod-filter.ts'
import { Refutations } from './refutations.ts'
import { cablesTo, count, countCommon } from './slots.ts'

/**
 * Division of a job over several pods: `pods` full pods of `leaves` whole leaves, and perhaps a remainder pod of
 * `remainderLeaves` whole leaves and a remainder leaf, smaller than a full pod.
 */
export interface PodShape {
  readonly pods: number
  readonly leaves: number
  /**
   * Number of leaves whose flows leave a full pod, besides the flows for a remainder leaf; below `leaves` only for one
   * full pod with `fewestUplinks`.
   */
  readonly leavesUp: number
  readonly remainderLeaves: number
  /** Number of nodes on the remainder leaf; 0 without remainder leaf. */
  readonly remainder: number
}

/**
 * Search over several pods: FIND_L3 of Algorithm 1 of the Jigsaw paper. The full pods have enough whole leaves, and
 * their L2 switches of each index have free links to enough common spines; the remainder pod has free links to enough
 * of these spines. Any whole leaves of a pod serve equally well, because whole leaves use all L2 indices. The search
 * tries pods in order of ids, without the pods that `PodFilter` removes. A search that is not `asReleased` is
 * exhaustive if its steps suffice. Without a limit of steps, a search also fails if `Refutations` shows that it must fail.
 */
export class SeveralPodsSearch {
  /** Full pods of the last successful search, ascending, its remainder pod and its remainder leaf; -1 without them. */
  readonly chosen: Int32Array
  remainderPod = -1
  remainderLeaf = -1
  /** Number of cables from the remainder leaf to each L2 index. */
  readonly remainderCables: Int32Array
  /** Masks, by L2 index, of the free spine slots that the first `d` chosen pods have in common, in row `d`. */
  readonly common: Int32Array
  /** Memory of `inSeveralPods` for spine slots of the full pods, of the remainder pod, and of both at one L2 index. */
  readonly fullSpines: Int32Array
  readonly remainderSpines: Int32Array
  readonly reachable: Int32Array
  readonly #rowWords: number
  readonly #filter: PodFilter
  readonly #refutations: Refutations
  /** True if the search has found full pods, and perhaps no remainder for these pods. */
  #hasFullPods = false
  readonly #tree: TreeShape
  readonly #search: Search

  constructor(tree: TreeShape, search: Search) {
    this.#tree = tree
    this.#search = search
    this.#filter = new PodFilter(tree)
    this.common = this.#filter.common
    this.chosen = new Int32Array(tree.pods)
    this.remainderCables = new Int32Array(tree.l2PerPod)
    this.#rowWords = tree.l2PerPod * tree.l2Words
    this.#refutations = new Refutations(tree.pods, this.#rowWords)
    this.fullSpines = new Int32Array(this.#rowWords)
    this.remainderSpines = new Int32Array(this.#rowWords)
    this.reachable = new Int32Array(tree.l2Words)
  }

  find(index: FreeIndex, shape: PodShape): boolean {
    const { candidates } = this.#filter
    const { pods } = shape
    const slots = this.#tree.spinesFor[shape.leavesUp * this.#tree.leafCables]
    const length = this.#listCandidates(index, shape)
    if (this.#takesFirst(index, shape)) return true
    const isExhaustive = slots > 0 && !this.#search.asReleased && !this.#search.isLimited
    if (isExhaustive && this.#refutations.refute(index.l2Slots, candidates, length, pods, slots)) return false
    this.#hasFullPods = false
    if (this.#pick(index, shape, 0, length, -1)) return true
    if (!isExhaustive || this.#hasFullPods) return false
    this.#refutations.add(index.l2Slots, candidates, this.#listCandidates(index, shape), pods, slots)
    return false
  }

  #listCandidates(index: FreeIndex, shape: PodShape): number {
    let length = 0
    for (let pod = 0; pod < this.#tree.pods; pod++)
      if (this.#wholeLeaves(index, pod) >= shape.leaves) this.#filter.candidates[length++] = pod
    return length
  }

  /** Returns the index in `common` of the masks of the slots that all full pods have in common. */
  commonOf(shape: PodShape): number {
    return shape.pods * this.#rowWords
  }

  /** Tries the first candidate pods, which mostly are a solution. `#pick` would find the same pods in as many steps. */
  #takesFirst(index: FreeIndex, shape: PodShape): boolean {
    const slots = this.#tree.spinesFor[shape.leavesUp * this.#tree.leafCables]
    for (let depth = 0; depth < shape.pods; depth++) {
      this.chosen[depth] = this.#filter.candidates[depth]
      this.#join(index, depth, this.chosen[depth])
      if (!this.#hasInCommon(depth + 1, slots)) return false
    }
    if (!this.#findRemainder(index, shape)) return false
    for (let depth = 0; depth < shape.pods; depth++) if (!this.#search.step()) return false
    return true
  }

  #hasInCommon(row: number, slots: number): boolean {
    const { l2PerPod, l2Words } = this.#tree
    let at = row * this.#rowWords
    for (let i = 0; i < l2PerPod; i++, at += l2Words) if (count(this.common, at, l2Words) < slots) return false
    return true
  }

  #wholeLeaves(index: FreeIndex, pod: number): number {
    return index.leavesUsable[pod * (this.#tree.nodesPerLeaf + 1) + this.#tree.wholeLeaf]
  }

  /**
   * Chooses the next pod from the filter's row `depth`, which has `length` candidates but still counts the pod `gone`.
   * Returns true if a solution is found.
   */
  #pick(index: FreeIndex, shape: PodShape, depth: number, length: number, gone: number): boolean {
    const { pods, leafCables, spinesFor } = this.#tree
    const wanted = shape.pods - depth
    if (wanted === 0) return this.#findRemainder(index, shape)
    const row = depth * pods
    const slots = spinesFor[shape.leavesUp * leafCables]
    for (let from = row, left = length, pod = gone; ; from++, left--) {
      left = this.#filter.prune(index.l2Slots, depth, from, left, wanted, slots, pod)
      if (left === 0 || !this.#search.step()) return false
      pod = this.#filter.candidates[from]
      if (!this.#search.asReleased && this.#sameAsTried(index, row, from)) continue
      this.chosen[depth] = pod
      this.#join(index, depth, pod)
      if (wanted > 1) this.#filter.descend(depth, from + 1, left - 1)
      if (this.#pick(index, shape, depth + 1, left - 1, pod)) return true
      if (this.#search.asReleased && wanted === 1) return false
    }
  }

  /** Writes the intersection of row `depth` of `common` with a pod's free spine slots into the next row. */
  #join(index: FreeIndex, depth: number, pod: number): void {
    const above = depth * this.#rowWords
    const here = above + this.#rowWords
    const slots = pod * this.#rowWords
    for (let word = 0; word < this.#rowWords; word++)
      this.common[here + word] = this.common[above + word] & index.l2Slots[slots + word]
  }

  /** A pod with the same free spine slots as an earlier pod at this depth fails like the earlier pod. */
  #sameAsTried(index: FreeIndex, firstTried: number, at: number): boolean {
    const { candidates } = this.#filter
    const own = candidates[at] * this.#rowWords
    for (let tried = firstTried; tried < at; tried++) {
      const other = candidates[tried] * this.#rowWords
      let word = 0
      while (word < this.#rowWords && index.l2Slots[own + word] === index.l2Slots[other + word]) word++
      if (word === this.#rowWords) return true
    }
    return false
  }

  #findRemainder(index: FreeIndex, shape: PodShape): boolean {
    this.#hasFullPods = true
    this.remainderPod = -1
    this.remainderLeaf = -1
    if (shape.remainderLeaves === 0 && shape.remainder === 0) return true
    for (let pod = 0, next = 0; pod < this.#tree.pods; pod++) {
      if (next < shape.pods && this.chosen[next] === pod) next++
      else if (this.#fitsRemainder(index, shape, pod)) {
        this.remainderPod = pod
        return true
      }
    }
    return false
  }

  #fitsRemainder(index: FreeIndex, shape: PodShape, pod: number): boolean {
    if (this.#wholeLeaves(index, pod) < shape.remainderLeaves) return false
    const { l2PerPod, l2Words, leafCables, cablesFor, nodesPerLeaf } = this.#tree
    // Most pods lack a remainder leaf beside the whole leaves, and counts of leaves tell so fastest.
    if (index.leavesUsable[pod * (nodesPerLeaf + 1) + shape.remainder] <= shape.remainderLeaves) return false
    const common = shape.pods * this.#rowWords
    const slots = pod * this.#rowWords
    for (let i = 0; i < l2PerPod; i++) {
      const spines = countCommon(this.common, common + i * l2Words, index.l2Slots, slots + i * l2Words, l2Words)
      this.remainderCables[i] = cablesFor[spines] - shape.remainderLeaves * leafCables
      if (this.remainderCables[i] < 0) return false
    }
    return shape.remainder === 0 || this.#findRemainderLeaf(index, shape, pod)
  }

  /**
   * Before the call, `remainderCables` has the number of cables that the free spine links still allow at each L2 index.
   * After a success, `remainderCables` has the number of cables of the remainder leaf to each L2 index.
   */
  #findRemainderLeaf(index: FreeIndex, shape: PodShape, pod: number): boolean {
    const { leavesPerPod, wholeLeaf } = this.#tree
    const spareWhole = this.#wholeLeaves(index, pod) - shape.remainderLeaves
    for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++) {
      if (index.usable[leaf] < shape.remainder) continue
      // A whole leaf may be the remainder leaf if the job does not need it as a whole leaf.
      if (index.usable[leaf] === wholeLeaf && spareWhole === 0) continue
      if (this.#useLeaf(index, shape, leaf)) return true
    }
    return false
  }

  #useLeaf(index: FreeIndex, shape: PodShape, leaf: number): boolean {
    const { l2PerPod, uplinksFor } = this.#tree
    let left = uplinksFor[shape.remainder]
    let reach = 0
    for (let i = 0; i < l2PerPod; i++) reach += Math.min(this.remainderCables[i], this.#cables(index, leaf, i))
    if (reach < left) return false
    for (let i = 0; i < l2PerPod; i++) {
      const cables = Math.min(left, this.remainderCables[i], this.#cables(index, leaf, i))
      this.remainderCables[i] = cables
      left -= cables
    }
    this.remainderLeaf = leaf
    return true
  }

  #cables(index: FreeIndex, leaf: number, i: number): number {
    const { l2PerPod, leafPorts, leafWords } = this.#tree
    return cablesTo(index.leafSlots, leaf * leafWords, i, l2PerPod, leafPorts)
  }
}
