import type { Resources } from '@cloister/placement'
import { parseTopology, type Share, shareOf, type Topology } from '@cloister/topology'
import { nestedRemaindersBreach } from '@cloister/audit'
import { type FlowLimits, flowLimitsOf } from '../src/index.ts'
import { allocation, ascending, range } from './allocations.ts'

/** Leaf of an allocation: number of nodes, and mask of L2 indices. */
type Leaf = readonly [nodes: number, l2: number]
/** Pod of an allocation: leaves in descending order, and masks of spines over each L2 index. */
interface Pod {
  readonly leaves: ReadonlyArray<Leaf>
  readonly spines: ReadonlyArray<number>
}
/** Allocation on a tree with single cables, without the names of pods, leaves, L2 indices and spines. */
export type Shape = ReadonlyArray<Pod>

/** Tapered tree of at most three levels with single cables. */
export interface SmallTree {
  readonly topology: Topology
  readonly share: Share
  readonly limits: FlowLimits
  readonly pods: number
  readonly leavesPerPod: number
  readonly nodesPerLeaf: number
  readonly l2PerPod: number
  readonly spinesPerL2: number
}

export function smallTree(spec: string): SmallTree {
  const topology = parseTopology(spec)
  const [nodesPerLeaf, leavesPerPod, pods = 1] = topology.pgft!.m
  const [, l2PerPod, spinesPerL2 = 0] = topology.pgft!.w
  const share = shareOf(topology)!
  return { topology, share, limits: flowLimitsOf(share), pods, leavesPerPod, nodesPerLeaf, l2PerPod, spinesPerL2 }
}

/**
 * Yields every allocation of at least two leaves, up to the names of pods, leaves, L2 indices and spines. L2 switches
 * without a link to a leaf have no link to a spine.
 */
export function* allShapes(tree: SmallTree): Generator<Shape> {
  const leaf = range(1, tree.nodesPerLeaf + 1).flatMap((nodes) =>
    range(0, 1 << tree.l2PerPod).map((l2): Leaf => [nodes, l2]),
  )
  const podsOf = (spines: number): ReadonlyArray<Pod> =>
    [...multisets(leaf, tree.leavesPerPod)].flatMap((leaves) => {
      if (leaves.length === 0) return []
      const used = leaves.reduce((all, [, l2]) => all | l2, 0)
      return combinations(
        range(0, tree.l2PerPod).map((i) => (((used >>> i) & 1) === 1 ? range(0, 1 << spines) : [0])),
      ).map((masks) => ({ leaves, spines: masks }))
    })
  const seen = new Set<string>()
  const alone = podsOf(0).map((pod): Shape => [pod])
  const several = tree.pods === 1 ? [] : multisets(podsOf(tree.spinesPerL2), tree.pods)
  for (const shapes of [alone, several])
    for (const shape of shapes) {
      if (shapes === several && shape.length < 2) continue
      if (shape.reduce((sum, { leaves }) => sum + leaves.length, 0) < 2) continue
      const key = nameless(tree, shape)
      if (seen.has(key)) continue
      seen.add(key)
      yield shape
    }
}

/** Yields every multiset of at most `most` of the given items. */
function* multisets<Item>(items: ReadonlyArray<Item>, most: number, from = 0): Generator<ReadonlyArray<Item>> {
  yield []
  if (most === 0) return
  for (let at = from; at < items.length; at++)
    for (const rest of multisets(items, most - 1, at)) yield [items[at], ...rest]
}

