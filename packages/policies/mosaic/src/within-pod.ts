import { count, countCommon, type FreeIndex, intersect, type TreeShape } from '@cloister/isolation'
import type { StateView } from '@cloister/placement'
import type { Found, LeafPart } from './found.ts'
import type { Lifetimes } from './lifetimes.ts'

/**
 * Number of leaves that the search in a pod may try for one combination of full leaves, nodes per full leaf, and
 * remaining nodes.
 */
const BUDGET = 40

/**
 * Numbers of a placement in a pod: `leaves` full leaves with `nodes` nodes and `links` uplinks each, and `rest` more
 * nodes on other leaves.
 */
interface Shape {
  readonly leaves: number
  readonly nodes: number
  readonly links: number
  readonly rest: number
}

/** Number of the job's nodes on a leaf for the rest of the nodes. */
type RestPart = Omit<LeafPart, 'uplinks'>

/**
 * Search for the cheapest placement in a single pod: full leaves with a common set of uplinks, and the rest of the
 * nodes on one leaf with some of these uplinks. If no leaf can hold the rest, two leaves do, and the second leaf has
 * some of the uplinks of the first.
 */
export class WithinPod {
  readonly #tree: TreeShape
  readonly #lifetimes: Lifetimes
  readonly #areNested: boolean
  #pod = 0
  #best: Found | undefined
  #index!: FreeIndex
  /** Leaves of the pod that can be full leaves of the present shape, cheapest first. `#costs` has their costs. */
  readonly #candidates: Int32Array
  readonly #costs: Float64Array
  #count = 0
  readonly #chosen: Int32Array
  /** Mask of the free uplink slots that the first `d` chosen leaves have in common, in row `d`. */
  readonly #common: Int32Array
  /** Mask of the uplink slots that the first of two leaves for the rest of the nodes may use. */
  readonly #ofFirst: Int32Array
  #left = 0

  /** @param areNested true if the rest of the nodes may be on two leaves */
  constructor(tree: TreeShape, lifetimes: Lifetimes, areNested: boolean) {
    this.#tree = tree
    this.#lifetimes = lifetimes
    this.#areNested = areNested
    this.#candidates = new Int32Array(tree.leavesPerPod)
    this.#costs = new Float64Array(tree.leavesPerPod)
    this.#chosen = new Int32Array(tree.leavesPerPod)
    this.#common = new Int32Array((tree.leavesPerPod + 1) * tree.leafWords).fill(-1)
    this.#ofFirst = new Int32Array(tree.leafWords)
  }

  find(state: StateView, index: FreeIndex, nodes: number): Found | undefined {
    const { pods, nodesPerLeaf, leavesPerPod } = this.#tree
    this.#index = index
    this.#best = undefined
    if (nodes > nodesPerLeaf * leavesPerPod) return undefined
    for (let pod = 0; pod < pods; pod++) {
      if (state.freeNodesInPod(pod) < nodes) continue
      this.#pod = pod
      for (let each = Math.min(nodesPerLeaf, nodes); each > 0; each--) {
        const leaves = Math.floor(nodes / each)
        const rest = nodes % each
        if (leaves + (rest > 0 ? 1 : 0) > leavesPerPod) break
        const able = leaves > 1 ? index.leavesUsable : index.leavesFree
        if (able[pod * (nodesPerLeaf + 1) + each] < leaves) continue
        // A job on a single leaf has no flows over uplinks. With one full leaf, only flows from and to the rest of the
        // nodes use uplinks.
        this.#try({ leaves, nodes: each, links: leaves > 1 ? each : rest, rest })
      }
    }
    return this.#best
  }

  #try(shape: Shape): void {
    this.#list(shape)
    if (this.#count < shape.leaves) return
    let least = 0
    for (let i = 0; i < shape.leaves; i++) least += this.#costs[i]
    if (this.#best !== undefined && least >= this.#best.score) return
    this.#left = BUDGET
    this.#pick(shape, 0, 0, 0)
  }

  #list({ nodes, links }: Shape): void {
    const { leavesPerPod, leafWords } = this.#tree
    const { free, leafSlots } = this.#index
    this.#count = 0
    for (let leaf = this.#pod * leavesPerPod; leaf < (this.#pod + 1) * leavesPerPod; leaf++) {
      if (free[leaf] < nodes || count(leafSlots, leaf * leafWords, leafWords) < links) continue
      const cost = this.#lifetimes.cost(leaf, nodes)
      let at = this.#count++
      for (; at > 0 && this.#costs[at - 1] > cost; at--) {
        this.#costs[at] = this.#costs[at - 1]
        this.#candidates[at] = this.#candidates[at - 1]
      }
      this.#costs[at] = cost
      this.#candidates[at] = leaf
    }
  }

