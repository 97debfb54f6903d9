import { communicationRatio, type Divide, LowestSwitchPlacer } from '@cloister/lowest-switch'
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
import type { Algorithm } from './paper.ts'
import type { Reading } from './reading.ts'

/** Returns the communication cost of a placement, as if the job communicated. */
type CostOf = (state: StateView, ranks: ArrayLike<number>) => number

/** Returns the placers of the algorithms under a reading. */
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
 * Chooses between greedy and balanced (section 4.3). A communicating job takes the cheaper placement, any other job the
 * dearer; at equal costs balanced wins.
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

/** Returns the node of each rank. */
export function ranksOf({ ranks, nodes }: Placement): ArrayLike<number> {
  return ranks ?? nodes
}

/** Sort keys of a leaf; the first key that differs decides. */
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

/** Returns greedy's division of a job over leaves (Algorithm 1). */
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

/** Returns balanced's division of a job over leaves (Algorithm 2). */
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
 * Gives each leaf the largest power of two that fits and is no larger than the power before. Then fills the chosen
 * leaves with the rest of the job, from the last leaf back. Returns the chosen leaves.
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
