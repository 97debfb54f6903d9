import type { Topology } from '@cloister/topology'

/** An allocation as ids: nodes, leaf uplinks, L2 uplinks. */
export interface Allocation {
  readonly nodes: ReadonlyArray<number>
  readonly links: readonly [ReadonlyArray<number>, ReadonlyArray<number>]
}

/** One leaf of an allocation: its number of nodes, and an L2 index for each uplink (twice for two parallel cables). */
export interface LeafPlan {
  readonly pod: number
  readonly leaf: number
  readonly nodes: number
  readonly l2: ReadonlyArray<number>
}

/** The uplinks of one L2 switch: for each, the spine's number among the parents (twice for two parallel cables). */
export interface L2Plan {
  readonly pod: number
  readonly l2: number
  readonly spines: ReadonlyArray<number>
}

/** Turns plans of leaves and L2 switches into ids: the first nodes of each leaf, the first cables to each parent. */
export function allocation(
  topology: Topology,
  leaves: ReadonlyArray<LeafPlan>,
  l2s: ReadonlyArray<L2Plan> = [],
): Allocation {
  const nodes: Array<number> = []
  const leafLinks: Array<number> = []
  const l2Links: Array<number> = []
  for (const plan of leaves) {
    const leaf = topology.firstLeafOfPod[plan.pod] + plan.leaf
    for (let i = 0; i < plan.nodes; i++) nodes.push(topology.firstNodeOfLeaf[leaf] + i)
    leafLinks.push(...cables(topology, 0, leaf, plan.l2))
  }
  for (const plan of l2s) l2Links.push(...cables(topology, 1, topology.firstL2OfPod[plan.pod] + plan.l2, plan.spines))
  return { nodes: ascending(nodes), links: [ascending(leafLinks), ascending(l2Links)] }
}

/** Port u of a switch leads to parent u mod w by cable floor(u / w). */
function cables(topology: Topology, level: number, sw: number, parents: ReadonlyArray<number>): ReadonlyArray<number> {
  const w = topology.pgft!.w[level + 1]
  const used = new Map<number, number>()
  return parents.map((parent) => {
    const cable = used.get(parent) ?? 0
    used.set(parent, cable + 1)
    return topology.levels[level].firstPort[sw] + parent + cable * w
  })
}

export function ascending(ids: Iterable<number>): ReadonlyArray<number> {
  return [...ids].sort((a, b) => a - b)
}
