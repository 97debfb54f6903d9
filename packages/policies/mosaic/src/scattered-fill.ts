import { addLowest, countCommon, type FreeIndex, intersect, type TreeShape } from '@cloister/isolation'
import type { StateView } from '@cloister/placement'
import type { Found, LeafPart } from './found.ts'
import type { Lifetimes } from './lifetimes.ts'

/** Largest number of nodes that one leaf gives in a scattered fill. */
const MOST_SCRAPS = 4

/**
 * Search for a scattered fill: up to `d` nodes on each of several leaves, with the same `d` uplinks on all leaves. On
 * each of these leaves, the last running job ends no sooner than the new job. A pod gives at most `k` leaves. If the
 * leaves are in several pods, the job also needs `k` spines for each of the `d` uplinks, the same spines in every pod.
 */
export class ScatteredFill {
  readonly #tree: TreeShape
  readonly #lifetimes: Lifetimes
  #state!: StateView
  #index!: FreeIndex
  /**
   * Leaves whose last running job ends no sooner than the new job, ascending. `#nodes` has the number of free nodes of
   * each such leaf (at most `MOST_SCRAPS`).
   */
  readonly #leaves: Int32Array
  readonly #nodes: Int32Array
  #count = 0
  /** Mask of the chosen uplink slots, and the number of chosen cables to each L2 index. */
  readonly #chosen: Int32Array
  readonly #cables: Int32Array
  /** Number of nodes on leaves with the chosen uplinks and one more uplink free, by the slot of this uplink. */
  readonly #reached: Int32Array
  /** Number of leaves of each pod that offer n nodes, at index `pod * (MOST_SCRAPS + 1) + n`. */
  readonly #offers: Int32Array
  /** Pods with at least one leaf that offers nodes, ascending. */
  readonly #offering: Int32Array
  #pods = 0
  /** Number of nodes on the `k` best leaves of each pod; `#order` has the pods in descending order of this number. */
  readonly #sums: Int32Array
  readonly #order: Int32Array
  /** Masks, by L2 index, of the free spine slots that the pods taken so far have in common. */
  readonly #common: Int32Array
  readonly #used: Array<number> = []

  constructor(tree: TreeShape, lifetimes: Lifetimes) {
    this.#tree = tree
    this.#lifetimes = lifetimes
    this.#leaves = new Int32Array(tree.topology.leaves)
    this.#nodes = new Int32Array(tree.topology.leaves)
    this.#chosen = new Int32Array(tree.leafWords)
    this.#cables = new Int32Array(tree.l2PerPod)
    this.#reached = new Int32Array(tree.leafPorts)
    this.#offering = new Int32Array(tree.pods)
    this.#offers = new Int32Array(tree.pods * (MOST_SCRAPS + 1))
    this.#sums = new Int32Array(tree.pods)
    this.#order = new Int32Array(tree.pods)
    this.#common = new Int32Array(tree.l2PerPod * tree.l2Words)
  }

