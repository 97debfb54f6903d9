import type { Placement, StateView } from '@cloister/placement'
import type { PartitionConfig } from '../config.ts'
import { type FreeIndex, MOST_FREE_NODES } from '../tree/free-index.ts'
import type { TreeShape } from '../tree/tree-shape.ts'
import { type LeafShape, OnePodSearch } from './one-pod.ts'
import { inOnePod, onOneLeaf } from '../result/placements.ts'
import type { Search } from './search.ts'

/** Search on one leaf and in one pod: the first half of GET_ALLOCATION in Algorithm 1 of the Jigsaw paper. */
export class WithinPod {
  readonly #tree: TreeShape
  readonly #config: PartitionConfig
  readonly #search: Search
  readonly #onePod: OnePodSearch
  readonly #candidates: Int32Array
  #candidateCount = 0

  constructor(tree: TreeShape, config: PartitionConfig, search: Search) {
    this.#tree = tree
    this.#config = config
    this.#search = search
    this.#onePod = new OnePodSearch(tree, search)
    this.#candidates = new Int32Array(tree.pods)
  }

  /** Returns the first placement in the order of shapes and pods, if any and if the search has steps left. */
  find(state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    if (nodes > index.summary[MOST_FREE_NODES]) return undefined
    this.#findCandidates(state, nodes)
    const { leavesPerPod, nodesPerLeaf, leafPorts } = this.#tree
    const most = Math.min(nodes - 1, nodesPerLeaf, leafPorts)
    const least = Math.max(1, Math.ceil(nodes / leavesPerPod))
    const dense = this.#config.order === 'densest-first'
    if (dense) {
      const single = this.#onOneLeaf(state, index, nodes)
      if (single !== undefined) return single
    }
    for (let step = 0; step <= most - least; step++) {
      const perLeaf = dense ? most - step : least + step
      const shape = { leaves: Math.floor(nodes / perLeaf), nodes: perLeaf, remainder: nodes % perLeaf }
      const placement = this.#leavesInSomePod(state, index, shape)
      if (placement !== undefined || this.#search.exhausted) return placement
    }
    return dense ? undefined : this.#onOneLeaf(state, index, nodes)
  }

  #findCandidates(state: StateView, nodes: number): void {
    this.#candidateCount = 0
    for (let pod = 0; pod < this.#tree.pods; pod++) {
      if (state.freeNodesInPod(pod) >= nodes) this.#candidates[this.#candidateCount++] = pod
    }
  }

  #onOneLeaf(state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    const { nodesPerLeaf, leavesPerPod } = this.#tree
    const { leafJobsHoldUplinks } = this.#config
    if (nodes > nodesPerLeaf) return undefined
    const [leaves, offered] = leafJobsHoldUplinks ? [index.leavesUsable, index.usable] : [index.leavesFree, index.free]
    for (let i = 0; i < this.#candidateCount; i++) {
      const pod = this.#candidates[i]
      if (leaves[pod * (nodesPerLeaf + 1) + nodes] === 0) continue
      let leaf = pod * leavesPerPod
      while (offered[leaf] < nodes) leaf++
      return onOneLeaf(this.#tree, state, index, leaf, nodes, leafJobsHoldUplinks)
    }
    return undefined
  }

  #leavesInSomePod(state: StateView, index: FreeIndex, shape: LeafShape): Placement | undefined {
    const stride = this.#tree.nodesPerLeaf + 1
    const needed = shape.leaves + (shape.remainder > 0 ? 1 : 0)
    for (let i = 0; i < this.#candidateCount; i++) {
      const pod = this.#candidates[i]
      if (index.leavesUsable[pod * stride + shape.nodes] < shape.leaves) continue
      if (index.leavesUsable[pod * stride + shape.remainder] < needed) continue
      if (this.#onePod.find(index, pod, shape)) return inOnePod(this.#tree, state, index, this.#onePod, shape)
      if (this.#search.exhausted) return undefined
      this.#search.obstacle = 'common uplinks'
    }
    return undefined
  }
}
