import type { Resources } from '@cloister/placement'
import { type Share, switchInTree, type Topology } from '@cloister/topology'
import { colourLacking } from './colouring.ts'
import { type OwnLevel, ownLinks, placeOf } from './own-links.ts'
import { type RegularTree, treeOf } from './routes.ts'

/**
 * Allocation with proved full bandwidth, and the cables that its flows may use. Leaves and pods are numbered from 0 in
 * the order of the allocation's leaves and pods.
 */
export interface FullBandwidth {
  readonly nodes: Int32Array
  /** Leaf of each node of the allocation, and pod of each leaf. */
  readonly leafOf: Int32Array
  readonly podOf: Int32Array
  readonly pods: number
  readonly levels: ReadonlyArray<OwnLevel>
  /** Place of each leaf in `levels[0].switches`. */
  readonly placeOfLeaf: Int32Array
  /** Cables from the leaves to L2 indices; undefined if all nodes are on one leaf. */
  readonly toL2: UsableCables | LackingCables | undefined
  /** Cables from the pods' L2 switches to spines, for each L2 index; undefined if all nodes are in one pod. */
  readonly toSpines: ReadonlyArray<UsableCables | LackingCables> | undefined
  /** Place of each L2 switch in `levels[1].switches`, at `pod * levels[0].parents + L2 index`; -1 without a link. */
  readonly placeOfL2: Int32Array
  /** Most flows on each link and direction. */
  readonly limits: FlowLimits
}

/** Most flows, each of one node's rate, on a link and direction. Allocations with limits of 1 have full bandwidth. */
export interface FlowLimits {
  /** Flows on an uplink of a leaf, an integer from 1. */
  readonly uplink: number
  /** Flows on an uplink of an L2 switch, an integer from 1. */
  readonly spine: number
}

/** Returns the limits of whole flows for an allocation with a share of a tapered tree, or with full bandwidth (undefined). */
export function flowLimitsOf(share: Share | undefined): FlowLimits {
  if (share === undefined) return { uplink: 1, spine: 1 }
  const { uplink, spine } = share
  const most = Math.ceil(uplink[0] / uplink[1])
  return { uplink: most, spine: most * Math.ceil((spine[0] * uplink[1]) / (spine[1] * uplink[0])) }
}

/**
 * Tests whether an allocation has full bandwidth: every permutation of its nodes has routes over its links with at most
 * one flow on each link and direction (rearrangeable non-blocking: Jigsaw paper, section 3.3). Returns the cables that
 * flows may use, or the reason why a sufficient rule gives no proof. The rule has two conditions on cables:
 *
 * - All leaves except one have common cables to L2 indices, enough for every flow that can leave a leaf at once. The
 *   remainder leaf has enough of the common cables for its own flows.
 * - Over each L2 index, all pods except one have common cables to spines, enough for the flows that the cables of their
 *   leaves can bring. The remainder pod has enough of the common cables for its own flows.
 *
 * Conditions (1)-(6) of the Jigsaw paper are the case of exactly enough cables. If more than one leaf or pod lacks
 * common cables, `fullBandwidth` tries `lackingCables`, which allows several switches with few flows to lack a cable.
 * The rule covers trees of up to three levels.
 *
 * With larger `limits`, each cable counts as so many cables with one flow each. An allocation with a share of a
 * tapered tree (`flowLimitsOf`) then has routes for every permutation.
 *
 * On a machine with absent parts, L2 indices and spines are positions in the whole tree.
 *
 * @throws RoutingError if the topology is a switch graph
 */
export function fullBandwidth(
  topology: Topology,
  resources: Resources,
  limits: FlowLimits = flowLimitsOf(undefined),
): FullBandwidth | { readonly unproved: string } {
  const tree = treeOf(topology)
  const nodes = Int32Array.from(resources.nodes)
  const levels = ownLinks(tree, resources)
  const leaves = distinct(nodes.map((node) => topology.leafOfNode[node]))
  const pods = distinct(leaves.map((leaf) => topology.podOfLeaf[leaf]))
  const subtreeOf = (leaf: number): number => Math.floor(switchInTree(topology, 0, leaf) / (tree.leaves[2] ?? Infinity))
  if (leaves.length > 1 && subtreeOf(leaves[0]) !== subtreeOf(leaves[leaves.length - 1]))
    return { unproved: 'the nodes are in subtrees that only a fourth level of switches connects' }
  const base = {
    nodes,
    levels,
    limits,
    pods: pods.length,
    leafOf: nodes.map((node) => placeOf(leaves, topology.leafOfNode[node])),
    podOf: leaves.map((leaf) => placeOf(pods, topology.podOfLeaf[leaf])),
    placeOfLeaf: leaves.map((leaf) => placeOf(levels[0].switches, leaf)),
    placeOfL2: levels.length > 1 ? placesOfL2(tree, levels, leaves) : new Int32Array(0),
  }
  if (leaves.length <= 1) return { ...base, toL2: undefined, toSpines: undefined }
  const toL2 = cablesToL2(base)
  if (toL2 === undefined) return { unproved: 'the leaves have too few cables to common L2 switches' }
  if (pods.length === 1) return { ...base, toL2, toSpines: undefined }
  const toSpines: Array<UsableCables | LackingCables> = []
  for (let index = 0; index < base.levels[0].parents; index++) {
    const found = cablesToSpines(base, toL2, index)
    if (found === undefined)
      return { unproved: `over L2 switches ${index} the pods have too few cables to common spines` }
    toSpines.push(found)
  }
  return { ...base, toL2, toSpines }
}

