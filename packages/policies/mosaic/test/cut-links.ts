import type { Resources } from '@cloister/placement'
import { switchOfLink, type Topology } from '@cloister/topology'

/** Returns a job's nodes and links, but at most `most` spine links (the lowest) above each L2 switch. */
export function withSpines(topology: Topology, { nodes, links }: Resources, most: number): Resources {
  const counts = new Map<number, number>()
  const kept = Array.from(links[1] ?? []).filter((link) => {
    const l2 = switchOfLink(topology, 1, link)
    const count = (counts.get(l2) ?? 0) + 1
    counts.set(l2, count)
    return count <= most
  })
  return { nodes, links: [links[0] ?? [], kept] }
}
