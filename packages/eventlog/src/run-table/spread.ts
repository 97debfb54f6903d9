import type { Topology } from '@cloister/topology'

/** Leaves and pods of a set of nodes, and the mean distance of two of the nodes. */
export interface Spread {
  readonly leaves: number
  readonly pods: number
  /** Mean number of links between two nodes: 2 on one leaf, 4 in one pod, 6 between pods; NaN for less than two nodes. */
  readonly hops: number
}

/** Measures how far sets of nodes of one machine are spread. */
export class SpreadOfNodes {
  readonly #topology: Topology
  readonly #least = new Map<number, Spread>()
  /** All nodes: the largest pod first, and in each pod the largest leaf first. */
  #compact: Int32Array | undefined

  constructor(topology: Topology) {
    this.#topology = topology
  }

  /** @param nodes ids in an order in which the nodes of a leaf, and the leaves of a pod, follow each other */
  of(nodes: ArrayLike<number>): Spread {
    const { leafOfNode, podOfLeaf } = this.#topology
    // Pairs of nodes on one leaf and in one pod, ordered, each node also paired with itself.
    let [leaves, pods, onLeaves, inPods] = [0, 0, 0, 0]
    let [leaf, pod, leafNodes, podNodes] = [-1, -1, 0, 0]
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]
      if (leafOfNode[node] !== leaf) {
        onLeaves += leafNodes * leafNodes
        leaf = leafOfNode[node]
        leafNodes = 0
        leaves++
        if (podOfLeaf[leaf] !== pod) {
          inPods += podNodes * podNodes
          pod = podOfLeaf[leaf]
          podNodes = 0
          pods++
        }
      }
      leafNodes++
      podNodes++
    }
    onLeaves += leafNodes * leafNodes
    inPods += podNodes * podNodes
    const { length: count } = nodes
    const links = 2 * (onLeaves - count) + 4 * (inPods - onLeaves) + 6 * (count * count - inPods)
    return { leaves, pods, hops: links / (count * count - count) }
  }

  /** Returns the spread of `size` nodes that fill the largest pods and leaves of the empty machine one after another. */
  least(size: number): Spread {
    const known = this.#least.get(size)
    if (known !== undefined) return known
    this.#compact ??= compactOrder(this.#topology)
    const found = this.of(this.#compact.subarray(0, size))
    this.#least.set(size, found)
    return found
  }
}

function compactOrder({ pods, nodes, firstLeafOfPod, firstNodeOfLeaf }: Topology): Int32Array {
  const largestFirst = (first: Int32Array, from: number, to: number): ReadonlyArray<number> =>
    Array.from({ length: to - from }, (_, at) => from + at).sort(
      (a, b) => first[b + 1] - first[b] - (first[a + 1] - first[a]) || a - b,
    )
  const firstNodeOfPod = firstLeafOfPod.map((leaf) => firstNodeOfLeaf[leaf])
  const order = new Int32Array(nodes)
  let count = 0
  for (const pod of largestFirst(firstNodeOfPod, 0, pods))
    for (const leaf of largestFirst(firstNodeOfLeaf, firstLeafOfPod[pod], firstLeafOfPod[pod + 1]))
      for (let node = firstNodeOfLeaf[leaf]; node < firstNodeOfLeaf[leaf + 1]; node++) order[count++] = node
  return order
}
