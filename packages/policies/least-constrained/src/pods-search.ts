import { count, type FreeIndex, type Machine, type Search } from '@cloister/policy-jigsaw'
import { Failures } from './failures.ts'

/** `pods` full pods of `leaves` full leaves of `nodes` nodes; the remainder pod has fewer full leaves and perhaps a remainder leaf. */
export interface Shape {
  readonly pods: number
  readonly leaves: number
  readonly nodes: number
  readonly remainderLeaves: number
  /** Nodes on the remainder leaf, 0 for none. */
  readonly remainder: number
}

/**
 * Searches for the pods and leaves of one shape: full leaves everywhere whose free uplinks have enough L2 indices in
 * common, above which the full pods have enough spines in common, and a remainder pod that reaches enough of those.
 *
 * Exhaustive, in order of pods and leaves, but for choices that leave nothing in common beyond what another choice in the
 * same place left, and that failed: what would work with the new one would work with the old one in its stead, and where
 * the old one is the remainder, with the two exchanged.
 */
export class PodsSearch {
  /** The full pods, ascending. */
  readonly pods: Int32Array
  /** Full leaves: those of the first full pod, of the second, …, of the remainder pod; ascending in each. */
  readonly leaves: Int32Array
  /** -1 for none. */
  remainderPod = -1
  remainderLeaf = -1
  /** Cables of a full leaf, and of the remainder leaf, to each L2 index. */
  readonly cables: Int32Array
  readonly remainderCables: Int32Array
  readonly #machine: Machine
  readonly #search: Search
  /** Row by row, one for each pod or leaf chosen so far: leaf slots that are still in common, and that the spines allow. */
  readonly #uplinks: Int32Array
  /** Row d: L2 slots that the first d full pods have in common, L2 index by L2 index; the row after: with the remainder pod. */
  readonly #spines: Int32Array
  readonly #spineWords: number
  readonly #failures: Failures
  #index!: FreeIndex
  #shape!: Shape

  constructor(machine: Machine, search: Search) {
    const { pods, leavesPerPod, leafPorts, leafWords, l2PerPod, l2Words } = machine
    this.#machine = machine
    this.#search = search
    this.pods = new Int32Array(pods)
    this.leaves = new Int32Array(pods * leavesPerPod)
    this.cables = new Int32Array(l2PerPod)
    this.remainderCables = new Int32Array(l2PerPod)
    this.#spineWords = l2PerPod * l2Words
    this.#uplinks = new Int32Array((pods * (leavesPerPod + 1) + 1) * leafWords)
    for (let slot = 0; slot < leafPorts; slot++) this.#uplinks[slot >>> 5] |= 1 << (slot & 31)
    this.#spines = new Int32Array((pods + 2) * this.#spineWords).fill(-1, 0, this.#spineWords)
    this.#failures = new Failures(leafWords, this.#spineWords)
  }

  find(index: FreeIndex, shape: Shape): boolean {
    this.#index = index
    this.#shape = shape
    this.#failures.forget(0)
    return this.#pickPod(0, 0, 0)
  }

  /** L2 slots that the full pods have in common, or these and the remainder pod. */
  commonSpines(withRemainder: boolean): Int32Array {
    const row = this.#shape.pods + (withRemainder ? 1 : 0)
    return this.#spines.subarray(row * this.#spineWords, (row + 1) * this.#spineWords)
  }

