/**
 * Name of a condition on allocations:
 *
 * - `1` to `6`: the conditions of the Jigsaw paper (section 3.2.2), by number.
 * - `balance`: the job has as many uplinks as nodes on each leaf, as many uplinks as downlinks on each L2 switch, and
 *   no other links. Section 3.2.2 of the Jigsaw paper presupposes balance. With `fewestUplinks`, a single full leaf or
 *   pod has only as many uplinks as its remainder.
 * - `one-leaf`: a job with all nodes on one leaf has no links, or one uplink a node with `leafJobsHoldUplinks`.
 */
export type Condition = 'one-leaf' | 'balance' | '1' | '2' | '3' | '4' | '5' | '6'

/** Condition that an allocation breaks, with a description of the fault. */
export interface Breach {
  readonly condition: Condition
  /** Description of the fault, with its switches and links, for people. */
  readonly message: string
}

/** Leaf of an allocation. Its uplinks are the leaf uplinks `firstLink` to `endLink` - 1 of the allocation. */
export interface UsedLeaf {
  readonly leaf: number
  readonly pod: number
  readonly nodes: number
  readonly firstLink: number
  readonly endLink: number
}

/** Leaves and pods of an allocation that keeps conditions 1 to 3 of the Jigsaw paper. */
export interface Shape {
  readonly leaves: ReadonlyArray<UsedLeaf>
  readonly pods: ReadonlyArray<number>
  /** Number of nodes that the allocation has on each of its full leaves. */
  readonly leafNodes: number
  /** Pod with fewer full leaves than the other pods; undefined if all pods have the same number of full leaves. */
  readonly remainderPod: number | undefined
}

/** Returns the shape of an allocation that keeps condition (3), or a breach of condition (1) or (2). */
export function shapeOf(leaves: ReadonlyArray<UsedLeaf>): Shape | Breach {
  const leafNodes = mostNodes(leaves)
  const fullLeaves = new Map<number, number>()
  for (const { pod, nodes } of leaves) fullLeaves.set(pod, (fullLeaves.get(pod) ?? 0) + (nodes === leafNodes ? 1 : 0))
  const pods = [...fullLeaves.keys()]
  const most = pods.reduce((max, pod) => Math.max(max, fullLeaves.get(pod)!), 0)
  const smaller = pods.filter((pod) => fullLeaves.get(pod)! < most)
  if (smaller.length > 1) {
    const counts = smaller
      .slice(0, 2)
      .map((pod) => `${fullLeaves.get(pod)} in pod ${pod}`)
      .join(' and ')
    return broken('1', `the allocation has ${most} full leaves in a pod, but ${counts}; only one pod may have fewer`)
  }
  const remainderLeaf = leaves.find((each) => each.nodes < leafNodes)
  if (remainderLeaf !== undefined && pods.length > 1 && remainderLeaf.pod !== smaller[0]) {
    return broken(
      '2',
      `the allocation has fewer nodes on leaf ${remainderLeaf.leaf} than on other leaves, but the leaf's pod ${remainderLeaf.pod} has as many full leaves as any pod; expected the leaf in the remainder pod`,
    )
  }
  return { leaves, pods, leafNodes, remainderPod: smaller[0] }
}

/** Returns the greatest number of nodes on a leaf. */
export function mostNodes(leaves: ReadonlyArray<UsedLeaf>): number {
  return leaves.reduce((most, leaf) => Math.max(most, leaf.nodes), 0)
}

export function broken(condition: Condition, message: string): Breach {
  return { condition, message }
}
