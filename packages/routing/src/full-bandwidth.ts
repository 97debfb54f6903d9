import type { Resources } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { cablesOfEach, type LackingCables, lackingCables } from './lacking-cables.ts'
import { type UsableCables, usableCables } from './usable-cables.ts'
import { type OwnLevel, ownLinks, placeOf } from './own-links.ts'
import { type RegularTree, regularTree } from './regular-tree.ts'

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
 * @throws RoutingError if the topology has no `pgft` shape: a switch graph is no regular tree
 */
export function fullBandwidth(topology: Topology, resources: Resources): FullBandwidth | { readonly unproved: string } {
  const tree = regularTree(topology)
  const nodes = Int32Array.from(resources.nodes)
  const levels = ownLinks(tree, resources)
  const leaves = distinct(nodes.map((node) => topology.leafOfNode[node]))
  const pods = distinct(leaves.map((leaf) => topology.podOfLeaf[leaf]))
  const spans = tree.leaves[2] ?? topology.leaves
  if (leaves.length > 1 && Math.floor(leaves[0] / spans) !== Math.floor(leaves[leaves.length - 1] / spans))
    return { unproved: 'the nodes are in subtrees that only a fourth level of switches connects' }
  const base = {
    nodes,
    levels,
    pods: pods.length,
    leafOf: nodes.map((node) => placeOf(leaves, topology.leafOfNode[node])),
    podOf: leaves.map((leaf) => placeOf(pods, topology.podOfLeaf[leaf])),
    placeOfLeaf: leaves.map((leaf) => placeOf(levels[0].switches, leaf)),
    placeOfL2: levels.length > 1 ? placesOfL2(tree, levels, pods) : new Int32Array(0),
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

function placesOfL2({ topology }: RegularTree, levels: ReadonlyArray<OwnLevel>, pods: Int32Array): Int32Array {
  const indices = levels[0].parents
  const places = new Int32Array(pods.length * indices)
  for (let row = 0; row < places.length; row++) {
    places[row] = placeOf(levels[1].switches, topology.firstL2OfPod[pods[Math.floor(row / indices)]] + (row % indices))
  }
  return places
}

function cablesOf({ parents, first }: OwnLevel, at: number, parent: number): number {
  return at < 0 ? 0 : first[at * parents + parent + 1] - first[at * parents + parent]
}

/** At most as many flows leave a leaf at once as the leaf has nodes, or as the other leaves have nodes. */
function cablesToL2({ nodes, levels, leafOf, placeOfLeaf }: Base): UsableCables | LackingCables | undefined {
  const { parents } = levels[0]
  const needs = crossing(leafOf, placeOfLeaf.length, nodes.length)
  const cables = new Int32Array(placeOfLeaf.length * parents)
  for (let row = 0; row < cables.length; row++)
    cables[row] = cablesOf(levels[0], placeOfLeaf[Math.floor(row / parents)], row % parents)
  return usableCables(cables, parents, needs) ?? lackingCables(cables, parents, needs)
}

/**
 * At most as many flows leave a pod over one L2 index as its leaves have usable cables to the index, or as the leaves
 * of other pods have.
 */
function cablesToSpines(
  { nodes, levels, leafOf, podOf, pods, placeOfL2 }: Base,
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
    cables[row] = cablesOf(levels[1], placeOfL2[Math.floor(row / parents) * indices + index], row % parents)
  return usableCables(cables, parents, needs) ?? lackingCables(cables, parents, needs)
}

/** Returns for each group the greatest number of nodes that can send to other groups at once in a permutation. */
function crossing(groupOf: Int32Array, groups: number, nodes: number): Int32Array {
  const own = new Int32Array(groups)
  for (const group of groupOf) own[group]++
  return own.map((count) => Math.min(count, nodes - count))
}
