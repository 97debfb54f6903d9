import type { Resources, Routes } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { dModK } from './d-mod-k.ts'
import { regularTree } from './regular-tree.ts'

/**
 * The tables of a whole fabric: every switch has an entry for every node, so that nothing is cut off. Where a job has an entry of its own
 * it is that one; messages between its nodes stay on its links. All others go by D-mod-k, and those for a node of a job by the way of
 * one of the node's neighbours that comes down where the job has a link: on trees of up to three levels none turns up again.
 *
 * @param own the routes of the jobs, over their own links
 * @param jobs what they hold
 * @throws RoutingError where the topology is a switch graph
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

/** For each node of a job, one of its leaf whose messages come down by a switch that the job has a link to from there. */
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

/** The nodes of its leaf, itself first. */
function neighbours({ leafOfNode, firstNodeOfLeaf }: Topology, node: number): ReadonlyArray<number> {
  const [first, end] = [firstNodeOfLeaf[leafOfNode[node]], firstNodeOfLeaf[leafOfNode[node] + 1]]
  return [node, ...Array.from({ length: end - first }, (_, at) => first + at)]
}
