import type { Routes } from '@cloister/placement'
import { dModK } from '@cloister/routing'
import { downPorts, seededDraws, type Topology } from '@cloister/topology'

/**
 * Returns static routes with a random up-port for each switch and destination, as a subnet manager without knowledge of
 * the tree would choose. Down-ports are the ports of D-mod-k; on a tree without parallel cables, each is the only
 * down-port to its node.
 *
 * @param seed equal seeds give equal routes
 * @throws RoutingError if the topology is not a regular tree (`pgft` is undefined)
 */
export function randomUpPorts(topology: Topology, seed: number): Routes {
  const downwards = dModK(topology)
  const down = downPorts(topology)
  const drawn = topology.levels.map(({ switches, firstPort }) => {
    const draw = seededDraws(seed)
    return Array.from({ length: switches }, (_, sw) => {
      const upPorts = firstPort[sw + 1] - firstPort[sw]
      return Uint16Array.from({ length: upPorts === 0 ? 0 : topology.nodes }, () => draw(upPorts))
    })
  })
  return {
    port(level, sw, node) {
      const port = downwards.port(level, sw, node)
      const downCount = down[level].first[sw + 1] - down[level].first[sw]
      return port < downCount ? port : downCount + drawn[level][sw][node]
    },
  }
}