  find(state: StateView, index: FreeIndex, nodes: number): Found | undefined {
    if (nodes < 2 || this.#scraps(index) < nodes) return undefined
    this.#state = state
    this.#index = index
    if (!this.#list(nodes)) return undefined
    let best: Found | undefined
    for (let d = 1; d <= Math.min(MOST_SCRAPS, this.#tree.leafPorts); d++) {
      const found = this.#chooseUplinks(d, nodes) ? this.#fill(nodes, d) : undefined
      if (found !== undefined && (best === undefined || found.score < best.score)) best = found
    }
    return best
  }

  /** Returns the number of free nodes of all leaves, counting at most `MOST_SCRAPS` nodes of each leaf. */
  #scraps({ leavesFree }: FreeIndex): number {
    const { nodesPerLeaf } = this.#tree
    let free = 0
    for (let row = 0; row < leavesFree.length; row += nodesPerLeaf + 1)
      for (let nodes = Math.min(MOST_SCRAPS, nodesPerLeaf); nodes > 0; nodes--) free += leavesFree[row + nodes]
    return free
  }

  #list(nodes: number): boolean {
    const { pods, leavesPerPod } = this.#tree
    const { end } = this.#lifetimes
    this.#count = 0
    let free = 0
    for (let pod = 0; pod < pods; pod++) {
      if (this.#state.freeNodesInPod(pod) === 0) continue
      for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++) {
        const some = Math.min(this.#index.free[leaf], MOST_SCRAPS)
        if (some === 0) continue
        const last = this.#state.lastEndOnLeaf(leaf)
        if (last === 0 || last < end) continue
        this.#leaves[this.#count] = leaf
        this.#nodes[this.#count++] = some
        free += some
      }
    }
    return free >= nodes
  }

  /** Returns the number of nodes (at most `d`) that leaf `at` of the list offers; 0 if a chosen uplink is not free. */
  #offer(at: number, d: number): number {
    const { leafWords } = this.#tree
    const slots = this.#leaves[at] * leafWords
    for (let word = 0; word < leafWords; word++)
      if ((this.#chosen[word] & ~this.#index.leafSlots[slots + word]) !== 0) return 0
    return Math.min(this.#nodes[at], d)
  }

  /**
   * Chooses `d` uplinks. Each next uplink is the one with the most nodes on leaves with all chosen uplinks free. Returns
   * false if these leaves have fewer than `nodes` nodes.
   */
  #chooseUplinks(d: number, nodes: number): boolean {
    const { leafPorts, l2PerPod } = this.#tree
    this.#chosen.fill(0)
    this.#cables.fill(0)
    for (let each = 0; each < d; each++) {
      this.#countReached(d)
      let best = -1
      let most = nodes - 1
      for (let slot = 0; slot < leafPorts; slot++) {
        if (this.#reached[slot] <= most) continue
        most = this.#reached[slot]
        best = slot
      }
      if (best < 0) return false
      this.#chosen[best >>> 5] |= 1 << (best & 31)
      this.#cables[best % l2PerPod]++
    }
    return true
  }

  #countReached(d: number): void {
    const { leafWords } = this.#tree
    this.#reached.fill(0)
    for (let at = 0; at < this.#count; at++) {
      const some = this.#offer(at, d)
      if (some === 0) continue
      const slots = this.#leaves[at] * leafWords
      for (let word = 0; word < leafWords; word++) {
        for (let rest = this.#index.leafSlots[slots + word] & ~this.#chosen[word]; rest !== 0; rest &= rest - 1)
          this.#reached[(word << 5) + 31 - Math.clz32(rest & -rest)] += some
      }
    }
  }

  #fill(nodes: number, d: number): Found | undefined {
    this.#countOffers(d)
    for (let k = 1; k <= this.#tree.leavesPerPod; k++) {
      if (this.#sumOffers(k) >= nodes && this.#takePods(nodes, k)) return this.#found(nodes, d, k)
    }
    return undefined
  }

  #countOffers(d: number): void {
    const { leavesPerPod } = this.#tree
    this.#offers.fill(0)
    this.#pods = 0
    for (let at = 0; at < this.#count; at++) {
      const some = this.#offer(at, d)
      if (some === 0) continue
      const pod = Math.floor(this.#leaves[at] / leavesPerPod)
      if (this.#pods === 0 || this.#offering[this.#pods - 1] !== pod) this.#offering[this.#pods++] = pod
      this.#offers[pod * (MOST_SCRAPS + 1) + some]++
    }
  }

  /** Returns the sum over all pods of the nodes on the `k` best leaves of each pod. Fills `#sums` and `#order`. */
  #sumOffers(k: number): number {
    let total = 0
    for (let each = 0; each < this.#pods; each++) {
      const pod = this.#offering[each]
      let sum = 0
      for (let nodes = MOST_SCRAPS, left = k; nodes > 0; nodes--) {
        const leaves = Math.min(left, this.#offers[pod * (MOST_SCRAPS + 1) + nodes])
        sum += nodes * leaves
        left -= leaves
      }
      this.#sums[pod] = sum
      total += sum
      let at = each
      for (; at > 0 && this.#sums[this.#order[at - 1]] < sum; at--) this.#order[at] = this.#order[at - 1]
      this.#order[at] = pod
    }
    return total
  }

  /** Takes pods in the order of `#order`, except pods that share too few spines with the pods taken before. */
  #takePods(nodes: number, k: number): boolean {
    this.#used.length = 0
    this.#common.fill(-1)
    let left = nodes
    for (let at = 0; at < this.#pods && left > 0; at++) {
      const pod = this.#order[at]
      // A first pod that alone offers enough nodes needs no spines.
      if (!(this.#used.length === 0 && this.#sums[pod] >= left) && !this.#join(pod, k)) continue
      this.#used.push(pod)
      left -= this.#sums[pod]
    }
    return left <= 0
  }

  /** Returns false if a pod shares fewer than `k` spines for each chosen uplink with the pods taken before. */
  #join(pod: number, k: number): boolean {
    const { l2PerPod, l2Words } = this.#tree
    const { l2Slots } = this.#index
    const own = pod * this.#common.length
    for (let i = 0, at = 0; i < l2PerPod; i++, at += l2Words)
      if (this.#cables[i] > 0 && countCommon(this.#common, at, l2Slots, own + at, l2Words) < k * this.#cables[i])
        return false
    intersect(this.#common, 0, l2Slots, own, this.#common.length, this.#common, 0)
    return true
  }

  #found(nodes: number, d: number, k: number): Found {
    const { l2PerPod, l2Words, leavesPerPod } = this.#tree
    const uplinks = this.#chosen.slice()
    const leaves: Array<LeafPart> = []
    let left = nodes
    for (const pod of this.#used) {
      const ofPod: Array<number> = []
      for (let at = 0; at < this.#count; at++)
        if (Math.floor(this.#leaves[at] / leavesPerPod) === pod && this.#offer(at, d) > 0) ofPod.push(at)
      ofPod.sort((a, b) => this.#offer(b, d) - this.#offer(a, d))
      for (const at of ofPod.slice(0, k)) {
        const some = Math.min(this.#offer(at, d), left)
        if (some > 0) leaves.push({ leaf: this.#leaves[at], nodes: some, uplinks })
        left -= some
      }
    }
    const score = leaves.reduce((cost, part) => cost + this.#lifetimes.cost(part.leaf, part.nodes), 0)
    const spines = new Int32Array(this.#common.length)
    for (let i = 0; i < l2PerPod; i++)
      addLowest(this.#common, i * l2Words, spines, i * l2Words, l2Words, k * this.#cables[i])
    return { score, leaves, spines: this.#used.length > 1 ? this.#used.map((pod) => ({ pod, spines })) : [] }
  }
}
