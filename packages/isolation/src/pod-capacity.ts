import type { TreeShape } from './tree-shape.ts'
import { count, countCommon } from './slots.ts'

/** Free nodes, usable nodes and free uplink slots of every leaf, as in `FreeIndex`. */
interface FreeLeaves {
  readonly free: Int32Array
  readonly usable: Int32Array
  readonly leafSlots: Int32Array
}

/** Binary logarithm of the largest number of sets of uplinks that are tried for one pod. */
const MOST_SETS_LOG2 = 10

/**
 * Returns true if a pod has at most 2^`MOST_SETS_LOG2` sets of uplinks that are intersections of the free uplinks of
 * some leaves, in any state.
 */
export function areSetsFew({ leavesPerPod, leafPorts }: TreeShape): boolean {
  return Math.min(leavesPerPod, leafPorts) <= MOST_SETS_LOG2
}

/**
 * Computes the largest job that the leaves of a pod can hold. For a set S of uplinks, each leaf with all of S free gives
 * as many nodes as S suffices for, and one more leaf gives nodes for its free part of S. Alternatively, one large leaf
 * gives all its free nodes, and the other leaves together as many nodes as S suffices for: no more flows leave the large
 * leaf. It suffices to try the sets that are intersections of the free uplinks of some leaves. If these sets may be
 * many, the result is an upper bound of the jobs without a large leaf.
 */
export class PodCapacity {
  readonly #tree: TreeShape
  /** Set of uplink slots with the largest job, after a call of `of`. Without meaning if `isOneLeaf`. */
  readonly uplinks: Int32Array
  /** True if a single leaf, whose job needs no uplinks, holds the largest job, and if no set was tried. */
  isOneLeaf = true
  /** Leaf that gives all its free nodes, although S does not suffice for as many; -1 without such a leaf. */
  largeLeaf = -1
  /** Sets of uplink slots, one after another. The first `#kinds` sets are the free uplinks of the kinds of leaves. */
  #sets: Int32Array
  #found = 0
  /** Number of kinds of leaves. The leaves of one kind have usable nodes, and the same free uplinks. */
  #kinds = 0
  /** Number of nodes that all leaves of a kind give with u uplinks each, at `kind * (leafPorts + 1) + u`. */
  readonly #nodes: Int32Array
  /** First leaf of each kind with the most free nodes. */
  readonly #largest: Int32Array
  /** Largest number of free nodes of a leaf. */
  #mostFree = 0
  readonly #areFew: boolean

  constructor(tree: TreeShape) {
    const { leavesPerPod, leafPorts, leafWords } = tree
    this.#tree = tree
    this.#areFew = areSetsFew(tree)
    this.uplinks = new Int32Array(leafWords)
    this.#sets = new Int32Array(2 * leavesPerPod * leafWords)
    this.#nodes = new Int32Array(leavesPerPod * (leafPorts + 1))
    this.#largest = new Int32Array(leavesPerPod)
  }

  /** Returns the largest number of nodes; 0 if no node of the pod is free. */
  of(index: FreeLeaves, pod: number): number {
    const { leavesPerPod } = this.#tree
    const first = pod * leavesPerPod
    this.#mostFree = 0
    let usable = 0
    for (let leaf = first; leaf < first + leavesPerPod; leaf++) {
      this.#mostFree = Math.max(this.#mostFree, index.free[leaf])
      usable += index.usable[leaf]
    }
    this.isOneLeaf = true
    if (!this.#areFew) return Math.max(this.#mostFree, usable)
    this.#findKinds(index, first)
    let best = this.#mostFree
    for (let set = 0; set < this.#found; set++) best = this.#try(index, set, best)
    return best
  }

  /** Divides the leaves with usable nodes into kinds, in the order of the first leaves of the kinds. */
  #findKinds({ free, usable, leafSlots }: FreeLeaves, first: number): void {
    const { leavesPerPod, leafPorts, leafWords, nodesFor } = this.#tree
    this.#found = 0
    for (let leaf = first; leaf < first + leavesPerPod; leaf++) {
      if (usable[leaf] === 0) continue
      const kind = this.#offer(leafSlots, leaf * leafWords, leafSlots, leaf * leafWords)
      const row = kind * (leafPorts + 1)
      if (kind === this.#found) {
        this.#found++
        this.#largest[kind] = leaf
        this.#nodes.fill(0, row, row + leafPorts + 1)
      } else if (free[leaf] > free[this.#largest[kind]]) this.#largest[kind] = leaf
      for (let uplinks = 1; uplinks <= leafPorts; uplinks++)
        this.#nodes[row + uplinks] += Math.min(free[leaf], nodesFor[uplinks])
    }
    this.#kinds = this.#found
  }

  /** Returns the larger of `best` and the largest job on a set. Adds the parts of the set if a larger job may use one. */
  #try({ free }: FreeLeaves, set: number, best: number): number {
    const { leafPorts, leafWords, nodesFor } = this.#tree
    const at = set * leafWords
    const size = count(this.#sets, at, leafWords)
    let full = 0
    let rest = 0
    let all = 0
    let large = -1
    for (let kind = 0; kind < this.#kinds; kind++) {
      const common = countCommon(this.#sets, at, this.#sets, kind * leafWords, leafWords)
      const leaf = this.#largest[kind]
      const own = this.#nodes[kind * (leafPorts + 1) + common]
      all += own
      if (common < size) rest = Math.max(rest, Math.min(free[leaf], nodesFor[common]))
      else {
        full += own
        if (large < 0 || free[leaf] > free[large] || (free[leaf] === free[large] && leaf < large)) large = leaf
      }
    }
    const others = full + rest - Math.min(free[large], nodesFor[size])
    const withLarge = free[large] + Math.min(nodesFor[size], others)
    const most = Math.max(best, full + rest, withLarge)
    if (most > best) {
      this.isOneLeaf = false
      this.largeLeaf = withLarge > full + rest ? large : -1
      this.uplinks.set(this.#sets.subarray(at, at + leafWords))
    }
    // A part of the set has fewer uplinks, and gives each leaf at most as many nodes.
    if (Math.max(all, this.#mostFree + nodesFor[size - 1]) > most) this.#addParts(set)
    return most
  }

  /** Adds the intersections of a set with the free uplinks of the kinds, except empty and known ones. */
  #addParts(set: number): void {
    const { leafWords } = this.#tree
    for (let kind = 0; kind < this.#kinds; kind++) {
      const part = this.#offer(this.#sets, set * leafWords, this.#sets, kind * leafWords)
      if (part === this.#found && count(this.#sets, part * leafWords, leafWords) > 0) this.#found++
    }
  }

  /** Writes the intersection of two masks after the sets. Returns the number of the first set that equals it. */
  #offer(a: Int32Array, atA: number, b: Int32Array, atB: number): number {
    const { leafWords } = this.#tree
    const at = this.#found * leafWords
    if (at === this.#sets.length) {
      const larger = new Int32Array(2 * at)
      larger.set(this.#sets)
      this.#sets = larger
    }
    for (let word = 0; word < leafWords; word++) this.#sets[at + word] = a[atA + word] & b[atB + word]
    let set = 0
    while (!this.#isSame(set * leafWords, at)) set++
    return set
  }

  #isSame(a: number, b: number): boolean {
    for (let word = 0; word < this.#tree.leafWords; word++)
      if (this.#sets[a + word] !== this.#sets[b + word]) return false
    return true
  }
}
