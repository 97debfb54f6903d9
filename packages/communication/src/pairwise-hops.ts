import { lowestCommonLevel, type Topology } from '@cloister/topology'
import { nodesOnLeaves } from './effective-hops.ts'

/**
 * Returns the average pairwise hops of a job (Pollard et al., equation 1): the mean number of links between switches
 * over all ordered pairs of its nodes. A pair on one leaf has 0 hops, a pair on two leaves of one pod 2 hops. Returns 0
 * for fewer than two nodes.
 */
export function averagePairwiseHops(topology: Topology, nodes: ArrayLike<number>): number {
  const counts = [...nodesOnLeaves(topology, nodes).entries()].filter(([, count]) => count > 0)
  let hops = 0
  let total = 0
  counts.forEach(([leafA, countA], at) => {
    total += countA
    for (const [leafB, countB] of counts.slice(0, at)) {
      hops +=
        2 *
        countA *
        countB *
        2 *
        lowestCommonLevel(topology, topology.firstNodeOfLeaf[leafA], topology.firstNodeOfLeaf[leafB])
    }
  })
  return total < 2 ? 0 : hops / (total * (total - 1))
}
