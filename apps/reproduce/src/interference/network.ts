import { DirectedLinks, type Network, randomUpPorts, routedPaths, SpreadLinks } from '@cloister/network'
import { dModK } from '@cloister/routing'
import type { Topology } from '@cloister/topology'
import type { InterferenceStudy } from '../pollard/paper.ts'
import type { Routing } from './choices.ts'

/** @param seed of random up-ports */
export function networkOf(
  topology: Topology,
  capacities: InterferenceStudy['capacities'],
  routing: Routing,
  seed: number,
): Network {
  // GB/s are MB a millisecond.
  if (routing === 'spread') {
    const spread = new SpreadLinks(topology, capacities)
    return { capacity: spread.capacity, path: (from, to, visit) => spread.follow(from, to, visit) }
  }
  const links = new DirectedLinks(topology, capacities)
  const routes = routing === 'D-mod-k' ? dModK(topology) : randomUpPorts(topology, seed)
  return { capacity: links.capacity, path: routedPaths(topology, links, routes) }
}
