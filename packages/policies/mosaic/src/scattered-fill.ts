import { popcount, type StateView } from '@cloister/placement'
import { type Found, grown, type LeafPart, lowest, type SpinePart } from './found.ts'
import { type FreeCounts, MOST_SCRAPS } from './free-counts.ts'
import type { Lifetimes } from './lifetimes.ts'
import type { Tree } from './tree.ts'

/**
 * Scraps of leaves whose last job ends no sooner than this one: up to `d` nodes on each, with the same `d` uplinks on all. A pod has at
 * most `k` such leaves, and `k` spines above each of these uplinks, the same in every pod.
 */
export class ScatteredFill {
  readonly #tree: Tree
  readonly #lifetimes: Lifetimes
  #state!: StateView
  /** Leaves that may be used, ascending; the free nodes of each that count, and its free uplinks. */
  readonly #leaves: Int32Array
  readonly #nodes: Int32Array
  readonly #uplinks: Int32Array
  #count = 0
  /** For each uplink the nodes that are reached with it beside those chosen. */
  readonly #reached: Int32Array
  /** Row of numbers of nodes for each pod: leaves that offer so many. */
  readonly #offers: Int32Array
  /** Pods that offer some, ascending. */
  readonly #offering: Int32Array
  #pods = 0
  /** What each pod offers on its `k` best leaves, and the pods in order of that. */
  readonly #sums: Int32Array
  readonly #order: Int32Array
  /** Spines that the pods taken so far have in common, by L2 index. */
  readonly #common: Int32Array
  readonly #used: Array<number> = []

  constructor(tree: Tree, lifetimes: Lifetimes) {
    this.#tree = tree
    this.#lifetimes = lifetimes
    this.#leaves = new Int32Array(tree.topology.leaves)
    this.#nodes = new Int32Array(tree.topology.leaves)
    this.#uplinks = new Int32Array(tree.topology.leaves)
    this.#reached = new Int32Array(tree.width)
    this.#offering = new Int32Array(tree.pods)
    this.#offers = new Int32Array(tree.pods * (MOST_SCRAPS + 1))
    this.#sums = new Int32Array(tree.pods)
    this.#order = new Int32Array(tree.pods)
    this.#common = new Int32Array(tree.width)
  }

