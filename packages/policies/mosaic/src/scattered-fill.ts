import { popcount, type StateView } from '@cloister/placement'
import { type Found, grown, type LeafPart, lowest, type SpinePart } from './found.ts'
import { type FreeCounts, MOST_SCRAPS, type Tree } from './tree.ts'
import type { Lifetimes } from './lifetimes.ts'

/**
 * Search for a scattered fill: up to `d` nodes on each of several leaves, with the same `d` uplinks on all leaves. On
 * each of these leaves, the last running job ends no sooner than the new job. A pod gives at most `k` leaves. If the
 * leaves are in several pods, the job also needs `k` spines above each of the `d` uplinks, the same spines in every
 * pod.
 */
export class ScatteredFill {
  readonly #tree: Tree
  readonly #lifetimes: Lifetimes
  #state!: StateView
  /**
   * Leaves whose last running job ends no sooner than the new job, ascending. `#nodes` has the number of free nodes of
   * each such leaf (at most `MOST_SCRAPS`), `#uplinks` the mask of its free uplinks.
   */
  readonly #leaves: Int32Array
  readonly #nodes: Int32Array
  readonly #uplinks: Int32Array
  #count = 0
  /** Number of nodes on leaves with the chosen uplinks and one more uplink free, by the L2 index of this uplink. */
  readonly #reached: Int32Array
  /** Number of leaves of each pod that offer n nodes, at index `pod * (MOST_SCRAPS + 1) + n`. */
  readonly #offers: Int32Array
  /** Pods with at least one leaf that offers nodes, ascending. */
  readonly #offering: Int32Array
  #pods = 0
  /** Number of nodes on the `k` best leaves of each pod; `#order` has the pods in descending order of this number. */
  readonly #sums: Int32Array
  readonly #order: Int32Array
  /** Mask of the free spines that the pods taken so far have in common, by L2 index. */
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

  /** Returns the number of nodes (at most `d`) that leaf `at` of the list offers; 0 if a given uplink is not free. */
  #offer(at: number, d: number, uplinks: number): number {
    return (uplinks & ~this.#uplinks[at]) === 0 ? Math.min(this.#nodes[at], d) : 0
  }

  /**
   * Returns a mask of `d` uplinks. Each next uplink is the one with the most nodes on leaves with all chosen uplinks
   * free. Returns 0 if these leaves have fewer than `nodes` nodes.
   */
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

  /** Takes pods in the order of `#order`, except pods that share fewer than `k` spines with the pods taken before. */
  #takePods(nodes: number, uplinks: number, k: number): boolean {
    this.#used.length = 0
    this.#common.fill(-1)
    let left = nodes
    for (let at = 0; at < this.#pods && left > 0; at++) {
      const pod = this.#order[at]
      // A first pod that alone offers enough nodes needs no spines.
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
