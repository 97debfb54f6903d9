import type { Topology } from '@cloister/topology'

/** A way up from a leaf: the links it takes and the switch it ends at. */
interface Ascent {
  readonly top: number
  readonly links: ReadonlyArray<number>
}

/**
 * Every link that a message between two of the nodes could take under any minimal routing, per level, ascending: all ways
 * up from either leaf to a switch of the lowest level where the two have one in common. By walking all of them.
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
