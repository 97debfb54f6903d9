import { popcount, type StateView } from '@cloister/placement'
import { type Found, grown, type LeafPart, type SpinePart } from './found.ts'
import type { Lifetimes } from './lifetimes.ts'
import type { Tree } from './tree.ts'

/** Uplinks of each leaf, at most. */
const MOST_UPLINKS = 4

/**
 * Scraps of leaves whose last job ends no sooner than this one: up to `d` nodes on each, with the same `d` uplinks on all. A pod has at
 * most `k` such leaves, and `k` spines above each of these uplinks, the same in every pod.
 */
export class ScatteredFill {
  readonly #tree: Tree
  readonly #lifetimes: Lifetimes
  #state!: StateView
  /** Leaves that may be used, ascending. */
  readonly #leaves: Int32Array
  #count = 0
  /** Row of numbers of nodes for each pod: leaves that offer so many. */
  readonly #offers: Int32Array
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
    this.#offers = new Int32Array(tree.pods * (MOST_UPLINKS + 1))
    this.#sums = new Int32Array(tree.pods)
    this.#order = new Int32Array(tree.pods)
    this.#common = new Int32Array(tree.width)
  }

  find(state: StateView, nodes: number): Found | undefined {
    this.#state = state
    if (nodes < 2 || !this.#list(nodes)) return undefined
    let best: Found | undefined
    for (let d = 1; d <= Math.min(MOST_UPLINKS, this.#tree.width); d++) {
      const uplinks = this.#chooseUplinks(d, nodes)
      const found = uplinks === 0 ? undefined : this.#fill(nodes, d, uplinks)
      if (found !== undefined && (best === undefined || found.score < best.score)) best = found
    }
    return best
  }

  #list(nodes: number): boolean {
    this.#count = 0
    let free = 0
    for (let leaf = 0; leaf < this.#tree.topology.leaves; leaf++) {
      const some = Math.min(this.#state.freeNodesOnLeaf(leaf), MOST_UPLINKS)
      if (some === 0) continue
      const last = this.#state.lastEndOnLeaf(leaf)
      if (last === 0 || last < this.#lifetimes.end) continue
      this.#leaves[this.#count++] = leaf
      free += some
    }
    return free >= nodes
  }

  #offer(leaf: number, d: number, uplinks: number): number {
    if ((uplinks & ~this.#state.portMask(0, leaf, 0)) !== 0) return 0
    return Math.min(this.#state.freeNodesOnLeaf(leaf), d)
  }

  /** One after the other, each time the one with which most nodes can be reached; 0 where these are too few. */
  #chooseUplinks(d: number, nodes: number): number {
    let chosen = 0
    for (let each = 0; each < d; each++) {
      let best = 0
      let most = nodes - 1
      for (let i = 0; i < this.#tree.width; i++) {
        if (((chosen >>> i) & 1) === 1) continue
        let reached = 0
        for (let at = 0; at < this.#count; at++) reached += this.#offer(this.#leaves[at], d, chosen | (1 << i))
        if (reached <= most) continue
        most = reached
        best = 1 << i
      }
      if (best === 0) return 0
      chosen |= best
    }
    return chosen
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
    for (let at = 0; at < this.#count; at++) {
      const leaf = this.#leaves[at]
      this.#offers[Math.floor(leaf / leavesPerPod) * (MOST_UPLINKS + 1) + this.#offer(leaf, d, uplinks)]++
    }
  }

  /** Of the `k` best leaves of each pod; puts the pods that offer most first. */
  #sumOffers(k: number): number {
    let total = 0
    for (let pod = 0; pod < this.#tree.pods; pod++) {
      let sum = 0
      for (let nodes = MOST_UPLINKS, left = k; nodes > 0; nodes--) {
        const leaves = Math.min(left, this.#offers[pod * (MOST_UPLINKS + 1) + nodes])
        sum += nodes * leaves
        left -= leaves
      }
      this.#sums[pod] = sum
      total += sum
      let at = pod
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
    for (let at = 0; at < this.#tree.pods && left > 0; at++) {
      const pod = this.#order[at]
      if (this.#sums[pod] === 0) return false
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
      const i = 31 - Math.clz32(rest & -rest)
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
      const ofPod = this.#leaves
        .subarray(0, this.#count)
        .filter((leaf) => Math.floor(leaf / leavesPerPod) === pod && this.#offer(leaf, d, uplinks) > 0)
      const best = Array.from(ofPod).sort((a, b) => this.#offer(b, d, uplinks) - this.#offer(a, d, uplinks))
      for (const leaf of best.slice(0, k)) {
        const some = Math.min(this.#offer(leaf, d, uplinks), left)
        if (some > 0) leaves.push({ leaf, nodes: some, uplinks })
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
