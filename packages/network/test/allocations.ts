import type { Resources } from '@cloister/placement'
import type { Draw } from '@cloister/placement/testing'
import type { Topology } from '@cloister/topology'

/**
 * Plan of one leaf of an allocation: number of nodes, and L2 index of each uplink. An index that occurs twice stands
 * for two parallel cables.
 */
export interface LeafPlan {
  readonly pod: number
  readonly leaf: number
  readonly nodes: number
  readonly l2: ReadonlyArray<number>
}

/**
 * Plan of the uplinks of one L2 switch: number of each uplink's spine among the parents of the switch. A number that
 * occurs twice stands for two parallel cables.
 */
export interface L2Plan {
  readonly pod: number
  readonly l2: number
  readonly spines: ReadonlyArray<number>
}

/**
 * Returns the nodes and links of a planned allocation on a regular tree. The nodes of a leaf and the choice among
 * parallel cables are drawn at random.
 */
export function allocation(
  topology: Topology,
  leaves: ReadonlyArray<LeafPlan>,
  l2s: ReadonlyArray<L2Plan> = [],
  draw?: Draw,
): Resources {
  const nodes: Array<number> = []
  const links: [Array<number>, Array<number>] = [[], []]
  for (const plan of leaves) {
    const leaf = topology.firstLeafOfPod[plan.pod] + plan.leaf
    const all = range(topology.firstNodeOfLeaf[leaf], topology.firstNodeOfLeaf[leaf + 1])
    nodes.push(...(draw?.sample(all, plan.nodes) ?? all.slice(0, plan.nodes)))
    links[0].push(...cables(topology, 0, leaf, plan.l2, draw))
  }
  for (const plan of l2s)
    links[1].push(...cables(topology, 1, topology.firstL2OfPod[plan.pod] + plan.l2, plan.spines, draw))
  return { nodes: ascending(nodes), links: links.map(ascending) }
}

/** Returns the links to the planned parents of a switch. Up-port u of a switch leads to parent u mod w. */
function cables(
  topology: Topology,
  level: number,
  sw: number,
  parents: ReadonlyArray<number>,
  draw: Draw | undefined,
): ReadonlyArray<number> {
  const { w, p } = topology.pgft!
  return [...new Set(parents)].flatMap((parent) => {
    const all = range(0, p[level + 1]).map(
      (cable) => topology.levels[level].firstPort[sw] + parent + cable * w[level + 1],
    )
    const wanted = parents.filter((each) => each === parent).length
    return draw?.sample(all, wanted) ?? all.slice(0, wanted)
  })
}

export function ascending(ids: Iterable<number>): ReadonlyArray<number> {
  return [...ids].sort((a, b) => a - b)
}

export function range(start: number, end: number): ReadonlyArray<number> {
  return Array.from({ length: end - start }, (_, i) => start + i)
}

/**
 * Draws a random allocation that meets the conditions of the Jigsaw paper, with parallel cables counted separately. If
 * `regular` is true, the allocation has no remainder leaf and no remainder pod.
 */
export function randomLegal(topology: Topology, draw: Draw, options: { readonly regular?: boolean } = {}): Resources {
  const { m, w, p } = topology.pgft!
  const levels = m.length
  if (levels === 1) return allocation(topology, [{ pod: 0, leaf: 0, nodes: 1 + draw.below(m[0]), l2: [] }], [], draw)
  const leafPorts = range(0, w[1] * p[1])
  const l2Ports = levels > 2 ? range(0, w[2] * p[2]) : []
  const n = 1 + draw.below(Math.min(m[0], leafPorts.length))
  // `leafPorts` counts up-ports. Up-port u leads to parent u mod w.
  const c = draw.sample(leafPorts, n).map((port) => port % w[1])
  const remainder = options.regular === true ? [] : draw.sample(c, draw.below(n))
  const mostPerPod = Math.min(m[1], Math.floor(l2Ports.length / Math.max(...c.map((index) => timesIn(c, index)))))
  const pods = levels > 2 && mostPerPod > 0 ? 1 + draw.below(topology.pods) : 1
  const perPod = 1 + draw.below(pods === 1 ? m[1] : mostPerPod)
  const full = options.regular === true || pods === 1 ? pods : pods - draw.below(2)
  const leaves: Array<LeafPlan> = []
  const l2s: Array<L2Plan> = []
  const spinesOf = new Map(
    [...new Set(c)].map((index) => [
      index,
      draw.sample(l2Ports, pods === 1 ? 0 : timesIn(c, index) * perPod).map((port) => port % w[2]),
    ]),
  )
  draw.sample(range(0, topology.pods), pods).forEach((pod, i) => {
    const fullLeaves = i < full ? perPod : draw.below(perPod)
    const hasRemainder = remainder.length > 0 && (i >= full || (pods === 1 && fullLeaves < m[1]))
    draw.sample(range(0, m[1]), fullLeaves + (hasRemainder ? 1 : 0)).forEach((leaf, at) => {
      leaves.push(
        at < fullLeaves ? { pod, leaf, nodes: n, l2: c } : { pod, leaf, nodes: remainder.length, l2: remainder },
      )
    })
    for (const [index, spines] of spinesOf) {
      const needed = timesIn(c, index) * fullLeaves + (hasRemainder ? timesIn(remainder, index) : 0)
      l2s.push({ pod, l2: index, spines: draw.sample(spines, Math.min(needed, spines.length)) })
    }
  })
  if (leaves.length === 1) return allocation(topology, [{ ...leaves[0], l2: [] }], [], draw)
  return allocation(topology, leaves, new Set(leaves.map(({ pod }) => pod)).size === 1 ? [] : l2s, draw)
}

function timesIn(list: ReadonlyArray<number>, value: number): number {
  return list.filter((each) => each === value).length
}