type Base = Omit<FullBandwidth, 'toL2' | 'toSpines'>

function distinct(ascending: Int32Array): Int32Array {
  return ascending.filter((id, i) => i === 0 || id !== ascending[i - 1])
}

function placesOfL2({ topology, shape }: RegularTree, levels: ReadonlyArray<OwnLevel>, leaves: Int32Array): Int32Array {
  const indices = levels[0].parents
  const pods = distinct(leaves.map((leaf) => Math.floor(switchInTree(topology, 0, leaf) / shape.m[1])))
  const places = new Int32Array(pods.length * indices)
  for (let row = 0; row < places.length; row++)
    places[row] = placeOf(levels[1].inTree, pods[Math.floor(row / indices)] * indices + (row % indices))
  return places
}

function cablesOf({ parents, first }: OwnLevel, at: number, parent: number): number {
  return at < 0 ? 0 : first[at * parents + parent + 1] - first[at * parents + parent]
}

/** At most as many flows leave a leaf at once as the leaf has nodes, or as the other leaves have nodes. */
function cablesToL2({ nodes, levels, leafOf, placeOfLeaf, limits }: Base): UsableCables | LackingCables | undefined {
  const { parents } = levels[0]
  const needs = crossing(leafOf, placeOfLeaf.length, nodes.length)
  const cables = new Int32Array(placeOfLeaf.length * parents)
  for (let row = 0; row < cables.length; row++)
    cables[row] = limits.uplink * cablesOf(levels[0], placeOfLeaf[Math.floor(row / parents)], row % parents)
  return usableCables(cables, parents, needs) ?? lackingCables(cables, parents, needs)
}

/**
 * At most as many flows leave a pod over one L2 index as its leaves have usable cables to the index, or as the leaves
 * of other pods have.
 */
function cablesToSpines(
  { nodes, levels, leafOf, podOf, pods, placeOfL2, limits }: Base,
  toL2: UsableCables | LackingCables,
  index: number,
): UsableCables | LackingCables | undefined {
  const indices = levels[0].parents
  const { parents } = levels[1]
  const ofPod = new Int32Array(pods)
  const ofLeaf = 'usable' in toL2 ? undefined : cablesOfEach(toL2, indices)
  podOf.forEach((pod, leaf) => {
    if ('usable' in toL2) ofPod[pod] += (leaf === toL2.exception ? toL2.ofException : toL2.usable)[index]
    else ofPod[pod] += ofLeaf![leaf * indices + index]
  })
  const all = ofPod.reduce((total, each) => total + each, 0)
  const byNodes = crossing(
    leafOf.map((leaf) => podOf[leaf]),
    pods,
    nodes.length,
  )
  const needs = ofPod.map((own, pod) => Math.min(own, all - own, byNodes[pod]))
  const cables = new Int32Array(pods * parents)
  for (let row = 0; row < cables.length; row++)
    cables[row] =
      limits.spine * cablesOf(levels[1], placeOfL2[Math.floor(row / parents) * indices + index], row % parents)
  return usableCables(cables, parents, needs) ?? lackingCables(cables, parents, needs)
}

/** Returns for each group the greatest number of nodes that can send to other groups at once in a permutation. */
function crossing(groupOf: Int32Array, groups: number, nodes: number): Int32Array {
  const own = new Int32Array(groups)
  for (const group of groupOf) own[group]++
  return own.map((count) => Math.min(count, nodes - count))
}

/**
 * Cables that a group of switches can use at once. `usable` is the number of cables to each parent that every switch of
 * the group has, except one switch, the `exception` (the remainder leaf or pod), which may use `ofException` cables to
 * each parent.
 */
export interface UsableCables {
  readonly usable: Int32Array
  /** Place of the exception in the group of switches; -1 without exception. */
  readonly exception: number
  readonly ofException: Int32Array
}

/**
 * Finds enough cables for the flows of each switch of a group, or returns undefined. With enough cables, any flows
 * between the switches, at most `needs[g]` out of and into switch `g`, can get cables with one flow on each:
 * `colourEdges` colours the flows (König's theorem), after flows of the exception to itself are added for the cables
 * that the exception lacks.
 *
 * @param cables number of cables of switch `g` to parent `b`, at index `g * parents + b`
 * @param parents number of parents, at least 1
 */
