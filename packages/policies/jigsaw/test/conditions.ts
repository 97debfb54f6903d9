import type { Placement } from '@cloister/placement'
import { switchOfLink, type Topology } from '@cloister/topology'

/** Numbers of links that nodes and cables need: as many for full bandwidth, fewer for a share of a tapered tree. */
export interface Needs {
  readonly isShare: boolean
  /** Number of uplinks for nodes of a leaf. */
  readonly up: (nodes: number) => number
  /** Number of uplinks of an L2 switch for cables from leaves. */
  readonly spine: (cables: number) => number
}

/** Needs of full bandwidth. */
export const FULL: Needs = { isShare: false, up: (nodes) => nodes, spine: (cables) => cables }

/** Returns the needs of full bandwidth, or of the share of a tapered tree. */
export function needsOn({ pgft }: Topology, bandwidth: 'full' | 'share'): Needs {
  const [nodes, leaves = 1] = pgft!.m
  const [, l2 = 0, spines = 0] = pgft!.w
  const [, leafCables = 1, l2Cables = 1] = pgft!.p
  const [uplinks, l2Uplinks] = [l2 * leafCables, spines * l2Cables]
  const over = (down: number, up: number): readonly [number, number] => (down > up && up > 0 ? [down, up] : [1, 1])
  const [a, b] = [over(nodes, uplinks), over(leaves * leafCables, l2Uplinks)]
  if (bandwidth === 'full' || (a[0] === a[1] && b[0] === b[1])) return FULL
  const least = (enough: (links: number) => boolean): number => {
    let links = 0
    while (!enough(links)) links++
    return links
  }
  return {
    isShare: true,
    up: (n) => least((links) => links * a[0] >= n * a[1]),
    spine: (k) => least((links) => links * b[0] >= k * b[1]),
  }
}

/** Number of cables from one switch to each switch above it, by the number of the upper switch. */
type Cables = ReadonlyMap<number, number>

/** Numbers of nodes and cables of a placement, counted without knowledge of Jigsaw's search. */
interface Counted {
  /** Number of nodes on each leaf with at least one node. */
  readonly nodes: ReadonlyMap<number, number>
  /** Number of cables from each leaf to each L2 switch of the leaf's pod, by leaf and L2 index. */
  readonly uplinks: ReadonlyMap<number, Cables>
  /** Number of cables from each L2 switch to each spine, by L2 switch. */
  readonly spineLinks: ReadonlyMap<number, Cables>
}

/**
 * Returns a message about a condition of Jigsaw that a placement on a regular tree breaks; undefined if the placement
 * meets all conditions. The conditions, in cables:
 *
 * - one leaf: no links, or with `holdUplinks` as many uplinks as nodes;
 * - one pod: every full leaf has n_L nodes and the same vector c of cables over L2 indices, with the sum n_L; the
 *   remainder leaf has fewer nodes and as many cables, within c; no spine links;
 * - several pods: n_L is a whole leaf, and all full pods have as many full leaves, L_T; for each L2 index i they have
 *   the same vector a_i of cables over spines, with the sum c_i L_T; the remainder pod has fewer nodes, with c_i cables
 *   for each full leaf and c^r_i cables for the remainder leaf, within a_i.
 *
 * For a share of a tapered tree, `needs` gives smaller sums, and a single full leaf or pod has only the links of its
 * remainder.
 */
export function brokenCondition(
  topology: Topology,
  placement: Placement,
  holdUplinks: boolean,
  needs: Needs = FULL,
): string | undefined {
  const counted = countResources(topology, placement)
  const pods = new Set([...counted.nodes.keys()].map((leaf) => topology.podOfLeaf[leaf]))
  return (
    strayLinks(topology, counted, pods) ??
    (counted.nodes.size === 1
      ? oneLeaf(counted, holdUplinks, needs)
      : pods.size === 1
        ? onePod(counted, needs)
        : severalPods(topology, counted, needs))
  )
}

