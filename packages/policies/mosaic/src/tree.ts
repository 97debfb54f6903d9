import type { FreeIndex } from '@cloister/isolation'
import { type IndexHooks, popcount, type StateView } from '@cloister/placement'
import { describeIrregularity, type Topology } from '@cloister/topology'

/** Numbers of a fat tree with as many uplinks as nodes on a leaf. Masks of uplinks or spines fit into 32 bits. */
export interface Tree {
  readonly topology: Topology
  readonly pods: number
  readonly leavesPerPod: number
  /** Number of nodes of a leaf. A leaf has as many uplinks, and a pod as many L2 switches. */
  readonly width: number
  /** Number of spines above each L2 switch; 0 for a tree with fewer than three levels. */
  readonly spines: number
  readonly allUplinks: number
}

/** Returns the numbers of a topology, or the reason why Mosaic does not serve the topology. */
export function treeOf(topology: Topology): Tree | { readonly unsupported: string } {
  const { pgft } = topology
  if (pgft === undefined)
    return { unsupported: `${describeIrregularity(topology)}; this needs a regular fat tree, such as radix:18` }
  const [nodes = 1, leavesPerPod = 1, pods = 1] = pgft.m
  const [, l2 = nodes, spines = 0] = pgft.w
  if (pgft.m.length > 3) return { unsupported: `it has ${pgft.m.length} levels of switches; at most three are served` }
  if (pgft.p.some((cables) => cables > 1))
    return { unsupported: 'several cables join two switches; the policy serves only single cables' }
  if (l2 !== nodes)
    return { unsupported: `its leaves have ${l2} uplinks over ${nodes} nodes; as many uplinks as nodes are served` }
  if (Math.max(nodes, spines) > 32)
    return { unsupported: `its switches have ${Math.max(nodes, spines)} up-ports; at most 32 are served` }
  return { topology, pods, leavesPerPod, width: nodes, spines, allUplinks: nodes === 32 ? -1 : (1 << nodes) - 1 }
}

/** Returns true if all nodes and all uplinks of a leaf are free. */
export function isWhole({ width, allUplinks }: Tree, state: StateView, leaf: number): boolean {
  return state.freeNodesOnLeaf(leaf) === width && state.portMask(0, leaf, 0) === allUplinks
}

/** Largest number of nodes that one leaf gives in a scattered fill. */
export const MOST_SCRAPS = 4

/** Numbers of free nodes and links of each leaf and pod. Most refusals follow from these numbers alone. */
export interface FreeCounts {
  /** Array behind all other fields: copying this array copies all counts. */
  readonly cells: Int32Array
  /**
   * Number of free nodes of each leaf. `uplinks` has the mask of each leaf's free uplinks, and `links` their number.
   */
  readonly nodes: Int32Array
  readonly uplinks: Int32Array
  readonly links: Int32Array
  /**
   * Number of leaves of each pod with at least k free nodes, at index `pod * (width + 1) + k`. At the same index,
   * `withBoth` has the number of leaves with at least k free nodes and at least k free uplinks.
   */
  readonly withNodes: Int32Array
  readonly withBoth: Int32Array
  /** Smallest number of free spine links above any L2 switch of each pod. */
  readonly fewestSpines: Int32Array
  /** One cell: the number of free nodes of all leaves, counting at most `MOST_SCRAPS` nodes of each leaf. */
  readonly scraps: Int32Array
  /** Index of the search for leaves with different numbers of nodes, on a tree with absent parts. */
  readonly uneven?: FreeIndex
}

/** @param uneven hooks of `FreeCounts.uneven`; undefined for a tree without absent parts */
export function freeCountsHooks(tree: Tree, uneven: IndexHooks<FreeIndex> | undefined): IndexHooks<FreeCounts> {
  const { topology, pods, width } = tree
  return {
    build(state) {
      const counts = emptyCounts(tree)
      for (let pod = 0; pod < pods; pod++) {
        counts.withNodes[pod * (width + 1)] = tree.leavesPerPod
        counts.withBoth[pod * (width + 1)] = tree.leavesPerPod
        updatePod(tree, counts, state, pod)
      }
      for (let leaf = 0; leaf < topology.leaves; leaf++) updateLeaf(tree, counts, state, leaf)
      return uneven === undefined ? counts : { ...counts, uneven: uneven.build(state) }
    },
    copy(from, into) {
      into.cells.set(from.cells)
      uneven?.copy(from.uneven!, into.uneven!)
    },
    changed(counts, state, leaves, upper) {
      for (let i = 0; i < leaves.length; i++) updateLeaf(tree, counts, state, leaves[i])
      let last = -1
      for (let i = 0; i < upper.length; i++) {
        const pod = Math.floor(upper[i] / width)
        if (pod !== last) updatePod(tree, counts, state, pod)
        last = pod
      }
      uneven?.changed(counts.uneven!, state, leaves, upper)
    },
  }
}

function emptyCounts({ topology: { leaves }, pods, width }: Tree): FreeCounts {
  const rows = pods * (width + 1)
  const cells = new Int32Array(3 * leaves + 2 * rows + pods + 1)
  let taken = 0
  const take = (length: number): Int32Array => cells.subarray(taken, (taken += length))
  return {
    cells,
    nodes: take(leaves),
    uplinks: take(leaves),
    links: take(leaves),
    withNodes: take(rows),
    withBoth: take(rows),
    fewestSpines: take(pods),
    scraps: take(1),
  }
}

function updateLeaf({ leavesPerPod, width }: Tree, counts: FreeCounts, state: StateView, leaf: number): void {
  const nodes = state.freeNodesOnLeaf(leaf)
  const uplinks = state.portMask(0, leaf, 0)
  const links = popcount(uplinks)
  const row = Math.floor(leaf / leavesPerPod) * (width + 1)
  const nodesBefore = counts.nodes[leaf]
  move(counts.withNodes, row, nodesBefore, nodes)
  move(counts.withBoth, row, Math.min(nodesBefore, counts.links[leaf]), Math.min(nodes, links))
  counts.scraps[0] += Math.min(nodes, MOST_SCRAPS) - Math.min(nodesBefore, MOST_SCRAPS)
  counts.nodes[leaf] = nodes
  counts.uplinks[leaf] = uplinks
  counts.links[leaf] = links
}

function move(atLeast: Int32Array, row: number, before: number, after: number): void {
  for (let each = before + 1; each <= after; each++) atLeast[row + each]++
  for (let each = after + 1; each <= before; each++) atLeast[row + each]--
}

function updatePod({ width, spines }: Tree, counts: FreeCounts, state: StateView, pod: number): void {
  let fewest = spines
  for (let i = 0; i < width && fewest > 0; i++)
    fewest = Math.min(fewest, popcount(state.portMask(1, pod * width + i, 0)))
  counts.fewestSpines[pod] = fewest
}
