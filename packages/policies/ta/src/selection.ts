import type { Placement, StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { OpenNodes } from './open-nodes.ts'

/** Nodes for one placement of a T2 or T3 job. Calling `placement` empties the selection. */
export class Selection {
  readonly #topology: Topology
  readonly #ofLeaf: Int32Array
  readonly #nodeIds: Int32Array

  constructor(topology: Topology) {
    this.#topology = topology
    this.#ofLeaf = new Int32Array(topology.leaves)
    this.#nodeIds = new Int32Array(topology.nodes)
  }

  /**
   * Selects up to `nodes` nodes on a pod's open leaves, first on leaves with the most free nodes; returns the number of
   * selected nodes.
   */
  take(index: OpenNodes, pod: number, nodes: number): number {
    const leaves: Array<number> = []
    const { firstLeafOfPod } = this.#topology
    for (let leaf = firstLeafOfPod[pod]; leaf < firstLeafOfPod[pod + 1]; leaf++)
      if (index.ofLeaf[leaf] > 0) leaves.push(leaf)
    // If the job takes all nodes of the open leaves, the order of the leaves does not matter.
    if (nodes < index.ofPod[pod]) leaves.sort((a, b) => index.ofLeaf[b] - index.ofLeaf[a] || a - b)
    let left = nodes
    for (let i = 0; i < leaves.length && left > 0; i++) {
      const taken = Math.min(left, index.ofLeaf[leaves[i]])
      this.#ofLeaf[leaves[i]] = taken
      left -= taken
    }
    return nodes - left
  }

  /** Makes the placement of the selected nodes in `pods` (ascending), with every link that messages could take. */
  placement(state: StateView, pods: ReadonlyArray<number>): Placement {
    const { firstLeafOfPod, firstL2OfPod } = this.#topology
    const leafUplinks: Array<number> = []
    const l2Uplinks: Array<number> = []
    let nodes = 0
    for (const pod of pods) {
      for (let leaf = firstLeafOfPod[pod]; leaf < firstLeafOfPod[pod + 1]; leaf++) {
        if (this.#ofLeaf[leaf] === 0) continue
        // `freeNodeIds` writes all free nodes of the leaf. The next leaf's ids overwrite the ids that are too many.
        state.freeNodeIds(leaf, this.#nodeIds, nodes)
        nodes += this.#ofLeaf[leaf]
        this.#ofLeaf[leaf] = 0
        this.#addUplinks(0, leaf, leaf + 1, leafUplinks)
      }
      if (pods.length > 1) this.#addUplinks(1, firstL2OfPod[pod], firstL2OfPod[pod + 1], l2Uplinks)
    }
    return {
      ok: true,
      nodes: this.#nodeIds.slice(0, nodes),
      links: pods.length > 1 ? [leafUplinks, l2Uplinks] : [leafUplinks],
    }
  }

  #addUplinks(level: number, from: number, end: number, into: Array<number>): void {
    const { firstPort } = this.#topology.levels[level]
    for (let link = firstPort[from]; link < firstPort[end]; link++) into.push(link)
  }
}
