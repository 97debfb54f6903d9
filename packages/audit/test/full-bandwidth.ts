import type { Topology } from '@cloister/topology'
import type { Allocation } from './allocations.ts'

/** A way from a leaf up to a switch, as a list of links. */
interface Ascent {
  /** Name of the upper switch, such as `l2 3` or `spine 1`. */
  readonly top: string
  readonly links: ReadonlyArray<string>
}

/**
 * Tests full bandwidth by its definition (rearrangeable non-blocking): every permutation of the nodes can be routed on
 * the allocation's links with at most one flow on any link and direction. Tries all routes, and so suits only a few
 * nodes.
 */
export function hasFullBandwidth(topology: Topology, { nodes, links: [leafLinks, l2Links] }: Allocation): boolean {
  const ascents = nodes.map((node) => {
    const leaf = topology.leafOfNode[node]
    const toL2 = leafLinks
      .filter((link) => link >= topology.levels[0].firstPort[leaf] && link < topology.levels[0].firstPort[leaf + 1])
      .map((link) => ({ link, l2: topology.levels[0].parentOfLink[link] }))
    const toSpine = toL2.flatMap(({ link, l2 }) =>
      l2Links
        .filter((up) => up >= topology.levels[1].firstPort[l2] && up < topology.levels[1].firstPort[l2 + 1])
        .map((up): Ascent => ({
          top: `spine ${topology.levels[1].parentOfLink[up]}`,
          links: [`leaf ${link}`, `l2 ${up}`],
        })),
    )
    return [...toL2.map(({ link, l2 }): Ascent => ({ top: `l2 ${l2}`, links: [`leaf ${link}`] })), ...toSpine]
  })
  const podOf = (i: number): number => topology.podOfLeaf[topology.leafOfNode[nodes[i]]]
  const routes = (from: number, to: number): ReadonlyArray<ReadonlyArray<string>> =>
    ascents[from].flatMap((up) =>
      ascents[to]
        .filter((down) => down.top === up.top && down.top.startsWith(podOf(from) === podOf(to) ? 'l2' : 'spine'))
        .map((down) => [...up.links.map((link) => `up ${link}`), ...down.links.map((link) => `down ${link}`)]),
    )

  const isRoutable = (permutation: ReadonlyArray<number>): boolean => {
    const flows = permutation
      .map((to, from) => ({ from, to }))
      .filter(({ from, to }) => topology.leafOfNode[nodes[from]] !== topology.leafOfNode[nodes[to]])
      .map(({ from, to }) => routes(from, to))
    const taken = new Set<string>()
    const place = (flow: number): boolean =>
      flow === flows.length ||
      flows[flow].some((route) => {
        if (route.some((link) => taken.has(link))) return false
        for (const link of route) taken.add(link)
        const placed = place(flow + 1)
        for (const link of route) taken.delete(link)
        return placed
      })
    return place(0)
  }
  return permutations(nodes.length).every(isRoutable)
}

function permutations(n: number): ReadonlyArray<ReadonlyArray<number>> {
  if (n === 0) return [[]]
  return permutations(n - 1).flatMap((rest) =>
    Array.from({ length: n }, (_, at) => [...rest.slice(0, at), n - 1, ...rest.slice(at)]),
  )
}
