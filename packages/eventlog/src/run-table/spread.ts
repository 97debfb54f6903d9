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
  /** Nodes of the machine in the most compact order, and the spread of the first 1, 2, 3, … of these nodes. */
  #order: Int32Array | undefined
  readonly #least: Array<Spread> = []
  readonly #growing: GrowingSet

  constructor(topology: Topology) {
    this.#topology = topology
    this.#growing = new GrowingSet(topology)
  }

  /** @param nodes ids in an order in which the nodes of a leaf, and the leaves of a pod, follow each other */
  of(nodes: ArrayLike<number>): Spread {
    const growing = new GrowingSet(this.#topology)
    for (let at = 0; at < nodes.length; at++) growing.add(nodes[at])
    return growing.spread
  }

  /** Returns the spread of `size` nodes, at most all, in the largest pods and leaves of the empty machine. */
  least(size: number): Spread {
    this.#order ??= compactOrder(this.#topology)
    const last = Math.min(size, this.#order.length) - 1
    while (this.#least.length <= last) {
      this.#growing.add(this.#order[this.#least.length])
      this.#least.push(this.#growing.spread)
    }
    return last < 0 ? this.of([]) : this.#least[last]
  }
}

/** Set of nodes that grows node by node, in the order that `SpreadOfNodes.of` demands. */
class GrowingSet {
  readonly #topology: Topology
  #count = 0
  #leaves = 0
  #pods = 0
  #leaf = -1
  #pod = -1
  #onLeaf = 0
  #inPod = 0
  /** Ordered pairs of different nodes on one leaf, and in one pod. */
  #leafPairs = 0
  #podPairs = 0

  constructor(topology: Topology) {
    this.#topology = topology
  }

  add(node: number): void {
    const { leafOfNode, podOfLeaf } = this.#topology
    const leaf = leafOfNode[node]
    if (leaf !== this.#leaf) {
      this.#leaf = leaf
      this.#onLeaf = 0
      this.#leaves++
      if (podOfLeaf[leaf] !== this.#pod) {
        this.#pod = podOfLeaf[leaf]
        this.#inPod = 0
        this.#pods++
      }
    }
    this.#leafPairs += 2 * this.#onLeaf++
    this.#podPairs += 2 * this.#inPod++
    this.#count++
  }

  get spread(): Spread {
    const pairs = this.#count * (this.#count - 1)
    const links = 2 * this.#leafPairs + 4 * (this.#podPairs - this.#leafPairs) + 6 * (pairs - this.#podPairs)
    return { leaves: this.#leaves, pods: this.#pods, hops: links / pairs }
  }
}

/** Returns all nodes: the largest pod first, and in each pod the largest leaf first. */
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
