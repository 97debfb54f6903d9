import { lowestCommonLevel, type Topology } from '@cloister/topology'
import { forEachPair, type Pattern } from './patterns.ts'

/**
 * What communication costs a job on given nodes (section 5.3): the sum over the steps of its pattern of the most effective
 * hops between any two nodes that then communicate, equation 6. Ranks follow the ids of nodes.
 *
 * @param communicatingOnLeaf L_comm: nodes of a leaf that run other jobs that communicate; the job's own are added (Figure 5)
 */
export function costOf(topology: Topology, communicatingOnLeaf: (leaf: number) => number, nodes: ArrayLike<number>, pattern: Pattern): number {
  const hops = effectiveHops(topology, communicatingOnLeaf, nodes)
  const leaves = Int32Array.from(nodes, (node) => topology.leafOfNode[node])
  let cost = 0
  let most = 0
  // Neighbouring ranks are mostly on one leaf, and so are those that they talk to.
  let leafA = -1
  let leafB = -1
  const pair = (a: number, b: number): void => {
    if (leaves[a] === leafA && leaves[b] === leafB) return
    leafA = leaves[a]
    leafB = leaves[b]
    most = Math.max(most, hops(leafA, leafB))
  }
  forEachPair(pattern, leaves.length, pair, () => {
    cost += most
    most = 0
    leafA = -1
  })
  return cost
}

/** Equations 2 to 5 for a node of one leaf and a node of another or the same, with a job on `nodes`. */
export function effectiveHops(topology: Topology, communicatingOnLeaf: (leaf: number) => number, nodes: ArrayLike<number>): (leafA: number, leafB: number) => number {
  const { firstNodeOfLeaf, leafOfNode } = topology
  const own = new Map<number, number>()
  for (let i = 0; i < nodes.length; i++) own.set(leafOfNode[nodes[i]], (own.get(leafOfNode[nodes[i]]) ?? 0) + 1)
  const communicating = (leaf: number): number => communicatingOnLeaf(leaf) + (own.get(leaf) ?? 0)
  const size = (leaf: number): number => firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf]
  const contention = (a: number, b: number): number => {
    if (a === b) return communicating(a) / size(a)
    const [commA, commB] = [communicating(a), communicating(b)]
    return commA / size(a) + commB / size(b) + (commA + commB) / (size(a) + size(b)) / 2
  }
  return (a, b) => {
    const distance = 2 * (lowestCommonLevel(topology, firstNodeOfLeaf[a], firstNodeOfLeaf[b]) + 1)
    return distance * (1 + contention(a, b))
  }
}
