import type { Topology } from '@cloister/topology'
import type { Placement } from '../contract.ts'

/** An owned link between a lower and an upper switch. Each direction carries at most one flow. */
interface OwnedLink {
  readonly lower: string
  readonly upper: string
}

/**
 * Tests whether a permutation of a placement's nodes can be routed over its links with at most one flow on each
 * direction of a link. The claim `fullBandwidth` (rearrangeable non-blocking, Jigsaw paper 3.1) demands routes for
 * every permutation. The search tries all choices of paths and suits small placements. Returns undefined if `limit`
 * choices do not suffice.
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
  /** Climbs from both ends at once, because a path goes up to a common switch and down over as many levels. */
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
