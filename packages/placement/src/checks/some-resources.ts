import type { Topology } from '@cloister/topology'
import type { Resources } from '../allocation.ts'
import type { Draw } from './draw.ts'

/** Draws up to two nodes and up to two links of each level; with probability 1/`times`, up to a third of all. */
export function someResources(topology: Topology, draw: Draw, times: number): Resources {
  const some = (count: number): Array<number> => {
    if (count === 0) return []
    const wanted = draw.once(times) ? Math.ceil(count / 3) : draw.below(3)
    return [...new Set(Array.from({ length: wanted }, () => draw.below(count)))].sort((a, b) => a - b)
  }
  return { nodes: some(topology.nodes), links: topology.levels.map(({ links }) => some(links)) }
}
