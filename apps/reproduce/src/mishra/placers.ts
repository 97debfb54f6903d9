import { communicationRatio, type Divide, LowestSwitchPlacer } from '@cloister/communication'
import {
  bindPolicy,
  type Outcome,
  type Placement,
  type Placer,
  type Request,
  type StateView,
} from '@cloister/placement'
import slurmTree from '@cloister/policy-slurm-tree'
import type { Topology } from '@cloister/topology'
import type { Algorithm, Reading } from './paper.ts'

/** Returns the communication cost of a placement, as if the job communicated. */
type CostOf = (state: StateView, ranks: ArrayLike<number>) => number

/** Returns the placers of the Mishra paper's algorithms under a reading of the paper. */
export function placersOf(topology: Topology, reading: Reading, costOf: CostOf): Readonly<Record<Algorithm, Placer>> {
  const greedy = new LowestSwitchPlacer(topology, leastRatioFirst(topology, reading))
  const balanced = new LowestSwitchPlacer(topology, powersOfTwo(reading))
  return {
    Default: bindPolicy(slurmTree, topology).placer,
    Greedy: greedy,
    Balanced: balanced,
    Adaptive: { claims: balanced.claims, place: (state, request) => better(greedy, balanced, costOf, state, request) },
  }
}

/**
 * Places a job under adaptive (section 4.3 of the Mishra paper). A communicating job takes the cheaper of the
 * placements of greedy and balanced; a job without communication takes the dearer placement. At equal costs the job
 * takes balanced's placement.
 */
function better(greedy: Placer, balanced: Placer, costOf: CostOf, state: StateView, request: Request): Outcome {
  const [a, b] = [greedy, balanced].map((each) => each.place(state, request, undefined))
  // Greedy and balanced refuse the same jobs.
  if (!a.ok || !b.ok) return b
  const [costOfGreedy, costOfBalanced] = [a, b].map((each) => costOf(state, ranksOf(each)))
  const isCheaper = costOfGreedy < costOfBalanced
  const isDearer = costOfGreedy > costOfBalanced
  return (request.communication === undefined ? isDearer : isCheaper) ? a : b
}

/** Returns the node of each rank of a placement. */
export function ranksOf({ ranks, nodes }: Placement): ArrayLike<number> {
  return ranks ?? nodes
}

/** Returns the sort keys of a leaf. The first key that differs decides the order of two leaves. */
type Keys = (leaf: number) => ReadonlyArray<number>

function inOrder(leaves: ArrayLike<number>, state: StateView, keys: Keys): ReadonlyArray<number> {
  return Array.from(leaves)
    .filter((leaf) => state.freeNodesOnLeaf(leaf) > 0)
    .map((leaf) => ({ leaf, keys: keys(leaf) }))
    .sort((a, b) => differ(a.keys, b.keys) || a.leaf - b.leaf)
    .map(({ leaf }) => leaf)
}

function differ(a: ReadonlyArray<number>, b: ReadonlyArray<number>): number {
  const at = a.findIndex((key, index) => key !== b[index])
  return at === -1 ? 0 : a[at] - b[at]
}

function fill(state: StateView, order: ReadonlyArray<number>, nodes: number, shares: Int32Array): void {
  let rest = nodes
  for (const leaf of order) {
    shares[leaf] = Math.min(rest, state.freeNodesOnLeaf(leaf))
    rest -= shares[leaf]
  }
}

/** Divides a job over leaves like greedy (Algorithm 1 of the Mishra paper). */
function leastRatioFirst({ firstNodeOfLeaf }: Topology, { ties }: Reading): Divide {
  return (state, { nodes, communication }, leaves, shares) => {
    const sign = communication === undefined ? -1 : 1
    const ratio = (leaf: number): number =>
      communicationRatio(
        state.communicatingNodesOnLeaf(leaf),
        state.busyNodesOnLeaf(leaf),
        firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf],
      )
    const tie = (leaf: number): ReadonlyArray<number> =>
      ties === 'code' ? [state.freeNodesOnLeaf(leaf) >= nodes ? 0 : 1, sign * state.communicatingNodesOnLeaf(leaf)] : []
    const order = inOrder(leaves, state, (leaf) => [sign * ratio(leaf), ...tie(leaf)])
    fill(state, order, nodes, shares)
  }
}

/** Divides a job over leaves like balanced (Algorithm 2 of the Mishra paper). */
function powersOfTwo({ ties, ranks }: Reading): Divide {
  return (state, { nodes, communication }, leaves, shares) => {
    const sign = communication === undefined ? 1 : -1
    const tie = (leaf: number): ReadonlyArray<number> =>
      ties === 'code' ? [-sign * state.communicatingNodesOnLeaf(leaf)] : []
    const order = inOrder(leaves, state, (leaf) => [sign * state.freeNodesOnLeaf(leaf), ...tie(leaf)])
    if (communication === undefined) return fill(state, order, nodes, shares)
    const chosen = halve(state, order, nodes, shares)
    return ranks === 'ids' ? undefined : leafOfEachRank(chosen, nodes, shares)
  }
}

/**
 * Gives each leaf in order the largest power of two of nodes that fits on the leaf and is no larger than the power of
 * the leaf before, until the job has all nodes. If leaves run out, the rest of the job fills the chosen leaves, from
 * the last leaf back. Returns the chosen leaves; `shares` gets the number of nodes on each leaf.
 */
function halve(
  state: StateView,
  order: ReadonlyArray<number>,
  nodes: number,
  shares: Int32Array,
): ReadonlyArray<number> {
  const chosen: Array<number> = []
  let size = 1 << (31 - Math.clz32(nodes))
  let rest = nodes
  for (const leaf of order) {
    if (rest === 0) break
    while (size > state.freeNodesOnLeaf(leaf)) size >>= 1
    shares[leaf] = Math.min(size, rest)
    rest -= shares[leaf]
    chosen.push(leaf)
  }
  for (const leaf of chosen.toReversed()) {
    const more = Math.min(state.freeNodesOnLeaf(leaf) - shares[leaf], rest)
    shares[leaf] += more
    rest -= more
  }
  return chosen
}

function leafOfEachRank(chosen: ReadonlyArray<number>, nodes: number, shares: Int32Array): Int32Array {
  const leaves = new Int32Array(nodes)
  let from = 0
  for (const leaf of chosen) leaves.fill(leaf, from, (from += shares[leaf]))
  return leaves
}
