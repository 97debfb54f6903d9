import { type IndexHooks, lowBits, type StateView, wordsFor } from '@cloister/placement'
import { describeIrregularity, type Topology } from '@cloister/topology'

/** Dimensions of a regular fat tree of at most three levels, for the policy TA. */
export interface TreeShape {
  readonly topology: Topology
  /** Number of nodes of the largest leaf, and of the largest pod. */
  readonly nodesPerLeaf: number
  readonly nodesPerPod: number
  /** Number of present nodes of each leaf, and of each pod. */
  readonly ofLeaf: Int32Array
  readonly ofPod: Int32Array
  readonly l2PerPod: number
  /** Mask of all up-ports of a leaf, in words of 32 bits. `l2Ports` is the mask of all up-ports of an L2 switch. */
  readonly leafPorts: Int32Array
  readonly l2Ports: Int32Array
}

/**
 * Returns the dimensions of a topology, or the reason why TA does not serve the topology.
 *
 * @param present number of present nodes of each leaf, for a tree with absent parts
 */
export function treeShapeOf(topology: Topology, present?: Int32Array): TreeShape | { readonly unsupported: string } {
  const { pgft } = topology
  if (pgft === undefined)
    return {
      unsupported: `${describeIrregularity(topology)}; TA needs a regular fat tree, such as radix:18 or pgft:3;18,18,4;1,18,2;1,1,9`,
    }
  if (pgft.m.length > 3)
    return { unsupported: `it has ${pgft.m.length} levels of switches; TA's types of jobs are for at most three` }
  const ofLeaf = present ?? new Int32Array(topology.leaves).fill(pgft.m[0])
  const ofPod = new Int32Array(topology.pods)
  for (let leaf = 0; leaf < topology.leaves; leaf++) ofPod[topology.podOfLeaf[leaf]] += ofLeaf[leaf]
  const [, l2PerPod = 0, spinesPerL2 = 0] = pgft.w
  const [, leafCables = 0, l2Cables = 0] = pgft.p
  return {
    topology,
    nodesPerLeaf: ofLeaf.reduce((most, own) => Math.max(most, own), 0),
    nodesPerPod: ofPod.reduce((most, own) => Math.max(most, own), 0),
    ofLeaf,
    ofPod,
    l2PerPod,
    leafPorts: allPorts(l2PerPod * leafCables),
    l2Ports: allPorts(spinesPerL2 * l2Cables),
  }
}

function allPorts(ports: number): Int32Array {
  return Int32Array.from({ length: wordsFor(ports) }, (_, word) => lowBits(Math.min(32, ports - (word << 5))))
}

/**
 * Index of the nodes that jobs of type T2 and T3 may still use. A T2 or T3 job holds every up-port that its messages
 * could take. Busy up-ports therefore mark the leaves and pods of such jobs. A leaf is **open** (has no T2 or T3 job)
 * if all up-ports of the leaf are free. With `wholeLeaves`, all nodes of an open leaf must be free, too. A pod is open
 * (has no T3 job) if all up-ports of the pod's L2 switches are free.
 */
export interface OpenNodes {
  /** Array behind all other fields: copying this array copies all numbers. */
  readonly cells: Int32Array
  /** Number of free nodes of each open leaf; 0 for a leaf that is not open. */
  readonly ofLeaf: Int32Array
  readonly ofPod: Int32Array
  /** 1 for each L2 switch with an up-port that is not free, else 0. */
  readonly closedL2: Int32Array
  /** Number of L2 switches of each pod with an up-port that is not free; 0 for an open pod. */
  readonly closedL2InPod: Int32Array
}

export function openNodesHooks(tree: TreeShape, wholeLeaves: boolean): IndexHooks<OpenNodes> {
  const { leaves, levels } = tree.topology
  const l2Switches = levels[1]?.switches ?? 0
  return {
    build(state) {
      const index = emptyIndex(tree, l2Switches)
      for (let leaf = 0; leaf < leaves; leaf++) updateLeaf(tree, wholeLeaves, index, state, leaf)
      for (let sw = 0; sw < l2Switches; sw++) updateL2(tree, index, state, sw)
      return index
    },
    copy(from, into) {
      into.cells.set(from.cells)
    },
    changed(index, state, changedLeaves, changedL2) {
      for (let i = 0; i < changedLeaves.length; i++) updateLeaf(tree, wholeLeaves, index, state, changedLeaves[i])
      for (let i = 0; i < changedL2.length; i++) updateL2(tree, index, state, changedL2[i])
    },
  }
}

function emptyIndex({ topology: { leaves, pods } }: TreeShape, l2Switches: number): OpenNodes {
  const cells = new Int32Array(leaves + pods + l2Switches + pods)
  let taken = 0
  const take = (length: number): Int32Array => cells.subarray(taken, (taken += length))
  return { cells, ofLeaf: take(leaves), ofPod: take(pods), closedL2: take(l2Switches), closedL2InPod: take(pods) }
}

function updateLeaf(
  { topology, leafPorts, ofLeaf }: TreeShape,
  wholeLeaves: boolean,
  index: OpenNodes,
  state: StateView,
  leaf: number,
): void {
  const free = state.freeNodesOnLeaf(leaf)
  const open = (!wholeLeaves || free === ofLeaf[leaf]) && hasAllPorts(state, 0, leaf, leafPorts) ? free : 0
  index.ofPod[topology.podOfLeaf[leaf]] += open - index.ofLeaf[leaf]
  index.ofLeaf[leaf] = open
}

function updateL2({ l2PerPod, l2Ports }: TreeShape, index: OpenNodes, state: StateView, sw: number): void {
  const closed = hasAllPorts(state, 1, sw, l2Ports) ? 0 : 1
  index.closedL2InPod[Math.floor(sw / l2PerPod)] += closed - index.closedL2[sw]
  index.closedL2[sw] = closed
}

function hasAllPorts(state: StateView, level: number, sw: number, all: Int32Array): boolean {
  for (let word = 0; word < all.length; word++) if (state.portMask(level, sw, word) !== all[word]) return false
  return true
}
