import type { Routes } from '@cloister/placement'
import { dModK } from '@cloister/routing'
import { downPorts, seededDraws, type Topology } from '@cloister/topology'

/**
 * Static routes with an up-port drawn for each switch and destination, as a subnet manager gives them that knows nothing
 * of the tree; down as D-mod-k, which on a tree without parallel cables is the only way.
 *
 * @param seed the same one gives the same routes
 * @throws RoutingError where the topology is a switch graph
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
