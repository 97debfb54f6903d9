import type { Resources, Routes } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { dModK } from './d-mod-k.ts'
import { regularTree } from './regular-tree.ts'

/**
 * Returns routes with an entry for every node at every switch. An entry of a job's own routes has priority, so messages
 * between nodes of a job stay on the job's links. All other entries are entries of D-mod-k. For a node of a job, the
 * entry is the D-mod-k entry of a node on the same leaf whose way down uses an L2 switch with a link of the job to the
 * leaf, if there is one. On trees of up to three levels, no message goes up again after going down.
 *
 * @param own routes of the jobs over their own links
 * @param jobs allocations of the jobs
 * @throws RoutingError if the topology has no `pgft` shape: a switch graph is no regular tree
 */
export function fabricRoutes(topology: Topology, own: Routes, jobs: Iterable<Resources>): Routes {
  const base = dModK(topology)
  const like = Int32Array.from({ length: topology.nodes }, (_, node) => node)
  for (const job of jobs) standIns(topology, job, like)
  return {
    port(level, sw, node) {
      const port = own.port(level, sw, node)
      if (port >= 0) return port
      const isLeafOfNode = level === 0 && sw === topology.leafOfNode[node]
      return base.port(level, sw, isLeafOfNode ? node : like[node])
    },
  }
}

/**
 * Sets `like` for each node of a job: a node of its leaf, if possible itself, whose way down by D-mod-k uses an L2
 * switch with a link of the job to the leaf.
 */
function standIns(topology: Topology, { nodes, links }: Resources, like: Int32Array): void {
  const { leafOfNode, levels } = topology
  const { w, p } = regularTree(topology).shape
  if (levels.length < 2) return
  const parents = new Map<number, Set<number>>()
  const { firstPort } = levels[0]
  const ofLeaf = new Set(Array.from(nodes, (node) => leafOfNode[node]))
  const own = Array.from(links[0] ?? [])
  for (const leaf of ofLeaf) {
    const ports = own.filter((link) => link >= firstPort[leaf] && link < firstPort[leaf + 1])
    parents.set(leaf, new Set(ports.map((link) => (link - firstPort[leaf]) % w[1])))
  }
  const parentOf = (node: number): number => (Math.floor(node / w[0]) % (w[1] * p[1])) % w[1]
  for (const node of Array.from(nodes)) {
    const leaf = leafOfNode[node]
    const found = neighbours(topology, node).find((each) => parents.get(leaf)!.has(parentOf(each)))
    if (found !== undefined) like[node] = found
  }
}

/** The node itself comes first, because the caller prefers the node to the other nodes of its leaf. */
function neighbours({ leafOfNode, firstNodeOfLeaf }: Topology, node: number): ReadonlyArray<number> {
  const [first, end] = [firstNodeOfLeaf[leafOfNode[node]], firstNodeOfLeaf[leafOfNode[node] + 1]]
  return [node, ...Array.from({ length: end - first }, (_, at) => first + at)]
}
