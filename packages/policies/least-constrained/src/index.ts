import {
  type AcrossPods,
  addLowest,
  type FreeIndex,
  type PartitionConfig,
  type PartitionIndex,
  partitionPlacer,
  PlacementMasks,
  type Search,
  Sharing,
  type TreeShape,
  UnevenPods,
} from '@cloister/isolation'
import type { Placement, PlacementPolicy, StateView } from '@cloister/placement'
import * as v from 'valibot'
import { PodsSearch, type Shape } from './pods-search.ts'
import { version } from './version.ts'

/** Configuration of the policy least-constrained. */
export interface Config extends Omit<PartitionConfig, 'maxSteps' | 'search' | 'bandwidth'> {
  /**
   * Largest number of steps of one search. Only with `unlimited` is the policy complete and monotone, but some
   * unlimited searches take hours.
   */
  readonly maxSteps: number | 'unlimited'
  /**
   * Allows the remainder leaf of a job in two pods in either pod. The conditions of the Jigsaw paper allow the remainder
   * leaf only in the pod with fewer full leaves. Both are full bandwidth.
   */
  readonly anyRemainderPod: boolean
}

const DEFAULT_MAX_STEPS = 5000

const Config = v.strictObject({
  order: v.exactOptional(
    v.pipe(
      v.picklist(['densest-first', 'sparsest-first']),
      v.description('order of the search: placements with many nodes on few leaves and pods first, or last'),
    ),
    'densest-first',
  ),
  leafJobsHoldUplinks: v.exactOptional(
    v.pipe(v.boolean(), v.description('a job on one leaf needs and holds as many uplinks as nodes')),
    false,
  ),
  maxSteps: v.exactOptional(
    v.pipe(
      v.union([v.literal('unlimited'), v.pipe(v.number(), v.integer(), v.gtValue(0))]),
      v.description('largest number of steps of a search for one job; only an unlimited search is complete'),
    ),
    DEFAULT_MAX_STEPS,
  ),
  anyRemainderPod: v.exactOptional(
    v.pipe(
      v.boolean(),
      v.description(
        'a job in two pods may have its remainder leaf in either pod, beyond the conditions of the Jigsaw paper',
      ),
    ),
    false,
  ),
  sharing: v.exactOptional(v.pipe(Sharing, v.description('jobs share links up to a capacity in MB/s'))),
})

/**
 * The policy least constrained (Smith and Lowenthal, HPDC 2021, 5.2.3) considers every placement that the conditions
 * for isolation and full bandwidth allow, also across pods. With `sharing` the policy is LC+S of the Jigsaw paper.
 */
export const leastConstrained: PlacementPolicy<Config, PartitionIndex> = {
  contract: 1,
  name: 'least-constrained',
  version,
  config: Config,
  make(topology, { maxSteps, anyRemainderPod, ...rest }) {
    // The search knows no shares of tapered trees, so jobs have full bandwidth everywhere.
    const config = { ...rest, ...(maxSteps === 'unlimited' ? {} : { maxSteps }), bandwidth: 'full' } as const
    return partitionPlacer(topology, config, (tree) => ({
      rule: anyRemainderPod || tree.present !== undefined ? 'nested-remainders' : 'jigsaw-conditions',
      exactSize: true,
      acrossPods: (search) => acrossPods(tree, config.order, search, anyRemainderPod),
    }))
  },
}
export default leastConstrained

/** Returns the search over several pods. With absent parts, whole leaves with different numbers of nodes come first. */
function acrossPods(tree: TreeShape, order: Config['order'], search: Search, anyRemainderPod: boolean): AcrossPods {
  const anyLeaves = new AnyLeaves(tree, order, search, anyRemainderPod)
  if (tree.present === undefined) return anyLeaves
  const uneven = new UnevenPods(tree, order, search, true)
  return {
    find: (state, index, nodes) =>
      uneven.find(state, index, nodes) ?? (search.exhausted ? undefined : anyLeaves.find(state, index, nodes)),
  }
}

/**
 * Search for placements on any leaves of several pods: tries every combination of full pods, full leaves and nodes per
 * full leaf that gives the requested size, in the configured order.
 */