function countResources(topology: Topology, placement: Placement): Counted {
  const nodes = new Map<number, number>()
  for (const node of Array.from(placement.nodes)) {
    const leaf = topology.leafOfNode[node]
    nodes.set(leaf, (nodes.get(leaf) ?? 0) + 1)
  }
  const cables = (level: number, target: (sw: number, parent: number) => number): Map<number, Cables> => {
    const counted = new Map<number, Map<number, number>>()
    for (const link of Array.from(placement.links[level] ?? [])) {
      const sw = switchOfLink(topology, level, link)
      const to = target(sw, topology.levels[level].parentOfLink[link])
      const row = counted.get(sw) ?? new Map<number, number>()
      counted.set(sw, row.set(to, (row.get(to) ?? 0) + 1))
    }
    return counted
  }
  return {
    nodes,
    uplinks: cables(0, (leaf, l2) => l2 - topology.firstL2OfPod[topology.podOfLeaf[leaf]]),
    spineLinks: cables(1, (_, spine) => spine),
  }
}

function strayLinks(
  { firstL2OfPod }: Topology,
  { nodes, uplinks, spineLinks }: Counted,
  pods: ReadonlySet<number>,
): string | undefined {
  for (const leaf of uplinks.keys()) if (!nodes.has(leaf)) return `leaf ${leaf} has uplinks but no nodes`
  for (const l2 of spineLinks.keys()) {
    const pod = firstL2OfPod.findLastIndex((first) => first <= l2)
    if (!pods.has(pod)) return `L2 switch ${l2} has spine links, but pod ${pod} has no nodes`
  }
  return undefined
}

function oneLeaf({ nodes, uplinks, spineLinks }: Counted, holdUplinks: boolean, { up }: Needs): string | undefined {
  const [[leaf, count]] = nodes
  if (spineLinks.size > 0) return 'spine links for a single leaf'
  const held = total(uplinks.get(leaf))
  return held === (holdUplinks ? up(count) : 0) ? undefined : `${held} uplinks for a single leaf of ${count} nodes`
}

function onePod({ nodes, uplinks, spineLinks }: Counted, needs: Needs): string | undefined {
  if (spineLinks.size > 0) return 'spine links in a single pod'
  const most = Math.max(...nodes.values())
  const full = [...nodes.keys()].filter((leaf) => nodes.get(leaf) === most)
  const others = [...nodes.keys()].filter((leaf) => nodes.get(leaf) !== most)
  if (others.length > 1) return `leaves of ${most} nodes, but ${others.length} with fewer`
  const c = cablesOf(uplinks, full[0])
  const rest = others.length === 1 ? nodes.get(others[0])! : 0
  const isNarrow = needs.isShare && full.length === 1 && rest > 0
  return (
    fullLeaves(full, most, needs.up(isNarrow ? rest : most), c, uplinks) ??
    (rest > 0 ? remainderLeaf(others[0], rest, needs.up(rest), c, uplinks) : undefined)
  )
}

function fullLeaves(
  leaves: ReadonlyArray<number>,
  size: number,
  wanted: number,
  c: Cables,
  uplinks: Counted['uplinks'],
): string | undefined {
  if (total(c) !== wanted) return `${total(c)} uplinks for a leaf of ${size} nodes`
  const other = leaves.find((leaf) => !isWithin(c, cablesOf(uplinks, leaf)) || !isWithin(cablesOf(uplinks, leaf), c))
  return other === undefined ? undefined : `full leaves ${leaves[0]} and ${other} have uplinks to different L2 switches`
}

function remainderLeaf(
  leaf: number,
  size: number,
  wanted: number,
  c: Cables,
  uplinks: Counted['uplinks'],
): string | undefined {
  const held = cablesOf(uplinks, leaf)
  if (total(held) !== wanted) return `${total(held)} uplinks for a remainder leaf of ${size} nodes`
  return isWithin(held, c) ? undefined : `remainder leaf ${leaf} has uplinks beyond those of the full leaves`
}