function combinations(choices: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<ReadonlyArray<number>> {
  if (choices.length === 0) return [[]]
  const rest = combinations(choices.slice(1))
  return choices[0].flatMap((first) => rest.map((others) => [first, ...others]))
}

/** Returns a text that is equal for allocations that differ only in names. */
export function nameless(tree: SmallTree, shape: Shape): string {
  const orders = permutations(range(0, tree.l2PerPod))
  const spineOrders = permutations(range(0, tree.spinesPerL2))
  const ofSpines = combinations(range(0, tree.l2PerPod).map(() => range(0, spineOrders.length)))
  let least: string | undefined
  for (const order of orders)
    for (const chosen of ofSpines) {
      const pods = shape.map(({ leaves, spines }) => {
        const named = leaves.map(([nodes, l2]) => `${nodes}.${renamed(l2, order)}`).sort(byText)
        const above = order.map((_, i) => renamed(spines[order.indexOf(i)] ?? 0, spineOrders[chosen[i]]))
        return `${named.join()}|${above.join()}`
      })
      const text = pods.sort(byText).join(' ')
      if (least === undefined || text < least) least = text
    }
  return least!
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function renamed(mask: number, order: ReadonlyArray<number>): number {
  return order.reduce((all, to, from) => all | (((mask >>> from) & 1) << to), 0)
}

function permutations(items: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> {
  if (items.length === 0) return [[]]
  return items.flatMap((item) => permutations(items.filter((each) => each !== item)).map((rest) => [item, ...rest]))
}

/** Yields the allocation without each of its links, each link alone. */
export function* withoutOneLink(shape: Shape): Generator<Shape> {
  for (const [at, { leaves, spines }] of shape.entries()) {
    for (const [leaf, [nodes, l2]] of leaves.entries())
      for (const bit of bitsOf(l2)) yield shape.with(at, { leaves: leaves.with(leaf, [nodes, l2 & ~bit]), spines })
    for (const [i, mask] of spines.entries())
      for (const bit of bitsOf(mask)) yield shape.with(at, { leaves, spines: spines.with(i, mask & ~bit) })
  }
}

function bitsOf(mask: number): ReadonlyArray<number> {
  return range(0, 31).flatMap((bit) => (((mask >>> bit) & 1) === 1 ? [1 << bit] : []))
}

/** Returns the nodes and links of an allocation on the tree. */
export function resourcesOf({ topology }: SmallTree, shape: Shape): Resources {
  const listed = (mask: number): ReadonlyArray<number> => range(0, 31).filter((bit) => ((mask >>> bit) & 1) === 1)
  return allocation(
    topology,
    shape.flatMap(({ leaves }, pod) => leaves.map(([nodes, l2], leaf) => ({ pod, leaf, nodes, l2: listed(l2) }))),
    shape.flatMap(({ spines }, pod) => spines.map((mask, l2) => ({ pod, l2, spines: listed(mask) }))),
  )
}

/** Returns the allocation with the given nodes and links, without names. */
export function shapeOf(tree: SmallTree, { nodes, links }: Resources): Shape {
  const { topology, l2PerPod, spinesPerL2 } = tree
  const leaves = ascending(new Set(Array.from(nodes, (node) => topology.leafOfNode[node])))
  const pods = ascending(new Set(leaves.map((leaf) => topology.podOfLeaf[leaf])))
  const maskOf = (ids: ArrayLike<number>, sw: number, ports: number): number =>
    Array.from(ids).reduce((all, id) => (Math.floor(id / ports) === sw ? all | (1 << (id % ports)) : all), 0)
  return pods.map((pod) => ({
    leaves: leaves
      .filter((leaf) => topology.podOfLeaf[leaf] === pod)
      .map((leaf): Leaf => {
        const count = Array.from(nodes).filter((node) => topology.leafOfNode[node] === leaf).length
        return [count, maskOf(links[0] ?? [], leaf, l2PerPod)]
      }),
    spines: range(0, l2PerPod).map((i) => maskOf(links[1] ?? [], pod * l2PerPod + i, spinesPerL2 || 1)),
  }))
}

/** Returns true if the auditor's rule accepts an allocation, with the tapers of the tree exact or rounded up. */
export function isAccepted(tree: SmallTree, shape: Shape, rounding: 'exact' | 'up' = 'exact'): boolean {
  const { topology, share, limits } = tree
  const { uplink, spine } = share
  const loads =
    rounding === 'up'
      ? ({ leaf: [limits.uplink, 1], l2: [limits.spine / limits.uplink, 1] } as const)
      : ({ leaf: uplink, l2: [spine[0] * uplink[1], spine[1] * uplink[0]] } as const)
  const { nodes, links } = resourcesOf(tree, shape)
  return nestedRemaindersBreach(topology, nodes, links, loads) === undefined
}

/** Way of a flow: places of its links in the list of remaining capacities. */
type Way = ReadonlyArray<number>

/**
 * Returns true if every permutation of the nodes of an allocation has routes within the limits of flows. The search
 * knows no condition: it takes every matrix of flows between leaves and every choice of shortest ways.
 */
export function isRoutable({ l2PerPod, spinesPerL2, limits }: SmallTree, shape: Shape): boolean {
  const leaves = shape.flatMap(({ leaves: each }, pod) => each.map(([nodes, l2]) => ({ pod, nodes, l2 })))
  const uplinks = 2 * leaves.length * l2PerPod
  const ofLeaf = (leaf: number, i: number, down: 0 | 1): number => 2 * (leaf * l2PerPod + i) + down
  const ofPod = (pod: number, i: number, spine: number, down: 0 | 1): number =>
    uplinks + 2 * ((pod * l2PerPod + i) * spinesPerL2 + spine) + down
  const ways = leaves.map((from, a) =>
    leaves.map((to, b) =>
      range(0, l2PerPod)
        .filter((i) => ((from.l2 & to.l2) >>> i) & 1)
        .flatMap((i): ReadonlyArray<Way> => {
          const way = [ofLeaf(a, i, 0), ofLeaf(b, i, 1)]
          if (from.pod === to.pod) return [way]
          const common = shape[from.pod].spines[i] & shape[to.pod].spines[i]
          return range(0, spinesPerL2)
            .filter((spine) => (common >>> spine) & 1)
            .map((spine) => [...way, ofPod(from.pod, i, spine, 0), ofPod(to.pod, i, spine, 1)])
        }),
    ),
  )
  const left = new Int32Array(uplinks + 2 * shape.length * l2PerPod * spinesPerL2).fill(limits.spine)
  left.fill(limits.uplink, 0, uplinks)
  const route = (flows: ReadonlyArray<ReadonlyArray<Way>>, at: number): boolean => {
    if (at === flows.length) return true
    return flows[at].some((way) => {
      if (way.some((link) => left[link] === 0)) return false
      for (const link of way) left[link]--
      const isRouted = route(flows, at + 1)
      for (const link of way) left[link]++
      return isRouted
    })
  }
  for (const matrix of matrices(leaves.map(({ nodes }) => nodes))) {
    const flows = matrix.flatMap((row, from) =>
      row.flatMap((flow, to) => (from === to ? [] : Array.from({ length: flow }, () => ways[from][to]))),
    )
    if (!route(flows, 0)) return false
  }
  return true
}

/** Yields every matrix of flows in which leaf v sends and gets `sizes[v]` flows. */
function* matrices(
  sizes: ReadonlyArray<number>,
  left: ReadonlyArray<number> = sizes,
  at = 0,
): Generator<ReadonlyArray<ReadonlyArray<number>>> {
  if (at === sizes.length) yield []
  else
    for (const row of rowsWithin(left, sizes[at]))
      for (const rest of matrices(
        sizes,
        left.map((each, to) => each - row[to]),
        at + 1,
      ))
        yield [row, ...rest]
}

function* rowsWithin(left: ReadonlyArray<number>, total: number): Generator<ReadonlyArray<number>> {
  if (left.length === 0) {
    if (total === 0) yield []
    return
  }
  for (let first = 0; first <= Math.min(left[0], total); first++)
    for (const rest of rowsWithin(left.slice(1), total - first)) yield [first, ...rest]
}

/** Counts of all allocations of a tree, up to names. */
export interface ShareCounts {
  allocations: number
  accepted: number
  /** Allocations that the auditor accepts and the search cannot route. */
  wrong: number
  /** Routable allocations without a spare link; `refused` counts the minimal allocations that the auditor refuses. */
  minimal: number
  refused: number
}

/** Compares the auditor's rule with the exhaustive search on all allocations of a tree. */
export function countShapes(tree: SmallTree, rounding: 'exact' | 'up'): ShareCounts {
  const counts = { allocations: 0, accepted: 0, wrong: 0, minimal: 0, refused: 0 }
  const routable = new Map<string, boolean>()
  const canRoute = (shape: Shape): boolean => {
    const key = nameless(tree, shape)
    const known = routable.get(key) ?? isRoutable(tree, shape)
    routable.set(key, known)
    return known
  }
  for (const shape of allShapes(tree)) {
    counts.allocations++
    const isSound = canRoute(shape)
    const accepted = isAccepted(tree, shape, rounding)
    if (accepted) counts.accepted++
    if (accepted && !isSound) counts.wrong++
    if (!isSound || [...withoutOneLink(shape)].some(canRoute)) continue
    counts.minimal++
    if (!accepted) counts.refused++
  }
  return counts
}
