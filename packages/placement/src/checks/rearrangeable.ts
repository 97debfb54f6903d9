import type { Topology } from '@cloister/topology'
import type { Placement } from '../contract.ts'

/** Link of a placement. Each direction carries at most one flow. */
interface OwnedLink {
  readonly lower: string
  readonly upper: string
}

/**
 * Returns true if a permutation of a placement's nodes has routes over the placement's links with at most one flow on
 * each direction of a link; undefined if the search did not end within `limit` choices of links. The claim
 * `fullBandwidth` (rearrangeable non-blocking, section 3.1 of the Jigsaw paper) demands routes for every permutation.
 * The search tries all choices of links and suits small placements.
 */
export function canRoute(
  topology: Topology,
  placement: Placement,
  permutation: ReadonlyArray<number>,
  limit: number,
): boolean | undefined {
  const links = ownedLinks(topology, placement)
  const flows = permutation
    .map((to, from) => ({
      from: topology.leafOfNode[placement.nodes[from]],
      to: topology.leafOfNode[placement.nodes[to]],
    }))
    .filter(({ from, to }) => from !== to)
  const up = new Set<OwnedLink>()
  const down = new Set<OwnedLink>()
  let left = limit
  const route = (flow: number): boolean => {
    if (flow === flows.length) return true
    const { from, to } = flows[flow]
    return climb(`0:${from}`, `0:${to}`, flow)
  }
  /** Routes a flow from both ends at once up to a common switch, because a route goes as many levels down as up. */
  const climb = (source: string, target: string, flow: number): boolean => {
    if (source === target) return route(flow + 1)
    for (const upward of links.get(source) ?? []) {
      if (up.has(upward)) continue
      for (const downward of links.get(target) ?? []) {
        if (down.has(downward)) continue
        if (left-- <= 0) return false
        up.add(upward)
        down.add(downward)
        if (climb(upward.upper, downward.upper, flow)) return true
        up.delete(upward)
        down.delete(downward)
      }
    }
    return false
  }
  const routed = route(0)
  return routed ? true : left <= 0 ? undefined : false
}

function ownedLinks(topology: Topology, { links }: Placement): Map<string, Array<OwnedLink>> {
  const owned = new Map<string, Array<OwnedLink>>()
  links.forEach((ids, level) => {
    const { firstPort, parentOfLink } = topology.levels[level]
    for (const id of Array.from(ids)) {
      const lower = `${level}:${firstPort.findLastIndex((first) => first <= id)}`
      const link = { lower, upper: `${level + 1}:${parentOfLink[id]}` }
      owned.set(lower, [...(owned.get(lower) ?? []), link])
    }
  })
  return owned
}
