import { popcount, type StateView } from '@cloister/placement'
import { type Found, type LeafPart, lowest } from './found.ts'
import type { FreeCounts, Tree } from './tree.ts'
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

/**
 * Search for the cheapest placement in a single pod: full leaves with a common set of uplinks, and the rest of the
 * nodes on one leaf with some of these uplinks. If no leaf can hold the rest, two leaves do, and the second leaf has
 * some of the uplinks of the first.
 */
export class WithinPod {
  readonly #tree: Tree
  readonly #lifetimes: Lifetimes
  readonly #areNested: boolean
  #pod = 0
  #best: Found | undefined
  #counts!: FreeCounts
  /** Leaves of the pod that can be full leaves of the present shape, cheapest first. `#costs` has their costs. */
  readonly #candidates: Int32Array
  readonly #costs: Float64Array
  #count = 0
  readonly #chosen: Int32Array
  #left = 0

  /** @param areNested true if the rest of the nodes may be on two leaves */
  constructor(tree: Tree, lifetimes: Lifetimes, areNested: boolean) {
    this.#tree = tree
    this.#lifetimes = lifetimes
    this.#areNested = areNested
    this.#candidates = new Int32Array(tree.leavesPerPod)
    this.#costs = new Float64Array(tree.leavesPerPod)
    this.#chosen = new Int32Array(tree.leavesPerPod)
  }

  find(state: StateView, counts: FreeCounts, nodes: number): Found | undefined {
    const { pods, width, leavesPerPod } = this.#tree
    this.#counts = counts
    this.#best = undefined
    if (nodes > width * leavesPerPod) return undefined
    for (let pod = 0; pod < pods; pod++) {
      if (state.freeNodesInPod(pod) < nodes) continue
      this.#pod = pod
      for (let each = Math.min(width, nodes); each > 0; each--) {
        const leaves = Math.floor(nodes / each)
        const rest = nodes % each
        if (leaves + (rest > 0 ? 1 : 0) > leavesPerPod) break
        const able = leaves > 1 ? counts.withBoth : counts.withNodes
        if (able[pod * (width + 1) + each] < leaves) continue
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
    this.#pick(shape, 0, 0, this.#tree.allUplinks, 0)
  }

  #list({ nodes, links }: Shape): void {
    const { leavesPerPod } = this.#tree
    this.#count = 0
    for (let leaf = this.#pod * leavesPerPod; leaf < (this.#pod + 1) * leavesPerPod; leaf++) {
      if (this.#counts.nodes[leaf] < nodes || this.#counts.links[leaf] < links) continue
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
  #pick(shape: Shape, depth: number, from: number, common: number, cost: number): boolean {
    if (depth === shape.leaves) return this.#finish(shape, common, cost)
    for (let at = from; at <= this.#count - (shape.leaves - depth); at++) {
      if (this.#left-- === 0) return true
      const leaf = this.#candidates[at]
      const shared = common & this.#counts.uplinks[leaf]
      if (popcount(shared) < shape.links) continue
      this.#chosen[depth] = leaf
      if (this.#pick(shape, depth + 1, at + 1, shared, cost + this.#costs[at]) || this.#left < 0) return true
    }
    return false
  }

  #finish(shape: Shape, common: number, cost: number): boolean {
    const rest = shape.rest === 0 ? [] : this.#placeRest(shape, common)
    if (rest === undefined) return false
    const score = rest.reduce((sum, { leaf, nodes }) => sum + this.#lifetimes.cost(leaf, nodes), cost)
    if (this.#best === undefined || score < this.#best.score) this.#best = this.#found(shape, common, rest, score)
    return true
  }

  /**
   * Places the rest of the nodes on one or two leaves. Returns these leaves with the uplinks that each may use;
   * undefined if the rest does not fit.
   */
  #placeRest({ leaves, rest }: Shape, common: number): ReadonlyArray<LeafPart> | undefined {
    const one = this.#cheapest(rest, rest, common, leaves, -1)
    if (one !== undefined) return [one]
    if (!this.#areNested) return undefined
    const { leavesPerPod } = this.#tree
    let best: ReadonlyArray<LeafPart> | undefined
    let least = Infinity
    for (let leaf = this.#pod * leavesPerPod; leaf < (this.#pod + 1) * leavesPerPod; leaf++) {
      const nodes = Math.min(this.#counts.nodes[leaf], rest - 1)
      const uplinks = common & this.#counts.uplinks[leaf]
      if (nodes < 1 || popcount(uplinks) < rest || this.#isChosen(leaf, leaves)) continue
      const other = this.#cheapest(rest - nodes, rest - nodes, uplinks, leaves, leaf)
      if (other === undefined) continue
      const cost = this.#lifetimes.cost(leaf, nodes) + this.#lifetimes.cost(other.leaf, other.nodes)
      if (cost >= least) continue
      least = cost
      best = [{ leaf, nodes, uplinks }, other]
    }
    return best
  }

  #cheapest(nodes: number, links: number, common: number, leaves: number, besides: number): LeafPart | undefined {
    const { leavesPerPod } = this.#tree
    let best = -1
    let least = Infinity
    for (let leaf = this.#pod * leavesPerPod; leaf < (this.#pod + 1) * leavesPerPod; leaf++) {
      if (this.#counts.nodes[leaf] < nodes || popcount(common & this.#counts.uplinks[leaf]) < links) continue
      if (leaf === besides || this.#isChosen(leaf, leaves)) continue
      const cost = this.#lifetimes.cost(leaf, nodes)
      if (cost >= least) continue
      least = cost
      best = leaf
    }
    return best < 0 ? undefined : { leaf: best, nodes, uplinks: common & this.#counts.uplinks[best] }
  }

  #isChosen(leaf: number, leaves: number): boolean {
    for (let i = 0; i < leaves; i++) if (this.#chosen[i] === leaf) return true
    return false
  }

  /**
   * Makes nested sets of uplinks. The last leaf in `rest` gets an uplink for each of its nodes, the first of two leaves
   * in `rest` an uplink for each node of both, and a full leaf `links` uplinks.
   */
  #found({ leaves, nodes, links }: Shape, common: number, rest: ReadonlyArray<LeafPart>, score: number): Found {
    const parts: Array<LeafPart> = []
    let set = 0
    let sum = 0
    for (const part of rest.toReversed()) {
      sum += part.nodes
      set = this.#grown(set, part.uplinks, sum)
      parts.push({ ...part, uplinks: set })
    }
    set = this.#grown(set, common, links)
    for (let i = 0; i < leaves; i++) parts.push({ leaf: this.#chosen[i], nodes, uplinks: set })
    return { score, leaves: parts, spines: [] }
  }

  /**
   * Adds the cheapest uplinks of the mask `from` to the mask `set`, until `size` uplinks are set or `from` has no more.
   */
  #grown(set: number, from: number, size: number): number {
    const costs = this.#lifetimes.uplinkCosts(this.#pod)
    let result = set
    for (let left = size - popcount(set); left > 0; left--) {
      let best = 0
      let least = Infinity
      for (let rest = from & ~result; rest !== 0; rest &= rest - 1) {
        const cost = costs[lowest(rest)]
        if (cost >= least) continue
        least = cost
        best = rest & -rest
      }
      result |= best
    }
    return result
  }
}
