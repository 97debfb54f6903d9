import type { Topology } from '@cloister/topology'
import type { Placement } from '../contract.ts'

/** Returns true if the links of a placement connect all nodes of the placement. */
export function isConnected(topology: Topology, { nodes, links }: Placement): boolean {
  const offsets = topology.levels.map((_, level) =>
    topology.levels.slice(0, level).reduce((sum, { switches }) => sum + switches, 0),
  )
  const group = Array.from({ length: offsets.at(-1)! + topology.levels.at(-1)!.switches }, (_, at) => at)
  const root = (at: number): number => (group[at] === at ? at : root(group[at]))
  links.forEach((ids, level) => {
    const { firstPort, parentOfLink } = topology.levels[level]
    for (const link of Array.from(ids)) {
      const sw = firstPort.findLastIndex((first) => first <= link)
      group[root(offsets[level] + sw)] = root(offsets[level + 1] + parentOfLink[link])
    }
  })
  const roots = new Set(Array.from(nodes, (node) => root(topology.leafOfNode[node])))
  return roots.size <= 1
}
