import type { Placement, StateView } from '@cloister/placement'
import type { PartitionConfig } from '../config.ts'
import { type FreeIndex, WHOLE_LEAVES } from '../tree/free-index.ts'
import type { TreeShape } from '../tree/tree-shape.ts'
import type { AcrossPods } from '../partition-placer.ts'
import { inSeveralPods } from '../result/placements.ts'
import type { Search } from './search.ts'
import { type PodShape, SeveralPodsSearch } from './several-pods.ts'

/**
 * The second half of GET_ALLOCATION in the paper's Algorithm 1: whole leaves in several pods, and a remainder leaf where
 * the nodes do not fill the last one.
 */
export class WholeLeaves implements AcrossPods {
  readonly #tree: TreeShape
  readonly #order: PartitionConfig['order']
  readonly #search: Search
  readonly #severalPods: SeveralPodsSearch
  /** `podsWithWhole[k]`: pods with at least k whole leaves. */
  readonly #podsWithWhole: Int32Array

  constructor(tree: TreeShape, order: PartitionConfig['order'], search: Search) {
    this.#tree = tree
    this.#order = order
    this.#search = search
    this.#severalPods = new SeveralPodsSearch(tree, search)
    this.#podsWithWhole = new Int32Array(tree.leavesPerPod + 1)
  }

  find(state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    const { leavesPerPod, leafCables, l2Ports, wholeLeaf } = this.#tree
    if (nodes < wholeLeaf || index.summary[WHOLE_LEAVES] < Math.floor(nodes / wholeLeaf)) return undefined
    this.#countPodsWithWhole(index)
    const most = Math.min(leavesPerPod, Math.floor(l2Ports / leafCables))
    const dense = this.#order === 'densest-first'
    for (let step = 1; step <= most; step++) {
      const leaves = dense ? most + 1 - step : step
      const full = Math.floor(nodes / (leaves * wholeLeaf))
      if (full === 0 || this.#podsWithWhole[leaves] < full) continue
      const shape = podShape(nodes, full, leaves, wholeLeaf)
      if (!this.#hasRemainderPod(index, shape)) continue
      if (this.#severalPods.find(index, shape)) return inSeveralPods(this.#tree, state, index, this.#severalPods, shape)
      if (this.#search.exhausted) return undefined
      this.#search.obstacle = 'common spine links'
    }
    return undefined
  }

  #countPodsWithWhole(index: FreeIndex): void {
    const { pods, leavesPerPod, nodesPerLeaf, wholeLeaf } = this.#tree
    const counts = this.#podsWithWhole.fill(0)
    for (let pod = 0, at = wholeLeaf; pod < pods; pod++, at += nodesPerLeaf + 1) counts[index.leavesUsable[at]]++
    for (let k = leavesPerPod; k > 0; k--) counts[k - 1] += counts[k]
  }

  /** By counts alone: besides the full pods one more that could take the remainder, where there is one. */
  #hasRemainderPod(index: FreeIndex, shape: PodShape): boolean {
    // A single full pod without a remainder is no allocation of several pods.
    if (shape.remainderLeaves + shape.remainder === 0) return shape.pods > 1
    if (this.#podsWithWhole[shape.leaves] > shape.pods) return true
    const { pods, nodesPerLeaf, wholeLeaf } = this.#tree
    for (let pod = 0, row = 0; pod < pods; pod++, row += nodesPerLeaf + 1) {
      const whole = index.leavesUsable[row + wholeLeaf]
      if (
        whole < shape.leaves &&
        whole >= shape.remainderLeaves &&
        index.leavesFree[row + shape.remainder] > shape.remainderLeaves
      )
        return true
    }
    return false
  }
}

/** nodes = (pods * leaves + remainderLeaves) * wholeLeaf + remainder */
function podShape(nodes: number, pods: number, leaves: number, wholeLeaf: number): PodShape {
  const left = nodes - pods * leaves * wholeLeaf
  return { pods, leaves, remainderLeaves: Math.floor(left / wholeLeaf), remainder: left % wholeLeaf }
}