function severalPods(
  topology: Topology,
  { nodes, uplinks, spineLinks }: Counted,
  { isShare, up, spine }: Needs,
): string | undefined {
  const { firstNodeOfLeaf, levels, podOfLeaf, firstL2OfPod } = topology
  const whole = isShare ? firstNodeOfLeaf[1] : Math.min(firstNodeOfLeaf[1], levels[0].firstPort[1])
  const full = [...nodes.keys()].filter((leaf) => nodes.get(leaf) === whole)
  const others = [...nodes.keys()].filter((leaf) => nodes.get(leaf) !== whole)
  if (others.length > 1) return `${others.length} leaves that are not whole`
  if (full.length === 0 || others.some((leaf) => nodes.get(leaf)! > whole))
    return `leaves of other sizes than ${whole} nodes`

  const nodesOfPod = new Map<number, number>()
  for (const [leaf, count] of nodes) nodesOfPod.set(podOfLeaf[leaf], (nodesOfPod.get(podOfLeaf[leaf]) ?? 0) + count)
  const most = Math.max(...nodesOfPod.values())
  const fullPods = [...nodesOfPod.keys()].filter((pod) => nodesOfPod.get(pod) === most)
  const otherPods = [...nodesOfPod.keys()].filter((pod) => nodesOfPod.get(pod) !== most)
  if (otherPods.length > 1) return `pods of ${most} nodes, but ${otherPods.length} with fewer`
  if (others.some((leaf) => podOfLeaf[leaf] !== otherPods[0])) return `the remainder leaf is not in the remainder pod`

  const c = cablesOf(uplinks, full[0])
  const rest = others.length === 1 ? nodes.get(others[0])! : 0
  const inPods =
    fullLeaves(full, whole, up(whole), c, uplinks) ??
    (rest > 0 ? remainderLeaf(others[0], rest, up(rest), c, uplinks) : undefined)
  if (inPods !== undefined) return inPods

  const remainderFull = full.filter((leaf) => podOfLeaf[leaf] === otherPods[0]).length
  for (let i = 0; i < firstL2OfPod[1]; i++) {
    const a = cablesOf(spineLinks, firstL2OfPod[fullPods[0]] + i)
    const needed = spine(
      (c.get(i) ?? 0) * remainderFull + (others.length === 1 ? (cablesOf(uplinks, others[0]).get(i) ?? 0) : 0),
    )
    const isNarrow = isShare && fullPods.length === 1 && otherPods.length === 1
    const wanted = isNarrow ? needed : spine(((c.get(i) ?? 0) * most) / whole)
    if (total(a) !== wanted) return `${total(a)} spine links of L2 index ${i} in a full pod, not ${wanted}`
    for (const pod of fullPods) {
      const of = cablesOf(spineLinks, firstL2OfPod[pod] + i)
      if (!isWithin(a, of) || !isWithin(of, a))
        return `L2 index ${i} reaches different spines in pods ${fullPods[0]} and ${pod}`
    }
    for (const pod of otherPods) {
      const of = cablesOf(spineLinks, firstL2OfPod[pod] + i)
      if (total(of) !== needed) return `${total(of)} spine links of L2 index ${i} in the remainder pod, not ${needed}`
      if (!isWithin(of, a)) return `L2 index ${i} reaches spines from the remainder pod that the full pods do not reach`
    }
  }
  return undefined
}

const NO_CABLES: Cables = new Map()
function cablesOf(of: ReadonlyMap<number, Cables>, sw: number): Cables {
  return of.get(sw) ?? NO_CABLES
}
function total(cables: Cables | undefined): number {
  return [...(cables?.values() ?? [])].reduce((sum, count) => sum + count, 0)
}
function isWithin(some: Cables, all: Cables): boolean {
  return [...some].every(([to, count]) => count <= (all.get(to) ?? 0))
}
