import type { Claims, Outcome, Placer, Request, StateView } from '@cloister/placement'
import { KeyedHeap, leavesBelow, type Topology } from '@cloister/topology'

/**
 * Divides a job among the leaves below a switch, which together have enough free nodes for the job.
 *
 * @param leaves ids of the leaves below the switch, ascending
 * @param shares output: number of nodes of the job on each leaf, by leaf id; all 0 before the call
 * @returns leaf of each rank, in agreement with `shares`; undefined if ranks follow the ids of nodes
 */
export type Divide = (
  state: StateView,
  request: Request,
  leaves: Int32Array,
  shares: Int32Array,
) => Int32Array | undefined | void

/**
 * Places a job below the lowest switch with enough free nodes, like Slurm's topology/tree. Policies differ only in
 * `divide`. On each leaf the job gets the free nodes with the lowest ids.
 */
export class LowestSwitchPlacer implements Placer {
  readonly claims: Claims
  readonly #subtrees: Subtrees
  readonly #divide: Divide
  readonly #nodes: number
  readonly #leafOfNode: ArrayLike<number>
  readonly #shares: Int32Array
  readonly #ids: Int32Array

  constructor(topology: Topology, divide: Divide) {
    const { leafOfNode, leaves, nodes } = topology
    this.#subtrees = new Subtrees(topology)
    // Any `divide` gives a monotone and complete policy: a job is refused only if no switch has enough free nodes.
    this.claims = {
      links: 'shared',
      fullBandwidth: false,
      exactSize: true,
      monotone: true,
      complete: true,
      anyFreeNodes: this.#subtrees.largest === nodes,
      speedupScenarios: false,
    }
    this.#divide = divide
    this.#nodes = nodes
    this.#leafOfNode = leafOfNode
    this.#shares = new Int32Array(leaves)
    this.#ids = new Int32Array(nodes)
  }

