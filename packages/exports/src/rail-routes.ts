import { downPorts, type Fabric, type Topology } from '@cloister/topology'

/**
 * Forwarding entries of switches. `port` returns the port of a switch towards a node, or -1 if the switch has no entry
 * for the node. Ports count from 0, down-ports first, as in `downPorts` of @cloister/topology.
 */
export interface Routes {
  port(level: number, sw: number, node: number): number
}

/**
 * Returns the forwarding entries of the fabric of all rails. A switch of one rail has the entries of the switch at its
 * position, for the adapters of this rail. A switch that rails have in common has the entries for the adapters of each
 * rail, over the cables of the rail. Nothing leads from one rail to another.
 *
 * @param routes entries of one rail, which all rails have
 */
export function routesOfRails(topology: Topology, fabric: Fabric, routes: Routes): Routes {
  const { levels, rails } = topology
  const commonFrom = rails?.commonFrom ?? Infinity
  const [own, whole] = [downPorts(topology), downPorts(fabric)]
  const common = (rail: number, level: number, sw: number, port: number): number => {
    const { first, below } = own[level]
    const down = first[sw + 1] - first[sw]
    if (port < down) return whole[level].portOf[fabric.linkOf(rail, level - 1, below[first[sw] + port])]
    const link = fabric.linkOf(rail, level, levels[level].firstPort[sw] + port - down)
    return whole[level].first[sw + 1] - whole[level].first[sw] + link - fabric.levels[level].firstPort[sw]
  }
  return {
    port(level, sw, endPoint) {
      const rail = Math.floor(endPoint / fabric.nodesOfRail)
      const position = sw % levels[level].switches
      if (level < commonFrom && sw !== fabric.switchOf(rail, level, position)) return -1
      const port = routes.port(level, position, endPoint % fabric.nodesOfRail)
      return port < 0 || level < commonFrom ? port : common(rail, level, position, port)
    },
  }
}
