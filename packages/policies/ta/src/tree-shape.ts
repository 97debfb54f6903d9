import { lowBits, wordsFor } from '@cloister/placement'
import { describeIrregularity, type Topology } from '@cloister/topology'

/** Dimensions of a regular fat tree of at most three levels, for the policy TA. */
export interface TreeShape {
  readonly topology: Topology
  readonly nodesPerLeaf: number
  readonly nodesPerPod: number
  readonly l2PerPod: number
  /** Mask of all up-ports of a leaf, in words of 32 bits. `l2Ports` is the mask of all up-ports of an L2 switch. */
  readonly leafPorts: Int32Array
  readonly l2Ports: Int32Array
}

/** Returns the dimensions of a topology, or the reason why TA does not serve the topology. */
export function treeShapeOf(topology: Topology): TreeShape | { readonly unsupported: string } {
  const { pgft } = topology
  if (pgft === undefined)
    return {
      unsupported: `${describeIrregularity(topology)}; TA needs a regular fat tree, such as radix:18 or pgft:3;18,18,4;1,18,2;1,1,9`,
    }
  if (pgft.m.length > 3)
    return { unsupported: `it has ${pgft.m.length} levels of switches; TA's types of jobs are for at most three` }
  const [nodesPerLeaf, leavesPerPod = 1] = pgft.m
  const [, l2PerPod = 0, spinesPerL2 = 0] = pgft.w
  const [, leafCables = 0, l2Cables = 0] = pgft.p
  return {
    topology,
    nodesPerLeaf,
    nodesPerPod: nodesPerLeaf * leavesPerPod,
    l2PerPod,
    leafPorts: allPorts(l2PerPod * leafCables),
    l2Ports: allPorts(spinesPerL2 * l2Cables),
  }
}

function allPorts(ports: number): Int32Array {
  return Int32Array.from({ length: wordsFor(ports) }, (_, word) => lowBits(Math.min(32, ports - (word << 5))))
}
