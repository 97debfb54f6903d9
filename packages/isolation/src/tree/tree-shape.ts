import { wordsFor } from '@cloister/placement'
import { describeIrregularity, type Topology } from '@cloister/topology'

/** The numbers of a fat tree of at most three levels that the search works with. */
export interface TreeShape {
  readonly topology: Topology
  readonly pods: number
  readonly leavesPerPod: number
  readonly nodesPerLeaf: number
  /** L2 switches of a pod, and cables from a leaf to each of them. */
  readonly l2PerPod: number
  readonly leafCables: number
  /** Spines above an L2 switch, and cables to each of them. */
  readonly spinesPerL2: number
  readonly l2Cables: number
  /** Up-ports of a leaf and of an L2 switch, and the words of a mask over them. */
  readonly leafPorts: number
  readonly leafWords: number
  readonly l2Ports: number
  readonly l2Words: number
  /** Nodes on a whole leaf of an allocation of several pods: as many as there are up-ports. */
  readonly wholeLeaf: number
}

/** Reads them off a topology, or says why it is no such tree. */
export function treeShapeOf(topology: Topology): TreeShape | { readonly unsupported: string } {
  const { pgft } = topology
  if (pgft === undefined)
    return {
      unsupported: `${describeIrregularity(topology)}; this needs a regular fat tree, such as radix:18 or pgft:3;18,18,4;1,18,2;1,1,9`,
    }
  const levels = pgft.m.length
  if (levels > 3)
    return {
      unsupported: `it has ${levels} levels of switches; the conditions for full bandwidth are for at most three`,
    }
  const [nodesPerLeaf = 1, leavesPerPod = 1, pods = 1] = pgft.m
  const [, l2PerPod = 0, spinesPerL2 = 0] = pgft.w
  const [, leafCables = 1, l2Cables = 1] = pgft.p
  const leafPorts = l2PerPod * leafCables
  const l2Ports = spinesPerL2 * l2Cables
  if (levels === 3 && leafPorts > nodesPerLeaf) {
    return {
      unsupported: `its leaves have ${leafPorts} up-ports over ${nodesPerLeaf} nodes; with three levels there must be at most as many up-ports as nodes`,
    }
  }
  return {
    topology,
    pods,
    leavesPerPod,
    nodesPerLeaf,
    l2PerPod,
    leafCables,
    spinesPerL2,
    l2Cables,
    leafPorts,
    leafWords: wordsFor(leafPorts),
    l2Ports,
    l2Words: wordsFor(l2Ports),
    wholeLeaf: Math.min(nodesPerLeaf, leafPorts),
  }
}
