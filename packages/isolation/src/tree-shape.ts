import { MaskBuilder, maskWords, wordsFor } from '@cloister/placement'
import { describeIrregularity, type Topology } from '@cloister/topology'
import { type LinkNeeds, linkNeeds } from './link-needs.ts'

/** Dimensions of a regular fat tree of at most three levels, for the search. */
export interface TreeShape extends LinkNeeds {
  readonly topology: Topology
  /** Memory for the masks of the next placement. */
  readonly masks: MaskBuilder
  readonly pods: number
  readonly leavesPerPod: number
  readonly nodesPerLeaf: number
  /** Number of L2 switches of a pod, and of cables from a leaf to each of them. */
  readonly l2PerPod: number
  readonly leafCables: number
  /** Number of spines above an L2 switch, and of its cables to each of them. */
  readonly spinesPerL2: number
  readonly l2Cables: number
  /** Number of up-ports, and of 32-bit words of a mask of them, of a leaf and of an L2 switch. */
  readonly leafPorts: number
  readonly leafWords: number
  readonly l2Ports: number
  readonly l2Words: number
  /** Number of nodes that a job takes of a whole leaf: its nodes, but at most as many as its up-ports suffice for. */
  readonly wholeLeaf: number
  /** True if jobs own their share of the links of a tapered tree, and false if jobs have full bandwidth. */
  readonly isShare: boolean
  /** Number of present nodes of each leaf; undefined if no part of the tree is absent. */
  readonly present: Int32Array | undefined
}

/**
 * Returns the dimensions of a topology, or the reason why the search does not serve the topology.
 *
 * @param isShare true if jobs own their share of the links of a tapered tree
 * @param present number of present nodes of each leaf of a tree with absent parts
 */
export function treeShapeOf(
  topology: Topology,
  isShare: boolean,
  present?: Int32Array,
): TreeShape | { readonly unsupported: string } {
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
  const needs = linkNeeds(
    { down: nodesPerLeaf, up: leafPorts },
    { down: leavesPerPod * leafCables, up: l2Ports },
    isShare,
  )
  return {
    ...needs,
    topology,
    masks: new MaskBuilder(maskWords(topology)),
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
    wholeLeaf: Math.min(nodesPerLeaf, needs.nodesFor[leafPorts]),
    isShare,
    present,
  }
}