  find(state: StateView, counts: FreeCounts, nodes: number): Found | undefined {
    if (nodes < 2 || counts.scraps[0] < nodes) return undefined
    this.#state = state
    if (!this.#list(counts, nodes)) return undefined
    let best: Found | undefined
    for (let d = 1; d <= Math.min(MOST_SCRAPS, this.#tree.width); d++) {
      const uplinks = this.#chooseUplinks(d, nodes)
      const found = uplinks === 0 ? undefined : this.#fill(nodes, d, uplinks)
      if (found !== undefined && (best === undefined || found.score < best.score)) best = found
    }
    return best
  }

  #list(counts: FreeCounts, nodes: number): boolean {
    const { pods, leavesPerPod } = this.#tree
    const { end } = this.#lifetimes
    this.#count = 0
    let free = 0
    for (let pod = 0; pod < pods; pod++) {
      if (this.#state.freeNodesInPod(pod) === 0) continue
      for (let leaf = pod * leavesPerPod; leaf < (pod + 1) * leavesPerPod; leaf++) {
        const some = Math.min(counts.nodes[leaf], MOST_SCRAPS)
        if (some === 0) continue
        const last = this.#state.lastEndOnLeaf(leaf)
        if (last === 0 || last < end) continue
        this.#leaves[this.#count] = leaf
        this.#nodes[this.#count] = some
        this.#uplinks[this.#count++] = counts.uplinks[leaf]
        free += some
      }
    }
    return free >= nodes
  }

  /** Of the leaf at a place of the list. */
  #offer(at: number, d: number, uplinks: number): number {
    return (uplinks & ~this.#uplinks[at]) === 0 ? Math.min(this.#nodes[at], d) : 0
  }

  /** One after the other, each time the one with which most nodes can be reached; 0 where these are too few. */
  #chooseUplinks(d: number, nodes: number): number {
    let chosen = 0
    for (let each = 0; each < d; each++) {
      this.#countReached(d, chosen)
      let best = 0
      let most = nodes - 1
      for (let i = 0; i < this.#tree.width; i++) {
        if (this.#reached[i] <= most) continue
        most = this.#reached[i]
        best = 1 << i
      }
      if (best === 0) return 0
      chosen |= best
    }
    return chosen
  }

  /** With each uplink that is not chosen yet: 0 for those that are. */
  #countReached(d: number, chosen: number): void {
    this.#reached.fill(0)
    for (let at = 0; at < this.#count; at++) {
      const some = this.#offer(at, d, chosen)
      if (some === 0) continue
      for (let rest = this.#uplinks[at] & ~chosen; rest !== 0; rest &= rest - 1) this.#reached[lowest(rest)] += some
    }
  }

  #fill(nodes: number, d: number, uplinks: number): Found | undefined {
    this.#countOffers(d, uplinks)
    for (let k = 1; k <= this.#tree.leavesPerPod; k++) {
      if (this.#sumOffers(k) >= nodes && this.#takePods(nodes, uplinks, k)) return this.#found(nodes, d, uplinks, k)
    }
    return undefined
  }

  #countOffers(d: number, uplinks: number): void {
    const { leavesPerPod } = this.#tree
    this.#offers.fill(0)
    this.#pods = 0
    for (let at = 0; at < this.#count; at++) {
      const some = this.#offer(at, d, uplinks)
      if (some === 0) continue
      const pod = Math.floor(this.#leaves[at] / leavesPerPod)
      if (this.#pods === 0 || this.#offering[this.#pods - 1] !== pod) this.#offering[this.#pods++] = pod
      this.#offers[pod * (MOST_SCRAPS + 1) + some]++
    }
  }

  /** Of the `k` best leaves of each pod; puts the pods that offer most first. */
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

  /** Pod after pod, as long as `k` spines above each uplink are common. */
  #takePods(nodes: number, uplinks: number, k: number): boolean {
    this.#used.length = 0
    this.#common.fill(-1)
    let left = nodes
    for (let at = 0; at < this.#pods && left > 0; at++) {
      const pod = this.#order[at]
      // A pod that is enough alone needs no spines; but then it is the first.
      if (!(this.#used.length === 0 && this.#sums[pod] >= left) && !this.#join(pod, uplinks, k)) continue
      this.#used.push(pod)
      left -= this.#sums[pod]
    }
    return left <= 0
  }

  #join(pod: number, uplinks: number, k: number): boolean {
    const { width } = this.#tree
    for (let rest = uplinks; rest !== 0; rest &= rest - 1) {
      const i = lowest(rest)
      if (popcount(this.#common[i] & this.#state.portMask(1, pod * width + i, 0)) < k) return false
    }
    for (let i = 0; i < width; i++) this.#common[i] &= this.#state.portMask(1, pod * width + i, 0)
    return true
  }

  #found(nodes: number, d: number, uplinks: number, k: number): Found {
    const { width, leavesPerPod } = this.#tree
    const leaves: Array<LeafPart> = []
    let left = nodes
    for (const pod of this.#used) {
      const ofPod: Array<number> = []
      for (let at = 0; at < this.#count; at++)
        if (Math.floor(this.#leaves[at] / leavesPerPod) === pod && this.#offer(at, d, uplinks) > 0) ofPod.push(at)
      ofPod.sort((a, b) => this.#offer(b, d, uplinks) - this.#offer(a, d, uplinks))
      for (const at of ofPod.slice(0, k)) {
        const some = Math.min(this.#offer(at, d, uplinks), left)
        if (some > 0) leaves.push({ leaf: this.#leaves[at], nodes: some, uplinks })
        left -= some
      }
    }
    const score = leaves.reduce((cost, part) => cost + this.#lifetimes.cost(part.leaf, part.nodes), 0)
    const spines: Array<SpinePart> = []
    for (const pod of this.#used.length > 1 ? this.#used : []) {
      for (let i = 0; i < width; i++)
        if (((uplinks >>> i) & 1) === 1) spines.push({ l2: pod * width + i, spines: grown(0, this.#common[i], k) })
    }
    return { score, leaves, spines }
  }
}
