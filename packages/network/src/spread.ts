import { lowestCommonLevel, type Topology } from '@cloister/topology'
import type { DirectedLinks } from './directed-links.ts'

/**
 * Ideal spreading, what adaptive routing at its best would do: at each switch on its way up a flow is divided evenly over
 * all up-ports, as far as the lowest level where the two nodes meet, and comes down by the same links on the other side.
 *
 * @returns visits each link of the flow with its share, for `FlowPathsBuilder.add`
 * @throws RangeError where the topology is a switch graph: not all up-ports lead on there
 */
export function spreadOver(
  topology: Topology,
  links: DirectedLinks,
  from: number,
  to: number,
): (visit: (link: number, share: number) => void) => void {
  if (topology.pgft === undefined) throw new RangeError(`${topology.name}: flows are spread on regular trees alone`)
  return (visit) => {
    if (from === to) return
    visit(links.ofNode(from, 'up'), 1)
    const top = lowestCommonLevel(topology, from, to)
    for (const [node, direction] of [
      [from, 'up'],
      [to, 'down'],
    ] as const)
      spreadAbove(topology, topology.leafOfNode[node], top, (level, link, share) =>
        visit(links.ofLevel(level, link, direction), share),
      )
    visit(links.ofNode(to, 'down'), 1)
  }
}

/** Visits the links above a leaf up to a level, each with the share that even division brings it. */
function spreadAbove(
  { levels }: Topology,
  leaf: number,
  top: number,
  visit: (level: number, link: number, share: number) => void,
): void {
  let shares = new Map([[leaf, 1]])
  for (let level = 0; level < top; level++) {
    const { firstPort, parentOfLink } = levels[level]
    const above = new Map<number, number>()
    for (const [sw, share] of shares) {
      const each = share / (firstPort[sw + 1] - firstPort[sw])
      for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++) {
        visit(level, link, each)
        above.set(parentOfLink[link], (above.get(parentOfLink[link]) ?? 0) + each)
      }
    }
    shares = above
  }
}
