import type { TreeShape } from './tree-shape.ts'
import { count, countCommon } from './slots.ts'

/** Free nodes, usable nodes and free uplink slots of every leaf, as in `FreeIndex`. */
interface FreeLeaves {
  readonly free: Int32Array
  readonly usable: Int32Array
  readonly leafSlots: Int32Array
}

/** Largest number of sets of uplinks that are tried for one pod. */
const MOST_SETS = 1024

/**
 * Returns true if a pod has at most `MOST_SETS` sets of uplinks that are intersections of the free uplinks of some
 * leaves, in any state.
 */
export function areSetsFew({ leavesPerPod, leafPorts }: TreeShape): boolean {
  return 2 ** Math.min(leavesPerPod, leafPorts) <= MOST_SETS
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
  /** Sets of uplink slots, one after another. */
  #sets: Int32Array
  #found = 0
  readonly #areFew: boolean

  constructor(tree: TreeShape) {
    this.#tree = tree
    this.#areFew = areSetsFew(tree)
    this.uplinks = new Int32Array(tree.leafWords)
    this.#sets = new Int32Array(64 * tree.leafWords)
  }

  /** Returns the largest number of nodes; 0 if no node of the pod is free. */
  of(index: FreeLeaves, pod: number): number {
    const { leavesPerPod, leafWords } = this.#tree
    const first = pod * leavesPerPod
    this.#found = 0
    this.isOneLeaf = true
    let best = 0
    let usable = 0
    for (let leaf = first; leaf < first + leavesPerPod; leaf++) {
      best = Math.max(best, index.free[leaf])
      usable += index.usable[leaf]
      if (this.#areFew && index.usable[leaf] > 0)
        this.#add(index.leafSlots, leaf * leafWords, index.leafSlots, leaf * leafWords)
    }
    if (!this.#areFew) return Math.max(best, usable)
    for (let set = 0; set < this.#found; set++) {
      const own = this.#nodesOf(index, first, set)
      if (own.nodes > best) {
        best = own.nodes
        this.isOneLeaf = false
        this.largeLeaf = own.largeLeaf
        this.uplinks.set(this.#sets.subarray(set * leafWords, (set + 1) * leafWords))
      }
      // A part of the set gives each leaf at most as many nodes.
      if (own.atMost <= best) continue
      for (let leaf = first; leaf < first + leavesPerPod; leaf++)
        if (index.usable[leaf] > 0) this.#add(this.#sets, set * leafWords, index.leafSlots, leaf * leafWords)
    }
    return best
  }

  /** Adds the intersection of two masks to the sets, unless it is empty or known. */
  #add(a: Int32Array, atA: number, b: Int32Array, atB: number): void {
    const { leafWords } = this.#tree
    const at = this.#found * leafWords
    if (at === this.#sets.length) {
      const larger = new Int32Array(2 * at)
      larger.set(this.#sets)
      this.#sets = larger
    }
    for (let word = 0; word < leafWords; word++) this.#sets[at + word] = a[atA + word] & b[atB + word]
    if (count(this.#sets, at, leafWords) > 0 && !this.#isKnown(at)) this.#found++
  }

  /** Returns true if the set at an index equals an earlier set. Most pods have at most a few dozen sets. */
  #isKnown(at: number): boolean {
    const { leafWords } = this.#tree
    for (let known = 0; known < at; known += leafWords) {
      let word = 0
      while (word < leafWords && this.#sets[known + word] === this.#sets[at + word]) word++
      if (word === leafWords) return true
    }
    return false
  }

  /** Returns the largest job on a set with its large leaf, and an upper bound of the job on any part of the set. */
  #nodesOf(
    index: FreeLeaves,
    first: number,
    set: number,
  ): { readonly nodes: number; readonly largeLeaf: number; readonly atMost: number } {
    const { leavesPerPod, leafWords, nodesFor } = this.#tree
    const at = set * leafWords
    const size = count(this.#sets, at, leafWords)
    let full = 0
    let rest = 0
    let all = 0
    let large = -1
    let mostFree = 0
    for (let leaf = first; leaf < first + leavesPerPod; leaf++) {
      const common = countCommon(this.#sets, at, index.leafSlots, leaf * leafWords, leafWords)
      const own = Math.min(index.free[leaf], nodesFor[common])
      mostFree = Math.max(mostFree, index.free[leaf])
      all += own
      if (common < size) {
        rest = Math.max(rest, own)
        continue
      }
      full += own
      if (large < 0 || index.free[leaf] > index.free[large]) large = leaf
    }
    const others = full + rest - Math.min(index.free[large], nodesFor[size])
    const withLarge = index.free[large] + Math.min(nodesFor[size], others)
    const atMost = Math.max(all, mostFree + nodesFor[size])
    if (withLarge > full + rest) return { nodes: withLarge, largeLeaf: large, atMost }
    return { nodes: full + rest, largeLeaf: -1, atMost }
  }
}