  #pickPod(depth: number, from: number, row: number): boolean {
    const { pods, leaves } = this.#shape
    if (depth === pods) return this.#pickRemainderPod(row)
    const first = this.#failures.count
    const last = this.#machine.pods - (pods - depth)
    for (let pod = from; pod <= last; pod++) {
      if (this.#fullLeaves(pod) < leaves) continue
      if (!this.#search.step()) return false
      if (!this.#joinSpines(pod, depth, row, leaves)) continue
      this.pods[depth] = pod
      if (this.#pickLeaf(pod, depth, 0, row + 1, first)) return true
      if (this.#search.spent) return false
    }
    this.#failures.forget(first)
    return false
  }

  #fullLeaves(pod: number): number {
    return this.#index.leavesUsable[pod * (this.#machine.nodesPerLeaf + 1) + this.#shape.nodes]
  }

  /** Leaf `picked` and the following of the pod at `depth`, full or remainder. Failures from `firstFailure` on are of pods in its place. */
  #pickLeaf(pod: number, depth: number, picked: number, row: number, firstFailure: number): boolean {
    const { pods, leaves, nodes, remainderLeaves } = this.#shape
    const isFull = depth < pods
    if (isFull && this.#isKnownToFail(firstFailure, row, depth + 1)) return false
    const wanted = isFull ? leaves : remainderLeaves
    if (picked === wanted) return isFull ? this.#pickNextPod(pod, depth, row) : this.#pickRemainderLeaf(pod, row)
    const { leavesPerPod, leafWords } = this.#machine
    const place = depth * leaves + picked
    const from = picked === 0 ? pod * leavesPerPod : this.leaves[place - 1] + 1
    const last = (pod + 1) * leavesPerPod - (wanted - picked)
    for (let leaf = from; leaf <= last; leaf++) {
      if (this.#index.usable[leaf] < nodes) continue
      if (!this.#search.step()) return false
      if (this.#isWorseThanTried(from, leaf, row)) continue
      for (let word = 0; word < leafWords; word++) {
        this.#uplinks[(row + 1) * leafWords + word] = this.#uplinks[row * leafWords + word] & this.#index.leafSlots[leaf * leafWords + word]
      }
      if (count(this.#uplinks, (row + 1) * leafWords, leafWords) < nodes) continue
      this.leaves[place] = leaf
      if (this.#pickLeaf(pod, depth, picked + 1, row + 1, firstFailure)) return true
      if (this.#search.spent) return false
    }
    return false
  }

  #pickNextPod(pod: number, depth: number, row: number): boolean {
    if (this.#pickPod(depth + 1, pod + 1, row)) return true
    this.#failures.add(this.#uplinks, row * this.#machine.leafWords, this.#spines, (depth + 1) * this.#spineWords)
    return false
  }

  #isKnownToFail(firstFailure: number, row: number, spineRow: number): boolean {
    return this.#failures.cover(firstFailure, this.#uplinks, row * this.#machine.leafWords, this.#spines, spineRow * this.#spineWords)
  }

  /** Whether a leaf has none of the uplinks in question that one tried before it lacks. */
  #isWorseThanTried(from: number, leaf: number, row: number): boolean {
    const { leafWords } = this.#machine
    const { leafSlots, usable } = this.#index
    for (let tried = from; tried < leaf; tried++) {
      if (usable[tried] < this.#shape.nodes) continue
      let word = 0
      while (word < leafWords
        && (this.#uplinks[row * leafWords + word] & leafSlots[leaf * leafWords + word] & ~leafSlots[tried * leafWords + word]) === 0) word++
      if (word === leafWords) return true
    }
    return false
  }

  /**
   * Intersects a pod's L2 slots into row `depth + 1`, and drops from row `row + 1` the uplinks for which too few spines are
   * left: each of `leaves` leaves needs one. False when too few uplinks remain.
   */
  #joinSpines(pod: number, depth: number, row: number, leaves: number): boolean {
    const { l2PerPod, l2Words, leafWords, leafCables } = this.#machine
    const at = row * leafWords
    const next = at + leafWords
    this.#uplinks.copyWithin(next, at, next)
    for (let i = 0; i < l2PerPod; i++) {
      const from = depth * this.#spineWords + i * l2Words
      const into = from + this.#spineWords
      const slots = pod * this.#spineWords + i * l2Words
      const isWanted = this.#hasSlot(at, i)
      for (let word = 0; word < l2Words; word++) this.#spines[into + word] = isWanted ? this.#spines[from + word] & this.#index.l2Slots[slots + word] : 0
      const cables = leaves === 0 ? leafCables : Math.floor(count(this.#spines, into, l2Words) / leaves)
      for (let cable = cables; cable < leafCables; cable++) {
        const slot = i + cable * l2PerPod
        this.#uplinks[next + (slot >>> 5)] &= ~(1 << (slot & 31))
      }
    }
    return count(this.#uplinks, next, leafWords) >= this.#shape.nodes
  }

  #hasSlot(at: number, slot: number): boolean {
    return (this.#uplinks[at + (slot >>> 5)] & (1 << (slot & 31))) !== 0
  }

  #pickRemainderPod(row: number): boolean {
    const { pods, remainderLeaves, remainder } = this.#shape
    this.remainderPod = -1
    this.remainderLeaf = -1
    if (remainderLeaves + remainder === 0) return this.#shareOutCables(row)
    for (let pod = 0, next = 0; pod < this.#machine.pods; pod++) {
      if (next < pods && this.pods[next] === pod) {
        next++
        continue
      }
      if (this.#fullLeaves(pod) < remainderLeaves) continue
      if (!this.#search.step()) return false
      if (!this.#joinSpines(pod, pods, row, remainderLeaves)) continue
      if (this.#pickLeaf(pod, pods, 0, row + 1, 0)) {
        this.remainderPod = pod
        return true
      }
      if (this.#search.spent) return false
    }
    return false
  }

  #pickRemainderLeaf(pod: number, row: number): boolean {
    const { pods, leaves, remainderLeaves, remainder } = this.#shape
    this.remainderLeaf = -1
    if (remainder === 0) return this.#shareOutCables(row)
    const { leavesPerPod } = this.#machine
    const first = pods * leaves
    for (let leaf = pod * leavesPerPod, next = 0; leaf < (pod + 1) * leavesPerPod; leaf++) {
      if (next < remainderLeaves && this.leaves[first + next] === leaf) next++
      else if (this.#index.usable[leaf] >= remainder) {
        this.remainderLeaf = leaf
        if (this.#shareOutCables(row)) return true
      }
    }
    return false
  }

  /**
   * Chooses the cables of a full leaf to each L2 index so that the remainder leaf gets as many as it can of them, and then
   * its own; false when they are too few. What an index can give the remainder leaf rises at most by one with each cable
   * of the full leaves, later stays, later falls: one at a time where it is best is best in all.
   */
  #shareOutCables(row: number): boolean {
    const { nodes, remainder } = this.#shape
    const { l2PerPod } = this.#machine
    const cables = this.cables.fill(0)
    const remainderCables = this.remainderCables.fill(0)
    for (let left = nodes; left > 0; left--) {
      let best = -1
      let most = -Infinity
      for (let i = 0; i < l2PerPod && most < 1; i++) {
        if (cables[i] === this.#cablesLeft(row, i)) continue
        const gain = this.#reach(i, cables[i] + 1) - this.#reach(i, cables[i])
        if (gain > most) {
          most = gain
          best = i
        }
      }
      cables[best]++
    }
    let left = remainder
    for (let i = 0; i < l2PerPod && left > 0; i++) {
      remainderCables[i] = Math.min(left, this.#reach(i, cables[i]))
      left -= remainderCables[i]
    }
    return left === 0
  }

  /** Cables to L2 index i that all full leaves could have. */
  #cablesLeft(row: number, i: number): number {
    const { leafWords, leafCables, l2PerPod } = this.#machine
    let cables = 0
    while (cables < leafCables && this.#hasSlot(row * leafWords, i + cables * l2PerPod)) cables++
    return cables
  }

  /** Cables to L2 index i that the remainder leaf could have when the full leaves have so many. */
  #reach(i: number, cables: number): number {
    const { remainderLeaves, pods } = this.#shape
    if (this.remainderLeaf < 0 || cables === 0) return 0
    const { l2Words, leafWords, leafCables, l2PerPod } = this.#machine
    const spines = count(this.#spines, (pods + 1) * this.#spineWords + i * l2Words, l2Words) - cables * remainderLeaves
    let own = 0
    for (let slot = i; slot < l2PerPod * leafCables; slot += l2PerPod) {
      own += (this.#index.leafSlots[this.remainderLeaf * leafWords + (slot >>> 5)] >>> (slot & 31)) & 1
    }
    return Math.min(cables, own, spines)
  }
}
