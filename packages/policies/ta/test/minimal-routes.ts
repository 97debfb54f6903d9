import type { Topology } from '@cloister/topology'

/** Upward path from a leaf: the links of the path and the last switch. */
interface Ascent {
  readonly top: number
  readonly links: ReadonlyArray<number>
}

/**
 * Returns every link that a message between two of the given nodes could take under any minimal routing, by level,
 * ascending. The function follows all upward paths from both leaves to common switches of the lowest possible level.
 */
export function linksOfMinimalRoutes(
  topology: Topology,
  nodes: ReadonlyArray<number>,
): ReadonlyArray<ReadonlyArray<number>> {
  const used = topology.levels.map(() => new Set<number>())
  const leaves = [...new Set(nodes.map((node) => topology.leafOfNode[node]))]
  for (const a of leaves) {
    for (const b of leaves) {
      if (a >= b) continue
      for (let level = 1; level < topology.levels.length; level++) {
        const [upA, upB] = [ascents(topology, a, level), ascents(topology, b, level)]
        const tops = new Set(upA.map(({ top }) => top).filter((top) => upB.some((other) => other.top === top)))
        if (tops.size === 0) continue
        for (const { top, links } of [...upA, ...upB])
          if (tops.has(top)) links.forEach((link, at) => used[at].add(link))
        break
      }
    }
  }
  return used.map((links) => [...links].sort((a, b) => a - b))
}

function ascents({ levels }: Topology, leaf: number, height: number): ReadonlyArray<Ascent> {
  let reached: ReadonlyArray<Ascent> = [{ top: leaf, links: [] }]
  for (let level = 0; level < height; level++) {
    const { firstPort, parentOfLink } = levels[level]
    reached = reached.flatMap(({ top, links }) =>
      Array.from({ length: firstPort[top + 1] - firstPort[top] }, (_, port) => firstPort[top] + port).map((link) => ({
        top: parentOfLink[link],
        links: [...links, link],
      })),
    )
  }
  return reached
}