function usableCables(cables: ArrayLike<number>, parents: number, needs: ArrayLike<number>): UsableCables | undefined {
  const all = leastOf(cables, parents, -1)
  for (const exception of [-1, ...bottlenecks(cables, parents, all)]) {
    const usable = exception < 0 ? all : leastOf(cables, parents, exception)
    const ofException =
      exception < 0 ? usable : usable.map((count, b) => Math.min(count, cables[exception * parents + b]))
    if (isEnough(needs, exception, sum(usable), sum(ofException))) return { usable, exception, ofException }
  }
  return undefined
}

/** Returns the smallest number of cables of any switch except `aside` to each parent; -1 excludes no switch. */
function leastOf(cables: ArrayLike<number>, parents: number, aside: number): Int32Array {
  const least = new Int32Array(parents).fill(-1)
  for (let row = 0; row < cables.length; row++) {
    if (Math.floor(row / parents) === aside) continue
    const b = row % parents
    if (least[b] < 0 || cables[row] < least[b]) least[b] = cables[row]
  }
  return least.map((count) => Math.max(count, 0))
}

/** Returns the switches that alone have the fewest cables to a parent: only without them, more cables are common. */
function bottlenecks(cables: ArrayLike<number>, parents: number, least: Int32Array): ReadonlyArray<number> {
  const switches = cables.length / parents
  const found = new Set<number>()
  for (let b = 0; b < parents; b++) {
    let alone = -1
    let count = 0
    for (let g = 0; g < switches; g++) {
      if (cables[g * parents + b] > least[b]) continue
      alone = g
      count++
    }
    if (count === 1) found.add(alone)
  }
  return [...found]
}

function isEnough(needs: ArrayLike<number>, exception: number, usable: number, ofException: number): boolean {
  for (let g = 0; g < needs.length; g++) if (needs[g] > (g === exception ? ofException : usable)) return false
  return true
}

export function sum(counts: Int32Array): number {
  return counts.reduce((total, count) => total + count, 0)
}

/**
 * Cables that a group of switches can use together although some switches with few flows lack some of the cables. The
 * cables are in descending order of the total need of their lacking switches, as `colourLacking` assigns them.
 */
export interface LackingCables {
  /** Parent of each cable, and number of the cable among the cables from a switch to this parent. */
  readonly parent: Int32Array
  readonly cable: Int32Array
  /** For each cable and each switch of the group: 1 if the switch lacks the cable, else 0. */
  readonly lacks: ReadonlyArray<Uint8Array>
  /** Greatest number of flows that leave each switch at once. */
  readonly needs: Int32Array
}

/**
 * Finds as many cables as the largest need of a switch, so that all flows can get a cable. In the order of the total
 * need of the lacking switches, smallest first, the switches that lack the t-th cable must need at most t - 1 cables
 * together. Then `colourLacking` can assign a cable to each flow, for any flows with at most `needs[g]` flows out of
 * and into switch `g`. Returns undefined if there are no such cables.
 *
 * @param cables number of cables of switch `g` to parent `b`, at index `g * parents + b`
 */
export function lackingCables(
  cables: ArrayLike<number>,
  parents: number,
  needs: Int32Array,
): LackingCables | undefined {
  const wanted = needs.reduce((most, need) => Math.max(most, need), 0)
  const found: Array<{ parent: number; cable: number; lacks: Uint8Array; lacking: number }> = []
  for (let parent = 0; parent < parents; parent++) {
    let most = 0
    for (let g = 0; g < needs.length; g++) most = Math.max(most, cables[g * parents + parent])
    for (let cable = 0; cable < most; cable++) {
      const lacks = Uint8Array.from(needs, (_, g) => (cables[g * parents + parent] > cable ? 0 : 1))
      const lacking = needs.reduce((sum, need, g) => sum + need * lacks[g], 0)
      found.push({ parent, cable, lacks, lacking })
    }
  }
  if (found.length < wanted) return undefined
  const chosen = found.sort((a, b) => a.lacking - b.lacking).slice(0, wanted)
  if (chosen.some(({ lacking }, place) => lacking > place)) return undefined
  chosen.reverse()
  return {
    parent: Int32Array.from(chosen, ({ parent }) => parent),
    cable: Int32Array.from(chosen, ({ cable }) => cable),
    lacks: chosen.map(({ lacks }) => lacks),
    needs,
  }
}

/** Returns the number of usable cables of switch `g` to parent `b`, at index `g * parents + b`. */
function cablesOfEach({ parent, lacks, needs }: LackingCables, parents: number): Int32Array {
  const counts = new Int32Array(needs.length * parents)
  parent.forEach((b, colour) => {
    for (let g = 0; g < needs.length; g++) if (lacks[colour][g] === 0) counts[g * parents + b]++
  })
  return counts
}

/** Assigns to each flow a cable that both switches at its ends have, at most one flow to a cable and direction. */
export function assignLacking(
  { parent, cable, lacks, needs }: LackingCables,
  from: Int32Array,
  to: Int32Array,
): { readonly parent: Int32Array; readonly cable: Int32Array } {
  const colourOf = colourLacking(needs, lacks, from, to)
  return { parent: colourOf.map((colour) => parent[colour]), cable: colourOf.map((colour) => cable[colour]) }
}