  /** Chooses the full leaves by a depth-first search. Returns true if a placement is found, or if no tries are left. */
  #pick(shape: Shape, depth: number, from: number, cost: number): boolean {
    if (depth === shape.leaves) return this.#finish(shape, cost)
    const { leafWords } = this.#tree
    const above = depth * leafWords
    for (let at = from; at <= this.#count - (shape.leaves - depth); at++) {
      if (this.#left-- === 0) return true
      const leaf = this.#candidates[at]
      const shared = this.#intersect(this.#common, above, leaf, this.#common, above + leafWords)
      if (shared < shape.links) continue
      this.#chosen[depth] = leaf
      if (this.#pick(shape, depth + 1, at + 1, cost + this.#costs[at]) || this.#left < 0) return true
    }
    return false
  }

  /** Writes the free uplink slots of a leaf that are also in `mask` into `out`, and returns their number. */
  #intersect(mask: Int32Array, atMask: number, leaf: number, out: Int32Array, atOut: number): number {
    const { leafWords } = this.#tree
    return intersect(mask, atMask, this.#index.leafSlots, leaf * leafWords, leafWords, out, atOut)
  }

  #finish(shape: Shape, cost: number): boolean {
    const rest = shape.rest === 0 ? [] : this.#placeRest(shape)
    if (rest === undefined) return false
    const score = rest.reduce((sum, { leaf, nodes }) => sum + this.#lifetimes.cost(leaf, nodes), cost)
    if (this.#best === undefined || score < this.#best.score) this.#best = this.#found(shape, rest, score)
    return true
  }

  /**
   * Places the rest of the nodes on one or two leaves; undefined if the rest does not fit. These leaves use common
   * uplinks of the full leaves, and the second leaf uses some of the uplinks of the first.
   */
  #placeRest({ leaves, rest }: Shape): ReadonlyArray<RestPart> | undefined {
    const { leavesPerPod, leafWords } = this.#tree
    const common = leaves * leafWords
    const one = this.#cheapest(rest, this.#common, common, leaves, -1)
    if (one !== undefined) return [one]
    if (!this.#areNested) return undefined
    let best: ReadonlyArray<RestPart> | undefined
    let least = Infinity
    for (let leaf = this.#pod * leavesPerPod; leaf < (this.#pod + 1) * leavesPerPod; leaf++) {
      const nodes = Math.min(this.#index.free[leaf], rest - 1)
      if (nodes < 1 || this.#intersect(this.#common, common, leaf, this.#ofFirst, 0) < rest) continue
      if (this.#isChosen(leaf, leaves)) continue
      const other = this.#cheapest(rest - nodes, this.#ofFirst, 0, leaves, leaf)
      if (other === undefined) continue
      const cost = this.#lifetimes.cost(leaf, nodes) + this.#lifetimes.cost(other.leaf, other.nodes)
      if (cost >= least) continue
      least = cost
      best = [{ leaf, nodes }, other]
    }
    return best
  }

  /** Returns the cheapest leaf with `nodes` free nodes, and as many free uplinks in `mask`. */
  #cheapest(nodes: number, mask: Int32Array, atMask: number, leaves: number, besides: number): RestPart | undefined {
    const { leavesPerPod, leafWords } = this.#tree
    const { free, leafSlots } = this.#index
    let best = -1
    let least = Infinity
    for (let leaf = this.#pod * leavesPerPod; leaf < (this.#pod + 1) * leavesPerPod; leaf++) {
      if (free[leaf] < nodes || countCommon(mask, atMask, leafSlots, leaf * leafWords, leafWords) < nodes) continue
      if (leaf === besides || this.#isChosen(leaf, leaves)) continue
      const cost = this.#lifetimes.cost(leaf, nodes)
      if (cost >= least) continue
      least = cost
      best = leaf
    }
    return best < 0 ? undefined : { leaf: best, nodes }
  }

  #isChosen(leaf: number, leaves: number): boolean {
    for (let i = 0; i < leaves; i++) if (this.#chosen[i] === leaf) return true
    return false
  }

  /**
   * Makes nested sets of uplinks. The last leaf in `rest` gets an uplink for each of its nodes, the first of two leaves
   * in `rest` an uplink for each node of both, and a full leaf `links` uplinks.
   */
  #found({ leaves, nodes, links }: Shape, rest: ReadonlyArray<RestPart>, score: number): Found {
    const { leafWords } = this.#tree
    const parts: Array<LeafPart> = []
    const common = this.#common.slice(leaves * leafWords, (leaves + 1) * leafWords)
    const allowed = [common]
    for (const { leaf } of rest) {
      const shared = new Int32Array(leafWords)
      this.#intersect(allowed.at(-1)!, 0, leaf, shared, 0)
      allowed.push(shared)
    }
    const set = new Int32Array(leafWords)
    let sum = 0
    for (let at = rest.length - 1; at >= 0; at--) {
      sum += rest[at].nodes
      this.#addCheapest(allowed[at + 1], set, sum)
      parts.push({ ...rest[at], uplinks: set.slice() })
    }
    this.#addCheapest(common, set, links)
    for (let i = 0; i < leaves; i++) parts.push({ leaf: this.#chosen[i], nodes, uplinks: set })
    return { score, leaves: parts, spines: [] }
  }

  /** Adds the cheapest uplinks of the mask `from` to the mask `set`, until `size` uplinks are set. */
  #addCheapest(from: Int32Array, set: Int32Array, size: number): void {
    const missing = size - count(set, 0, set.length)
    if (missing <= 0) return
    const costs = this.#lifetimes.uplinkCosts(this.#pod)
    for (let left = missing; left > 0; left--) {
      let best = -1
      let least = Infinity
      for (let word = 0; word < set.length; word++) {
        for (let bits = from[word] & ~set[word]; bits !== 0; bits &= bits - 1) {
          const slot = (word << 5) + 31 - Math.clz32(bits & -bits)
          if (costs[slot] >= least) continue
          least = costs[slot]
          best = slot
        }
      }
      set[best >>> 5] |= 1 << (best & 31)
    }
  }
}
