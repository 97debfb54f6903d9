import { describeIrregularity, type Topology } from '@cloister/topology'

/** Numbers of a fat tree with as many uplinks as nodes on a leaf. Masks of uplinks or spines fit into 32 bits. */
export interface Tree {
  readonly topology: Topology
  readonly pods: number
  readonly leavesPerPod: number
  /** Number of nodes of a leaf. A leaf has as many uplinks, and a pod as many L2 switches. */
  readonly width: number
  /** Number of spines above each L2 switch; 0 for a tree with fewer than three levels. */
  readonly spines: number
  readonly allUplinks: number
}

/** Returns the numbers of a topology, or the reason why Mosaic does not serve the topology. */
export function treeOf(topology: Topology): Tree | { readonly unsupported: string } {
  const { pgft } = topology
  if (pgft === undefined)
    return { unsupported: `${describeIrregularity(topology)}; this needs a regular fat tree, such as radix:18` }
  const [nodes = 1, leavesPerPod = 1, pods = 1] = pgft.m
  const [, l2 = nodes, spines = 0] = pgft.w
  if (pgft.m.length > 3) return { unsupported: `it has ${pgft.m.length} levels of switches; at most three are served` }
  if (pgft.p.some((cables) => cables > 1))
    return { unsupported: 'several cables join two switches; the policy serves only single cables' }
  if (l2 !== nodes)
    return { unsupported: `its leaves have ${l2} uplinks over ${nodes} nodes; as many uplinks as nodes are served` }
  if (Math.max(nodes, spines) > 32)
    return { unsupported: `its switches have ${Math.max(nodes, spines)} up-ports; at most 32 are served` }
  return { topology, pods, leavesPerPod, width: nodes, spines, allUplinks: nodes === 32 ? -1 : (1 << nodes) - 1 }
}
