import { popcount, type StateView } from '@cloister/placement'
import { type Found, grown, type LeafPart, type SpinePart } from './found.ts'
import type { Lifetimes } from './lifetimes.ts'
import type { Tree } from './tree.ts'

/** Uplinks of each leaf, at most. */
const MOST_UPLINKS = 4

/**
 * Scraps of leaves whose last job ends no sooner than this one: up to `d` nodes on each, with the same `d` uplinks on all. A pod with at
 * most `k` such leaves has `k` spines above each of these, the same in every pod.
 */
export class ScatteredFill {
  readonly #tree: Tree
  readonly #lifetimes: Lifetimes
  #state!: StateView
  /** Leaves that may be used, pod by pod. */
  readonly #leaves: Int32Array
  #count = 0

  constructor(tree: Tree, lifetimes: Lifetimes) {
    this.#tree = tree
    this.#lifetimes = lifetimes
    this.#leaves = new Int32Array(tree.topology.leaves)
  }

  find(state: StateView, nodes: number): Found | undefined {
    if (nodes < 2) return undefined
    this.#state = state
    if (!this.#list(nodes)) return undefined
    let best: Found | undefined
    for (let d = 1; d <= Math.min(MOST_UPLINKS, this.#tree.width); d++) {
      const uplinks = this.#chooseUplinks(d)
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
      if (some === 0 || this.#state.lastEndOnLeaf(leaf) < this.#lifetimes.end) continue
      if (this.#state.busyNodesOnLeaf(leaf) === 0) continue
      this.#leaves[this.#count++] = leaf
      free += some
    }
    return free >= nodes
  }

  #offer(leaf: number, d: number, uplinks: number): number {
    const isFree = (uplinks & ~this.#state.portMask(0, leaf, 0)) === 0
    return isFree ? Math.min(this.#state.freeNodesOnLeaf(leaf), d) : 0
  }

  /** One after the other, each time the one with which most nodes can be reached; 0 where there are too few. */
  #chooseUplinks(d: number): number {
    let chosen = 0
    for (let each = 0; each < d; each++) {
      let best = 0
      let most = 0
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
    for (let k = 1; k <= this.#tree.leavesPerPod; k++) {
      const pods = this.#pods(d, uplinks, k)
      const taken = this.#take(nodes, uplinks, k, pods)
      if (taken !== undefined) return taken
    }
    return undefined
  }

  /** The best leaves of each pod, at most `k`; pods with most nodes first. */
  #pods(d: number, uplinks: number, k: number): ReadonlyArray<ReadonlyArray<LeafPart>> {
    const { leavesPerPod, pods } = this.#tree
    const parts: Array<Array<LeafPart>> = Array.from({ length: pods }, () => [])
    for (let at = 0; at < this.#count; at++) {
      const leaf = this.#leaves[at]
      const nodes = this.#offer(leaf, d, uplinks)
      if (nodes > 0) parts[Math.floor(leaf / leavesPerPod)].push({ leaf, nodes, uplinks })
    }
    const offered = parts
      .filter(({ length }) => length > 0)
      .map((ofPod) => ofPod.sort((a, b) => b.nodes - a.nodes).slice(0, k))
    return offered.sort((a, b) => sum(b) - sum(a))
  }

  /** Pod after pod, as long as enough spines are common. */
  #take(nodes: number, uplinks: number, k: number, pods: ReadonlyArray<ReadonlyArray<LeafPart>>): Found | undefined {
    const { width, leavesPerPod } = this.#tree
    let common = new Int32Array(width).fill(-1)
    const parts: Array<LeafPart> = []
    const used: Array<number> = []
    let left = nodes
    for (const ofPod of pods) {
      if (left === 0) break
      const pod = Math.floor(ofPod[0].leaf / leavesPerPod)
      const shared = common.map((set, i) => set & this.#state.portMask(1, pod * width + i, 0))
      if (used.length + (sum(ofPod) < left ? 1 : 0) > 0 && !hasEach(shared, uplinks, k)) continue
      common = shared
      used.push(pod)
      for (const part of ofPod) {
        const some = Math.min(part.nodes, left)
        if (some > 0) parts.push({ ...part, nodes: some })
        left -= some
      }
    }
    if (left > 0) return undefined
    const score = parts.reduce((cost, part) => cost + this.#lifetimes.cost(part.leaf, part.nodes), 0)
    return { score, leaves: parts, spines: used.length > 1 ? this.#spines(used, common, uplinks, k) : [] }
  }

  #spines(pods: ReadonlyArray<number>, common: Int32Array, uplinks: number, k: number): ReadonlyArray<SpinePart> {
    const { width } = this.#tree
    return pods.flatMap((pod) =>
      Array.from(common, (set, i) => ({
        l2: pod * width + i,
        spines: ((uplinks >>> i) & 1) === 1 ? grown(0, set, k) : 0,
      })).filter(({ spines }) => spines !== 0),
    )
  }
}

function sum(parts: ReadonlyArray<LeafPart>): number {
  return parts.reduce((total, { nodes }) => total + nodes, 0)
}

/** Whether at least `k` bits of each of the sets that a mask names are set. */
function hasEach(sets: Int32Array, which: number, k: number): boolean {
  return sets.every((set, i) => ((which >>> i) & 1) === 0 || popcount(set) >= k)
}