class AnyLeaves implements AcrossPods {
  readonly #tree: TreeShape
  readonly #order: Config['order']
  readonly #search: Search
  /** Returns further shapes with given numbers of nodes, of nodes of a full leaf, and of full leaves of a full pod. */
  readonly #shapesOf: (nodes: number, perLeaf: number, leaves: number) => ReadonlyArray<Shape>
  readonly #podsSearch: PodsSearch
  /** Entry `[k]` is the number of pods with at least k leaves that could be full leaves. */
  readonly #podsWith: Int32Array

  constructor(tree: TreeShape, order: Config['order'], search: Search, anyRemainderPod: boolean) {
    this.#shapesOf = anyRemainderPod ? shapesInTwoPods : () => []
    this.#tree = tree
    this.#order = order
    this.#search = search
    this.#podsSearch = new PodsSearch(tree, search)
    this.#podsWith = new Int32Array(tree.leavesPerPod + 1)
  }

  find(state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    const most = Math.min(nodes - 1, this.#tree.wholeLeaf)
    this.#podsSearch.begin(index)
    for (let step = 0; step < most; step++) {
      const perLeaf = this.#order === 'densest-first' ? most - step : 1 + step
      const placement = this.#onLeavesOf(perLeaf, state, index, nodes)
      if (placement !== undefined || this.#search.exhausted) return placement
    }
    return undefined
  }

  #onLeavesOf(perLeaf: number, state: StateView, index: FreeIndex, nodes: number): Placement | undefined {
    if (this.#countLeaves(index, perLeaf) < Math.floor(nodes / perLeaf)) return undefined
    this.#countPods(index, perLeaf)
    // A pod has at most `l2Ports` full leaves, because every L2 switch in use needs a spine link for each full leaf of
    // its pod.
    const most = Math.min(this.#tree.leavesPerPod, this.#tree.l2Ports, Math.floor(nodes / perLeaf))
    for (let step = 0; step < most; step++) {
      const leaves = this.#order === 'densest-first' ? most - step : 1 + step
      if (this.#podsWith[leaves] === 0) continue
      for (const shape of [shapeOf(nodes, perLeaf, leaves), ...this.#shapesOf(nodes, perLeaf, leaves)]) {
        if (this.#podsWith[leaves] < shape.pods || !this.#hasRemainderPod(index, shape)) continue
        if (this.#podsSearch.find(shape)) return placementOf(this.#tree, state, this.#podsSearch, shape)
        if (this.#search.exhausted) return undefined
        this.#search.obstacle = 'common spine links'
      }
    }
    return undefined
  }

  /** Returns the machine's number of leaves that could be full leaves of `perLeaf` nodes. */
  #countLeaves({ leavesUsable }: FreeIndex, perLeaf: number): number {
    let all = 0
    for (let at = perLeaf; at < leavesUsable.length; at += this.#tree.nodesPerLeaf + 1) all += leavesUsable[at]
    return all
  }

  /** Fills `#podsWith` for full leaves of `perLeaf` nodes. */
  #countPods({ leavesUsable }: FreeIndex, perLeaf: number): void {
    const counts = this.#podsWith.fill(0)
    for (let at = perLeaf; at < leavesUsable.length; at += this.#tree.nodesPerLeaf + 1) counts[leavesUsable[at]]++
    for (let k = this.#tree.leavesPerPod; k > 0; k--) counts[k - 1] += counts[k]
  }

  /** Returns true if, by counts of leaves alone, a pod besides the full pods may hold the remainder of a shape. */
  #hasRemainderPod(index: FreeIndex, shape: Shape): boolean {
    const { pods, leaves, nodes, remainderLeaves, remainder, isInFullPod } = shape
    if (isInFullPod) return this.#podsWith[remainderLeaves] > 1
    // A single full pod without a remainder is no placement in several pods.
    if (remainderLeaves + remainder === 0) return pods > 1
    if (this.#podsWith[leaves] > pods) return true
    const { nodesPerLeaf } = this.#tree
    for (let pod = 0, row = 0; pod < this.#tree.pods; pod++, row += nodesPerLeaf + 1) {
      const full = index.leavesUsable[row + nodes]
      if (full < leaves && full >= remainderLeaves && index.leavesUsable[row + remainder] > remainderLeaves) return true
    }
    return false
  }
}

/** Shape of a placement of `nodes` = (pods * leaves + remainderLeaves) * perLeaf + remainder nodes. */
function shapeOf(nodes: number, perLeaf: number, leaves: number): Shape {
  const pods = Math.floor(nodes / (perLeaf * leaves))
  const left = nodes - pods * leaves * perLeaf
  return {
    pods,
    leaves,
    nodes: perLeaf,
    remainderLeaves: Math.floor(left / perLeaf),
    remainder: left % perLeaf,
    isInFullPod: false,
  }
}

/**
 * Returns the shape in two pods with the remainder leaf beside the `leaves` full leaves of the larger pod, if the
 * numbers allow this shape.
 */
function shapesInTwoPods(nodes: number, perLeaf: number, leaves: number): ReadonlyArray<Shape> {
  const remainder = nodes % perLeaf
  const remainderLeaves = Math.floor(nodes / perLeaf) - leaves
  if (remainder === 0 || remainderLeaves < 1 || remainderLeaves > leaves) return []
  return [{ pods: 1, leaves, nodes: perLeaf, remainderLeaves, remainder, isInFullPod: true }]
}

/**
 * Makes a placement from the pods and cables that a search found. Each pod gives its first full leaves: leaves with
 * enough free nodes and all chosen cables, except the remainder leaf.
 */
function placementOf(tree: TreeShape, state: StateView, search: PodsSearch, shape: Shape): Placement {
  const { pods, leaves, nodes, remainderLeaves, remainder } = shape
  const masks = new PlacementMasks(tree, state)
  const spines = chooseSpines(tree, search, shape)
  const full = slotsOf(tree, search.cables)
  const rest = slotsOf(tree, search.remainderCables)
  const takePod = (pod: number, wanted: number): void => {
    let left = wanted
    for (let leaf = pod * tree.leavesPerPod; leaf < (pod + 1) * tree.leavesPerPod; leaf++) {
      if (leaf === search.remainderLeaf) masks.takeLeaf(leaf, remainder, rest)
      else if (left > 0 && search.isFull(leaf)) {
        masks.takeLeaf(leaf, nodes, full)
        left--
      }
    }
  }
  for (let pod = 0, next = 0; pod < tree.pods; pod++) {
    if (next < pods && search.pods[next] === pod) {
      takePod(pod, leaves)
      masks.takeSpines(pod, spines.full)
      next++
    } else if (pod === search.remainderPod) {
      takePod(pod, remainderLeaves)
      masks.takeSpines(pod, spines.remainder)
    }
  }
  return masks.placement()
}

/** Chooses the spine slots of every L2 index: the same for all full pods, and a part of them for the remainder pod. */
function chooseSpines(
  { l2PerPod, l2Words }: TreeShape,
  search: PodsSearch,
  { leaves, remainderLeaves, remainder, isInFullPod }: Shape,
): { full: Int32Array; remainder: Int32Array } {
  const common = search.commonSpines(false)
  const ofRemainder = new Int32Array(common.length)
  const leafCables = (i: number, ofPod: boolean): number => (remainder > 0 && ofPod ? search.remainderCables[i] : 0)
  const inRemainderPod = (i: number): number =>
    search.remainderPod < 0 ? 0 : search.cables[i] * remainderLeaves + leafCables(i, !isInFullPod)
  if (search.remainderPod >= 0) {
    const reachable = search.commonSpines(true)
    for (let i = 0; i < l2PerPod; i++)
      addLowest(reachable, i * l2Words, ofRemainder, i * l2Words, l2Words, inRemainderPod(i))
  }
  const full = ofRemainder.slice()
  for (let i = 0; i < l2PerPod; i++) {
    const inFullPod = search.cables[i] * leaves + leafCables(i, isInFullPod)
    addLowest(common, i * l2Words, full, i * l2Words, l2Words, inFullPod - inRemainderPod(i))
  }
  return { full, remainder: ofRemainder }
}

/** Returns a mask of uplink slots of a leaf: the first `cables[i]` slots to each L2 index i. */
function slotsOf({ l2PerPod, leafWords }: TreeShape, cables: Int32Array): Int32Array {
  const slots = new Int32Array(leafWords)
  for (let i = 0; i < l2PerPod; i++) {
    for (let cable = 0; cable < cables[i]; cable++) {
      const slot = i + cable * l2PerPod
      slots[slot >>> 5] |= 1 << (slot & 31)
    }
  }
  return slots
}
