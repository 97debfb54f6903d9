import type { AcrossPods, FreeIndex, Search, TreeShape } from '@cloister/isolation'
import type { Placement, StateView } from '@cloister/placement'
import type { Config } from './config.ts'
import { placementOf } from './placement.ts'
import { PodsSearch, type Shape } from './pods-search.ts'

/**
 * Search for placements on any leaves of several pods: tries every combination of full pods, full leaves and nodes per
 * full leaf that gives the requested size, in the configured order.
 */
export class AnyLeaves implements AcrossPods {
  readonly #tree: TreeShape
  readonly #order: Config['order']
  readonly #search: Search
  readonly #podsSearch: PodsSearch
  /** Entry `[k]` is the number of pods with at least k leaves that could be full leaves. */
  readonly #podsWith: Int32Array

  constructor(tree: TreeShape, order: Config['order'], search: Search) {
    this.#tree = tree
    this.#order = order
    this.#search = search
    this.#podsSearch = new PodsSearch(tree, search)
    this.#podsWith = new Int32Array(tree.leavesPerPod + 1)
  }

  find(state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    const most = Math.min(nodes - 1, this.#tree.wholeLeaf)
    for (let step = 0; step < most; step++) {
      const perLeaf = this.#order === 'densest-first' ? most - step : 1 + step
      const placement = this.#onLeavesOf(perLeaf, state, index, nodes)
      if (placement !== undefined || this.#search.exhausted) return placement
    }
    return undefined
  }

  #onLeavesOf(perLeaf: number, state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    if (this.#countLeaves(index, perLeaf) < Math.floor(nodes / perLeaf)) return undefined
    // A pod has at most `l2Ports` full leaves, because every L2 switch in use needs a spine link for each full leaf of
    // its pod.
    const most = Math.min(this.#tree.leavesPerPod, this.#tree.l2Ports, Math.floor(nodes / perLeaf))
    for (let step = 0; step < most; step++) {
      const leaves = this.#order === 'densest-first' ? most - step : 1 + step
      const shape = shapeOf(nodes, perLeaf, leaves)
      if (this.#podsWith[leaves] < shape.pods || !this.#hasRemainderPod(index, shape)) continue
      if (this.#podsSearch.find(index, shape)) return placementOf(this.#tree, state, this.#podsSearch, shape)
      if (this.#search.exhausted) return undefined
      this.#search.obstacle = 'common spine links'
    }
    return undefined
  }

  /**
   * Fills `#podsWith` for full leaves of `perLeaf` nodes; returns the machine's number of leaves that could be full.
   */
  #countLeaves(index: FreeIndex, perLeaf: number): number {
    const { pods, leavesPerPod, nodesPerLeaf } = this.#tree
    const counts = this.#podsWith.fill(0)
    let all = 0
    for (let pod = 0, at = perLeaf; pod < pods; pod++, at += nodesPerLeaf + 1) {
      const leaves = index.leavesUsable[at]
      all += leaves
      counts[leaves]++
    }
    for (let k = leavesPerPod; k > 0; k--) counts[k - 1] += counts[k]
    return all
  }

  /** Returns true if, by counts of leaves alone, a pod besides the full pods may hold the remainder of a shape. */
  #hasRemainderPod(index: FreeIndex, { pods, leaves, nodes, remainderLeaves, remainder }: Shape): boolean {
    // A single full pod without a remainder is no placement in several pods.
    if (remainderLeaves + remainder === 0) return pods > 1
    if (this.#podsWith[leaves] > pods) return true
    const { nodesPerLeaf } = this.#tree
    for (let pod = 0, row = 0; pod < this.#tree.pods; pod++, row += nodesPerLeaf + 1) {
      const full = index.leavesUsable[row + nodes]
      if (full < leaves && full >= remainderLeaves && index.leavesUsable[row + remainder] > remainderLeaves) return true
    }
    return false
  }
}

/** Shape of a placement of `nodes` = (pods * leaves + remainderLeaves) * perLeaf + remainder nodes. */
function shapeOf(nodes: number, perLeaf: number, leaves: number): Shape {
  const pods = Math.floor(nodes / (perLeaf * leaves))
  const left = nodes - pods * leaves * perLeaf
  return { pods, leaves, nodes: perLeaf, remainderLeaves: Math.floor(left / perLeaf), remainder: left % perLeaf }
}