  place(state: StateView, request: Request): Outcome {
    const { nodes } = request
    if (nodes > this.#subtrees.largest)
      return { ok: false, code: 'never', constraint: nodes > this.#nodes ? 'machine size' : 'nodes below one switch' }
    if (nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
    const leaves = this.#subtrees.lowest(state, nodes)
    if (leaves === undefined) return { ok: false, code: 'no-placement', constraint: 'free nodes below one switch' }
    this.#shares.fill(0)
    let leafOfRank: Int32Array | undefined | void
    if (leaves.length === 1) this.#shares[leaves[0]] = nodes
    else leafOfRank = this.#divide(state, request, leaves, this.#shares)
    const given = this.#lowestFree(state, leaves, nodes)
    if (leafOfRank === undefined) return { ok: true, nodes: given, links: [] }
    return { ok: true, nodes: given, links: [], ranks: ranksOnLeaves(given, this.#leafOfNode, leafOfRank) }
  }

  #lowestFree(state: StateView, leaves: Int32Array, nodes: number): Int32Array {
    let taken = 0
    for (let i = 0; i < leaves.length; i++) {
      const share = this.#shares[leaves[i]]
      // `freeNodeIds` writes all free nodes of a leaf. The next leaf overwrites the ids beyond the leaf's share.
      if (share > 0) state.freeNodeIds(leaves[i], this.#ids, taken)
      taken += share
    }
    return this.#ids.slice(0, nodes)
  }
}

/**
 * Returns the node of each rank: the ranks of a leaf get its nodes in ascending order.
 *
 * @param nodes nodes of the job, ascending; each leaf has as many nodes as ranks
 */
export function ranksOnLeaves(
  nodes: ArrayLike<number>,
  leafOfNode: ArrayLike<number>,
  leafOfRank: ArrayLike<number>,
): Int32Array {
  const nextOn = new Map<number, number>()
  for (let at = nodes.length - 1; at >= 0; at--) nextOn.set(leafOfNode[nodes[at]], at)
  return Int32Array.from(leafOfRank, (leaf) => {
    const at = nextOn.get(leaf)!
    nextOn.set(leaf, at + 1)
    return nodes[at]
  })
}

/** Sets of leaves below the switches of a machine. Several switches above the same leaves have one set. */
class Subtrees {
  /**
   * Largest number of nodes below one switch; fewer than on the machine if a switch graph has several separate trees.
   */
  readonly largest: number
  /** Ids of the leaves below each switch, ascending, by level from the leaves up. */
  readonly #levels: ReadonlyArray<ReadonlyArray<Int32Array>>
  readonly #free: Int32Array

  constructor(topology: Topology) {
    const { firstNodeOfLeaf, leaves, levels } = topology
    this.#levels = levels.map((_, level) => distinctSubtrees(topology, level))
    this.#free = new Int32Array(leaves)
    const nodesOn = (below: Int32Array): number =>
      below.reduce((nodes, leaf) => nodes + firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf], 0)
    this.largest = this.#levels.flat().reduce((largest, below) => Math.max(largest, nodesOn(below)), 0)
  }

  /**
   * Returns the leaves below the lowest switch with at least `nodes` free nodes; of several switches of one level,
   * below the first with the fewest free nodes. Returns undefined if no switch has enough free nodes.
   */
  lowest(state: StateView, nodes: number): Int32Array | undefined {
    const free = this.#free
    for (let leaf = 0; leaf < free.length; leaf++) free[leaf] = state.freeNodesOnLeaf(leaf)
    for (const level of this.#levels) {
      const best = tightest(level, free, nodes)
      if (best !== undefined) return best
    }
    return undefined
  }
}

function tightest(subtrees: ReadonlyArray<Int32Array>, free: Int32Array, nodes: number): Int32Array | undefined {
  let best: Int32Array | undefined
  let fewest = Infinity
  for (const leaves of subtrees) {
    let here = 0
    for (let i = 0; i < leaves.length; i++) here += free[leaves[i]]
    if (here < nodes || here >= fewest) continue
    best = leaves
    fewest = here
  }
  return best
}

function distinctSubtrees(topology: Topology, level: number): ReadonlyArray<Int32Array> {
  const step = parallelSwitches(topology, level)
  const all = Array.from({ length: topology.levels[level].switches / step }, (_, subtree) =>
    leavesBelow(topology, level, subtree * step),
  )
  return [...new Map(all.map((leaves) => [leaves.join(), leaves])).values()]
}

/** Returns how many consecutive switches of a level are above the same leaves; 1 for a switch graph. */
function parallelSwitches({ pgft }: Topology, level: number): number {
  return pgft === undefined ? 1 : pgft.w.slice(0, level + 1).reduce((product, w) => product * w, 1)
}

/**
 * Leaves in ascending order of a key, then of ids. A job needs few of many leaves, so a heap is faster than sorting all
 * leaves.
 */
export class LeafHeap {
  readonly #heap: KeyedHeap

  constructor(capacity: number) {
    this.#heap = new KeyedHeap(capacity)
  }

  /**
   * Replaces the leaves of the heap by the given leaves that have free nodes.
   *
   * @param tieOf decides between leaves with equal keys, the lowest first; default: the leaf with the lower id comes
   *   first
   */
  fill(state: StateView, leaves: Int32Array, keyOf: (leaf: number) => number, tieOf?: (leaf: number) => number): void {
    this.#heap.clear()
    const rankOf = tieOf && ranking(leaves, keyOf, tieOf)
    for (let i = 0; i < leaves.length; i++)
      if (state.freeNodesOnLeaf(leaves[i]) > 0) this.#heap.append((rankOf ?? keyOf)(leaves[i]), leaves[i])
    this.#heap.order()
  }

  /** Removes and returns the leaf with the lowest key; -1 if the heap is empty. */
  next(): number {
    return this.#heap.pop()
  }
}

/** Returns the rank of each leaf by key, then by tie; equal leaves have different ranks, in the order of `leaves`. */
function ranking(
  leaves: Int32Array,
  keyOf: (leaf: number) => number,
  tieOf: (leaf: number) => number,
): (leaf: number) => number {
  const keys = Array.from(leaves, (leaf) => ({ leaf, key: keyOf(leaf), tie: tieOf(leaf) }))
  keys.sort((a, b) => a.key - b.key || a.tie - b.tie)
  const ranks = new Map(keys.map(({ leaf }, rank) => [leaf, rank]))
  return (leaf) => ranks.get(leaf)!
}

/**
 * Gives a job all free nodes of each leaf of the heap in turn, until the job has `nodes` nodes.
 *
 * @param shares output: number of nodes of the job on each leaf, by leaf id
 */
export function fillLeaves(state: StateView, heap: LeafHeap, nodes: number, shares: Int32Array): void {
  for (let rest = nodes; rest > 0;) {
    const leaf = heap.next()
    shares[leaf] = Math.min(rest, state.freeNodesOnLeaf(leaf))
    rest -= shares[leaf]
  }
}

/**
 * Returns the communication ratio of a leaf, equation 1 of Mishra, Agrawal and Malakar (ICPP Workshops 2020): L_comm /
 * L_busy + L_busy / L_nodes; 0 for a leaf without busy nodes. A single division gives equal numbers for equal ratios,
 * so rounding never decides between leaves.
 */
export function communicationRatio(communicating: number, busy: number, nodes: number): number {
  return busy === 0 ? 0 : (communicating * nodes + busy * busy) / (busy * nodes)
}

/** Values of `LeafChoice.ties`; the second value is the choice of the code of Mishra et al. */
export const leafTies = ['ids', 'communicating'] as const
/** Values of `LeafChoice.ranks`; the second value is the choice of the code of Mishra et al. */
export const leafRanks = ['ids', 'leaves'] as const

/** Choices that the paper by Mishra et al. leaves open. */
export interface LeafChoice {
  /**
   * Choice between leaves with equal keys. `ids`: the lower id. `communicating`: under greedy first a leaf that has all
   * nodes of the job; then the leaf with fewer communicating nodes, or with more for a job without communication.
   */
  readonly ties: (typeof leafTies)[number]
  /** Order of the ranks of a communicating job under balanced: by the ids of nodes, or by the order of its leaves. */
  readonly ranks: (typeof leafRanks)[number]
  /** Jobs submitted before this time, in whole seconds, are placed as by slurm-tree. Default: 0, no jobs. */
  readonly from?: number
}

/** Returns a function that divides a job as slurm-tree does: the leaves with the fewest free nodes come first. */
export function fewestFreeFirst(topology: Topology): Divide {
  const heap = new LeafHeap(topology.leaves)
  return (state, { nodes }, leaves, shares) => {
    heap.fill(state, leaves, (leaf) => state.freeNodesOnLeaf(leaf))
    fillLeaves(state, heap, nodes, shares)
  }
}

/** Returns a function that divides jobs submitted before `from` as slurm-tree does, and all other jobs by `divide`. */
function dividingFrom(from: number, topology: Topology, divide: Divide): Divide {
  const before = fewestFreeFirst(topology)
  return (state, request, leaves, shares) =>
    (request.submitted < 1000 * from ? before : divide)(state, request, leaves, shares)
}

/** Returns the key between leaves with equal keys; undefined if ids decide. */
function tieBetween(
  ties: LeafChoice['ties'],
  state: StateView,
  { communication }: Request,
): ((leaf: number) => number) | undefined {
  const sign = communication === undefined ? -1 : 1
  return ties === 'ids' ? undefined : (leaf) => sign * state.communicatingNodesOnLeaf(leaf)
}

/**
 * Returns a function that divides a job by the communication ratios of the leaves: lines 7-18 of Algorithm 1 of Mishra,
 * Agrawal and Malakar (ICPP Workshops 2020).
 */
export function byCommunicationRatio(
  topology: Topology,
  { ties, from = 0 }: Pick<LeafChoice, 'ties' | 'from'> = { ties: 'ids' },
): Divide {
  const { leaves: count, nodes: machine, firstNodeOfLeaf } = topology
  const heap = new LeafHeap(count)
  const ratio = (state: StateView, leaf: number): number =>
    communicationRatio(
      state.communicatingNodesOnLeaf(leaf),
      state.busyNodesOnLeaf(leaf),
      firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf],
    )
  return dividingFrom(from, topology, (state, request, leaves, shares) => {
    const { nodes } = request
    const sign = request.communication === undefined ? -1 : 1
    const tie = tieBetween(ties, state, request)
    const isTooSmall = (leaf: number): number => (state.freeNodesOnLeaf(leaf) < nodes ? 2 * machine : 0)
    const tieOf = tie && ((leaf: number): number => isTooSmall(leaf) + tie(leaf))
    heap.fill(state, leaves, (leaf) => sign * ratio(state, leaf), tieOf)
    fillLeaves(state, heap, nodes, shares)
  })
}

/**
 * Returns a function that divides a communication-intensive job into powers of two: lines 6-36 of Algorithm 2 of
 * Mishra, Agrawal and Malakar (ICPP Workshops 2020). Any other job fills the leaves with the fewest free nodes first.
 */
export function powersOfTwo(
  topology: Topology,
  { ties, ranks, from = 0 }: LeafChoice = { ties: 'ids', ranks: 'ids' },
): Divide {
  const heap = new LeafHeap(topology.leaves)
  const visited = new Int32Array(topology.leaves)
  return dividingFrom(from, topology, (state, request, leaves, shares) => {
    const { nodes, communication } = request
    const sign = communication === undefined ? 1 : -1
    heap.fill(state, leaves, (leaf) => sign * state.freeNodesOnLeaf(leaf), tieBetween(ties, state, request))
    if (communication === undefined) return fillLeaves(state, heap, nodes, shares)
    const visits = divide(state, heap, nodes, shares, visited)
    return ranks === 'ids' ? undefined : leafOfEachRank(visited.subarray(0, visits), nodes, shares)
  })
}

/**
 * Each leaf, in descending order of free nodes, gives the largest power of two up to its free nodes and up to the power
 * of the previous leaf. If the job then has too few nodes, the same leaves give their other free nodes, in reverse
 * order. Returns the number of leaves in `visited`.
 */
function divide(state: StateView, heap: LeafHeap, nodes: number, shares: Int32Array, visited: Int32Array): number {
  let rest = nodes
  let visits = 0
  // Section 4.2 of Mishra et al. wants powers of two; the printed `S <- N` gives one only if N (`nodes`) is one.
  let size = 1 << (31 - Math.clz32(nodes))
  for (let leaf = heap.next(); leaf >= 0 && rest > 0; leaf = heap.next()) {
    while (size > state.freeNodesOnLeaf(leaf)) size >>= 1
    shares[leaf] = Math.min(size, rest)
    rest -= shares[leaf]
    visited[visits++] = leaf
  }
  for (let i = visits - 1; rest > 0; i--) {
    const more = Math.min(state.freeNodesOnLeaf(visited[i]) - shares[visited[i]], rest)
    shares[visited[i]] += more
    rest -= more
  }
  return visits
}

/** Returns the leaf of each rank, if the ranks fill the leaves in the given order. */
function leafOfEachRank(leaves: Int32Array, nodes: number, shares: Int32Array): Int32Array {
  const leafOf = new Int32Array(nodes)
  let from = 0
  for (const leaf of leaves) leafOf.fill(leaf, from, (from += shares[leaf]))
  return leafOf
}
