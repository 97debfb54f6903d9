import type { Resources } from '@cloister/placement'
import { linkId, parentOf, type Topology, upPorts } from '@cloister/topology'
import { type FlowLimits, flowLimitsOf, randomPermutation, shift } from '../src/index.ts'

type Ways = ReadonlyArray<ReadonlyArray<string>>

/**
 * Returns true if the flows of a permutation have routes on an allocation's links with at most one flow on any link in
 * each direction, or with at most as many flows as the limits allow. The search is exhaustive: each step tries all ways of the flow with the fewest ways left. The tree
 * has at most three levels.
 */
export function canRoute(
  topology: Topology,
  resources: Resources,
  permutation: ArrayLike<number>,
  { uplink, spine }: FlowLimits = flowLimitsOf(undefined),
): boolean {
  const leafOf = Array.from(resources.nodes, (node) => topology.leafOfNode[node])
  const flows = leafOf.map((from, i) => ({ from, to: leafOf[permutation[i]] })).filter(({ from, to }) => from !== to)
  const ways = flows.map(({ from, to }) => waysBetween(topology, resources, from, to))
  const taken = new Map<string, number>()
  const most = (link: string): number => (/^(up|down) 0 /.test(link) ? uplink : spine)
  const isFree = (way: ReadonlyArray<string>): boolean => way.every((link) => (taken.get(link) ?? 0) < most(link))
  const route = (left: ReadonlyArray<Ways>): boolean => {
    if (left.length === 0) return true
    const free = left.map((each) => each.filter(isFree))
    const fewest = free.reduce((least, each, i) => (each.length < free[least].length ? i : least), 0)
    return free[fewest].some((way) => {
      for (const link of way) taken.set(link, (taken.get(link) ?? 0) + 1)
      const routed = route(free.filter((_, i) => i !== fewest))
      for (const link of way) taken.set(link, taken.get(link)! - 1)
      return routed
    })
  }
  return route(ways)
}

function waysBetween(topology: Topology, resources: Resources, from: number, to: number): Ways {
  const up = (level: number, sw: number): ReadonlyArray<{ readonly link: number; readonly above: number }> => {
    const own = new Set(Array.from(resources.links[level] ?? []))
    return Array.from({ length: upPorts(topology, level, sw) }, (_, port) => ({
      link: linkId(topology, level, sw, port),
      above: parentOf(topology, level, sw, port),
    })).filter(({ link }) => own.has(link))
  }
  const climb = (level: number, a: number, b: number): Ways => {
    if (a === b) return [[]]
    return up(level, a).flatMap((mine) =>
      up(level, b).flatMap((theirs) =>
        climb(level + 1, mine.above, theirs.above).map((rest) => [
          `up ${level} ${mine.link}`,
          `down ${level} ${theirs.link}`,
          ...rest,
        ]),
      ),
    )
  }
  return climb(0, from, to)
}

/**
 * Returns the first of `count` permutations that has no routes with one flow a link; undefined if all have routes.
 * Shifts come before random permutations.
 */
export function blockedPermutation(topology: Topology, resources: Resources, count: number): Int32Array | undefined {
  const n = resources.nodes.length
  for (let i = 0; i < count; i++) {
    const permutation = i < n ? shift(n, i) : randomPermutation(n, i)
    if (!canRoute(topology, resources, permutation)) return permutation
  }
  return undefined
}

/** Yields all permutations of `n` places. */
export function* allPermutations(n: number): Generator<ReadonlyArray<number>> {
  if (n === 0) yield []
  else
    for (const rest of allPermutations(n - 1))
      for (let at = 0; at < n; at++) yield [...rest.slice(0, at), n - 1, ...rest.slice(at)]
}
