import { DirectedLinks, dModK, type Network, randomUpPorts, routedPaths, SpreadLinks } from '@cloister/network'
import type { Topology } from '@cloister/topology'
import type { InterferenceStudy } from '../pollard/paper.ts'
import type { Routing } from './choices.ts'

/**
 * Returns the links and paths of a machine under a routing of messages.
 *
 * @param capacities bandwidths in GB/s
 * @param seed seed of the routing `random up-ports`
 */
export function networkOf(
  topology: Topology,
  capacities: InterferenceStudy['capacities'],
  routing: Routing,
  seed: number,
): Network {
  // A bandwidth in GB/s is the same number in MB per millisecond, the unit of the model.
  if (routing === 'spread') {
    const spread = new SpreadLinks(topology, capacities)
    return { capacity: spread.capacity, path: (from, to, visit) => spread.follow(from, to, visit) }
  }
  const links = new DirectedLinks(topology, capacities)
  const routes = routing === 'D-mod-k' ? dModK(topology) : randomUpPorts(topology, seed)
  return { capacity: links.capacity, path: routedPaths(topology, links, routes) }
}
